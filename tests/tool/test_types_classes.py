"""Rows of the table for classes and TypedDicts, in whatever module they live and however they refer to themselves."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Generic, NewType, TypeVar

import attrs
import pytest
from attrs.validators import ge
from declared import of, read, refusal, schema_of
from elsewhere import Base, Boxed, Egg, Extended, Hen, Loose, Options, Service, Shade, T, Tree, plain

from trio_tools import tool

UserId = NewType("UserId", int)
S = TypeVar("S", int, str)
B = TypeVar("B", bound=int)


@dataclasses.dataclass
class Derived(Base):
    """Its base lives elsewhere, with names that this module does not know."""

    depth: int = 3


@attrs.define
class Account:
    """An account.

    Attributes:
        owner: Whose it is.
    """

    owner: str
    _secret: int = 7
    total: int = attrs.field(init=False, default=0)
    tags: list[str] = attrs.Factory(list[str])


@attrs.define
class Strict:
    x: int = attrs.field(validator=ge(0), converter=int)


@attrs.frozen(kw_only=True)
class Pair(Boxed[int], Generic[T]):
    """Its base's type variable is its own too, and means something else there."""

    other: T


@dataclasses.dataclass(frozen=True)
class Keyed:
    x: int
    y: int = dataclasses.field(default=1, kw_only=True)


class Unfitting:
    pass


@dataclasses.dataclass
class Fresh:
    x: dataclasses.InitVar[int]


@dataclasses.dataclass
class Bad:
    inside: complex


@attrs.define
class Untyped:
    x = attrs.field()  # type: ignore[var-annotated]


@pytest.mark.parametrize(
    ("annotation", "value", "seen"),
    [
        (Derived, {"shade": "dark"}, Derived(Shade.DARK, 1, 3)),
        (Derived, {"shade": "dark", "count": 2, "depth": 0}, Derived(Shade.DARK, 2, 0)),
        (Account, {"owner": "a", "secret": 1}, Account("a", 1)),
        (Keyed, {"x": 1, "y": 2}, Keyed(1, y=2)),
        (Boxed[str], {"inside": "a", "others": ["b"]}, Boxed("a", ["b"])),
        (Boxed[Boxed[int]], {"inside": {"inside": 1}}, Boxed(Boxed(1))),
        (Pair[str], {"inside": 1, "other": "a"}, Pair(inside=1, other="a")),
        (Tree, {"name": "a", "children": [{"name": "b"}]}, Tree("a", [Tree("b")])),
        (Hen, {"egg": {"hen": {"egg": {}}}}, Hen(Egg(Hen(Egg())))),
        (Options, {"name": "a"}, {"name": "a"}),
        (Loose, {"name": "a", "shade": "dark", "size": 1}, {"name": "a", "shade": Shade.DARK, "size": 1}),
        (Extended, {"kept": 1}, {"kept": 1}),
        (UserId, 5, 5),
        (S, "a", "a"),
        (B, 5, 5),
    ],
)
def test_what_fits_is_an_instance(annotation: Any, value: object, seen: object) -> None:
    """R117, case B26: with its defaults, its base's fields, and types in place of type variables."""
    got = read(annotation, value)
    assert (got, type(got)) == (seen, type(seen))


@pytest.mark.parametrize(
    ("annotation", "value", "violations"),
    [
        (Derived, {"shade": "red"}, ['"x.shade" must be one of ["dark"]']),
        (Derived, {"count": 0}, ['missing required property "x.shade"', '"x.count" must be >= 1']),
        (Derived, {"shade": None}, ['missing required property "x.shade"']),
        (Account, [], ['"x" must be an object']),
        (Account, {"owner": "a", "_secret": 1}, ['unknown property "x._secret" (known: "owner", "secret", "tags")']),
        (Account, {"owner": "a", "total": 1}, ['unknown property "x.total" (known: "owner", "secret", "tags")']),
        (Strict, {"x": "3"}, ['"x.x" must be an integer']),
        (Strict, {"x": -1}, ["\"x\" is refused by Strict: 'x' must be >= 0: -1"]),
        (
            Boxed[int],
            {"inside": "a", "others": [None]},
            ['"x.inside" must be an integer', '"x.others[0]" must be an integer'],
        ),
        (Tree, {"name": "a", "children": [{"nam": "b"}]}, None),
        (Options, {"size": 0}, ['missing required property "x.name"', '"x.size" must be >= 1']),
        (Options, {"name": "a", "sise": 1}, ['unknown property "x.sise" (known: "name", "size")']),
        (Loose, {"name": "a"}, ['missing required property "x.shade"']),
        (Extended, {"kept": 1, "maybe": None}, ['"x.maybe" must be a string']),
        (B, True, ['"x" must be an integer']),
    ],
)
def test_all_that_does_not_fit_is_told_with_its_place(
    annotation: Any, value: object, violations: list[str] | None
) -> None:
    """R117, D26, case B16: missing, null, extra, and what a validator says."""
    assert of(annotation).violations({"x": value}) == (
        violations
        or [
            'missing required property "x.children[0].name"',
            'unknown property "x.children[0].nam" (known: "name", "children")',
        ]
    )


def test_a_class_that_is_used_once_stands_where_it_is_used() -> None:
    """Case B26: with its docstring, and the words on its members."""
    assert schema_of(Account) == {
        "type": "object",
        "description": "An account.",
        "properties": {
            "owner": {"type": "string", "description": "Whose it is."},
            "secret": {"type": "integer", "default": 7},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        },
        "required": ["owner"],
        "additionalProperties": False,
    }


def test_a_class_that_contains_itself_is_defined_at_the_root_of_the_tool() -> None:
    """Case B26: and every reference resolves from there."""

    @tool
    async def grow(tree: Tree, egg: Egg, one: Keyed, other: Keyed) -> None: ...

    schema: Any = grow.parameters
    assert set(schema["$defs"]) == {"Tree", "Egg", "Hen", "Keyed"}
    assert schema["properties"]["tree"] == {"$ref": "#/$defs/Tree"}
    assert schema["properties"]["one"] == schema["properties"]["other"] == {"$ref": "#/$defs/Keyed"}
    assert schema["$defs"]["Hen"]["properties"]["egg"] == {"$ref": "#/$defs/Egg"}
    json.dumps(schema, allow_nan=False)


def test_two_classes_of_one_name_are_two_definitions() -> None:
    """Case B26."""

    def made(kind: type) -> Any:
        return attrs.make_class("Twin", {"x": attrs.field(type=kind), "more": attrs.field(type=list, default=())})

    first, second = made(int), made(str)
    annotation = tuple[first, first, second, second]  # type: ignore[valid-type]
    schema: Any = of(annotation).parameters["$defs"]
    assert {name: one["properties"]["x"]["type"] for name, one in schema.items()} == {
        "Twin": "integer",
        "Twin2": "string",
    }


def test_a_generic_class_is_another_type_for_each_argument() -> None:
    """R117: also where a class of type variables holds another."""

    @attrs.define
    class Outer(Generic[T]):
        box: Boxed[T]

    annotation = tuple[Outer[int], Outer[str]]
    assert read(annotation, [{"box": {"inside": 1}}, {"box": {"inside": "a"}}])[1].box.inside == "a"
    assert refusal(annotation, [{"box": {"inside": 1}}, {"box": {"inside": 1}}]) == '"x[1].box.inside" must be a string'


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (Unfitting, "Unfitting"),
        (Fresh, "InitVar 'x' of Fresh"),
        (Bad, "field 'inside' of Bad: the type complex"),
        (Untyped, "field 'x' of Untyped needs an annotation"),
        (list[Bad], "complex"),
    ],
)
def test_a_class_without_a_json_form_fails_when_declared(annotation: Any, said: str) -> None:
    """Case B26: naming the field."""
    with pytest.raises(TypeError, match='tool "take", parameter "x": ') as caught:
        of(annotation)
    assert said in str(caught.value)


def test_postponed_annotations_are_looked_up_where_their_owner_lives() -> None:
    """Case B26: of functions and methods too; a context that may be None is a context."""
    assert dict(tool(plain).parameters) == {
        "type": "object",
        "properties": {
            "x": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "p": {"type": "string", "minLength": 1, "default": "."},
        },
        "additionalProperties": False,
    }
    paint: Any = tool(Service("a").paint).parameters["properties"]
    assert paint["shade"] == {"type": "string", "enum": ["dark"], "description": "The shade."}
    assert paint["count"] == {"type": "integer", "minimum": 1, "description": "how many", "default": 2}


def test_a_name_that_is_nowhere_is_named() -> None:
    """Case B26: one unusable tool fails by itself, when it is declared."""

    class Local:
        pass

    async def wander(x: Local) -> None: ...

    with pytest.raises(TypeError, match=r'tool "wander", parameter "x": the annotation \'Local\' cannot be found'):
        tool(wander)
