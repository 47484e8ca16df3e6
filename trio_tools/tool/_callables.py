"""Anything callable, taken apart: the function behind partials, decorators, methods and callable objects."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def layers_of(function: Callable[..., object]) -> list[Any]:
    """The callable and what it comes down to, step by step: through partials, `wraps`, and `__call__`. The last is a
    function, a method, or something built in."""
    found: list[Any] = [function]
    while True:
        last = found[-1]
        if isinstance(last, functools.partial):
            inner: Any = last.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        elif not inspect.isclass(last) and hasattr(last, "__wrapped__"):
            inner = last.__wrapped__
        elif inspect.isroutine(last) or inspect.isclass(last):
            return found
        else:
            inner = type(last).__call__
        if any(inner is one for one in found):  # a wrapper of itself
            return found
        found.append(inner)


def is_generator(function: Callable[..., object]) -> bool:
    """Whether calling this gives a generator, sync or async."""
    return any(inspect.isasyncgenfunction(one) or inspect.isgeneratorfunction(one) for one in layers_of(function))


def is_coroutine(function: Callable[..., object]) -> bool:
    """Whether calling this gives a coroutine: a decorator may hide it, or bring it in."""
    return any(inspect.iscoroutinefunction(one) for one in layers_of(function))


def bound_names(function: Callable[..., object]) -> frozenset[str]:
    """The parameters that partials have bound by keyword, and which so are nobody else's."""
    layers = layers_of(function)
    return frozenset(name for one in layers if isinstance(one, functools.partial) for name in one.keywords)


def parameters_of(function: Callable[..., object], tool: str) -> list[inspect.Parameter]:
    """The parameters that a caller may give. Raises `TypeError` for what has no signature, or is not to be a tool."""
    if inspect.isclass(function):
        raise TypeError(f'tool "{tool}": a class is not a tool; write a function that makes one')
    if callable(getattr(function, "dispatch", None)) and hasattr(function, "registry"):
        raise TypeError(f'tool "{tool}": singledispatch looks at positional arguments, and a tool has none')
    if is_generator(function):
        raise TypeError(
            f'tool "{tool}": a generator cannot be a tool, since scopes held across its yields would be in force for '
            "others; return the result, and report progress through a ToolContext"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise TypeError(
            f'tool "{tool}": {function!r} does not say what it takes; wrap it in a typed function'
        ) from None
    bound = bound_names(function)
    return [one for name, one in signature.parameters.items() if name not in bound]


def names_of(function: Callable[..., object]) -> frozenset[str]:
    """The parameters of the function behind a callable, those that are bound already included."""
    last = layers_of(function)[-1]
    inner = getattr(last, "__func__", last)  # a method has its object bound
    try:
        parameters = inspect.signature(inner).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY))


def place_of(function: Callable[..., object]) -> str:
    """Where a callable is defined, for messages: module and qualified name."""
    last = layers_of(function)[-1]
    name = getattr(last, "__qualname__", type(function).__qualname__)
    return f"{getattr(last, '__module__', None) or 'builtins'}.{name}"
