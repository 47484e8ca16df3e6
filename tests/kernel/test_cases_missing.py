"""Case B16: missing, null and extra arguments are three things. What the schema says is what the run time does."""

from __future__ import annotations

import dataclasses
import json
from enum import Enum
from typing import Annotated, Any, NotRequired, Required, TypedDict

import attrs
import pytest
from intake_tools import call, trailed
from test_cases_coercion import Bodies, Hidden, send

from trio_tools import ErrorCode, ToolContext, tool


class Hue(Enum):
    RED = "red"
    NONE = None


@dataclasses.dataclass
class Row:
    n: int
    limit: int = 10
    tag: str | None = None
    must: str | None = dataclasses.field(kw_only=True)


class Options(TypedDict):
    deep: bool
    note: NotRequired[str | None]
    only: NotRequired[int]


class Sparse(TypedDict, total=False):
    a: Required[int | None]
    b: str


@attrs.define
class Searches(Bodies):
    """Bodies whose parameters may be left out, may be null, both, or neither."""

    async def search(self, q: str, limit: int = 10, tag: str | None = None) -> str:
        return self.keep(q=q, limit=limit, tag=tag)

    async def g(self, tag: str | None) -> str:
        return self.keep(tag=tag)

    async def placed(self, a: int = 1, b: int | None = 2, /, c: int = 3, *, d: object, ctx: ToolContext) -> str:
        return self.keep(a=a, b=b, c=c, d=d)

    async def further_in(
        self,
        *,
        row: Row | None = None,
        rows: list[Row | None] = [],  # noqa: B006 - nobody changes it
        hidden: Hidden | None = None,
        options: Options | None = None,
        sparse: Sparse | None = None,
        names: Annotated[dict[str, str] | None, "by key"] = None,
        hue: Hue = Hue.RED,
    ) -> str:
        given = {name: value for name, value in locals().items() if name != "self"}
        return self.keep(**given)

    async def sized(self, größe: int = 0) -> str:  # noqa: PLC2401 - the point
        return self.keep(size=größe)


LETTERS = [
    ("search", '{"q":"x","limt":5}', 'unknown property "limt" (known: "q", "limit", "tag")'),
    ("search", '{"q":"x","limit":null}', '"limit" must be an integer'),
    ("search", '{"q":null}', 'missing required property "q"'),
    ("search", "{}", 'missing required property "q"'),
    ("g", "{}", 'missing required property "tag"'),
]


@pytest.mark.parametrize(("name", "text", "problem"), LETTERS)
async def test_missing_null_and_extra_are_three_things(name: str, text: str, problem: str) -> None:
    """Case B16 (a), (b), (d), (e), (f): each is named, as text and as a mapping, and the body is not entered."""
    for arguments in (text, json.loads(text)):
        assert (await send(name, arguments, Searches())).problems == [problem]


@pytest.mark.parametrize(
    ("name", "text", "got"),
    [
        ("search", '{"q":"x","tag":null}', {"q": "x", "limit": 10, "tag": None}),
        ("search", '{"q":"x"}', {"q": "x", "limit": 10, "tag": None}),
        ("search", '{"tag":"t","limit":0,"q":""}', {"q": "", "limit": 0, "tag": "t"}),
        ("g", '{"tag":null}', {"tag": None}),
        ("g", '{"tag":"null"}', {"tag": "null"}),
    ],
)
async def test_null_is_a_value_where_the_type_has_it(name: str, text: str, got: dict[str, object]) -> None:
    """Case B16 (c), and (f) the other way: the body sees None only where its type says so."""
    assert (await send(name, text, Searches())).got == got


def test_the_schema_says_the_same() -> None:
    """Case B16: a default makes optional, None makes nullable, and neither makes the other."""
    search: Any = tool(Searches().search).parameters
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert search["required"] == ["q"]
    assert search["properties"]["limit"] == {"type": "integer", "default": 10}
    assert search["properties"]["tag"] == {**nullable, "default": None}
    one: Any = tool(Searches().g).parameters
    assert (one["required"], one["properties"], one["additionalProperties"]) == (["tag"], {"tag": nullable}, False)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('{"row":{"n":null,"must":null}}', ['missing required property "row.n"']),
        ('{"options":{"deep":null}}', ['missing required property "options.deep"']),
        ('{"row":{"n":1}}', ['missing required property "row.must"']),
        ('{"row":{"n":1,"must":"","limit":null}}', ['"row.limit" must be an integer']),
        ('{"row":{}}', ['missing required property "row.n"', 'missing required property "row.must"']),
        ('{"rows":[null,{"must":null}]}', ['missing required property "rows[1].n"']),
        (
            '{"rows":[{"n":1,"must":null,"limt":5}]}',
            ['unknown property "rows[0].limt" (known: "n", "limit", "tag", "must")'],
        ),
        ('{"options":{"deep":true,"only":null}}', ['"options.only" must be an integer']),
        ('{"options":{"note":null}}', ['missing required property "options.deep"']),
        ('{"options":{"deep":true,"Note":""}}', ['unknown property "options.Note" (known: "deep", "note", "only")']),
        ('{"sparse":{"b":null}}', ['missing required property "sparse.a"', '"sparse.b" must be a string']),
        (
            '{"hidden":{"_n":1}}',
            ['missing required property "hidden.n"', 'unknown property "hidden._n" (known: "n", "caption")'],
        ),
        ('{"hidden":{"n":1,"text":""}}', ['unknown property "hidden.text" (known: "n", "caption")']),
        ('{"hidden":{"n":1,"made":""}}', ['unknown property "hidden.made" (known: "n", "caption")']),
        ('{"names":{"a":null}}', ['"names.a" must be a string']),
        ('{"rows":null}', ['"rows" must be an array']),
    ],
)
async def test_the_same_holds_further_in(text: str, problems: list[str]) -> None:
    """Case B16: in classes, lists and TypedDicts, with the place; every problem is told at once."""
    assert sorted((await send("further_in", text, Searches())).problems) == sorted(problems)


async def test_what_fits_further_in_is_taken() -> None:
    """Case B16: nulls where they are values, and everything left out that may be."""
    text = (
        '{"row":{"n":1,"must":null},"rows":[null],"options":{"deep":true,"note":null},"sparse":{"a":null},"hue":null}'
    )
    got = (await send("further_in", text, Searches())).got
    assert got is not None
    assert got["row"] == Row(1, must=None)
    assert (got["rows"], got["options"], got["sparse"]) == ([None], {"deep": True, "note": None}, {"a": None})
    assert got["hue"] is Hue.NONE
    assert "Hidden(_n=1, text='c', made='here')" in repr(
        (await send("further_in", '{"hidden":{"n":1,"caption":"c"}}', Searches())).got
    )


@pytest.mark.parametrize("extra", ["ctx", "self", "kwargs", "limit ", "Q", "", "__class__", "q\u200b", "a" * 5000])
async def test_no_extra_name_slips_through(extra: str) -> None:
    """Case B16: not even one that the function has and the schema has not; a long one is cut."""
    (problem,) = (await send("search", {"q": "x", extra: 5}, Searches())).problems
    assert problem.startswith(f'unknown property "{extra[:120]}')
    assert len(problem) < 250
    (problem,) = (await send("placed", {"d": 1, extra: 5}, Searches())).problems
    assert problem.endswith('(known: "a", "b", "c", "d")')


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ('{"d":null}', {"a": 1, "b": 2, "c": 3, "d": None}),
        ('{"d":0,"b":null}', {"a": 1, "b": None, "c": 3, "d": 0}),
        ('{"d":[],"c":0,"a":0}', {"a": 0, "b": 2, "c": 0, "d": []}),
    ],
)
async def test_positional_only_parameters_keep_their_places(text: str, got: dict[str, object]) -> None:
    """Case B16: one that was left out before one that was given."""
    assert (await send("placed", text, Searches())).got == got


async def test_a_name_in_another_normal_form_is_another_name() -> None:
    """Case B16: it looks the same, and is refused by name, not dropped."""
    assert (await send("sized", '{"gr\u00f6\u00dfe": 5}', Searches())).got == {"size": 5}
    (problem,) = (await send("sized", '{"gro\u0308\u00dfe": 5}', Searches())).problems
    assert problem == 'unknown property "gro\u0308\u00dfe" (known: "gr\u00f6\u00dfe")'


async def test_a_null_that_a_body_cannot_take_never_reaches_it_by_a_default() -> None:
    """Case B16: a default that its own type does not take is the function's business, and null is still refused."""

    @tool
    async def odd(limit: int = None) -> str:  # type: ignore[assignment] # noqa: RUF013 # pyright: ignore[reportArgumentType]
        return repr(limit)

    async with trailed(odd) as (registry, _):
        left_out, null = await call(registry, "odd"), await call(registry, "odd", '{"limit": null}')
    assert (left_out.value, null.code) == ("None", ErrorCode.INVALID_ARGS)
    assert odd.parameters["properties"] == {"limit": {"type": "integer"}}
