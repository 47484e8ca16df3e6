"""The providers' own types take the forms. A version of theirs that does not is a change that we must follow."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from form_schemas import CASES, of_row, parameters, subschemas

from trio_tools.formats import FORMS

REASON = "the provider's package, an extra of the tests, is not installed"


def rows(*forms: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("form", "row"), [case for case in CASES if case[0] in forms])


def checked(kind: Any, made: Any) -> Any:
    """A form as a type of theirs, whose keys are all known to it."""
    return adapter_of(kind).validate_python(made)


@cache
def adapter_of(kind: Any) -> Any:
    """What checks by a type of theirs. Kept: an `Iterable` is gone through, and so checked, only after it has
    answered."""
    return pytest.importorskip("pydantic", reason=REASON).TypeAdapter(kind)


@rows("openai", "openai-strict")
def test_openai_takes_them_for_chat(form: str, row: str) -> None:
    chat = pytest.importorskip("openai.types.chat", reason=REASON)
    made = FORMS[form](of_row(row))
    assert checked(chat.ChatCompletionFunctionToolParam, made) == made


@rows("openai-responses", "openai-responses-strict")
def test_openai_takes_them_for_responses(form: str, row: str) -> None:
    responses = pytest.importorskip("openai.types.responses", reason=REASON)
    made = FORMS[form](of_row(row))
    assert checked(responses.FunctionToolParam, made) == made
    assert made["strict"] is form.endswith("strict")


@rows("openai-strict")
def test_openai_itself_would_change_nothing_to_make_it_strict(form: str, row: str) -> None:
    pydantic = pytest.importorskip("openai.lib._pydantic", reason=REASON)
    made = parameters(form, of_row(row))
    before = parameters(form, of_row(row))
    assert pydantic._ensure_strict_json_schema(made, path=(), root=made) == before


@rows("anthropic")
def test_anthropic_takes_them(form: str, row: str) -> None:
    types = pytest.importorskip("anthropic.types", reason=REASON)
    made = FORMS[form](of_row(row))
    assert checked(types.ToolParam, made) == made


@rows("gemini")
def test_gemini_takes_them(form: str, row: str) -> None:
    types = pytest.importorskip("google.genai.types", reason=REASON)
    made: Any = FORMS[form](of_row(row))
    declared = types.FunctionDeclaration(**made)
    assert declared.parameters_json_schema == made["parameters_json_schema"]
    assert types.Tool(function_declarations=[made]).function_declarations == [declared]


@rows("gemini")
def test_gemini_reads_them_as_its_json_schema(form: str, row: str) -> None:
    """That type lacks `prefixItems`, which the documents of the API list."""
    types = pytest.importorskip("google.genai.types", reason=REASON)
    made = parameters(form, of_row(row))
    for one in [*subschemas(made)]:
        one.pop("prefixItems", None)
    types.JSONSchema.model_validate(made)


@rows("mcp")
def test_mcp_takes_them(form: str, row: str) -> None:
    types = pytest.importorskip("mcp.types", reason=REASON)
    made = FORMS[form](of_row(row))
    assert types.Tool.model_validate(made).model_dump(by_alias=True, exclude_none=True) == made
