"""Where names and type variables of annotations are looked up: where the class or function that owns them lives."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from trio_tools.values import JSONValue


def hints_of(owner: Any, what: str) -> dict[str, object]:
    """The annotations of a class or function, bases included, each looked up in the module of its owner. Raises
    `TypeError` for a name that is not there, naming it and `what` has it."""
    try:
        return _looked_up(owner)
    except NameError as error:
        raise TypeError(
            f"{what}: the annotation {error.name!r} cannot be found from where it is defined; "
            "define or import it at module level, not under TYPE_CHECKING"
        ) from None
    except Exception as error:  # annotations are code, and may do anything
        raise TypeError(f"{what}: its annotations cannot be read: {type(error).__name__}: {error}") from None


def _looked_up(owner: Any) -> dict[str, object]:
    try:
        return get_type_hints(owner, include_extras=True)
    except NameError as error:
        # our alias refers to itself by a name that its user need not have imported, and before 3.13 Python overlooks
        # the type parameters of `class Box[T]`
        names = {"JSONValue": JSONValue, **{one.__name__: one for one in getattr(owner, "__type_params__", ())}}
        if error.name not in names:
            raise
        return get_type_hints(owner, localns=names, include_extras=True)


def substituted(annotation: Any, bindings: Mapping[object, object]) -> Any:
    """The annotation with every type variable replaced that stands for something here."""
    if isinstance(annotation, TypeVar):
        return bindings.get(annotation, annotation)
    if isinstance(annotation, type):
        return annotation
    variables: tuple[object, ...] = getattr(annotation, "__parameters__", ())
    if any(variable in bindings for variable in variables):
        return annotation[tuple(bindings.get(one, one) for one in variables)]
    return annotation


Bindings: TypeAlias = "Mapping[object, Mapping[object, object]]"


def bindings_of(annotation: Any) -> Bindings:
    """What each type variable stands for, by the class that says it: one variable may serve a class and its base, and
    mean two things."""
    kind = get_origin(annotation) or annotation
    variables: tuple[object, ...] = getattr(kind, "__parameters__", ())
    own = dict(zip(variables, get_args(annotation), strict=False))
    found: dict[object, Mapping[object, object]] = {kind: own}
    for base in getattr(kind, "__orig_bases__", ()):
        if get_origin(base) is not Generic:
            found = {**bindings_of(substituted(base, own)), **found}
    return found


def bindings_for(member: str, kind: type, bindings: Bindings) -> Mapping[object, object]:
    """What type variables stand for in the annotation of this member: in the class that it is written in."""
    owners = (one for one in kind.__mro__ if member in inspect.get_annotations(one))
    return bindings.get(next(owners, kind), {})
