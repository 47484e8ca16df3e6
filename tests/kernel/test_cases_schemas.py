"""Case B26: schemas of recursive types, enums, literals, postponed annotations and odd defaults.

The annotations of this module are postponed; those of `schema_kinds` are not.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import annotated_types
import attrs
import jsonschema_rs
import pytest
import schema_kinds
from intake_tools import call, trailed
from schema_kinds import Color, Placed
from schema_kinds import Node as OtherNode

from trio_tools import ErrorCode, JSONValue, open_registry, tool
from trio_tools.values import subschemas

SAME_SET: set[str] = set()
OPAQUE = object()


@dataclasses.dataclass
class Node:
    name: str
    children: list[Node]


@attrs.define
class Ping:
    pong: Optional[Pong] = None  # noqa: UP045 - the old style, postponed
    n: int = 0


@attrs.define
class Pong:
    pings: list[Ping] = attrs.Factory(list["Ping"])


@dataclasses.dataclass
class Derived(Placed):
    more: Optional[Hue] = None  # noqa: UP045 - as above
    seen: Annotated[Optional[date], "when"] = None  # noqa: UP045 - as above


class Hue(Enum):
    GREEN = "green"


@attrs.define
class Odd:
    """Defaults that no class of the standard library would take, or that are no JSON."""

    opaque: object = OPAQUE
    tags: list[str] = []  # noqa: RUF008 - attrs takes it, and the instances share it
    colors: set[Color] = attrs.Factory(lambda: {Color.RED})
    color: Color = Color.BLUE
    ratio: float = float("inf")


@attrs.define
class Ring:
    me: Ring | None = None


RING = Ring()
RING.me = RING


class Keys(TypedDict):
    color: Color
    inner: NotRequired[list[Keys]]


@dataclasses.dataclass
class Größe:  # noqa: PLC2401 - the point
    next: Größe | None = None


async def plant(tree: Node) -> str:
    return repr(tree)


async def paint(c: Color, mode: Literal["a", 1]) -> str:
    return repr((c, mode))


async def f(x: Optional[int] = None, p: Path = Path(".")) -> str:  # noqa: UP045 - the case's letter
    return repr((x, p))


async def odd(c: Color = Color.RED, s: set[str] = SAME_SET) -> str:
    return repr((c, s is SAME_SET))


async def mutual(ping: Ping, pong: Pong | None = None) -> str:
    return repr((ping, pong))


async def derive(x: Derived) -> str:
    return repr(x)


async def odder(  # noqa: PLR0917 - one of each
    odd: Odd = Odd(),  # noqa: B008 - as the case has it
    ring: Ring = RING,
    nan: float = float("nan"),
    yes: int = True,
    huge: int = 10**5000,
    looks_like: dict[str, str] = {"$ref": "#/$defs/Ring"},  # noqa: B006 - nobody changes it
    other: Literal["a"] | None = "b",  # type: ignore[assignment] # pyright: ignore[reportArgumentType]
) -> str:
    same = (odd.opaque is OPAQUE, ring is RING, huge == 10**5000)
    return repr((same, odd.tags, odd.colors, nan, yes, looks_like, other))


async def noted(
    n: Annotated[int, annotated_types.Ge(0), ["unhashable"], "how many"] = 3,
    o: Optional[Annotated[int, annotated_types.Le(5)]] = None,  # noqa: UP045 - as above
) -> str:
    return repr((n, o))


async def twins(a: Node, b: OtherNode, c: OtherNode | None = None) -> str:
    return repr((a, b, c))


async def keyed(keys: Keys, size: Größe | None = None) -> str:
    return repr((keys, size))


LEAF = '{"name":"l","children":[]}'
TAKEN: list[tuple[Callable[..., object], str, str]] = [
    (
        plant,
        '{"tree":{"name":"r","children":[{"name":"m","children":[' + LEAF + "]}]}}",
        "Node(name='r', children=[Node(name='m', children=[Node(name='l', children=[])])])",
    ),
    (paint, '{"c":"red","mode":1}', "(<Color.RED: 'red'>, 1)"),
    (paint, '{"c":"blue","mode":"a"}', "(<Color.BLUE: 'blue'>, 'a')"),
    (paint, '{"c":"red","mode":1.0}', "(<Color.RED: 'red'>, 1)"),
    (f, '{"x":5,"p":"/a"}', "(5, PosixPath('/a'))"),
    (f, "{}", "(None, PosixPath('.'))"),
    (odd, "{}", "(<Color.RED: 'red'>, True)"),
    (odd, '{"c":"blue","s":[]}', "(<Color.BLUE: 'blue'>, False)"),
    (mutual, '{"ping":{"pong":{"pings":[{"n":2}]}}}', "(Ping(pong=Pong(pings=[Ping(pong=None, n=2)]), n=0), None)"),
    (
        derive,
        '{"x":{"where":"/a","by_color":{"red":1},"more":"green","seen":"2026-11-30"}}',
        "Derived(where=PosixPath('/a'), color=<Color.RED: 'red'>, by_color={<Color.RED: 'red'>: 1}, "
        "more=<Hue.GREEN: 'green'>, seen=datetime.date(2026, 11, 30))",
    ),
    (odder, "{}", "((True, True, True), [], {<Color.RED: 'red'>}, nan, True, {'$ref': '#/$defs/Ring'}, 'b')"),
    (noted, "{}", "(3, None)"),
    (twins, '{"a":' + LEAF + ',"b":{"other":1}}', "(Node(name='l', children=[]), Node(other=1), None)"),
    (
        keyed,
        '{"keys":{"color":"red","inner":[{"color":"blue"}]},"size":{"next":{}}}',
        "({'color': <Color.RED: 'red'>, 'inner': [{'color': <Color.BLUE: 'blue'>}]}, "
        "Gr\u00f6\u00dfe(next=Gr\u00f6\u00dfe(next=None)))",
    ),
    (schema_kinds.at_once, '{"c":"red"}', "(None, PosixPath('.'), <Color.RED: 'red'>)"),
    (
        schema_kinds.of_trees,
        '{"numbers":{"value":1,"children":[{"value":2}]},"words":{"value":"a"},"nested":{"value":{"value":true}}}',
        "(Tree(value=1, children=[Tree(value=2, children=[])]), Tree(value='a', children=[]), "
        "Tree(value=Tree(value=True, children=[]), children=[]))",
    ),
    (schema_kinds.of_values, '{"m":null}', "(<Many.NOTHING: None>, None)"),
    (schema_kinds.of_values, '{"m":2,"mode":1}', "(<Many.TWO: 2.0>, 1)"),
]


def check(schema: dict[str, JSONValue]) -> jsonschema_rs.Validator:
    """Strict JSON that UTF-8 carries, valid, closed, and every reference in it leads somewhere from its own root."""
    text = json.dumps(schema, allow_nan=False, ensure_ascii=False).encode()
    assert json.loads(text) == schema
    for one in subschemas(schema):
        reference = one.get("$ref")
        if isinstance(reference, str):
            assert reference.startswith("#/$defs/")
            definitions = schema["$defs"]
            assert isinstance(definitions, dict)
            assert reference.removeprefix("#/$defs/") in definitions
    jsonschema_rs.meta.validate(schema)
    return jsonschema_rs.validator_for(schema)


@pytest.mark.parametrize(("body", "text", "got"), TAKEN)
async def test_what_the_schema_says_is_what_the_body_gets(body: Callable[..., object], text: str, got: str) -> None:
    """Case B26 (a), (b), (c), (d): real objects, real members, and real defaults."""
    async with trailed(tool(body)) as (registry, _):
        (schema,) = registry.schemas()
        result = await call(registry, schema["name"], text)
    assert check(schema["parameters"]).is_valid(json.loads(text))
    assert result.value == got


BODIES = list(dict.fromkeys(body for body, _, _ in TAKEN))


async def test_a_whole_list_of_tools_is_strict_json() -> None:
    """Case B26: a provider refuses the list for one bad schema, and there is none."""
    async with open_registry() as registry:
        for body in BODIES:
            registry.register(body)
        schemas = registry.schemas()
    assert len(schemas) == len(BODIES)
    json.dumps(schemas, allow_nan=False, ensure_ascii=False).encode()
    for schema in schemas:
        check(schema["parameters"])


def properties(body: Callable[..., object]) -> dict[str, Any]:
    shown: Any = tool(body).parameters["properties"]
    return dict(shown)


def test_a_class_in_itself_is_defined_at_the_root_of_its_own_tool() -> None:
    """Case B26 (a): and referred to from there, also where another class has its name."""
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["name", "children"],
        "additionalProperties": False,
    }
    assert tool(plant).parameters["$defs"] == {"Node": node}
    assert properties(plant) == {"tree": {"$ref": "#/$defs/Node"}}
    both: Any = tool(twins).parameters["$defs"]
    assert (both["Node"], both["Node2"]["properties"]) == (node, {"other": {"type": "integer"}})
    assert properties(twins)["b"] == {"$ref": "#/$defs/Node2"}


def test_defaults_are_shown_in_their_json_form_or_not_at_all() -> None:
    """Case B26 (d): what the type itself would not take is no default to tell a model."""
    shown = {name: one.get("default", "not shown") for name, one in {**properties(odd), **properties(odder)}.items()}
    unfit = dict.fromkeys(["odd", "ring", "nan", "yes", "huge", "other"], "not shown")
    assert shown == {"c": "red", "s": [], "looks_like": {"$ref": "#/$defs/Ring"}, **unfit}


@pytest.mark.parametrize(
    ("body", "text", "problems"),
    [
        (paint, '{"c":"RED","mode":"1"}', '"c" must be one of ["red","blue"]; "mode" must be one of ["a",1]'),
        (paint, '{"c":"red","mode":true}', '"mode" must be one of ["a",1]'),
        (paint, '{"c":"Color.RED","mode":"a"}', '"c" must be one of ["red","blue"]'),
        (
            plant,
            '{"tree":{"name":"r","children":[{"name":1,"children":[]}]}}',
            '"tree.children[0].name" must be a string',
        ),
        (mutual, '{"ping":{"pong":{"pings":[{"n":"2"}]}}}', '"ping.pong.pings[0].n" must be an integer'),
        (
            schema_kinds.of_trees,
            '{"numbers":{"value":1,"children":[{"value":"2"}]},"words":{"value":"a"}}',
            '"numbers.children[0].value" must be an integer',
        ),
        (schema_kinds.of_values, '{"m":1}', '"m" must be one of [null,true,2.0]'),
        (keyed, '{"keys":{"color":"RED"}}', '"keys.color" must be one of ["red","blue"]'),
        (noted, '{"n":-1,"o":6}', '"n" must be >= 0; "o" must be <= 5'),
    ],
)
async def test_what_is_not_allowed_is_told_with_what_is(body: Callable[..., object], text: str, problems: str) -> None:
    """Case B26 (b): the schema refuses it as well."""
    async with trailed(tool(body)) as (registry, trail):
        (schema,) = registry.schemas()
        result = await call(registry, schema["name"], text)
    assert (result.code, result.text) == (ErrorCode.INVALID_ARGS, f"Error: invalid arguments: {problems}")
    assert trail.stages == ["observer"]
    assert not check(schema["parameters"]).is_valid(json.loads(text))
