"""An entry as a row of the file, and back. What is cheap is a column; only what has a shape of its own is JSON."""

from __future__ import annotations

import json
from typing import TypeAlias
from zlib import crc32

import attrs

from trio_tools.journal._errors import JournalError
from trio_tools.journal._records import EffectResolved, Entry, JournalEvent
from trio_tools.journal._schema import COLUMNS
from trio_tools.values import (
    FORMAT_VERSION,
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallRef,
    CallSettled,
    Effect,
    EffectBegun,
    JSONValue,
    Session,
    event_from_json,
    from_json,
    to_json,
)

Value: TypeAlias = str | int | float | None
# All columns of an entry, in order.
Row: TypeAlias = tuple[Value, ...]

KINDS = ("accepted", "decided", "dispatching", "effectbegun", "effectended", "settled", "effectresolved")

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


def entry_of(row: Row) -> Entry:
    """The entry that a row was made of. Raises `ValueError` saying what is wrong with the row."""
    fields: dict[str, Value] = dict(zip(COLUMNS, row, strict=False))
    seq, time, kind, body = fields["seq"], fields["time"], fields["kind"], fields["body"]
    if not isinstance(seq, int) or not isinstance(time, float) or kind not in KINDS or not isinstance(body, str):
        raise ValueError("its columns are not those of an entry")
    shaped: object = json.loads(body)
    if not isinstance(shaped, dict):
        raise ValueError("its body is not a JSON object")
    return Entry(seq=seq, time=time, event=_event(str(kind), fields, shaped))  # pyright: ignore[reportUnknownArgumentType]


def _event(kind: str, fields: dict[str, Value], body: dict[str, JSONValue]) -> JournalEvent:
    effect = {"name": fields["name"], "state": fields["state"], "key": fields["key"]}
    if kind == "effectresolved":
        return from_json(EffectResolved, {"version": FORMAT_VERSION, "effect": {**effect, **body}})
    session = None if fields["session"] is None else {"id": fields["session"], "owner": fields["owner"]}
    ref = {name: fields[name] for name in ("turn", "position", "call_id", "tool", "parent", "root")}
    document: dict[str, object] = {
        "version": FORMAT_VERSION,
        "event": kind,
        "ref": {**ref, "session": session},
        "at": fields["at"],
    }
    if kind == "effectbegun":
        document.update(name=fields["name"], key=fields["key"])
    elif kind == "effectended":
        document.update(effect={**effect, **body})
        return event_from_json(document)
    return event_from_json({**document, **body})
