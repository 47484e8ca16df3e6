"""What a schema takes and what the run time takes agree on random types and values, and the comparison can fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import attrs
import pytest
from annotated_types import Predicate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks._agreement import Tally, Tamper, compare_one
from benchmarks._kinds import DIFFERENCES, Flag, Verdict, looser
from benchmarks._kinds_records import Field, Record
from benchmarks._random_functions import Subject
from benchmarks._schema_checks import resolves, subschemas
from benchmarks.schema import never
from trio_tools import tool
from trio_tools.values import FrozenDict, JSONValue

# Types that are compared on every run: some thousands of values, so that each listed difference occurs.
SEEDS = range(240)
DOCS = Path(__file__).parents[2] / "docs" / "types.md"


def test_schema_and_run_time_agree() -> None:
    """R117, D26, R004, case B15, case B16 and case B26: what a schema takes runs with values of the right types, what
    it refuses does not run, and each difference is one of those listed, all of which occur."""
    tally = Tally()
    for seed in SEEDS:
        compare_one(seed, tally)
    assert tally.faults == []
    assert tally.values > 5_000
    assert never(tally) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=0, max_value=2**32))
def test_schema_and_run_time_agree_on_any_type(seed: int) -> None:
    """R117, D26, case B26: whatever the type."""
    tally = Tally()
    compare_one(seed, tally)
    assert tally.faults == []


def test_every_listed_difference_is_looked_for() -> None:
    """One kind of difference for each row of the list on the page, so that neither has an entry of its own."""
    table = DOCS.read_text(encoding="utf-8").partition("| type | the schema takes |")[2].partition("\n\n")[0]
    assert len([row for row in table.splitlines() if row.startswith("| ")]) == len(DIFFERENCES)


def schema_of(subject: Subject) -> dict[str, Any]:
    """The schema, as plain dicts that can be spoilt."""
    plain: dict[str, Any] = json.loads(json.dumps(subject.tool.parameters))
    return plain


def open_to_anything(subject: Subject) -> dict[str, Any]:
    return {"type": "object", "properties": {}}


def closed_to_everything(subject: Subject) -> dict[str, Any]:
    return {**schema_of(subject), "properties": {}}


def nothing_required(subject: Subject) -> dict[str, Any]:
    return {**schema_of(subject), "required": []}


def no_object(subject: Subject) -> dict[str, Any]:
    return {"anyOf": [schema_of(subject)]}


def _added(subject: Subject, one: object) -> dict[str, Any]:
    schema = schema_of(subject)
    schema["properties"]["another"] = one
    return schema


def a_reference_to_nowhere(subject: Subject) -> dict[str, Any]:
    return _added(subject, {"items": {"$ref": "#/$defs/Nobody"}})


def a_reference_elsewhere(subject: Subject) -> dict[str, Any]:
    return _added(subject, {"$ref": "https://example.org/schema.json"})


def a_default_that_is_none(subject: Subject) -> dict[str, Any]:
    return _added(subject, {"type": "integer", "default": "3"})


def no_json(subject: Subject) -> dict[str, Any]:
    return _added(subject, {"default": float("nan")})


def no_schema(subject: Subject) -> dict[str, Any]:
    return _added(subject, {"type": "text"})


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (open_to_anything, "the schema takes what the run time refuses"),
        (nothing_required, "the schema takes what the run time refuses"),
        (closed_to_everything, "the schema refuses what the run time takes"),
        (no_object, "no plain object"),
        (a_reference_to_nowhere, "leads nowhere"),
        (a_reference_elsewhere, "leads nowhere"),
        (a_default_that_is_none, "does not fit"),
        (no_json, "no strict JSON"),
        (no_schema, "not valid"),
    ],
)
def test_a_schema_that_was_tampered_with_is_found(tamper: Tamper, words: str) -> None:
    """The control: a comparison that cannot fail is worthless."""
    assert any(words in fault for fault in faults_of(tamper))


def faults_of(tamper: Tamper) -> list[str]:
    tally = Tally()
    for seed in range(5):
        compare_one(seed, tally, tamper)
    return tally.faults


@attrs.frozen
class OtherReader:
    """A signature that reads what it is given in another way."""

    signature: Any
    change: Callable[[dict[str, object]], dict[str, object]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.signature, name)

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        values: dict[str, object] = self.signature.read(arguments, problems)
        return values if problems else self.change(values)


def _reading(change: Callable[[dict[str, object]], dict[str, object]]) -> Tamper:
    def tamper(subject: Subject) -> dict[str, Any]:
        other: Any = OtherReader(subject.tool.signature, change)
        subject.tool = attrs.evolve(subject.tool, signature=other)
        return schema_of(subject)

    return tamper


def _as_text(values: dict[str, object]) -> dict[str, object]:
    return {name: str(value) for name, value in values.items()}


def _never_the_same() -> Callable[[dict[str, object]], dict[str, object]]:
    count = 0

    def change(values: dict[str, object]) -> dict[str, object]:
        nonlocal count
        count += 1
        return values if count % 2 else _as_text(values)

    return change


def other_defaults(subject: Subject) -> dict[str, Any]:
    subject.defaults = {name: object() for name in subject.defaults}
    return schema_of(subject)


def _around(change: Callable[[Any], Any], subject: Subject) -> dict[str, Any]:
    body: Any = subject.tool.body

    async def other(*arguments: object, **named: object) -> object:
        return change(await body(*arguments, **named))

    subject.tool = attrs.evolve(subject.tool, body=other)
    return schema_of(subject)


def other_arguments(subject: Subject) -> dict[str, Any]:
    def change(found: object) -> object:
        subject.received[-1] = dict.fromkeys(subject.received[-1], ...)
        return found

    return _around(change, subject)


def other_results(subject: Subject) -> dict[str, Any]:
    return _around(lambda _: {}, subject)


def other_types(subject: Subject) -> dict[str, Any]:
    fields = [Field(one.name, Flag(), one.required) for one in subject.kind.fields]
    subject.kind = Record(None, fields, subject.kind.make)
    return schema_of(subject)


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (_reading(_as_text), "read as"),
        (_reading(_never_the_same()), "second time"),
        (other_defaults, "another default"),
        (other_types, "by the table it fits"),
        (other_arguments, "the body got other values"),
        (other_results, "returned as {}"),
    ],
)
def test_a_run_time_that_was_tampered_with_is_found(tamper: Tamper, words: str) -> None:
    """The control: values of other types, other defaults, or another table."""
    assert any(words in fault for fault in faults_of(tamper))


def test_a_listed_difference_excuses_no_other() -> None:
    """A value that is refused for an unlisted reason as well is no listed difference."""
    kind = Record(None, [Field("a", Flag(), True), Field("b", Late(), True)], dict)
    assert kind.judge({"a": True, "b": 1}) == looser("dates")
    assert kind.judge({"a": 1, "b": 1}) == Verdict(False)
    assert kind.judge({"b": 1}) == Verdict(False)


class Late(Flag):
    """A type that refuses everything for a listed reason."""

    def judge(self, value: JSONValue) -> Verdict:
        return looser("dates")


READINGS: list[int] = []


def note(value: int) -> bool:
    READINGS.append(value)
    return value >= 0


@attrs.define
class Step:
    """A class within itself that notes when it is read."""

    value: Annotated[int, Predicate(note)]
    more: list[Step] = attrs.field(factory=list["Step"])
    last: Step | None = None


@pytest.mark.parametrize("name", ["more", "last"])
def test_what_is_wrong_far_down_is_not_read_again_at_every_level(name: str) -> None:
    """R117: a misfit is told in a time that is no power of its depth, or short arguments could hold up the loop."""

    @tool
    async def walk(step: Step) -> None: ...

    levels = 4
    value: dict[str, object] = {"value": -1}
    for _ in range(levels):
        value = {"value": 1, name: [value] if name == "more" else value}
    READINGS.clear()
    assert len(walk.violations({"step": value})) == 1
    assert READINGS.count(-1) <= 2 * levels


def test_a_difference_that_never_occurs_is_found() -> None:
    tally = Tally()
    tally.differences.update(DIFFERENCES[1:])
    assert never(tally) == [DIFFERENCES[0]]


def test_references_and_schemas_within_are_found() -> None:
    """Case B26: every reference resolves from the tool's own root; what only looks like a schema is none."""
    schema: dict[str, JSONValue] = {"$defs": {"a/b~ü": {}}, "properties": {"default": {"default": {"items": {}}}}}
    assert resolves(schema, "#/$defs/a~1b~0%C3%BC")
    assert not resolves(schema, "#/$defs/a")
    assert not resolves(schema, "other.json#/$defs/a~1b~0%C3%BC")
    assert len(list(subschemas(schema))) == 3
