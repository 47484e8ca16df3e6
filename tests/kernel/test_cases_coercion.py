"""Case B15: arguments that are nearly right. Nothing is coerced or rounded, and the rule is the same for all tools."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Literal, NotRequired, TypedDict

import attrs
import pytest
from intake_tools import Trail, call, trailed

from trio_tools import CallAccepted, ErrorCode, Tool, ToolResult, to_json, tool

PREFIX = "Error: invalid arguments: "
BEYOND = "must be an integer, and one of 2^53 or more written without a point or exponent"


@dataclasses.dataclass
class Row:
    n: int
    s: str = "s"
    x: float = 0.5
    ok: bool = False


@attrs.define
class Hidden:
    _n: int
    text: str = attrs.field(default="t", alias="caption")
    made: str = attrs.field(default="here", init=False)


class Options(TypedDict):
    deep: bool
    note: NotRequired[str | None]


class Sparse(TypedDict, total=False):
    a: int
    b: str


class Hue(Enum):
    RED = "red"
    ONE = 1


class Whole(IntEnum):
    TWO = 2


@attrs.define
class Bodies:
    """What bodies were entered with."""

    got: list[dict[str, object]] = attrs.field(factory=list[dict[str, object]])

    async def f(self, note: str, count: int, dry_run: bool, u: int | str) -> str:
        return self.keep(note=note, count=count, dry_run=dry_run, u=u)

    async def nest(
        self,
        *,
        row: Row | None = None,
        rows: list[Row] = [],  # noqa: B006 - nobody changes it
        by_name: dict[str, Row] = {},  # noqa: B006 - as above
        hidden: Hidden | None = None,
        options: Options | None = None,
        sparse: Sparse | None = None,
        pair: tuple[int, str] = (0, ""),
        counts: dict[str, int] = {},  # noqa: B006 - as above
        x: float = 0.0,
        i: int = 0,
        one: Literal[1, "2"] = 1,
        hue: Hue = Hue.RED,
        price: Decimal = Decimal(0),
        day: date = date(2026, 11, 30),
    ) -> str:
        given = {name: value for name, value in locals().items() if name != "self"}
        return self.keep(**given)

    def keep(self, **given: object) -> str:
        self.got.append(given)
        return "done"


@attrs.frozen
class Sent:
    """What came of a call: its result, what the body got if it was entered, and the text that the log has."""

    result: ToolResult
    got: dict[str, object] | None
    logged: str

    @property
    def problems(self) -> list[str]:
        """What is wrong, as the model is told; the body was not entered."""
        assert (self.got, self.result.code, self.result.dispatched) == (None, ErrorCode.INVALID_ARGS, False)
        assert self.result.text.startswith(PREFIX)
        for word in ("keyword argument", "TypeError", "Traceback"):
            assert word not in self.result.text
        return self.result.text.encode().decode().removeprefix(PREFIX).split("; ")


async def send(name: str, arguments: Mapping[str, object] | str, bodies: Bodies | None = None) -> Sent:
    """A call of one of the bodies, and what came of it."""
    bodies, journal = bodies or Bodies(), Trail()
    async with trailed(tool(getattr(bodies, name))) as (registry, _):
        registry.add_recorder(journal.record)
        result = await call(registry, name, arguments)
    (accepted,) = [event for event in journal.events if isinstance(event, CallAccepted)]
    return Sent(result, bodies.got[0] if bodies.got else None, json.dumps(to_json(accepted)["arguments"]))


def with_member(name: str, written: str) -> str:
    """Arguments of `f` in which one member is written so."""
    members = {"note": '""', "count": "0", "dry_run": "false", "u": "0", name: written}
    return "{" + ", ".join(f'"{key}": {value}' for key, value in members.items()) + "}"


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "mapping"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("note", text) for text in ("123", '{"k":5}', "true", "null", "[1]", "1e400", "", " 5 ", '"x"')),
        *(("u", value) for value in ("5", 5, "1e5", "true", "null", "", -5, "0x10", "\u0665")),
        *(("count", number) for number in (1234567890123456789, -(2**63), 2**64, 10**30, 0)),
    ],
    ids=repr,
)
async def test_what_fits_reaches_body_and_log_as_it_was_written(name: str, value: object, as_text: bool) -> None:
    """Case B15 (a), (e), (f): the same value of the same type, however much it looks like another."""
    text = with_member(name, json.dumps(value))
    sent = await send("f", text if as_text else json.loads(text))
    assert sent.got is not None
    assert repr(sent.got[name]) == repr(value)
    logged = json.loads(sent.logged)
    assert repr((json.loads(logged) if as_text else logged)[name]) == repr(value)


REFUSED = [
    ("dry_run", '"false"', '"dry_run" must be a boolean'),
    ("dry_run", '""', '"dry_run" must be a boolean'),
    ("dry_run", "0", '"dry_run" must be a boolean'),
    ("dry_run", "[]", '"dry_run" must be a boolean'),
    ("count", "true", '"count" must be an integer'),
    ("count", '"1234567890123456789"', '"count" must be an integer'),
    ("count", "1.5", '"count" must be an integer'),
    ("count", "[1]", '"count" must be an integer'),
    ("count", '"\\u0661"', '"count" must be an integer'),
    ("note", "123", '"note" must be a string'),
    ("note", '["a"]', '"note" must be a string'),
    ("note", '{"text": "a"}', '"note" must be a string'),
    ("u", "true", '"u" must be an integer or a string'),
    ("u", "5.5", '"u" must be an integer or a string'),
    ("u", "null", 'missing required property "u"'),
]


@pytest.mark.parametrize(("name", "written", "problem"), REFUSED)
async def test_what_does_not_fit_is_refused_in_every_form(name: str, written: str, problem: str) -> None:
    """Case B15 (b), (c), (d), (g): named, and never guessed."""
    text = with_member(name, written)
    for arguments in (text, json.loads(text)):
        assert (await send("f", arguments)).problems == [problem]


@pytest.mark.parametrize(("name", "written", "problem"), [one for one in REFUSED if "null" not in one])
async def test_a_tool_of_a_raw_schema_has_the_same_rule(name: str, written: str, problem: str) -> None:
    """Case B15: the rule is the same for all tools, wherever they come from."""
    kinds: dict[str, object] = {"note": "string", "count": "integer", "dry_run": "boolean", "u": ["integer", "string"]}
    schema = {"properties": {key: {"type": kind} for key, kind in kinds.items()}, "required": [*kinds]}
    raw = Tool(name="f", parameters=schema, body=Bodies().f)
    assert raw.violations(with_member("note", '"true"')) == []
    assert raw.violations(with_member(name, written)) == [problem]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('{"row": {"n": "1", "s": 2, "x": "0.5", "ok": "true"}}', ["n", "s", "x", "ok"]),
        ('{"rows": [{"n": 1}, {"n": true}, {"n": "3"}]}', ["rows[1].n", "rows[2].n"]),
        ('{"by_name": {"1": {"n": 1.5}}}', ["by_name.1.n"]),
        ('{"options": {"deep": "false", "note": 5}}', ["options.deep", "options.note"]),
        ('{"sparse": {"a": "1", "b": 1}}', ["sparse.a", "sparse.b"]),
        ('{"hidden": {"n": "1", "caption": null}}', ["hidden.n", "hidden.caption"]),
        ('{"pair": ["1", 1]}', ["pair[0]", "pair[1]"]),
        ('{"counts": {"1": "1", "true": true}}', ["counts.1", "counts.true"]),
        ('{"row": "{\\"n\\": 1}", "rows": "[]", "counts": "{}"}', ["row", "rows", "counts"]),
        ('{"rows": {"0": {"n": 1}}, "row": [1], "x": "1", "price": 19.9}', ["rows", "row", "x", "price"]),
        ('{"one": "1", "hue": "RED", "day": 20261130}', ["one", "hue", "day"]),
        ('{"one": true, "hue": true}', ["one", "hue"]),
        ('{"i": "0", "x": true}', ["i", "x"]),
    ],
)
async def test_nothing_is_coerced_further_in(text: str, problems: list[str]) -> None:
    """Case B15: in classes, lists, tuples, dicts and TypedDicts; every place is named."""
    said = (await send("nest", text)).problems
    places = [one.split('"')[1] for one in said]
    assert sorted(place.removeprefix("row.") for place in places) == sorted(problems)
    assert all('" must be ' in one for one in said)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ('{"i": -0.0}', "i", 0),
        ('{"i": 1e2}', "i", 100),
        ('{"i": 9007199254740991.0}', "i", 9007199254740991),
        ('{"i": -12345678901234567890123}', "i", -12345678901234567890123),
        ('{"x": -0.0}', "x", -0.0),
        ('{"x": 3}', "x", 3.0),
        ('{"x": 0.30000000000000004}', "x", 0.30000000000000004),
        ('{"counts": {"1": 1, "1.0": 2, "true": 3}}', "counts", {"1": 1, "1.0": 2, "true": 3}),
        ('{"one": 1.0}', "one", 1),
        ('{"hue": 1.0}', "hue", Hue.ONE),
        ('{"price": "19.90"}', "price", Decimal("19.90")),
    ],
)
async def test_numbers_that_a_type_holds_exactly_are_taken(text: str, name: str, value: object) -> None:
    """Case B15: 3.0 is a whole number in JSON, and a key is text, whatever it looks like."""
    sent = await send("nest", text)
    assert sent.got is not None
    assert repr(sent.got[name]) == repr(value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"i": 1e25}', f'"i" {BEYOND}'),
        ('{"i": 9007199254740993.0}', f'"i" {BEYOND}'),
        ('{"i": -9007199254740993.0}', f'"i" {BEYOND}'),
        ('{"rows": [{"n": 12345678901234567890.0}]}', f'"rows[0].n" {BEYOND}'),
        ('{"x": 9007199254740993}', '"x" must be a number that a float holds exactly'),
        ('{"x": 1' + "0" * 400 + "}", '"x" must be a number that a float holds exactly'),
        ('{"i": 1e400}', "not a JSON object: $: 1e400 is not a finite number"),
        ('{"x": -1e400}', "not a JSON object: $: -1e400 is not a finite number"),
    ],
    ids=lambda text: str(text)[:40],
)
async def test_no_number_is_rounded_on_its_way(text: str, problem: str) -> None:
    """Case B15: what the body would get is not what was written, and so it gets nothing."""
    assert "; ".join((await send("nest", text)).problems) == problem


@pytest.mark.parametrize("value", [Whole.TWO, Decimal(2), b"2", (2,), type("Text", (str,), {})("2")], ids=repr)
async def test_python_values_that_are_no_json_are_not_made_json(value: object) -> None:
    """Case B15: a mapping that a program hands over is held to the same."""
    sent = await send("f", {"note": "", "count": 2, "dry_run": False, "u": value})
    assert (sent.got, sent.result.code) == (None, ErrorCode.INVALID_ARGS)
    assert f"$.u: a value of type {type(value).__name__} is not JSON" in sent.result.text
