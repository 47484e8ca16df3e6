"""The row for TypedDict: an object with these keys, read to an ordinary dict.

Which keys are required is read off the annotations first: under postponed annotations Python 3.11 takes a `NotRequired`
for required.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin

from trio_tools.tool._bindings import Bindings, bindings_for, bindings_of, hints_of
from trio_tools.tool._classes import closed_object, missing, quick_look, shown, unknown
from trio_tools.tool._describe import described
from trio_tools.tool._shape import Hook, Misfit, Shape, Walk, must_be, telling
from trio_tools.values import JSONValue


def typed_dict(annotation: object, walk: Walk) -> Shape | None:
    """TypedDict, of typing or typing_extensions, generic ones with their arguments."""
    kind: Any = get_origin(annotation) or annotation
    # each of the two modules has a metaclass of its own, and neither knows the other's
    if not inspect.isclass(kind) or not hasattr(kind, "__required_keys__"):
        return None
    return walk.define(annotation, lambda inner: _shape_of(kind, bindings_of(annotation), inner))


def _shape_of(kind: Any, bindings: Bindings, walk: Walk) -> Shape:
    shapes: dict[str, tuple[Shape, bool]] = {}
    properties: dict[str, JSONValue] = {}
    about, members = described(kind)
    for name, hint in hints_of(kind, f"the TypedDict {kind.__name__}").items():
        inner, required = _unwrapped(hint, name in kind.__required_keys__)
        try:
            shapes[name] = (walk.among(bindings_for(name, kind, bindings)).shape(inner), required)
        except TypeError as error:
            raise TypeError(f"key {name!r} of {kind.__name__}: {error}") from None
        properties[name] = shown(shapes[name][0], members.get(name))
    required_names = [name for name, (_, required) in shapes.items() if required]
    return Shape(
        schema=closed_object(properties, required_names, about),
        noun="an object",
        hook=_hook(shapes, tells=False),
        tell=_hook(shapes, tells=True),
        trusted=all(shape.trusted for shape, _ in shapes.values()),
        may_be=quick_look({name: shape for name, (shape, _) in shapes.items()}, frozenset(required_names)),
    )


def _unwrapped(hint: object, required: bool) -> tuple[object, bool]:
    """The type inside Required, NotRequired and ReadOnly, in whatever order they stand."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, required = _unwrapped(get_args(hint)[0], required)
        return Annotated[(inner, *get_args(hint)[1:])], required  # pyright: ignore[reportReturnType]
    if origin in (Required, NotRequired):
        return _unwrapped(get_args(hint)[0], origin is Required)
    if getattr(origin, "_name", None) == "ReadOnly":  # of typing since 3.13, of typing_extensions before
        return _unwrapped(get_args(hint)[0], required)
    return hint, required


def _hook(shapes: dict[str, tuple[Shape, bool]], *, tells: bool) -> Hook:
    hooks = {name: shape.tell if tells else shape.hook for name, (shape, _) in shapes.items()}
    required = [name for name, (_, is_required) in shapes.items() if is_required]

    def read(value: JSONValue, _: object) -> object:
        if not isinstance(value, dict):
            raise must_be("an object")
        if tells and telling.left <= 0:
            raise Misfit([])
        found = [missing(name) for name in required if name not in value]
        telling.left -= len(found)
        made: dict[str, object] = {}
        for name, member in value.items():
            if name in hooks:
                try:
                    made[name] = hooks[name](member, None)
                except Misfit as misfit:
                    found += [missing(name)] if member is None and name in required else misfit.inside(name)
                    if not tells:
                        break
        if len(made) < len(value):
            found += unknown(value, list(hooks))
        if found:
            raise Misfit(found)
        return made

    return read
