"""Entries as rows of the file: read as they were written, and refused where they say what no entry does."""

from __future__ import annotations

import attrs
import pytest
from journal_contract import call

from trio_tools import CallAccepted, CallEvent, CallSettled, Cause, Effect, EffectState, ErrorInfo
from trio_tools.journal._connect import Value
from trio_tools.journal._reading import read
from trio_tools.journal._records import EffectResolved, JournalEvent
from trio_tools.journal._rows import KINDS, Columns, Row, columns_of, entry_of
from trio_tools.journal._schema import COLUMNS

ONE = call("t/0")
ALONE = attrs.evolve(ONE, ref=attrs.evolve(ONE.ref, call_id=None, session=None, parent="u/1", root=None))
SENT = Effect("mail", EffectState.COMMITTED, {"id": [1, 2.5]}, key="k", earlier=True, call="t/1")
EVENTS: list[CallEvent] = [
    event
    for one in (ONE, ALONE)
    for event in (
        one.accepted({"to": ["ada"]}, {"trace": None}),
        one.decided(),
        one.decided("no ☂"),
        one.dispatching(3),
        one.begun(),
        one.begun(key="k"),
        one.ended(EffectState.FAILED, error="gone"),
        attrs.evolve(one.ended(EffectState.COMMITTED), effect=SENT),
        one.settled(effects=(SENT,)),
        attrs.evolve(one.settled(), cancelled_at=2.5, cause=Cause.CALLER),
        one.settled(attrs.evolve(one.settled().result, value=None, error=ErrorInfo("X", "TOOL_FAILED", "x"))),
    )
]


def row_of(event: JournalEvent) -> Row:
    return columns_of(1_000.5, event, None).as_entry(7, 4)


@pytest.mark.parametrize("event", [*EVENTS, EffectResolved(effect=SENT)], ids=lambda event: type(event).__name__)
def test_an_entry_is_read_as_it_was_written(event: JournalEvent) -> None:
    entry = entry_of(row_of(event), {})
    assert (entry.seq, entry.time, entry.event) == (7, 1_000.5, event)
    assert isinstance(entry.event, type(event))


def with_column(event: JournalEvent, name: str, value: Value) -> Row:
    """A row that says something else in one column, with the checksum that goes with it."""
    seq, family, *values, _ = row_of(event)
    values[COLUMNS.index(name) - 2] = value
    content = "|".join(["%s"] * len(values)) % tuple(values)
    return Columns(tuple(values), content.encode()).as_entry(int(seq or 0), int(family or 0))


WRONG: list[tuple[JournalEvent, str, Value, str]] = [
    (ONE.accepted(), "kind", "rejected", "of no kind"),
    (ONE.accepted(), "kind", None, "of no kind"),
    (ONE.accepted(), "time", "noon", "str where a finite number"),
    (ONE.accepted(), "at", float("inf"), "float where a finite number"),
    (ONE.accepted(), "turn", None, "NoneType where a text"),
    (ONE.accepted(), "position", "first", "str where a whole number"),
    (ONE.accepted(), "call_id", 1, "int where a text"),
    (ONE.accepted(), "owner", 1, "int where a text"),
    (ONE.accepted(), "body", None, "NoneType where a text"),
    (ONE.accepted(), "body", "{", "Expecting"),
    (ONE.accepted(), "body", "[]", "list where a JSON object"),
    (ONE.accepted(), "body", '{"arguments":1}', "does not hold what"),
    (ONE.accepted(), "body", '{"arguments":NaN,"metadata":null}', "not a finite number"),
    (ONE.begun(), "name", None, "NoneType where a text"),
    (ONE.begun(), "body", '{"more":1}', "does not hold what"),
    (ONE.decided(), "body", '{"allowed":1,"reason":null}', "int where true or false"),
    (ONE.decided(), "body", '{"allowed":true,"reason":1}', "int where a text"),
    (ONE.dispatching(), "body", '{"attempt":true,"read_only":false}', "bool where a whole number"),
    (ONE.ended(EffectState.COMMITTED), "state", "over", "not a valid EffectState"),
    (EffectResolved(effect=SENT), "state", None, "NoneType where a text"),
    (ONE.settled(), "body", '{"result":1,"cancelled_at":null,"cause":null}', "int where a JSON object"),
    (ONE.settled(), "body", '{"result":{},"cancelled_at":null,"cause":null}', "not a ToolResult"),
]


@pytest.mark.parametrize(("event", "column", "value", "said"), WRONG)
def test_a_whole_row_that_says_what_no_entry_does_is_told_as_damage(
    event: JournalEvent, column: str, value: Value, said: str
) -> None:
    """B36: its checksum is right, and it is never taken for true."""
    entries, damage = read([with_column(event, column, value), row_of(ONE.dispatching())])
    assert [entry.event for entry in entries] == [ONE.dispatching()]
    assert [one.place for one in damage] == ["entry 7"]
    assert said in damage[0].problem


def test_the_entries_of_a_call_share_what_says_which_it_is() -> None:
    """A long log is held in memory as it is read."""
    entries, _ = read([row_of(event) for event in (ONE.accepted(), ALONE.accepted(), ONE.settled())])
    first, other, last = [entry.event for entry in entries]
    assert isinstance(first, CallAccepted)
    assert isinstance(last, CallSettled)
    assert first.ref is last.ref
    assert other == ALONE.accepted()


def test_each_kind_of_entry_is_written_and_read_here() -> None:
    kinds = {row_of(event)[COLUMNS.index("kind")] for event in (*EVENTS, EffectResolved(effect=SENT))}
    assert kinds == set(KINDS)
