"""A typed function's signature, compiled once: its JSON Schema, and how arguments become its parameters."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Annotated, Protocol, Union, get_args, get_origin

import attrs

from trio_tools.tool._bindings import parameter_hints
from trio_tools.tool._callables import is_coroutine, layers_of, parameters_of
from trio_tools.tool._classes import closed_object, missing, shown, unknown
from trio_tools.tool._context import SyncToolContext, ToolContext
from trio_tools.tool._definitions import Definitions
from trio_tools.tool._shape import SHOWN_VIOLATIONS, Shape
from trio_tools.tool._table import walk_of
from trio_tools.values import FrozenDict, JSONValue, NotJSON, freeze_mapping

_NOTHING: tuple[object, ...] = ()
_CONTEXTS: tuple[object, object] = (SyncToolContext, ToolContext)  # of a plain function, of an async one


class Signature(Protocol):
    """How a body takes its arguments."""

    @property
    def schema(self) -> FrozenDict:
        """What a model is told, as JSON Schema."""
        ...

    @property
    def context(self) -> str | None:
        """Name of the parameter that a context is injected into, if any."""
        ...

    @property
    def is_async(self) -> bool:
        """Whether the body is awaited, or else run in a thread."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether reading runs no code of the tool's author."""
        ...

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        """The values for the body's parameters; what does not fit is appended to `problems`."""
        ...

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        """The values and the context as positional and keyword arguments."""
        ...

    def prepare(self) -> None:
        """Get ready to read. Raises what keeps this from being a tool, such as a schema that is none."""
        ...


def shortened(violations: list[str]) -> list[str]:
    """The first of them, and whether there may be more."""
    if len(violations) < SHOWN_VIOLATIONS:
        return violations
    return [*violations[:SHOWN_VIOLATIONS], "and there may be more"]


@attrs.frozen(eq=False, repr=False)
class Parameter:
    """One parameter of a tool."""

    name: str
    shape: Shape
    required: bool
    nullable: bool  # null is a value of its own; elsewhere it counts as missing


@attrs.frozen(eq=False, repr=False)
class TypedSignature:
    """The parameters of a typed function, and where a context is injected, if anywhere."""

    parameters: tuple[Parameter, ...]
    schema: FrozenDict
    context: str | None
    positional: tuple[inspect.Parameter, ...]  # those that are positional-only, in order
    is_async: bool
    trusted: bool

    def prepare(self) -> None:
        """Nothing is left to do."""

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        """The values of the parameters that `arguments` names; what does not fit is appended to `problems`."""
        values: dict[str, object] = {}
        try:
            for parameter in self.parameters:
                name = parameter.name
                if name in arguments:
                    values[name] = parameter.shape.hook(arguments[name], None)
                elif parameter.required:
                    break
            else:
                if len(values) == len(arguments):
                    return values
        except Exception:  # a misfit, or code of the tool's author: what is wrong, and what else is, is found out below
            pass
        self._explain(arguments, problems)
        return {}

    def _explain(self, arguments: FrozenDict, problems: list[str]) -> None:
        found: list[str] = []
        for parameter in self.parameters:
            name = parameter.name
            if parameter.required and (name not in arguments or (arguments[name] is None and not parameter.nullable)):
                found.append(str(missing(name)))
            elif name in arguments:
                found += parameter.shape.violations(arguments[name], name)
        found += map(str, unknown(arguments, [parameter.name for parameter in self.parameters]))
        problems += shortened(found or ["the arguments cannot be read twice in the same way"])

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        """The values and the context as positional and keyword arguments."""
        if self.context is None and not self.positional:
            return _NOTHING, values
        named = values if self.context is None else {**values, self.context: context}
        if not self.positional:
            return _NOTHING, named
        # one that was left out still has its place before those that were not
        positional: list[object] = [named.get(one.name, one.default) for one in self.positional]
        names = {one.name for one in self.positional}
        return positional, {name: value for name, value in named.items() if name not in names}


def signature_of(function: Callable[..., object], name: str, descriptions: dict[str, str]) -> TypedSignature:
    """Compile a function's signature. Raises `TypeError`, naming tool and parameter, for what cannot be declared."""
    given = parameters_of(function, name)
    is_async = is_coroutine(function)
    hints = parameter_hints(layers_of(function)[-1], name)
    definitions = Definitions()
    parameters: list[Parameter] = []
    properties: dict[str, JSONValue] = {}
    context: str | None = None
    for parameter in given:
        place = f'tool "{name}", parameter "{parameter.name}"'
        hint = hints.get(parameter.name, parameter.annotation)
        if is_context(hint):
            context = _context(parameter.name, hint, is_async, context, place)
            continue
        compiled = _compile(parameter, hint, place, definitions)
        parameters.append(compiled)
        default: object = attrs.NOTHING if compiled.required else parameter.default
        properties[parameter.name] = shown(compiled.shape, descriptions.get(parameter.name), default)
    schema = closed_object(properties, [one.name for one in parameters if one.required])
    try:
        frozen = freeze_mapping(definitions.finish(schema))
    except NotJSON as error:  # a description that UTF-8 cannot carry, a bound that no text can
        raise TypeError(f'tool "{name}": {error}') from None
    return TypedSignature(
        parameters=tuple(parameters),
        schema=frozen,
        context=context,
        positional=tuple(one for one in given if one.kind is one.POSITIONAL_ONLY),
        is_async=is_async,
        trusted=all(one.shape.trusted for one in parameters),
    )


def is_context(hint: object) -> bool:
    """Whether an annotation asks for a context, perhaps `| None` so that the function can be called without one."""
    return any(arm in _CONTEXTS for arm in _arms(hint))


def _arms(hint: object) -> tuple[object, ...]:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _context(name: str, hint: object, is_async: bool, other: str | None, place: str) -> str:
    if other is not None:
        raise TypeError(f"{place}: a tool takes one context, and {other!r} is one already")
    if _CONTEXTS[is_async] not in _arms(hint):
        raise TypeError(f"{place}: an async def takes a ToolContext, a plain def a SyncToolContext")
    return name


def _compile(parameter: inspect.Parameter, hint: object, place: str, definitions: Definitions) -> Parameter:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise TypeError(f"{place}: a model cannot be told what *args and **kwargs take; name each parameter")
    if hint is parameter.empty and parameter.name in ("self", "cls"):
        raise TypeError(f"{place}: this is a method without its object; make a tool of the bound one, obj.method")
    if hint is parameter.empty:
        raise TypeError(f"{place}: needs an annotation, so that the model can be told its type")
    try:
        shape = walk_of(definitions).shape(hint)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{place}: {error}") from None
    except RecursionError:
        raise TypeError(f"{place}: a type that grows each time it refers to itself") from None
    except Exception as error:  # the value of an alias is code, and may do anything
        raise TypeError(f"{place}: {type(error).__name__}: {error}") from None
    required = parameter.default is parameter.empty
    return Parameter(parameter.name, shape, required, nullable=_takes_null(shape))


def _takes_null(shape: Shape) -> bool:
    try:
        shape.hook(None, None)
    except Exception:  # a misfit, or code of the tool's author
        return False
    return True
