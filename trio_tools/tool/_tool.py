"""A tool as it is registered, and the decorator that makes one of a typed function."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable
from typing import TypeAlias, TypedDict, Unpack, overload

import attrs
import trio

from trio_tools.tool._signature import Signature, signature_of
from trio_tools.tool._types import Shape, shape_of
from trio_tools.values import Content, FrozenDict, ToolResult

Body: TypeAlias = Callable[..., object]
Finalizer: TypeAlias = Callable[[ToolResult], "str | Content | None"]
Classifier: TypeAlias = "bool | Callable[[FrozenDict], object]"

# What every provider takes as a tool's name.
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _check_seconds(_: object, attribute: attrs.Attribute[float | None], value: float | None) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not (0 < value < math.inf):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"{attribute.name} must be a positive finite number of seconds, not {value!r}")


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
    description: str
    parameters: FrozenDict  # JSON Schema
    body: Body
    signature: Signature = attrs.field(repr=False)
    output: Shape | None = attrs.field(default=None, repr=False)
    timeout: float | None = attrs.field(default=None, validator=_check_seconds)
    idle_timeout: float | None = attrs.field(default=None, validator=_check_seconds)
    finalize_content: Finalizer | None = None
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    parallel: Classifier = False
    pool: trio.CapacityLimiter | None = None


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
    given = options.get("name")
    name = _name(body) if given is None else given
    if not NAME.fullmatch(name):
        raise ValueError(f'tool name "{name}" must match ^[A-Za-z0-9_-]{{1,64}}$; give it one with name=')
    for option in ("finalize_content", "parallel"):
        if inspect.iscoroutinefunction(options.get(option)):
            raise TypeError(f'tool "{name}": {option} must be a plain function, not an async one')
    text, described = _documentation(body)
    description, output = options.get("description"), options.get("output")
    signature = signature_of(body, name, described)
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
