"""Every form of real tools, over the whole table of types: taken by the provider's own types, or refused in words."""

from __future__ import annotations

import collections.abc
import copy
import dataclasses
import functools
import re
from collections import Counter
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, TypedDict
from uuid import UUID

import attrs
import pytest
from annotated_types import Ge, Len, MultipleOf
from form_schemas import faults, subschemas

from benchmarks._kinds import Dice
from benchmarks._random_functions import random_tool
from trio_tools import Tool, ToolSchema, open_registry, tool
from trio_tools.formats import FORMS, NotInForm

# Random tools, each of some parameters: every row of the table stands among them many times.
SEEDS = range(300)
IN_WORDS = re.compile(r"tool '.*' does not go into the form [a-z-]+: \$.*: .+; .+", re.DOTALL)
REASON = "the provider's package, an extra of the tests, is not installed"


class Color(Enum):
    RED = "red"


class Level(Enum):
    LOW = 1
    HIGH = 2.5


class Options(TypedDict, total=False):
    depth: int


@attrs.define
class Point:
    x: int
    y: float = 0.5


@dataclasses.dataclass
class Node:
    name: str
    children: list[Node] = dataclasses.field(default_factory=list["Node"])


Id = NewType("Id", int)

RAW = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}

# What has no free keys, and nothing that may be anything, goes into every form.
CLOSED: list[Any] = [
    *(int, float, bool, str, None, int | None, int | str, Literal["a", 1], Color, Level, list[int]),
    *(tuple[int, ...], tuple[int, str], set[str], Point, Node, list[Point] | None, Id, datetime, date, time),
    *(UUID, Decimal, Path, bytes, Annotated[int, Ge(1), "how many"], Annotated[str, Len(1, 3)]),
    *(Annotated[float, MultipleOf(0.1)], date | str, Point | Node),
]
# These strict refuses: it has no words for keys that are free, for anything at all, or for what has no default to tell.
OPEN: list[Any] = [
    object,
    Any,
    list,
    dict,
    dict[str, int],
    dict[Color, int],
    collections.abc.Mapping[str, int],
    Options,
]


async def take(x: Any) -> None:
    """Take it."""


def schema_of(one: Tool) -> ToolSchema:
    return ToolSchema(name=one.name, description=one.description, parameters=dict(one.parameters))


def declared(annotation: Any) -> ToolSchema:
    take.__annotations__["x"] = annotation
    return schema_of(tool(take))


@functools.cache
def random_tools() -> tuple[Tool, ...]:
    return tuple(random_tool(Dice(seed)).tool for seed in SEEDS)


@functools.cache
def provider_types() -> dict[str, Any]:
    """Checks a form by the types of its provider's SDK."""
    pydantic = pytest.importorskip("pydantic", reason=REASON)
    chat = pytest.importorskip("openai.types.chat", reason=REASON)
    responses = pytest.importorskip("openai.types.responses", reason=REASON)
    anthropic = pytest.importorskip("anthropic.types", reason=REASON)
    genai = pytest.importorskip("google.genai.types", reason=REASON)
    mcp = pytest.importorskip("mcp.types", reason=REASON)
    in_chat = pydantic.TypeAdapter(chat.ChatCompletionFunctionToolParam).validate_python
    in_responses = pydantic.TypeAdapter(responses.FunctionToolParam).validate_python
    return {
        "openai": in_chat,
        "openai-strict": in_chat,
        "openai-responses": in_responses,
        "openai-responses-strict": in_responses,
        "anthropic": pydantic.TypeAdapter(anthropic.ToolParam).validate_python,
        "gemini": genai.FunctionDeclaration.model_validate,
        "mcp": mcp.Tool.model_validate,
    }


def provider_takes(form: str, made: Any) -> None:
    """Fails unless the provider's own types take a form, also what is inside, where they look there."""
    provider_types()[form](made)
    schema: Any = copy.deepcopy(parameters_in(form, made))
    if form == "gemini":
        for one in [*subschemas(schema)]:
            one.pop("prefixItems", None)  # which the documents of the API list, and this type lacks
        pytest.importorskip("google.genai.types", reason=REASON).JSONSchema.model_validate(schema)
    if form.endswith("strict"):
        strictly = pytest.importorskip("openai.lib._pydantic", reason=REASON)._ensure_strict_json_schema
        assert strictly(copy.deepcopy(schema), path=(), root=schema) == schema


def parameters_in(form: str, made: Any) -> Any:
    inside = made.get("function", made)
    keys = ("parameters", "input_schema", "parameters_json_schema", "inputSchema")
    return next(inside[key] for key in keys if key in inside)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("annotation", CLOSED, ids=str)
def test_a_type_without_free_keys_goes_into_every_form(annotation: Any, form: str) -> None:
    """R114, case B26: accepted by the provider's own types, with references that resolve."""
    made = FORMS[form](declared(annotation))
    provider_takes(form, made)
    assert faults(parameters_in(form, made)) == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("annotation", OPEN, ids=str)
def test_a_type_that_strict_cannot_say_is_refused_there_with_its_place(annotation: Any, form: str) -> None:
    """R114: and goes into the others."""
    if form.endswith("strict"):
        with pytest.raises(NotInForm, match=rf"'take' does not go into the form {form}: \$\.properties\.x") as caught:
            FORMS[form](declared(annotation))
        assert caught.value.remedy
    else:
        provider_takes(form, FORMS[form](declared(annotation)))


@pytest.mark.parametrize(
    ("annotation", "form"), [(tuple[()], "openai-strict"), (Literal["a", True], "gemini"), (Literal[False], "gemini")]
)
def test_what_one_provider_alone_cannot_say_is_refused_there(annotation: Any, form: str) -> None:
    """R114: an array of nothing; one boolean without the other."""
    with pytest.raises(NotInForm, match=r"\$\.properties\.x: "):
        FORMS[form](declared(annotation))


@pytest.mark.parametrize("form", FORMS)
def test_random_tools_of_the_whole_table_go_in_or_are_refused_in_words(form: str) -> None:
    """R114, case B26: one that a form refuses takes no other with it."""
    outcomes: Counter[str] = Counter()
    in_words: list[bool] = []
    for one in random_tools():
        schema = schema_of(one)
        try:
            made = FORMS[form](schema)
        except NotInForm as refusal:
            outcomes["refused"] += 1
            in_words.append(bool(IN_WORDS.match(str(refusal))))
        else:
            provider_takes(form, made)
            assert faults(parameters_in(form, made)) == []
            outcomes["taken"] += 1
    assert all(in_words)
    assert outcomes["taken"] >= (15 if form.endswith("strict") else 100), outcomes


async def test_the_schemas_of_a_registry_go_into_forms_as_they_are() -> None:
    """R114, L023: in one order, and free to change."""

    @tool
    async def search(query: str, limit: int = 5) -> None: ...

    async with open_registry() as registry:
        registry.register(search)
        registry.register(Tool(name="raw", parameters=RAW, body=take_any))
        for form, make in FORMS.items():
            made: list[Any] = [make(one) for one in registry.schemas()]
            assert [one.get("function", one)["name"] for one in made] == ["raw", "search"]
            assert all(parameters_in(form, one)["type"] == "object" for one in made)


async def take_any(**arguments: object) -> None:
    """Take anything."""
