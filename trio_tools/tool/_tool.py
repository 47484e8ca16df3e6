"""A tool as it is registered, and the decorator that makes one of a typed function."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import attrs
import trio
from attrs.validators import instance_of

from trio_tools.tool._signature import Signature, signature_of
from trio_tools.tool._types import Shape, shape_of
from trio_tools.values import Content, FrozenDict, ToolResult, check_seconds

Body: TypeAlias = Callable[..., object]
Finalizer: TypeAlias = Callable[[ToolResult], "str | Content | None"]
Classifier: TypeAlias = "bool | Callable[[FrozenDict], object]"

# What every provider takes as a tool's name.
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _seconds(_: object, attribute: attrs.Attribute[float | None], value: float | None) -> None:
    if value is not None:
        check_seconds(attribute.name, value)


def _flag(_: object, attribute: attrs.Attribute[bool], value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{attribute.name} must be True or False, not {value!r}")


def _plain_function(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if value is None or (attribute.name == "parallel" and isinstance(value, bool)):
        return
    if not callable(value) or inspect.iscoroutinefunction(value):
        raise TypeError(f"{attribute.name} must be a plain function, not {value!r}")


def _limiter(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, trio.CapacityLimiter):
        raise TypeError(f"{attribute.name} must be a trio.CapacityLimiter, not {value!r}")


@attrs.frozen(eq=False, kw_only=True)
class Tool:
    """A declared tool. Make one with `tool`.

    `timeout` and `idle_timeout` are budgets in seconds, declared here and enforced by the timeout policy: of the whole
    call, and of going without progress. `finalize_content` may replace what a model reads of any outcome. `read_only`,
    `idempotent` and `destructive` say what the tool does to the world. `parallel` says whether calls may overlap within
    a turn: a bool, or a function of the frozen arguments. `pool` is a limiter whose token a running body holds; None
    means none for async bodies, and Trio's default thread limiter for plain functions.
    """

    name: str
    description: str = attrs.field(validator=instance_of(str))
    parameters: FrozenDict  # JSON Schema
    body: Body
    signature: Signature = attrs.field(repr=False)
    output: Shape | None = attrs.field(default=None, repr=False)
    timeout: float | None = attrs.field(default=None, validator=_seconds)
    idle_timeout: float | None = attrs.field(default=None, validator=_seconds)
    finalize_content: Finalizer | None = attrs.field(default=None, validator=_plain_function)
    read_only: bool = attrs.field(default=False, validator=_flag)
    idempotent: bool = attrs.field(default=False, validator=_flag)
    destructive: bool = attrs.field(default=False, validator=_flag)
    parallel: Classifier = attrs.field(default=False, validator=_plain_function)
    pool: trio.CapacityLimiter | None = attrs.field(default=None, validator=_limiter)


class ToolOptions(TypedDict, total=False):
    """What `tool` takes beside the function: the fields of `Tool` by the same names. Budgets in seconds."""

    name: str | None
    description: str | None
    output: object
    timeout: float | None
    idle_timeout: float | None
    finalize_content: Finalizer | None
    read_only: bool
    idempotent: bool
    destructive: bool
    parallel: Classifier
    pool: trio.CapacityLimiter | None


@overload
def tool(function: Body, /, **options: Unpack[ToolOptions]) -> Tool: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Body], Tool]: ...
def tool(function: Body | None = None, /, **options: Unpack[ToolOptions]) -> Tool | Callable[[Body], Tool]:
    """Declare a typed function as a tool: `@tool`, or `@tool(timeout=30)`.

    Options are the fields of `Tool`: `name` and `description` default to the function's own; `output` is a type that
    every success must fit; `timeout` and `idle_timeout` are seconds; `parallel` defaults to `read_only`. The function
    stays at `tool.body`.

    Raises `TypeError` for a function that cannot be declared (no annotation, a type without a JSON form, a generator),
    naming tool and parameter, and for an unknown option; `ValueError` for a budget that is not a positive finite
    number of seconds or a name that providers refuse.
    """
    unknown = ", ".join(options.keys() - ToolOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"tool() has no option {unknown}; it has {', '.join(ToolOptions.__annotations__)}")
    return functools.partial(_declare, options=options) if function is None else _declare(function, options)


def _declare(body: Body, options: ToolOptions) -> Tool:
    given: object = options.get("name")
    name = _name(body) if given is None else given
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a tool's name must be a string, not {name!r}")
    if not NAME.fullmatch(name):
        raise ValueError(f'tool name "{name}" must match ^[A-Za-z0-9_-]{{1,64}}$; give it one with name=')
    text, described = _documentation(body)
    description, output = options.get("description"), options.get("output")
    signature = signature_of(body, name, described)
    try:
        return Tool(
            name=name,
            description=text if description is None else description,
            parameters=signature.schema,
            body=body,
            signature=signature,
            output=None if output is None else shape_of(output),
            timeout=options.get("timeout"),
            idle_timeout=options.get("idle_timeout"),
            finalize_content=options.get("finalize_content"),
            read_only=options.get("read_only", False),
            idempotent=options.get("idempotent", False),
            destructive=options.get("destructive", False),
            parallel=options.get("parallel", options.get("read_only", False)),
            pool=options.get("pool"),
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f'tool "{name}": {error}') from None


def _name(body: Body) -> str:
    name = getattr(body, "__name__", None)
    if isinstance(name, str):
        return name
    raise ValueError(f"{type(body).__name__} has no name of its own; give the tool one with name=")


def _documentation(body: Body) -> tuple[str, dict[str, str]]:
    """What a docstring says: the description, and that of each parameter."""
    docstring = inspect.getdoc(body)
    if not docstring:
        return "", {}
    import docstring_parser

    parsed = docstring_parser.parse(docstring)
    described = {param.arg_name: param.description for param in parsed.params if param.description}
    parts = (parsed.short_description, parsed.long_description)
    return "\n\n".join(part for part in parts if part), described
