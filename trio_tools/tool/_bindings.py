"""Where names and type variables of annotations are looked up: where the class or function that owns them lives."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_origin, get_type_hints

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
        if error.name != "JSONValue":
            raise
        # our alias refers to itself by a name that its user need not have imported
        return get_type_hints(owner, localns={"JSONValue": JSONValue}, include_extras=True)


def bindings_of(annotation: object) -> dict[object, object]:
    """What each type variable of a generic class stands for, in it and in its bases."""
    kind = get_origin(annotation) or annotation
    found: dict[object, object] = dict(zip(getattr(kind, "__parameters__", ()), get_args(annotation), strict=False))
    for base in getattr(kind, "__orig_bases__", ()):
        inherited = bindings_of(base)
        for variable, bound in inherited.items():
            # T of the base may be bound to a variable of this class, or to a type
            found.setdefault(variable, found.get(bound, bound) if isinstance(bound, TypeVar) else bound)
    return found
