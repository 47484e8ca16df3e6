"""What the journal says of a random turn, held against what the turn gave back and what its recorder was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import trio

from benchmarks._balance import FORMS, asked_and_answered, unbalanced
from trio_tools import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallSettled,
    Cause,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    JSONValue,
    ToolCall,
    ToolResult,
)
from trio_tools.journal import CallRecord, EffectRecord, Journal

SESSION = "random"


@attrs.define
class Books:
    """What a journal holds of a turn: its records, and its history in each form. Times in it are Trio's and `offset`
    seconds."""

    records: Sequence[CallRecord]
    histories: dict[str, list[JSONValue]]
    offset: float


async def read_books(journal: Journal) -> Books:
    """Read all that there is of the session.

    **Cancellation**: nothing has happened.
    """
    offset = journal.now() - trio.current_time()
    histories = {form: await journal.history(SESSION, form=form) for form in FORMS}
    return Books(await journal.calls(SESSION), histories, offset)


def discord(
    books: Books, calls: Sequence[ToolCall], results: Mapping[int, ToolResult], events: Sequence[CallEvent]
) -> list[str]:
    """Where the books do not agree with the results, by position, and with what was recorded, in words."""
    positions = [record.ref.position for record in books.records]
    if positions != list(range(len(calls))):
        return [f"the journal has records of the calls {positions}"]
    found: list[str] = []
    for record in books.records:
        position = record.ref.position
        own = [event for event in events if event.ref.position == position]
        told = results.get(position)
        problems = _asked(record, calls[position]) + _times(record, own, books.offset) + _order(record)
        if told is not None:
            problems += _settled(record, told, own)
        found += [f"{position}: the journal {problem}" for problem in problems]
    return found + _histories(books, calls, results)


def _asked(record: CallRecord, call: ToolCall) -> list[str]:
    found: list[str] = []
    if (record.ref.call_id, record.ref.tool, record.arguments) != (call.id, call.name, call.arguments):
        found.append(f"holds {record.ref.tool}({record.arguments!r}) for {call.name}({call.arguments!r})")
    if record.ref.session is None or record.ref.session.id != SESSION:
        found.append(f"has it under the session {record.ref.session}")
    return found


def _settled(record: CallRecord, told: ToolResult, events: list[CallEvent]) -> list[str]:
    found: list[str] = []
    if record.result != told:
        found.append(f"has another result: {record.result}")
    # of its own: those of calls that it made have the place of their call
    named = [effect for effect in told.effects if effect.call is None]
    if [one.effect for one in record.effects] != named:
        found.append(f"has the effects {[one.effect for one in record.effects]}, the result {named}")
    if any(one.effect.state is EffectState.BEGUN for one in record.effects):
        found.append("has an effect whose end nobody has seen, of a call that has settled")
    attempts = [event.attempt for event in events if isinstance(event, CallDispatching)]
    if len(record.dispatched) != len(attempts) or (told.dispatched and not attempts):
        found.append(f"has {len(record.dispatched)} attempts, {attempts} were recorded")
    if told.code == ErrorCode.DENIED and record.allowed is not False:
        found.append("does not say that it was denied")
    if record.dispatched and not record.allowed:
        found.append("does not say that it was allowed, and it was dispatched")
    return found + _given_up(record, told)


def _given_up(record: CallRecord, told: ToolResult) -> list[str]:
    """Who ended it, and when. The books also know of one who came when a budget had run out already, or the body had
    failed."""
    own = (Cause.DEADLINE, Cause.IDLE, Cause.WRAPPER)
    found: list[str] = []
    if told.cause is not None and record.cause is not told.cause and (told.cause not in own or record.cause is None):
        found.append(f"says that {record.cause} ended it, the result {told.cause}")
    if told.error is None and record.cause is not None:
        found.append(f"says that {record.cause} ended it, and it is a success")
    if record.cause not in (None, Cause.WRAPPER) and record.cancelled is None:
        found.append(f"does not say when {record.cause} ended it")
    if record.cause in (None, Cause.WRAPPER) and record.cancelled is not None:
        found.append(f"says when it was ended, and that {record.cause} did it")
    return found


def _times(record: CallRecord, events: list[CallEvent], offset: float) -> list[str]:
    """Each time is that of its event."""
    found: list[str] = []

    def at(*kinds: type[CallEvent]) -> list[float]:
        return [event.at + offset for event in events if isinstance(event, kinds)]

    pairs = {
        "accepted": ([record.accepted], at(CallAccepted)),
        "decided": (_known(record.decided), at(CallDecided)),
        "dispatched": (list(record.dispatched), at(CallDispatching)),
        "settled": (_known(record.settled), at(CallSettled)),
        "begun": ([one.begun for one in record.effects], at(EffectBegun)),
        "ended": (sorted(_ends(record.effects)), sorted(at(EffectEnded))),
    }
    for what, (known, recorded) in pairs.items():
        if known != recorded:
            found.append(f"has it {what} at {known}, and it was at {recorded}")
    return found


def _order(record: CallRecord) -> list[str]:
    """A call is accepted, decided on, dispatched and settled in this order; its effects are inside of an attempt."""
    steps = [record.accepted, *_known(record.decided), *record.dispatched, *_known(record.settled)]
    found = [f"has its steps out of order: {steps}"] if steps != sorted(steps) else []
    for one in record.effects:
        inside = [*record.dispatched[:1], one.begun, *_known(one.ended), *_known(record.settled)]
        if not record.dispatched or inside != sorted(inside):
            found.append(f"has {one.effect.name} out of order: {inside}")
    return found


def _known(time: float | None) -> list[float]:
    return [] if time is None else [time]


def _ends(effects: Sequence[EffectRecord]) -> list[float]:
    return [one.ended for one in effects if one.ended is not None]


def _histories(books: Books, calls: Sequence[ToolCall], results: Mapping[int, ToolResult]) -> list[str]:
    """Each form is balanced, and has all calls; the plain one says so with their own ids and texts."""
    found: list[str] = []
    for form, messages in books.histories.items():
        found += [f"the {form} history: {problem}" for problem in unbalanced(messages, form)]
        asked = [own_id for message in messages for own_id in asked_and_answered(message, form)[0]]
        if len(asked) != len(calls):
            found.append(f"the {form} history has {len(asked)} calls of {len(calls)}")
    told = [_text(message) for message in books.histories["plain"][1:]]
    if told != [results[position].text for position in sorted(results)]:
        found.append(f"the plain history reads {told}")
    return found


def _text(message: JSONValue) -> JSONValue:
    return message.get("text") if isinstance(message, dict) else None
