"""Rows for classes: attrs classes and dataclasses, structured by code that cattrs generates from our hooks."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, get_origin

import attrs

from trio_tools.tool._bindings import Bindings, bindings_for, bindings_of
from trio_tools.tool._describe import described, described_as
from trio_tools.tool._fields import Field, fields_of
from trio_tools.tool._shape import SHOWN_VIOLATIONS, Hook, Misfit, Problem, Shape, Walk, must_be, telling
from trio_tools.values import Image, Json, JSONValue, Text, printable, to_plain

if TYPE_CHECKING:
    import cattrs

Structure: TypeAlias = Callable[[dict[str, JSONValue], Any], object]


@attrs.define(kw_only=True, init=False, eq=False, repr=False)
class _Members:
    """What cattrs is to see of a member, whichever class it is of."""

    required: object
    optional: object = None


_REQUIRED, _OPTIONAL = attrs.fields(_Members)


def instance(annotation: object, walk: Walk) -> Shape | None:
    """attrs classes and dataclasses, generic ones with their arguments."""
    kind: Any = get_origin(annotation) or annotation
    if not inspect.isclass(kind) or issubclass(kind, Enum):
        return None
    if not attrs.has(kind) and not dataclasses.is_dataclass(kind):
        return None
    if kind in (Text, Image, Json):
        raise TypeError(f"{kind.__name__} is a block of content, which results may hold and no type is checked against")
    return walk.define(annotation, lambda inner: _shape_of(kind, bindings_of(annotation), inner))


def _shape_of(kind: type, bindings: Bindings, walk: Walk) -> Shape:
    fields = {field.name: field for field in fields_of(kind)}
    _check_init(kind, fields)
    shapes: dict[str, Shape] = {}
    properties: dict[str, JSONValue] = {}
    about, members = described(kind)
    for field in fields.values():
        try:
            inner = walk.among(bindings_for(field.attribute, kind, bindings))
            shapes[field.name] = shape = inner.shape(field.annotation)
        except TypeError as error:
            raise TypeError(f"field {field.name!r} of {kind.__name__}: {error}") from None
        properties[field.name] = shown(shape, members.get(field.name), field.default)
    schema = closed_object(properties, [name for name, field in fields.items() if field.required], about)
    return Shape(
        schema=schema,
        noun="an object",
        hook=_hook(kind, fields, shapes),
        tell=_tell(kind, fields, shapes),
        hashable=_is_hashable(kind) and all(one.hashable for one in shapes.values()),
        trusted=False,
        may_be=quick_look(shapes, frozenset(name for name, field in fields.items() if field.required)),
    )


def _check_init(kind: type, fields: dict[str, Field]) -> None:
    """Raise `TypeError` for a class that could not be made of its fields: abstract, or with its own `__init__`."""
    if inspect.isabstract(kind):
        raise TypeError(f"{kind.__name__} is abstract, and so no arguments make one")
    try:
        inspect.signature(kind).bind(**dict.fromkeys(fields))
        inspect.signature(kind).bind(**dict.fromkeys(name for name, one in fields.items() if one.required))
    except (TypeError, ValueError) as error:
        raise TypeError(f"the __init__ of {kind.__name__} does not take its fields: {error}") from None


def quick_look(shapes: dict[str, Shape], required: frozenset[str]) -> Callable[[JSONValue], bool]:
    """Whether a value has the keys of an object with these members, and in its closed sets one of theirs: what tells
    most arms of a union apart."""
    known = frozenset(shapes)
    closed = [(name, shape.may_be) for name, shape in shapes.items() if shape.may_be and "enum" in shape.schema]

    def may_be(value: JSONValue) -> bool:
        if not isinstance(value, dict) or not required <= value.keys() <= known:
            return False
        return all(look(value[name]) for name, look in closed if name in value)

    return may_be


def closed_object(properties: dict[str, JSONValue], required: list[str], about: str = "") -> dict[str, JSONValue]:
    """The schema of an object with just these properties."""
    schema: dict[str, JSONValue] = {"type": "object", "properties": properties, "additionalProperties": False}
    if about:
        schema["description"] = about
    if required:
        schema["required"] = list[JSONValue](required)
    return schema


def shown(shape: Shape, description: str | None, default: object = attrs.NOTHING) -> dict[str, JSONValue]:
    """The schema of a property: that of its type, with its description unless the type brings one, and its default if
    that has a JSON form which the type itself takes."""
    has_own = shape.schema.get("description", shape.untold) != shape.untold
    schema = {**(shape.schema if has_own else described_as(shape, description))}
    if default is not attrs.NOTHING:
        try:
            plain = to_plain(default)
            shape.hook(plain, None)
        except Exception:  # it has no JSON form, or not one of its type, or its own code fails
            return schema  # the body gets it all the same, and the model may leave it out
        schema["default"] = plain
    return schema


def _is_hashable(kind: type) -> bool:
    """By value, that is: two that are equal must not be told apart by a set."""
    own: object = kind.__hash__
    return own is not None and own is not object.__hash__


def _hook(kind: Any, fields: dict[str, Field], shapes: dict[str, Shape]) -> Hook:
    structure = _structure(kind, fields, {name: shape.hook for name, shape in shapes.items()}, detailed=False)

    def read(value: JSONValue, _: object) -> object:
        if not isinstance(value, dict):
            raise must_be("an object")
        try:
            return structure(value, kind)
        except (Misfit, RecursionError):
            raise
        except Exception:  # a key that is missing or extra, or code of the tool's author: `tell` says which
            raise must_be("an object") from None

    return read


def _tell(kind: Any, fields: dict[str, Field], shapes: dict[str, Shape]) -> Hook:
    structure: Structure | None = None  # made when something does not fit

    def read(value: JSONValue, _: object) -> object:
        import cattrs

        nonlocal structure
        if not isinstance(value, dict):
            raise must_be("an object")
        if telling.left <= 0:
            raise Misfit([])
        if structure is None:
            structure = _structure(kind, fields, {name: shape.tell for name, shape in shapes.items()}, detailed=True)
        try:
            return structure(value, kind)
        except cattrs.ClassValidationError as error:
            raise Misfit(_problems(error, kind, fields, value)) from None

    return read


@cache
def _converter() -> cattrs.Converter:
    """Nothing is registered with it: it only generates code, from hooks that are handed to it."""
    import cattrs

    return cattrs.Converter()


def _structure(kind: Any, fields: dict[str, Field], hooks: dict[str, Hook], *, detailed: bool) -> Structure:
    """Code that cattrs generates for the `__init__` of a class. It is handed the members as we see them, so that it has
    no annotation to resolve and no hook to find."""
    from cattrs.gen import make_dict_structure_fn_from_attrs, override  # pyright: ignore[reportUnknownVariableType]

    names = [kind.__name__, *kind.__qualname__.split(".")]  # which cattrs writes into its code
    # by numbers, since cattrs takes options beside them
    numbered = {f"m{number}": one for number, one in enumerate(fields.values())}
    seen = [
        (_REQUIRED if one.required else _OPTIONAL).evolve(name=name, alias=one.name) for name, one in numbered.items()
    ]
    overrides: dict[str, Any] = {name: override(struct_hook=hooks[one.name]) for name, one in numbered.items()}
    made: Structure = make_dict_structure_fn_from_attrs(
        seen,
        kind if all(one.isidentifier() or one == "<locals>" for one in names) else _by_another_name(kind),
        _converter(),
        {one.__name__: object for one in getattr(kind, "__parameters__", ())},
        _cattrs_forbid_extra_keys=True,
        _cattrs_use_linecache=False,
        _cattrs_prefer_attrib_converters=False,
        _cattrs_detailed_validation=detailed,
        _cattrs_use_alias=True,
        **overrides,
    )
    return made


def _by_another_name(kind: Any) -> Any:
    """The class as a function: one that was made by a program may have any text for a name."""

    def made(**members: object) -> object:
        return kind(**members)

    return made


def _problems(
    error: cattrs.ClassValidationError, kind: type, fields: dict[str, Field], value: dict[str, JSONValue]
) -> list[Problem]:
    import cattrs

    found: list[Problem] = []
    members = list(fields.values())
    of_members, of_all = error.group_exceptions()
    for thrown, note in of_members:
        field = members[int(note.name[1:])]
        if field.required and value.get(field.name) is None:
            telling.left -= 1
            found.append(missing(field.name))
        elif isinstance(thrown, Misfit):
            found += thrown.inside(field.name)
        else:
            raise thrown
    for thrown in of_all:
        if isinstance(thrown, cattrs.ForbiddenExtraKeysError):
            extra = unknown(value, list(fields))
            telling.left -= len(extra)
            found += extra
        elif isinstance(thrown, RecursionError):
            raise thrown
        else:  # a validator, a converter or the __init__ of the tool's author
            said = printable(thrown) or type(thrown).__name__
            found.append(Problem(f" is refused by {kind.__name__}: {said}"))
    return found


def missing(name: str) -> Problem:
    """A required property that is not there, or null where null is no value of its type."""
    return Problem(path=(name,), before="missing required property ")


def unknown(value: dict[str, JSONValue], names: list[str]) -> list[Problem]:
    """The properties that an object has and should not have."""
    known = ", ".join(f'"{name}"' for name in names) or "none"
    extra = islice((name for name in value if name not in names), SHOWN_VIOLATIONS)
    return [Problem(f" (known: {known})", (name,), "unknown property ") for name in extra]
