"""A function's signature, compiled once: its JSON Schema, and how arguments become its parameters."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import get_type_hints

import attrs

from trio_tools.tool._context import SyncToolContext, ToolContext
from trio_tools.tool._types import Shape, shape_of
from trio_tools.values import FrozenDict, JSONValue, NotJSON, freeze, freeze_mapping, safe

_NOTHING: tuple[object, ...] = ()
_CONTEXTS: tuple[object, object] = (SyncToolContext, ToolContext)  # of a plain function, of an async one


@attrs.frozen
class Parameter:
    """One parameter of a tool."""

    name: str
    shape: Shape
    required: bool
    nullable: bool  # null is a value of its own; elsewhere it counts as missing


@attrs.frozen
class Signature:
    """The parameters of a body, the JSON Schema a model sees, and where a context is injected, if anywhere."""

    parameters: tuple[Parameter, ...]
    schema: FrozenDict
    context: str | None  # name of the parameter that takes the context
    positional: tuple[str, ...]  # names of the positional-only parameters, in order
    is_async: bool

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        """The values of the parameters that `arguments` names; what does not fit is appended to `problems`."""
        values: dict[str, object] = {}
        for parameter in self.parameters:
            name = parameter.name
            value = arguments.get(name)
            if value is not None or (name in arguments and (parameter.nullable or not parameter.required)):
                values[name] = parameter.shape.read(value, name, problems)
            elif parameter.required:
                problems.append(f'missing required property "{name}"')
        if len(values) < len(arguments):
            names = [parameter.name for parameter in self.parameters]
            known = ", ".join(f'"{name}"' for name in names) or "none"
            extra = [safe(name) for name in arguments if name not in names]
            problems.extend(f'unknown property "{name}" (known: {known})' for name in extra)
        return values

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        """The values and the context as positional and keyword arguments."""
        if self.context is None and not self.positional:
            return _NOTHING, values
        named = values if self.context is None else {**values, self.context: context}
        positional: list[object] = []
        for name in self.positional:
            if name not in named:
                break  # left to its default, as are those after it
            positional.append(named[name])
        return positional, {name: value for name, value in named.items() if name not in self.positional}


def signature_of(function: Callable[..., object], name: str, descriptions: dict[str, str]) -> Signature:
    """Compile a function's signature. Raises `TypeError`, naming tool and parameter, for what cannot be declared."""
    is_async = _is_async(function, name)
    hints = _hints(function, name)
    parameters: list[Parameter] = []
    properties: dict[str, JSONValue] = {}
    context: str | None = None
    signature = inspect.signature(function).parameters.values()
    for parameter in signature:
        place = f'tool "{name}", parameter "{parameter.name}"'
        hint = hints.get(parameter.name, inspect.Parameter.empty)
        if hint in _CONTEXTS:
            if context is not None:
                raise TypeError(f"{place}: a tool takes one context, and {context!r} is one already")
            if hint is not _CONTEXTS[is_async]:
                raise TypeError(f"{place}: an async def takes a ToolContext, a plain def a SyncToolContext")
            context = parameter.name
            continue
        compiled = _compile(parameter, hint, place)
        parameters.append(compiled)
        properties[parameter.name] = _property(parameter, compiled.shape, descriptions.get(parameter.name))
    schema: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    required: list[object] = [parameter.name for parameter in parameters if parameter.required]
    if required:
        schema["required"] = required
    positional = tuple(one.name for one in signature if one.kind is one.POSITIONAL_ONLY)
    return Signature(tuple(parameters), freeze_mapping(schema), context, positional, is_async)


def _is_async(function: Callable[..., object], name: str) -> bool:
    called = _routine(inspect.unwrap(function))
    if is_generator(function):
        raise TypeError(
            f'tool "{name}": a generator cannot be a tool, since scopes held across its yields would be in force for '
            "others; return the result, and report progress through a ToolContext"
        )
    return inspect.iscoroutinefunction(called)


def is_generator(function: Callable[..., object]) -> bool:
    """Whether calling this gives a generator, sync or async, through partials, callable objects and `wraps`."""
    called = _routine(inspect.unwrap(_routine(function)))
    return inspect.isasyncgenfunction(called) or inspect.isgeneratorfunction(called)


def _routine(function: Callable[..., object]) -> Callable[..., object]:
    """The function that a partial or a callable object comes down to."""
    while isinstance(function, functools.partial):
        function = function.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return function if inspect.isroutine(function) else type(function).__call__


def _hints(function: Callable[..., object], name: str) -> dict[str, object]:
    try:
        return get_type_hints(_routine(function), include_extras=True)
    except NameError as error:
        raise TypeError(
            f'tool "{name}": the annotation {error.name!r} cannot be found from where the function is defined; '
            "import it at module level, not under TYPE_CHECKING"
        ) from None


def _compile(parameter: inspect.Parameter, hint: object, place: str) -> Parameter:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise TypeError(f"{place}: a model cannot be told what *args and **kwargs take; name each parameter")
    if hint is parameter.empty:
        raise TypeError(f"{place}: needs an annotation, so that the model can be told its type")
    try:
        shape = shape_of(hint)
    except TypeError as error:
        raise TypeError(f"{place}: {error}") from None
    required = parameter.default is parameter.empty
    refusals: list[str] = []
    shape.read(None, parameter.name, refusals)
    return Parameter(parameter.name, shape, required, nullable=not refusals)


def _property(parameter: inspect.Parameter, shape: Shape, description: str | None) -> JSONValue:
    described: dict[str, JSONValue] = {**shape.schema}
    if description:
        described["description"] = description
    if parameter.default is not parameter.empty:
        # one that is no JSON value is not shown; the body still gets it, and the model may leave it out
        with contextlib.suppress(NotJSON):
            described["default"] = freeze(parameter.default)
    return described
