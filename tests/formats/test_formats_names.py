"""Names of tools and of parameters that a provider refuses."""

from __future__ import annotations

import pytest
from form_schemas import POINT, of_one, tool

from trio_tools.formats import FORMS, NotInForm

LONG = "a" * 64


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["search", "_s-1", LONG])
def test_names_that_all_take_are_taken(form: str, name: str) -> None:
    FORMS[form](tool(POINT, name))


@pytest.mark.parametrize("form", FORMS.keys() - {"mcp"})
@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "a\n", "a" * 129])
def test_names_that_providers_refuse_are_refused(form: str, name: str) -> None:
    with pytest.raises(NotInForm, match=r": \$: the provider refuses its name; give it one that matches \^\["):
        FORMS[form](tool(POINT, name))


def test_mcp_takes_any_name() -> None:
    assert FORMS["mcp"](tool(POINT, "files/read v2"))["name"] == "files/read v2"


def test_only_gemini_minds_how_a_name_begins_and_only_anthropic_takes_a_long_one() -> None:
    for name in ("1st", "-x"):
        with pytest.raises(NotInForm, match=r"\^\[A-Za-z_\]\[A-Za-z0-9_-\]\{0,63\}\$"):
            FORMS["gemini"](tool(POINT, name))
        FORMS["openai"](tool(POINT, name))
    FORMS["anthropic"](tool(POINT, LONG + "b"))
    for form in FORMS.keys() - {"anthropic", "mcp"}:
        with pytest.raises(NotInForm, match="refuses its name"):
            FORMS[form](tool(POINT, LONG + "b"))


@pytest.mark.parametrize(
    ("form", "name"),
    [
        *(("anthropic", name) for name in ("$top", "a b", "filter[id]", "", "é", LONG + "b")),
        *(("gemini", name) for name in ("$top", "a b", "a-b", "a.b", "1st", "", "é", LONG + "b")),
    ],
)
def test_parameters_whose_names_providers_refuse_are_refused(form: str, name: str) -> None:
    schema = tool({"type": "object", "properties": {name: {"type": "string"}}})
    with pytest.raises(
        NotInForm, match=r"\$.*: the provider refuses a parameter called .*; give it a name that matches"
    ):
        FORMS[form](schema)
    FORMS["openai"](schema)
    FORMS["mcp"](schema)


@pytest.mark.parametrize("form", FORMS)
def test_names_inside_a_parameter_are_free(form: str) -> None:
    FORMS[form](of_one({"type": "object", "properties": {"content-type": {"type": "string", "default": ""}}}))
