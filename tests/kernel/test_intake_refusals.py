"""What cannot run is found at entry, before anybody is asked, and over every cancel."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict
from collections.abc import Mapping

import pytest
import trio
from intake_tools import Throwing, Trail, call, cancelled_scope, trailed

from trio_tools import (
    CallAccepted,
    CallView,
    Cause,
    ErrorCode,
    Session,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

NOT_LOSSLESS = "Error: tool execution arguments must be losslessly JSON-serializable"


class Level(enum.IntEnum):
    HIGH = 1


class Word(str):
    """A string that may hold more than its text."""


def _cycle() -> list[object]:
    inner: list[object] = []
    inner.append({"again": inner})
    return inner


LOSSY: list[object] = [
    print,
    object(),
    (1, 2),
    {1, 2},
    b"bytes",
    math.nan,
    [1.0, -math.inf],
    {"deep": [{"er": math.inf}]},
    {1: "a"},
    {None: "a"},
    {Word("a"): 1},
    Word("a"),
    Level.HIGH,
    OrderedDict(a=1),
    _cycle(),
    ...,
    1 + 2j,
]


@tool
async def keep(value: object = None) -> object:
    return value


@pytest.mark.parametrize("value", LOSSY, ids=lambda value: type(value).__name__)
async def test_arguments_that_are_no_lossless_json_end_the_call_at_entry(value: object) -> None:
    """R005: no stage but the observer, once, who sees no arguments and still whose call it was."""
    session = Session("s")
    async with trailed(keep) as (registry, trail):
        result = await call(registry, "keep", {"value": value}, id="c1", session=session)
    assert trail.stages == ["observer"]
    assert trail.results == [result]
    assert trail.results[0] is result
    look = trail.at("observer")
    assert look.arguments is None
    assert (look.id, look.session, look.parent, look.tool) == ("c1", session, None, keep)
    assert result.text.startswith(NOT_LOSSLESS)
    assert (result.code, result.dispatched, result.cause, result.value) == (ErrorCode.INVALID_ARGS, False, None, None)


async def test_the_text_for_arguments_that_are_no_json_is_this_to_the_letter() -> None:
    """R005: what more there is to say stands on a line of its own."""
    async with trailed(keep) as (registry, _):
        result = await call(registry, "keep", {"value": math.nan})
    assert result.error is not None
    assert result.error.message.splitlines()[0] == NOT_LOSSLESS.removeprefix("Error: ")
    assert result.text == f"Error: {result.error.message}"


async def test_a_failed_accessor_gives_its_own_text() -> None:
    """R006: `Error: ` and the message, to the letter; read once, published once."""
    arguments = Throwing("value", ValueError("the vault is closed"))
    async with trailed(keep) as (registry, trail):
        result = await call(registry, "keep", arguments)
    assert arguments.reads == {"value": 1}
    assert trail.stages == ["observer"]
    assert trail.results == [result]
    assert result.code == ErrorCode.INVALID_ARGS
    assert result.text == "Error: the vault is closed"


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Odd(BaseException):
    """Neither an error nor an exit."""


@pytest.mark.parametrize(
    "thrown",
    [KeyError("k"), RuntimeError(), MuteError(), Odd("odd"), SystemExit(3)],
    ids=lambda one: type(one).__name__,
)
async def test_whatever_an_accessor_raises_is_that_calls_error(thrown: BaseException) -> None:
    """R006, R095, D17: also with no text, a text that cannot be made, and what is no Exception; never a blank text."""
    async with trailed(keep) as (registry, trail):
        result = await call(registry, "keep", Throwing("value", thrown))
        after = await call(registry, "keep", {"value": 1})
    assert result.code == ErrorCode.INVALID_ARGS
    assert result.text.removeprefix("Error: ").strip()
    assert trail.stages == ["observer", "policy", "wrapper", "post-policy", "observer"]
    assert after.value == 1


# each of these cannot run, whoever has given it up
UNFIT: list[tuple[str, Mapping[str, object] | str, ErrorCode]] = [
    ("keep", {"value": math.nan}, ErrorCode.INVALID_ARGS),
    ("keep", Throwing("value", ValueError("no")), ErrorCode.INVALID_ARGS),
    ("keep", '{"value": ', ErrorCode.INVALID_ARGS),
    ("keep", {"other": 1}, ErrorCode.INVALID_ARGS),
    ("nobody", {}, ErrorCode.UNKNOWN_TOOL),
    ("nobody", {"value": math.nan}, ErrorCode.INVALID_ARGS),
]


@pytest.mark.parametrize(("name", "arguments", "code"), UNFIT)
async def test_what_cannot_run_wins_over_a_cancel_before_entry(
    name: str, arguments: Mapping[str, object] | str, code: ErrorCode
) -> None:
    """R007, D3, case B33: the scope handed over was cancelled."""
    async with trailed(keep) as (registry, trail):
        result = await call(registry, name, arguments, scope=cancelled_scope())
    assert (result.code, result.cause, result.dispatched) == (code, None, False)
    assert trail.stages == ["observer"]
    assert trail.results[0] is result


async def test_what_cannot_run_wins_over_an_enclosing_cancel() -> None:
    """R007, D3, D4: published with its own code, and then the cancel goes on."""
    async with trailed(keep) as (registry, trail):
        with trio.CancelScope() as enclosing:
            enclosing.cancel()
            await call(registry, "keep", {"value": math.nan})
        assert enclosing.cancelled_caught
    assert [result.code for result in trail.results] == [ErrorCode.INVALID_ARGS]


async def test_siblings_that_are_skipped_pass_entry_too(autojump_clock: trio.testing.MockClock) -> None:
    """D3, D10: a turn is given up midway; those that could not have run say so, the rest never started."""
    scope = trio.CancelScope(deadline=trio.current_time() + 1)

    @tool
    async def slow() -> None:
        await trio.sleep_forever()

    calls = [
        ToolCall("slow", {}),
        ToolCall("nobody", {}),
        ToolCall("keep", {"value": math.nan}),
        ToolCall("keep", {"valeu": 1}),
        ToolCall("keep", "{"),
        ToolCall("keep", {"value": 1}),
    ]
    async with trailed(slow, keep) as (registry, trail):
        results = await registry.execute_turn(calls, scope=scope)
    assert [result.code for result in results] == [
        ErrorCode.ABORTED,
        ErrorCode.UNKNOWN_TOOL,
        ErrorCode.INVALID_ARGS,
        ErrorCode.INVALID_ARGS,
        ErrorCode.INVALID_ARGS,
        ErrorCode.ABORTED_BEFORE_DISPATCH,
    ]
    assert trail.stages == ["policy", "wrapper", "post-policy", "observer", *["observer"] * 5]


@pytest.mark.parametrize("name", ["nobody", "Keep", "keep ", "", 'ke"ep', "größe"])
async def test_an_unknown_tool(name: str) -> None:
    """R046, D3: text, name and code to the letter; no policy is asked about a call that cannot run."""
    async with trailed(keep) as (registry, trail):
        result = await call(registry, name, {"value": 1})
    assert result.text == f'Error: unknown tool "{name}"'
    assert result.error is not None
    assert (result.error.name, result.error.code) == ("ToolNotFoundError", ErrorCode.UNKNOWN_TOOL)
    assert result.error.message == f'unknown tool "{name}"'
    assert (result.dispatched, result.tool) == (False, name)
    assert trail.stages == ["observer"]
    assert trail.at("observer").tool is None


async def test_a_tool_that_went_meanwhile_is_unknown_to_a_call_that_waited() -> None:
    """R046, D25: the first call of the turn unregisters what the second one names."""
    async with open_registry() as registry:

        @tool
        async def retire() -> None:
            registry.unregister("keep")

        registry.register(retire)
        registry.register(keep)
        calls = [ToolCall("retire", {}), ToolCall("keep", {})]
        _, second = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert second.text == 'Error: unknown tool "keep"'


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("text", ['{"value": "/data/a', "not json", "[1]"])
async def test_text_that_cannot_be_parsed_is_kept_in_the_record(text: str, cancelled: bool) -> None:
    """L001, D29, case B33: the raw text as it came."""
    trail = Trail()
    async with trailed(keep) as (registry, _):
        registry.add_recorder(trail.record)
        result = await call(registry, "keep", text, scope=cancelled_scope() if cancelled else None)
    assert result.code == ErrorCode.INVALID_ARGS
    accepted = [event for event in trail.events if isinstance(event, CallAccepted)]
    assert [event.arguments for event in accepted] == [text]


async def test_text_without_end_is_kept_within_a_bound() -> None:
    """D29: cut, at its end."""
    text = '{"value": "' + "x" * 3_000_000
    async with trailed(keep) as (registry, trail):
        registry.add_recorder(trail.record)
        result = await call(registry, "keep", text)
    accepted = trail.events[0]
    assert isinstance(accepted, CallAccepted)
    assert isinstance(accepted.arguments, str)
    assert 1000 < len(accepted.arguments) <= 1024 * 1024
    assert text.startswith(accepted.arguments)
    assert len(result.text) < 1000


async def test_bad_arguments_leave_the_other_calls_of_the_turn_alone() -> None:
    """D3, case B33: and everyone is answered in call order."""
    settled: list[tuple[int, ToolResult]] = []
    calls = [ToolCall("keep", text) for text in ('{"value": 1}', '{"value": ', '{"value": 3}')]
    async with trailed(keep) as (registry, _):
        results = await registry.execute_turn(
            calls, scope=trio.CancelScope(), on_settled=lambda position, result: settled.append((position, result))
        )
    assert [result.value for result in results] == [1, None, 3]
    assert sorted(position for position, _ in settled) == [0, 1, 2]


async def test_a_refused_call_says_why_to_its_observer_only_once_and_never_blames_a_cancel() -> None:
    """R005, R007, D1: cause is None, and the error is whole."""
    views: list[CallView] = []
    async with trailed(keep) as (registry, _):
        registry.add_observer(lambda view, _: views.append(view))
        result = await call(registry, "keep", {"value": math.nan}, scope=cancelled_scope())
    assert len(views) == 1
    assert result.error is not None
    assert result.cause not in set(Cause)
    assert "aborted" not in result.text
