"""Redaction: what has one of the names is not written, and what is not known to be without it is not either."""

from __future__ import annotations

import json

import pytest
import trio
from journal_contract import call

from trio_tools import JSONValue, Registry, Session, Tool, ToolCall, ToolResult, open_registry, tool
from trio_tools.journal import CallRecord, Journal, MemoryJournalConfig, journal_in_memory
from trio_tools.journal._memory import MemoryStore

SECRET = "hunter2-in-full"


async def kept(arguments: JSONValue, metadata: JSONValue = None) -> tuple[JSONValue, JSONValue]:
    """What is written of these, with `password` and `token` to be redacted."""
    store = MemoryStore()
    await Journal(store, redact=("password", "token")).record(call("t/0").accepted(arguments, metadata))
    assert SECRET not in repr(await store.session("s"))
    (record,) = await Journal(store).calls("s")
    return record.arguments, record.metadata


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"password": SECRET, "user": "ada"}, {"password": "(redacted)", "user": "ada"}),
        ({"a": [{"token": {"deep": [SECRET]}}, 1]}, {"a": [{"token": "(redacted)"}, 1]}),
        ({"password": None, "Password": "another name"}, {"password": "(redacted)", "Password": "another name"}),
        ({"passwords": 1}, {"passwords": 1}),
    ],
)
async def test_named_arguments_are_taken_out_at_any_depth(arguments: JSONValue, wanted: JSONValue) -> None:
    assert await kept(arguments) == (wanted, None)
    text, _ = await kept(json.dumps(arguments))
    assert isinstance(text, str)
    assert json.loads(text) == wanted


async def test_metadata_are_redacted_as_arguments_are() -> None:
    assert await kept("{}", {"token": SECRET, "step": 1}) == ("{}", {"token": "(redacted)", "step": 1})


@pytest.mark.parametrize("text", ["", " ", "null", "{}", '{ "a":1.50 , "b":"\\u00e9"}'])
async def test_a_text_without_them_stays_as_the_model_wrote_it(text: str) -> None:
    assert await kept(text) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"password": "{SECRET}", "recurs',
        f'{{"password": "a", "password": "{SECRET}"}}',
        f'["{SECRET}"]',
        f'{{"pass\\u0077ord": "{SECRET}"}} and more',
        f"{{'password': '{SECRET}'}}",
        pytest.param("{" * 300 + SECRET, id="deep"),
    ],
)
async def test_a_text_that_nobody_can_read_is_withheld_whole_case_b33(text: str) -> None:
    """Case B33: its length is said."""
    assert await kept(text) == (f"(redacted: {len(text):,} characters that are no JSON object)", None)


async def test_an_escaped_name_is_known() -> None:
    text, _ = await kept(f'{{"pass\\u0077ord": "{SECRET}"}}')
    assert text == '{"password": "(redacted)"}'


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "{}", "null", '{"path": "/data/a", "recurs', "[]", "42", '"x"', "true"),
        pytest.param('{"path":' + "[" * 100_000, id="deep"),
        pytest.param('{"path":' + "9" * 5_000 + "}", id="long number"),
    ],
)
async def test_without_redaction_the_raw_text_is_kept_whatever_it_is_case_b33(text: str) -> None:
    """Case B33, D29: so that it can be seen what the model wrote."""
    store = MemoryStore()
    async with open_registry() as registry:
        registry.register(wipe)
        registry.add_recorder(Journal(store).record)
        call_of_it = ToolCall("wipe", text)
        result = await registry.execute(call_of_it, scope=trio.CancelScope(), session=Session("s"))
        (record,) = await Journal(store).calls("s")
    assert (record.arguments, record.result) == (text, result)


@tool
async def wipe(path: str = ".", recursive: bool = True) -> str:
    return path


async def _login(**arguments: object) -> str:
    return "in"


login = Tool(
    name="login",
    description="By hand: its validator quotes what it refuses.",
    parameters={
        "type": "object",
        "properties": {
            "password": {"type": "string", "pattern": "^[0-9]+$"},
            "user": {"type": "string", "pattern": "^a"},
        },
    },
    body=_login,
)


async def _called(registry: Registry, **arguments: object) -> tuple[ToolResult, CallRecord]:
    result = await registry.execute(ToolCall("login", arguments), scope=trio.CancelScope(), session=Session("s"))
    return result, (await registry.require(Journal).calls("s"))[-1]


async def test_a_refusal_that_may_quote_what_was_redacted_is_withheld_too() -> None:
    config = MemoryJournalConfig(redact=["password"])
    async with open_registry(plugins=[journal_in_memory(config)]) as registry:
        registry.register(login)
        result, record = await _called(registry, password=SECRET)
        assert SECRET in result.text, "the model reads why"
        assert record.result is not None
        assert SECRET not in repr(record)
        assert record.result.text == "Error: invalid arguments: (redacted)"
        assert record.result.code == "INVALID_ARGS"
        # what was no JSON is not kept, and may have had one of them
        result, record = await _called(registry, user=float("nan"))
        assert record.result is not None
        assert (record.arguments, record.result.text) == (None, "Error: invalid arguments: (redacted)")
        # nothing redacted, nothing to hide
        result, record = await _called(registry, user="bob")
        assert (record.result, "bob" in result.text) == (result, True)
        # and of a call that was read, what it came to stays
        result, record = await _called(registry, password="123")
        assert (record.result, result.text) == (result, "in")
        assert record.arguments == {"password": "(redacted)"}


def test_names_are_given_as_a_list() -> None:
    with pytest.raises(TypeError, match=r'such as \["password"\]'):
        MemoryJournalConfig(redact="password")
