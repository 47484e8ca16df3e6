"""A tool as it is registered, and the decorator that makes one of a typed function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import attrs
import trio
from attrs.validators import instance_of

from trio_tools.tool._canonical import canonical
from trio_tools.tool._check import shape_of_schema
from trio_tools.tool._describe import described_callable
from trio_tools.tool._names import name_of, valid_name
from trio_tools.tool._raw import raw_signature
from trio_tools.tool._shape import Shape
from trio_tools.tool._signature import Signature, signature_of
from trio_tools.tool._table import shape_of
from trio_tools.values import (
    Content,
    FrozenDict,
    NotJSON,
    ToolResult,
    ToolSchema,
    check_seconds,
    freeze_arguments,
    freeze_mapping,
    parse_arguments,
    thaw,
)

Body: TypeAlias = Callable[..., object]
Finalizer: TypeAlias = Callable[[ToolResult], "str | Content | None"]
Classifier: TypeAlias = "bool | Callable[[FrozenDict], object]"

# Bytes of what a body returns, as a model reads it. Providers take requests of 20 to 32 MB, and a turn has several
# results.
MAX_RESULT_BYTES = 8 * 1024 * 1024


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


def _bytes(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if type(value) is not int or value < 1:
        raise ValueError(f"{attribute.name} must be a positive whole number of bytes, not {value!r}")


def _contract(output: object) -> Shape | None:
    if output is None or isinstance(output, Shape):
        return output
    try:
        return shape_of_schema(output) if isinstance(output, Mapping) else shape_of(output)  # pyright: ignore[reportUnknownArgumentType]
    except (TypeError, ValueError, ModuleNotFoundError) as error:
        raise type(error)(f"output: {error}") from None


def _raw(one: Tool) -> Signature:
    return raw_signature(one.body, one.parameters, one.name)


def _as_declared(one: Tool) -> str:
    return one.name


@attrs.frozen(eq=False, kw_only=True)
class Tool:
    """A declared tool. `tool` makes one of a typed function; made by hand, its `parameters` are raw JSON Schema.

    By hand: `parameters` are JSON Schema (2020-12, or the draft that `$schema` names), checked offline by the extra
    `schema`. The body gets the arguments by keyword; if its one parameter is for a mapping (or not annotated) and has a
    name that the schema does not know, it gets all of them there, frozen. A context is injected by annotation, as ever.

    `name` is made valid for every provider (`declared` keeps it as it was). `output` is what every success must fit: a
    type, or JSON Schema. `timeout` and `idle_timeout` are budgets in seconds, declared here and enforced by the timeout
    policy: of the whole call, and of going without progress. `finalize_content` may replace what a model reads of any
    outcome. `read_only`, `idempotent` and `destructive` say what the tool does to the world. `parallel` says whether
    calls may overlap within a turn: a bool, or a function of the frozen arguments. `pool` is a limiter whose token a
    running body holds; None means none for async bodies, and Trio's default thread limiter for plain functions.
    `max_result_bytes` bounds what a model would read of what the body returns; `nan_as_null` makes NaN and infinities
    in it null, which else are refused.

    Raises `ValueError` for a blank name, a budget or size out of range, and a schema that is not JSON, not of an object
    or reaches outside itself; `TypeError` for a body that could not be called.
    """

    name: str = attrs.field(validator=instance_of(str))
    description: str = attrs.field(default="", validator=instance_of(str))
    parameters: FrozenDict = attrs.field(converter=freeze_mapping)
    body: Body
    signature: Signature = attrs.field(default=attrs.Factory(_raw, takes_self=True), repr=False)
    output: Shape | None = attrs.field(default=None, converter=_contract, repr=False)
    timeout: float | None = attrs.field(default=None, validator=_seconds)
    idle_timeout: float | None = attrs.field(default=None, validator=_seconds)
    finalize_content: Finalizer | None = attrs.field(default=None, validator=_plain_function)
    read_only: bool = attrs.field(default=False, validator=_flag)
    idempotent: bool = attrs.field(default=False, validator=_flag)
    destructive: bool = attrs.field(default=False, validator=_flag)
    parallel: Classifier = attrs.field(default=False, validator=_plain_function)
    pool: trio.CapacityLimiter | None = attrs.field(default=None, validator=_limiter)
    max_result_bytes: int = attrs.field(default=MAX_RESULT_BYTES, validator=_bytes)
    nan_as_null: bool = attrs.field(default=False, validator=_flag)
    declared: str = attrs.field(init=False, default=attrs.Factory(_as_declared, takes_self=True), repr=False)

    def __attrs_pre_init__(
        self, *, name: object, description: object, parameters: object, signature: object, **_: object
    ) -> None:
        """Look at what is to be sent while the name is there to be told. Raises `ValueError` for what UTF-8 or JSON
        cannot carry, and `TypeError` for parameters that are no mapping."""
        if not isinstance(name, str):
            raise TypeError(f"a tool's name must be a string, not {name!r}")
        if not isinstance(parameters, Mapping):
            given = type(parameters).__name__
            raise TypeError(f'tool "{name}": parameters must be a mapping that holds JSON Schema, not {given}')
        try:
            freeze_mapping({"description": description} if isinstance(description, str) else {})
            if parameters is not getattr(signature, "schema", None):  # which has been looked at
                freeze_mapping(parameters)  # pyright: ignore[reportUnknownArgumentType]
        except NotJSON as error:
            raise ValueError(f'tool "{name}": {error}') from None

    def __attrs_post_init__(self) -> None:
        schema = self.signature.schema  # in canonical form
        if self.parameters != schema and canonical(self.parameters) != schema:  # changed by `evolve` alone
            raise ValueError(f'tool "{self.name}": its parameters are not its signature\'s; make a new Tool of them')
        object.__setattr__(self, "name", valid_name(self.declared))
        object.__setattr__(self, "parameters", schema)

    def schema(self) -> ToolSchema:
        """What a provider is told of it, in canonical form: a copy, free to change."""
        return ToolSchema(name=self.name, description=self.description, parameters=thaw(self.parameters))

    def violations(self, arguments: Mapping[str, object] | str) -> list[str]:
        """What would be refused of these arguments, a mapping or JSON text, and why; nothing if the call would be run.

        Raises `ValueError` for a raw schema that is none, and `ModuleNotFoundError` without the extra that checks it.
        """
        try:
            frozen = parse_arguments(arguments) if isinstance(arguments, str) else freeze_arguments(arguments)
        except NotJSON as error:
            return [f"not a JSON object: {error}"]
        problems: list[str] = []
        self.signature.read(frozen, problems)
        return problems


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
    max_result_bytes: int
    nan_as_null: bool


@overload
def tool(function: Body, /, **options: Unpack[ToolOptions]) -> Tool: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Body], Tool]: ...
def tool(function: Body | None = None, /, **options: Unpack[ToolOptions]) -> Tool | Callable[[Body], Tool]:
    """Declare a typed function as a tool: `@tool`, or `@tool(timeout=30)`.

    Options are the fields of `Tool`: `name` and `description` default to the function's own; `output` is a type that
    every success must fit; `timeout` and `idle_timeout` are seconds; `parallel` defaults to `read_only`. The function
    stays at `tool.body`. `docs/types.md` lists the types that parameters may have.

    Raises `TypeError` for a function that cannot be declared (no annotation, a type without a JSON form, a generator),
    naming tool and parameter, and for an unknown option; `ValueError` for a budget that is not a positive finite
    number of seconds, and where there is no name; `ModuleNotFoundError` for an output that is JSON Schema, without the
    extra that checks it.
    """
    make = tool_maker(said_of, options)
    return make if function is None else make(function)


# What is told of a body, and how it takes its arguments. The name of the tool is for messages.
Said: TypeAlias = Callable[[Body, str], tuple[str, Signature]]


def tool_maker(said: Said, options: ToolOptions) -> Callable[[Body], Tool]:
    """What makes tools of functions, with these options. Raises `TypeError` for an option that there is not."""
    unknown = ", ".join(options.keys() - ToolOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"tool() has no option {unknown}; it has {', '.join(ToolOptions.__annotations__)}")
    return functools.partial(_declare, options=options, said=said)


def said_of(body: Body, name: str) -> tuple[str, Signature]:
    """What a body says itself, by its docstring and annotations. Raises `TypeError` for what cannot be declared."""
    text, of_parameters = described_callable(body)
    return text, signature_of(body, name, of_parameters)


def _declare(body: Body, options: ToolOptions, said: Said) -> Tool:
    if not callable(body):
        raise TypeError(f"a tool is made of a function, not of {type(body).__name__}")
    given: object = options.get("name")
    name = name_of(body) if given is None else given
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a tool's name must be a string, not {name!r}")
    text, signature = said(body, name)
    description = options.get("description")
    try:
        return Tool(
            name=name,
            description=text if description is None else description,
            parameters=signature.schema,
            body=body,
            signature=signature,
            output=options.get("output"),
            timeout=options.get("timeout"),
            idle_timeout=options.get("idle_timeout"),
            finalize_content=options.get("finalize_content"),
            read_only=options.get("read_only", False),
            idempotent=options.get("idempotent", False),
            destructive=options.get("destructive", False),
            parallel=options.get("parallel", options.get("read_only", False)),
            pool=options.get("pool"),
            max_result_bytes=options.get("max_result_bytes", MAX_RESULT_BYTES),
            nan_as_null=options.get("nan_as_null", False),
        )
    except (TypeError, ValueError, ModuleNotFoundError) as error:
        raise type(error)(f'tool "{name}": {error}') from None
