"""An entry as a row of the file, and back. What is cheap is a column; only what has a shape of its own is JSON."""

from __future__ import annotations

import json
import math
from typing import TypeAlias
from zlib import crc32

import attrs

from trio_tools.journal._connect import Value
from trio_tools.journal._errors import JournalError
from trio_tools.journal._records import EffectResolved, Entry, JournalEvent
from trio_tools.journal._schema import COLUMNS
from trio_tools.values import (
    FORMAT_VERSION,
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Cause,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    Session,
    ToolResult,
    freeze,
    from_json,
    to_json,
)

# All columns of an entry, in order.
Row: TypeAlias = tuple[Value, ...]

_EFFECT = frozenset(("receipt", "error", "earlier", "call"))
# Every kind of entry, and what its body holds.
KINDS = {
    "accepted": frozenset(("arguments", "metadata")),
    "decided": frozenset(("allowed", "reason")),
    "dispatching": frozenset(("attempt", "read_only")),
    "effectbegun": frozenset[str](),
    "effectended": _EFFECT,
    "settled": frozenset(("result", "cancelled_at", "cause")),
    "effectresolved": _EFFECT,
}

# One format operation is the quickest way over many columns, and it is the same in every Python.
_REST = "|".join(["%s"] * (len(COLUMNS) - 3))
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
# Bodies of which nothing needs JSON's care are written without it: it costs a third of such an entry.
_BOOLEANS = {True: "true", False: "false"}


class UnwritableError(JournalError):
    """One entry that cannot be written at all; the others can."""


@attrs.frozen
class Columns:
    """What an event is written as, whichever entry it becomes: the columns from `time` to `body`, and their bytes."""

    values: Row
    content: bytes

    def as_entry(self, seq: int, family: int) -> Row:
        """The whole row, with its checksum: the CRC-32 of all other columns."""
        return (seq, family, *self.values, crc32(self.content, crc32(b"%d|%d|" % (seq, family))))


def columns_of(time: float, event: JournalEvent, session: Session | None) -> Columns:
    """What an event of that many Unix seconds, of that session, is written as.

    Raises `UnwritableError` for an event that holds what is neither JSON nor a text of UTF-8.
    """
    try:
        values = _values(float(time), event, session)
        return Columns(values, (_REST % values).encode())
    except (ValueError, TypeError, RecursionError) as error:
        kind = type(event).__name__
        raise UnwritableError(f"an event cannot be written to the journal: {kind}: {error}") from error


def moved(row: Row, family: int) -> Row:
    """The same entry in another family."""
    seq, values = row[0], row[2:-1]
    assert isinstance(seq, int)
    return Columns(values, (_REST % values).encode()).as_entry(seq, family)


def is_whole(row: Row) -> bool:
    """Whether a row is just as it was written, by its checksum."""
    content = (f"{row[0]}|{row[1]}|" + _REST % row[2:-1]).encode(errors="surrogatepass")
    return crc32(content) == row[-1]


def _values(time: float, event: JournalEvent, session: Session | None) -> Row:
    if isinstance(event, EffectResolved):
        return (time, "effectresolved", *(None,) * 4, *_of_session(session), *(None,) * 3, *_of_effect(event.effect))
    effect: tuple[str | None, ...] = (None, None, None)
    if isinstance(event, CallSettled):
        result = to_json(event.result)
        del result["version"]
        kind, body = "settled", _encode({"result": result, "cancelled_at": event.cancelled_at, "cause": event.cause})
    elif isinstance(event, CallAccepted):
        metadata = "null" if event.metadata is None else _encode(event.metadata)
        kind, body = "accepted", f'{{"arguments":{_encode(event.arguments)},"metadata":{metadata}}}'
    elif isinstance(event, CallDispatching):
        kind, body = "dispatching", f'{{"attempt":{event.attempt},"read_only":{_BOOLEANS[event.read_only]}}}'
    elif isinstance(event, CallDecided):
        reason = "null" if event.reason is None else _encode(event.reason)
        kind, body = "decided", f'{{"allowed":{_BOOLEANS[event.allowed]},"reason":{reason}}}'
    elif isinstance(event, EffectBegun):
        kind, body, effect = "effectbegun", "{}", (event.name, event.key, None)
    else:
        *named, body = _of_effect(event.effect)
        kind, effect = "effectended", tuple(named)
    return (time, kind, *_of_ref(event.ref), float(event.at), *effect, body)


def _of_ref(ref: CallRef) -> Row:
    return (ref.turn, ref.position, ref.call_id, ref.tool, *_of_session(ref.session), ref.parent, ref.root)


def _of_session(session: Session | None) -> tuple[str | None, str | None]:
    return (None, None) if session is None else (session.id, session.owner)


def _of_effect(effect: Effect) -> tuple[str | None, str | None, str, str]:
    body = {"receipt": effect.receipt, "error": effect.error, "earlier": effect.earlier, "call": effect.call}
    return effect.name, effect.key, str(effect.state), _encode(body)


def entry_of(row: Row, refs: dict[Row, CallRef]) -> Entry:
    """The entry that a row was made of. Raises `ValueError` saying what is wrong with the row.

    `refs` are those of the rows before, by their columns: the entries of a call share one. Each kind is read as it is
    written above, with no document of it in between. Both are for long logs, which are read often.
    """
    seq, _, time, kind, *columns, body, _ = row
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError("it is of no kind that an entry is of")
    shaped = _object(json.loads(_text(body)))
    if shaped.keys() != KINDS[kind]:
        raise ValueError(f"its body does not hold what that of one that is {kind} does")
    return Entry(seq=_whole(seq), time=_number(time), event=_event(kind, columns, shaped, refs))


def _event(kind: str, columns: list[Value], body: dict[str, object], refs: dict[Row, CallRef]) -> JournalEvent:
    *call, at, name, key, state = columns
    if kind == "effectresolved":
        return EffectResolved(effect=_effect(name, key, state, body))
    of_call = tuple(call)
    ref = refs.get(of_call)
    if ref is None:
        ref = refs[of_call] = _ref(of_call)
    if kind == "effectended":
        return EffectEnded(ref=ref, at=_number(at), effect=_effect(name, key, state, body))
    if kind == "effectbegun":
        return EffectBegun(ref=ref, at=_number(at), name=_text(name), key=_text_or_none(key))
    return _step(kind, ref, _number(at), body)


def _step(kind: str, ref: CallRef, at: float, body: dict[str, object]) -> CallEvent:
    if kind == "accepted":
        return CallAccepted(ref=ref, at=at, arguments=freeze(body["arguments"]), metadata=freeze(body["metadata"]))
    if kind == "dispatching":
        return CallDispatching(ref=ref, at=at, attempt=_whole(body["attempt"]), read_only=_boolean(body["read_only"]))
    if kind == "decided":
        return CallDecided(ref=ref, at=at, allowed=_boolean(body["allowed"]), reason=_text_or_none(body["reason"]))
    cancelled_at, cause = body["cancelled_at"], body["cause"]
    return CallSettled(
        ref=ref,
        at=at,
        result=from_json(ToolResult, {"version": FORMAT_VERSION, **_object(body["result"])}),
        cancelled_at=None if cancelled_at is None else _number(cancelled_at),
        cause=None if cause is None else Cause(_text(cause)),
    )


def _ref(columns: Row) -> CallRef:
    turn, position, call_id, tool, session, owner, parent, root = columns
    return CallRef(
        turn=_text(turn),
        position=_whole(position),
        call_id=_text_or_none(call_id),
        tool=_text(tool),
        session=None if session is None else Session(_text(session), _text_or_none(owner)),
        parent=_text_or_none(parent),
        root=_text_or_none(root),
    )


def _effect(name: Value, key: Value, state: Value, body: dict[str, object]) -> Effect:
    return Effect(
        name=_text(name),
        state=EffectState(_text(state)),
        receipt=freeze(body["receipt"]),
        error=_text_or_none(body["error"]),
        key=_text_or_none(key),
        earlier=_boolean(body["earlier"]),
        call=_text_or_none(body["call"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(value, "a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (float, int)) or isinstance(value, bool) or not math.isfinite(value):
        raise _wrong(value, "a finite number")
    return float(value)


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, "true or false")
    return value


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _wrong(value, "a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType]


def _wrong(value: object, written: str) -> ValueError:
    return ValueError(f"it holds {type(value).__name__} where {written} was written")
