"""The functions of a public benchmark, and the calls that it takes for right, given to raw tools as they are.

The data are those of `bfcl-eval`, downloaded when the tests run, read and never run. They have faults of their own, so
what is refused is counted by reason, and each refusal is judged a second time, by `benchmarks/_bfcl_judge.py`.
`docs/real-schemas.md` tells the counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import trio

from benchmarks._bfcl import Arguments, Function, NoData, download, functions_in, translated
from benchmarks._bfcl_judge import kind_of, objections
from benchmarks._bfcl_runs import Tried, execute, raw, try_all, violations_of
from trio_tools import JSONValue, ToolSchema, open_registry
from trio_tools.formats import FORMS, NotInForm

PAGE = Path(__file__).parents[2] / "docs" / "real-schemas.md"
# Counts of the pinned version of the data: schemas, those that have a call, and calls.
FUNCTIONS, CALLED, CALLS = 3_205, 1_708, 4_392
NO_OBJECT = "arguments are always an object, and the schema asks for 'dict'"
NO_SCHEMA = "not a JSON Schema that can be checked"
# What is said of the schemas as they are, but for a `type: object` at the top.
HALF_TRANSLATED = {"accepted": 2_479, NO_SCHEMA: 726}
# The one schema that is none after translation either, with its one call: a property of it has the type "".
NOT_REGISTERED = {"createAuthToken": NO_SCHEMA}
# Calls of a tool that do not run.
REFUSED = 204
# Everything that is said of them, by reason.
REASONS = {
    "a string, not null": 199,
    "an integer, not null": 150,
    "a listed one, not string": 45,
    "a listed one, not null": 35,
    "a number, not null": 22,
    "an integer, not string": 20,
    "a string, not boolean": 18,
    "a listed one, not boolean": 17,
    "an array, not string": 13,
    "an object, not string": 8,
    "a listed one, not array": 8,
    "missing": 8,
    "a boolean, not null": 6,
    "a string, not whole number": 3,
    "a listed one, not whole number": 3,
    "a boolean, not string": 1,
}
# Calls spoilt by leaving out an argument, and by one of a wrong type.
SPOILT = (3_324, 4_506)
# Schemas that do not go into a form, by reason; forms that are not here take every one.
STRICT = {
    "this form has no optional keys, and this one has no default to tell": 742,
    "this form has no words for a value of any type": 94,
    "this form has no objects with free keys": 48,
    "this form has no enum of arrays, objects, or nothing": 23,
}
NOT_IN_FORM: dict[str, dict[str, int]] = {
    "openai-strict": STRICT,
    "openai-responses-strict": STRICT,
    "gemini": {
        "this form has no enum of arrays, objects, one boolean, or nothing": 23,
        "the provider refuses a parameter called ...": 1,
    },
    "anthropic": {"the provider refuses a parameter called ...": 1},
}


@pytest.fixture(scope="session")
def functions(tmp_path_factory: pytest.TempPathFactory) -> list[Function]:
    folder: Path = tmp_path_factory.mktemp("bfcl")
    try:
        return functions_in(download(folder))
    except NoData as error:
        pytest.skip(f"bfcl-eval cannot be downloaded, is there no network? {error}")


@pytest.fixture(scope="session")
def tried(functions: list[Function]) -> list[Tried]:
    return trio.run(try_all, functions)


def test_the_data_are_those_that_were_counted(functions: list[Function]) -> None:
    """D27: more than a thousand real schemas, no two alike, and real calls of more than a thousand of them."""
    texts = {json.dumps([one.name, one.parameters], sort_keys=True) for one in functions}
    assert len(functions) == len(texts) == FUNCTIONS
    assert sum(bool(one.calls) for one in functions) == CALLED
    assert sum(len(one.calls) for one in functions) == CALLS


async def test_what_is_no_json_schema_is_refused_before_any_call(functions: list[Function]) -> None:
    """D27: `dict` is no type of JSON Schema, nor are `float` and `any`, and whoever declares such a tool is told."""
    said = Counter[str]()
    async with open_registry() as registry:
        for one in functions:
            with pytest.raises(ValueError, match=NO_OBJECT):
                raw(one, one.parameters)
            try:
                with registry.register(raw(one, {**one.parameters, "type": "object"})):
                    said["accepted"] += 1
            except ValueError as error:
                said[words_of(str(error))] += 1
    assert said == HALF_TRANSLATED


def words_of(refusal: str) -> str:
    """What was said of a schema, without the name of its tool and what is wrong with it."""
    return refusal.partition('": ')[2].partition(": ")[0]


def test_every_schema_is_registered_but_the_one_that_is_none(tried: list[Tried]) -> None:
    """D27, case B26: once its types have JSON Schema's names, a schema is accepted; the one refusal names its tool."""
    refusals = {one.function.name: one.refusal for one in tried if one.refusal is not None}
    assert {name: words_of(refusal) for name, refusal in refusals.items()} == NOT_REGISTERED
    assert all(refusal.startswith(f'tool "{name}": ') for name, refusal in refusals.items())


def test_a_call_runs_with_its_very_arguments_or_not_at_all(tried: list[Tried]) -> None:
    """R117, D3: a body sees what the model wrote, to the digit; of a call that is refused it sees nothing."""
    for one in tried:
        for run in one.accepted:
            assert [json.dumps(seen) for seen in run.seen] == [json.dumps(run.call)]
        for run in one.refused:
            assert (run.seen, run.result.dispatched) == ([], False)
    assert sum(len(one.refused) for one in tried) == REFUSED
    assert sum(len(one.accepted) for one in tried) == CALLS - REFUSED - len(NOT_REGISTERED)


def test_a_call_is_refused_for_what_the_judge_finds_and_nothing_else(tried: list[Tried]) -> None:
    """R117, case B16: the model is told all that its schema asks for and nothing that it does not, each by its name."""
    reasons = Counter[str]()
    for one in tried:
        for run in one.runs:
            found = [*objections(one.function.parameters, run.call)]
            assert violations_of(run.result) == sorted(map(str, found))
            reasons.update(objection.kind for objection in found)
    assert reasons == REASONS


async def test_a_spoilt_call_is_refused_by_the_name_of_what_is_wrong(tried: list[Tried]) -> None:
    """R117, case B16: of each function's fullest call that ran, each required argument left out, and each argument of
    a wrong type, in turn."""
    missing, wrong = 0, 0
    async with open_registry() as registry:
        for function, call in ((one.function, fullest(one)) for one in tried if one.accepted):
            with registry.register(raw(function, translated(function.parameters))):
                for name, spoilt in with_one_left_out(function, call):
                    missing += 1
                    told = violations_of(await execute(registry, spoilt))
                    assert told == [f'missing required property "{name}"']
                for name, spoilt in with_one_of_a_wrong_type(function, call):
                    wrong += 1
                    told = violations_of(await execute(registry, spoilt))
                    assert told == sorted(map(str, objections(function.parameters, spoilt)))
                    assert any(text.startswith(f'"{name}" must be a') for text in told)
    assert (missing, wrong) == SPOILT


def fullest(one: Tried) -> Arguments:
    return max((run.call for run in one.accepted), key=len)


def with_one_left_out(function: Function, call: Arguments) -> Iterator[tuple[str, Arguments]]:
    for name in call.keys() & {*function.parameters["required"]}:
        yield name, {key: value for key, value in call.items() if key != name}


def with_one_of_a_wrong_type(function: Function, call: Arguments) -> Iterator[tuple[str, Arguments]]:
    """The call with each of its arguments that have a type replaced in turn."""
    declared = function.parameters["properties"]
    for name in call.keys() & declared.keys():
        if declared[name]["type"] != "any":
            yield name, {**call, name: ["wrong"] if kind_of(call[name]) == "object" else {"wrong": True}}


def test_every_schema_goes_into_a_form_or_is_refused_by_tool_and_place(tried: list[Tried]) -> None:
    """Case B26: a provider refuses the whole list for one bad schema, so ours is refused first, where it can be seen.
    What a tool takes, its form takes, but for the strict ones, in which nothing may be left out."""
    refused: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for one, schema in ((one, one.schema) for one in tried if one.schema is not None):
        validators: dict[str, jsonschema_rs.Validator] = {}  # by what they are made of, as many forms say the same
        for form, made in forms_of(schema):
            if isinstance(made, NotInForm):
                assert str(made).startswith(f"tool {schema['name']!r} does not go into the form {form}: {made.place}: ")
                assert isinstance(at(made.place, schema["parameters"]), dict)
                refused[form][re.sub("'.*'", "...", made.problem)] += 1
            elif one.accepted and "strict" not in form:
                text = json.dumps(parameters := parameters_of(made))
                if text not in validators:
                    validators[text] = jsonschema_rs.validator_for(parameters)
                assert all(validators[text].is_valid(run.call) for run in one.accepted)
    assert refused == {form: NOT_IN_FORM.get(form, {}) for form in FORMS}


def forms_of(schema: ToolSchema) -> Iterator[tuple[str, dict[str, JSONValue] | NotInForm]]:
    for form, make in FORMS.items():
        try:
            yield form, make(schema)
        except NotInForm as error:
            yield form, error


def at(place: str, schema: Any) -> Any:
    """What stands at a place of a schema: `$.properties["a b"].items`."""
    for step, quoted in re.findall(r'\.([\w-]+)|\[("(?:[^"\\]|\\.)*"|\d+)\]', place):
        schema = schema[step or json.loads(quoted)]
    return schema


def parameters_of(form: dict[str, Any]) -> dict[str, Any]:
    inside: dict[str, Any] = form.get("function", form)
    keys = {"parameters", "input_schema", "inputSchema", "parameters_json_schema"} & inside.keys()
    found: dict[str, Any] = inside[keys.pop()]
    return found


def test_the_page_tells_these_counts() -> None:
    registered = FUNCTIONS - len(NOT_REGISTERED)
    rows = [f"| {words} | {count} |" for words, count in REASONS.items()]
    for form in FORMS:
        refused = NOT_IN_FORM.get(form, {})
        rows += [f"| {words} | {count} |" for words, count in refused.items()]
        rows.append(f"| `{form}` | {registered - sum(refused.values()):,} | {sum(refused.values())} |")
    counts = (FUNCTIONS, CALLED, CALLS, REFUSED, CALLS - REFUSED - len(NOT_REGISTERED), *SPOILT)
    rows += [f" | {count:,} |\n" for count in counts]
    page = PAGE.read_text(encoding="utf-8")
    assert [row for row in rows if row not in page] == []


SCHEMA = {
    "type": "dict",
    "properties": {
        "type": {"type": "float", "default": "float"},
        "points": {"type": "tuple", "items": {"type": "long"}},
        "unit": {"type": "String", "enum": ["float", "dict"]},
        "rest": {"type": "any"},
    },
    "required": ["type"],
}


def test_nothing_is_translated_but_the_names_of_types() -> None:
    assert translated(SCHEMA) == {
        "type": "object",
        "properties": {
            "type": {"type": "number", "default": "float"},
            "points": {"type": "array", "items": {"type": "integer"}},
            "unit": {"type": "string", "enum": ["float", "dict"]},
            "rest": {},
        },
        "required": ["type"],
    }


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"type": 1, "points": [1, 2.0], "unit": "dict", "rest": None, "more": 1}, []),
        ({"points": [True]}, ['"points[0]" must be an integer', 'missing required property "type"']),
        ({"type": True, "unit": "m"}, ['"type" must be a number', '"unit" must be one of ["float","dict"]']),
        ({"type": None, "points": {}}, ['"points" must be an array', '"type" must be a number']),
    ],
)
def test_the_judge_finds_what_is_wrong_and_nothing_else(call: Arguments, told: list[str]) -> None:
    """The control: a judge that cannot object is worthless."""
    assert sorted(map(str, objections(SCHEMA, call))) == told
