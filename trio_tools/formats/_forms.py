"""The forms in which providers want a tool. Each is a fresh copy, free to change, in JSON Schema 2020-12."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import attrs

from trio_tools.formats._dialect import modernize
from trio_tools.formats._draft import Draft
from trio_tools.formats._gemini import make_gemini
from trio_tools.formats._references import inline_root, refuse_endless, settle_references
from trio_tools.formats._spelling import spell_definitions, spell_out
from trio_tools.formats._strict import make_strict
from trio_tools.formats._subset import backtracks
from trio_tools.formats._walk import Places, Schema, named, types_of, walk
from trio_tools.formats._words import tell, words_for
from trio_tools.values import JSONValue, ToolSchema, freeze_mapping, thaw

# What each provider takes as the name of a tool and, where it minds, of a parameter. 64 and 128 characters are their
# own limits.
_OPENAI_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ANTHROPIC_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ANTHROPIC_PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_GEMINI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_GEMINI_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def to_openai(schema: ToolSchema, *, strict: bool = False) -> dict[str, JSONValue]:
    """A tool for OpenAI's chat completions; with `strict`, in the subset that the model is held to.

    Raises `NotInForm` for a name or a schema that the API refuses, or that strict cannot say, and `NotJSON` for
    parameters that JSON cannot carry.
    """
    function = _openai_function(schema, "openai-strict" if strict else "openai", strict)
    return {"type": "function", "function": {**function, "strict": True} if strict else function}


def to_openai_responses(schema: ToolSchema, *, strict: bool = False) -> dict[str, JSONValue]:
    """A tool for OpenAI's Responses API, which wants the same as `to_openai` without a level, and `strict` said.

    Raises as `to_openai` does.
    """
    form = "openai-responses-strict" if strict else "openai-responses"
    return {"type": "function", **_openai_function(schema, form, strict), "strict": strict}


def to_anthropic(schema: ToolSchema) -> dict[str, JSONValue]:
    """A tool for Anthropic's Messages API.

    Raises `NotInForm` for a name, a parameter's name or a schema that the API refuses, and `NotJSON` for parameters
    that JSON cannot carry.
    """
    draft = _drafted(schema, "anthropic", _ANTHROPIC_NAME)
    _refuse_at_top(draft, "anyOf", "oneOf", "allOf")
    _check_parameters(draft, _ANTHROPIC_PARAMETER)
    return {"name": draft.tool, "description": schema["description"], "input_schema": draft.root}


def to_gemini(schema: ToolSchema) -> dict[str, JSONValue]:
    """A function declaration for Gemini, for `google.genai.types.FunctionDeclaration`.

    Raises `NotInForm` for a name, a parameter's name or a schema that the API refuses or its subset of JSON Schema
    cannot say, and `NotJSON` for parameters that JSON cannot carry.
    """
    draft = _drafted(schema, "gemini", _GEMINI_NAME, spell=True)
    make_gemini(draft)
    _check_parameters(draft, _GEMINI_PARAMETER)
    settle_references(draft)
    return {"name": draft.tool, "description": schema["description"], "parameters_json_schema": draft.root}


def to_mcp(schema: ToolSchema) -> dict[str, JSONValue]:
    """A tool as an MCP server lists it.

    Raises `NotInForm` for parameters that are no object, or whose references or dialect no form takes, and `NotJSON`
    for parameters that JSON cannot carry.
    """
    draft = _drafted(schema, "mcp")
    return {"name": draft.tool, "description": schema["description"], "inputSchema": draft.root}


# Every form by its name, for a program that is told the provider at run time.
FORMS: Mapping[str, Callable[[ToolSchema], dict[str, JSONValue]]] = MappingProxyType(
    {
        "openai": to_openai,
        "openai-strict": partial(to_openai, strict=True),
        "openai-responses": to_openai_responses,
        "openai-responses-strict": partial(to_openai_responses, strict=True),
        "anthropic": to_anthropic,
        "gemini": to_gemini,
        "mcp": to_mcp,
    }
)


def _drafted(schema: ToolSchema, form: str, name: re.Pattern[str] | None = None, *, spell: bool = False) -> Draft:
    """The draft that a form starts from: own copy, own references, an object at the top; if wanted, spelled out.

    Raises `NotInForm` for a name that does not match, and for references and dialects that no form takes, `TypeError`
    for what is no `ToolSchema`.
    """
    if not isinstance(schema, Mapping) or not ToolSchema.__required_keys__ <= schema.keys():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            "a form is made of what registry.schemas() or tool.schema() gives: name, description, parameters"
        )
    root = thaw(freeze_mapping(schema["parameters"]))
    draft = Draft(schema["name"], form, root, Places(root))
    if name is not None and not name.fullmatch(draft.tool):
        raise draft.refusal(root, "the provider refuses its name", f"give it one that matches ^{name.pattern}$")
    modernize(draft)
    spell_definitions(root)
    if root.get("type") == "object":
        del root["type"]  # said again below; what the root refers to may say it otherwise
    inline_root(draft)
    if "object" not in (types_of(root) or ["object"]):
        raise draft.refusal(root, "its parameters are not an object", "say type: object")
    head: Schema = {"type": "object", "properties": {}}
    rest = {**head, **root, "type": "object"}
    root.clear()
    root.update(rest)
    if spell:
        spell_out(root)
    settle_references(draft)
    refuse_endless(draft)
    return attrs.evolve(draft, places=Places(root))


def _openai_function(schema: ToolSchema, form: str, strict: bool) -> dict[str, JSONValue]:
    draft = _drafted(schema, form, _OPENAI_NAME, spell=True)
    _refuse_at_top(draft, "anyOf", "oneOf", "enum", "not", *(["const"] if strict else ["allOf"]))
    if strict:
        make_strict(draft)
        settle_references(draft)
    else:
        _accommodate(draft.root)
    return {"name": draft.tool, "description": schema["description"], "parameters": draft.root}


def _accommodate(root: Schema) -> None:
    """Mend what OpenAI refuses even where it is not strict: arrays without `items`, patterns that it cannot run."""
    for schema in walk(root):
        if "array" in types_of(schema):
            schema.setdefault("items", {})
        if backtracks(schema.get("pattern")):
            tell(schema, words_for("pattern", schema.pop("pattern")))


def _refuse_at_top(draft: Draft, *keywords: str) -> None:
    for keyword in keywords:
        if keyword in draft.root:
            raise draft.refusal(draft.root, f"this form has no {keyword} at the top", "say it of a property")


def _check_parameters(draft: Draft, pattern: re.Pattern[str]) -> None:
    for name, one in named(draft.root, "properties").items():
        if not pattern.fullmatch(name):
            raise draft.refusal(
                one if isinstance(one, dict) else draft.root,
                f"the provider refuses a parameter called {name!r}",
                f"give it a name that matches ^{pattern.pattern}$",
            )
