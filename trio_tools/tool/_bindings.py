"""Where names and type variables of annotations are looked up: where the class or function that owns them lives."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import SimpleNamespace
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
    except RecursionError:
        raise  # whoever walks through types has gone too far
    except Exception as error:  # annotations are code, and may do anything
        raise TypeError(f"{what}: its annotations cannot be read: {type(error).__name__}: {error}") from None


def parameter_hints(function: Any, tool: str) -> dict[str, object]:
    """The annotations of a function's parameters, and not of what it returns, which checks nothing. Raises `TypeError`
    naming tool and parameter."""
    annotations: dict[str, object] = dict(getattr(function, "__annotations__", None) or {})
    annotations.pop("return", None)
    try:
        return _looked_up(_annotated(function, annotations))
    except Exception:  # whose it is, is found out below
        pass
    found: dict[str, object] = {}
    for name, annotation in annotations.items():
        found |= hints_of(_annotated(function, {name: annotation}), f'tool "{tool}", parameter "{name}"')
    return found


def _annotated(function: Any, annotations: dict[str, object]) -> SimpleNamespace:
    """What stands for a function that has just these annotations."""
    return SimpleNamespace(
        __annotations__=annotations,
        __globals__=getattr(function, "__globals__", {}),
        __type_params__=getattr(function, "__type_params__", ()),
    )


def _looked_up(owner: Any) -> dict[str, object]:
    if not isinstance(owner, type):
        return _resolved(owner, None, {})
    found: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        annotations = inspect.get_annotations(base)
        if annotations:
            module = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
            alone = type(base.__name__, (), {"__annotations__": annotations, "__type_params__": _type_parameters(base)})
            found |= _resolved(alone, dict(vars(base)), module)  # a name of the module before one of the class
    return found


def _type_parameters(kind: Any) -> tuple[Any, ...]:
    """Those of `class Box[T]`; of a TypedDict also those of its bases, whose keys are its own."""
    found: tuple[Any, ...] = getattr(kind, "__type_params__", ())
    if hasattr(kind, "__required_keys__"):
        for base in getattr(kind, "__orig_bases__", ()):
            found = (*_type_parameters(get_origin(base) or base), *found)
    return found


def _resolved(owner: Any, around: dict[str, Any] | None, names: Mapping[str, Any]) -> dict[str, object]:
    parameters = {one.__name__: one for one in getattr(owner, "__type_params__", ())}
    if around is None and not parameters:
        try:
            return get_type_hints(owner, include_extras=True)
        except NameError as error:
            if error.name != "JSONValue":
                raise
    # our alias refers to itself by a name that its user need not have imported
    local = {"JSONValue": JSONValue, **names, **parameters}
    return get_type_hints(owner, around, local, include_extras=True)


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
    if not all(isinstance(one, TypeVar) for one in variables):
        raise TypeError(f"{kind.__name__} is generic in any number of types, which has no JSON form here")
    own = dict(zip(variables, get_args(annotation), strict=False))
    found: dict[object, Mapping[object, object]] = {kind: own}
    for base in getattr(kind, "__orig_bases__", ()):
        if get_origin(base) is not Generic:
            found = {**bindings_of(substituted(base, own)), **found}
    return found


def bindings_for(member: str, kind: type, bindings: Bindings) -> Mapping[object, object]:
    """What type variables stand for in the annotation of this member: in the class that it is written in."""
    owners = (one for one in kind.__mro__ if member in inspect.get_annotations(one))
    return bindings.get(_owner_of_key(member, next(owners, kind)), {})


def _owner_of_key(key: str, kind: Any) -> Any:
    """The TypedDict that a key is written in, since one lists its bases' keys as its own; of another class itself."""
    if hasattr(kind, "__required_keys__"):
        for base in getattr(kind, "__orig_bases__", ()):
            origin = get_origin(base) or base
            if hasattr(origin, "__required_keys__") and key in inspect.get_annotations(origin):
                return _owner_of_key(key, origin)
    return kind
