"""The scripted model: a small agent's loop, and what it keeps of the calls it made."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from trio_tools import (
    CallView,
    Cause,
    ErrorCode,
    Registry,
    Session,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
)
from trio_tools.testing import Exchange, Gate, ScriptedModel, Transcript

ABORTED, NEVER_RAN = ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH


async def double(number: int) -> int:
    return number * 2


async def finish(ctx: ToolContext) -> str:
    ctx.conclude_turn()
    return "over"


def doubles(*numbers: int) -> list[ToolCall]:
    return [ToolCall("double", {"number": number}, id=f"of {number}") for number in numbers]


def double_the_last(results: tuple[ToolResult, ...]) -> list[ToolCall]:
    last = results[-1].value
    assert isinstance(last, int)
    return doubles(last)


async def played(model: ScriptedModel, session: Session | None = None) -> Transcript:
    async with open_registry() as registry:
        registry.register(double)
        registry.register(finish)
        return await model.run(registry, scope=trio.CancelScope(), session=session)


async def test_the_script_is_played_message_by_message() -> None:
    transcript = await played(ScriptedModel([doubles(1, 2), doubles(5)], text="That is all."))
    assert [[result.value for result in one.results] for one in transcript.exchanges] == [[2, 4], [10]]
    assert [call.id for call in transcript.calls] == ["of 1", "of 2", "of 5"]
    assert (transcript.ended, transcript.text, transcript.unbalanced) == ("text", "That is all.", [])


async def test_a_message_may_depend_on_the_results_so_far() -> None:
    model = ScriptedModel([doubles(3), double_the_last, double_the_last])
    for _ in range(2):  # the script is as it was
        assert [result.value for result in (await played(model)).results] == [6, 12, 24]


async def test_a_script_without_messages_is_only_its_text() -> None:
    assert await played(ScriptedModel([], text="No.")) == Transcript((), "text", "No.")


async def test_a_result_that_concludes_the_turn_ends_the_script() -> None:
    """R102"""
    transcript = await played(ScriptedModel([[*doubles(1), ToolCall("finish")], doubles(2)], text="never said"))
    assert (transcript.ended, transcript.text) == ("concluded", None)
    assert [result.value for result in transcript.results] == [2, "over"]


async def test_failures_go_back_to_the_model_as_any_result() -> None:
    transcript = await played(ScriptedModel([[ToolCall("unheard of", id="x")], doubles(1)]))
    assert [result.code for result in transcript.results] == [ErrorCode.UNKNOWN_TOOL, None]
    assert (transcript.ended, transcript.unbalanced) == ("text", [])


async def test_every_turn_is_on_behalf_of_the_session() -> None:
    heard: list[Session | None] = []

    def listen(call: CallView, result: ToolResult) -> None:
        heard.append(call.session)

    async with open_registry() as registry:
        registry.register(double)
        registry.add_observer(listen)
        await ScriptedModel([doubles(1), doubles(2)]).run(registry, scope=trio.CancelScope(), session=Session("s"))
    assert heard == [Session("s")] * 2


async def test_a_restricted_view_is_played_against_too() -> None:
    async with open_registry() as registry:
        registry.register(double)
        registry.register(finish)
        view = registry.restricted(allow=["finish"])
        transcript = await ScriptedModel([doubles(1)]).run(view, scope=trio.CancelScope())
    assert [result.code for result in transcript.results] == [ErrorCode.UNKNOWN_TOOL]


@attrs.define
class Parked:
    """A registry whose tool `park` waits at a gate, and a script whose second message calls it."""

    registry: Registry
    gate: Gate = attrs.field(factory=Gate)
    model: ScriptedModel = attrs.field(
        factory=lambda: ScriptedModel([doubles(1), [*doubles(2), ToolCall("park", id="p"), *doubles(3)], doubles(4)])
    )
    heard: list[str | None] = attrs.field(factory=list[str | None])

    def __attrs_post_init__(self) -> None:
        self.registry.register(double)
        self.registry.register(self.park)
        self.registry.add_observer(lambda _, result: self.heard.append(result.call_id))

    async def park(self) -> None:
        await self.gate.wait()


async def test_a_cancel_of_the_scope_handed_over_ends_the_script_with_every_result() -> None:
    """R009, L010: the turn under way settles, what came of it is in the transcript, and no message follows."""
    scope, made = trio.CancelScope(), list[Transcript]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        parked = Parked(registry)

        async def play() -> None:
            made.append(await parked.model.run(registry, scope=scope))

        nursery.start_soon(play)
        await parked.gate.reached()
        scope.cancel()
    (transcript,) = made
    assert (transcript.ended, transcript.text, transcript.unbalanced) == ("cancelled", None, [])
    assert [result.code for result in transcript.results] == [None, None, ABORTED, NEVER_RAN]
    assert [result.cause for result in transcript.results[2:]] == [Cause.CALLER] * 2
    assert parked.heard == ["of 1", "of 2", "p", "of 3"]


async def test_a_cancel_from_further_out_goes_on_and_every_call_is_published() -> None:
    async with open_registry() as registry:
        parked, made = Parked(registry), list[Transcript]()
        with trio.CancelScope() as enclosing:
            async with trio.open_nursery() as nursery:

                async def play() -> None:
                    made.append(await parked.model.run(registry, scope=trio.CancelScope()))

                nursery.start_soon(play)
                await parked.gate.reached()
                enclosing.cancel()
        assert (made, enclosing.cancelled_caught) == ([], True)
    assert parked.heard == ["of 1", "of 2", "p", "of 3"]


async def test_a_scope_that_was_cancelled_before_lets_the_first_message_be_said_by_nobody() -> None:
    scope = trio.CancelScope()
    scope.cancel()
    async with open_registry() as registry:
        registry.register(double)
        assert await ScriptedModel([doubles(1)]).run(registry, scope=scope) == Transcript((), "cancelled")


async def test_a_deadline_of_the_scope_is_over_all_turns(autojump_clock: MockClock) -> None:
    async def nap() -> None:
        await trio.sleep(2)

    async with open_registry() as registry:
        registry.register(nap)
        transcript = await ScriptedModel([[ToolCall("nap")]] * 3).run(registry, scope=trio.move_on_after(5))
    assert [result.code for result in transcript.results] == [None, None, ABORTED]
    assert transcript.ended == "cancelled"


async def test_a_cancel_between_two_turns_says_no_more() -> None:
    scope = trio.CancelScope()

    def cancel(results: tuple[ToolResult, ...]) -> list[ToolCall]:
        scope.cancel()
        return doubles(2)

    async with open_registry() as registry:
        registry.register(double)
        transcript = await ScriptedModel([doubles(1), cancel, doubles(3)]).run(registry, scope=scope)
    assert [result.code for result in transcript.results] == [None, NEVER_RAN]
    assert (transcript.ended, transcript.unbalanced) == ("cancelled", [])


def answer(id: str | None, name: str = "t") -> ToolResult:  # noqa: A002
    return ToolResult(id, name, ())


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([answer("a")], ["message 1: 2 calls and 1 results"]),
        ([answer("a"), answer("b"), answer("b")], ["message 1: 2 calls and 3 results"]),
        (
            [answer("b"), answer("a")],
            [
                "message 1: call 1 is t (a), and result 1 answers t (b)",
                "message 1: call 2 is t (b), and result 2 answers t (a)",
            ],
        ),
        ([answer("a"), answer(None)], ["message 1: call 2 is t (b), and result 2 answers t (no id)"]),
        ([answer("a", "u"), answer("b")], ["message 1: call 1 is t (a), and result 1 answers u (a)"]),
        ([answer("a"), answer("b")], []),
    ],
)
def test_a_transcript_tells_what_is_out_of_balance(results: list[ToolResult], told: list[str]) -> None:
    calls = (ToolCall("t", id="a"), ToolCall("t", id="b"))
    assert Transcript((Exchange(calls, tuple(results)),), "text").unbalanced == told


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (doubles(1), "message 1 is a single ToolCall: put it in a list"),
        (ToolCall("double"), "a script is a list of messages, each a list of tool calls, not ToolCall"),
        (7, "not int"),
        ([doubles(1), ToolCall("double")], "message 2 is a single ToolCall: put it in a list"),
        ([doubles(1), "go on"], "message 2 must hold tool calls, and has str among them"),
        ([doubles(1), 2], "message 2 must hold tool calls, and is int"),
        ([[*doubles(1), "double"]], "message 1 must hold tool calls, and has str among them"),
        ([played], "message 1 is an async function"),
    ],
)
def test_a_bad_script_is_refused(script: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        ScriptedModel(script)


def test_a_message_without_calls_is_refused() -> None:
    with pytest.raises(ValueError, match="message 2 has no calls: a message without is the last one, given as text="):
        ScriptedModel([doubles(1), []])


def test_the_last_text_is_a_text() -> None:
    text: Any = ["That is all."]
    with pytest.raises(TypeError):
        ScriptedModel([], text=text)


async def test_what_a_function_of_the_script_gives_is_checked_when_it_is_played() -> None:
    with pytest.raises(ValueError, match="message 2 has no calls"):
        await played(ScriptedModel([doubles(1), lambda _: []]))


async def test_a_run_asks_for_a_scope_that_was_not_entered() -> None:
    nothing: Any = None
    async with open_registry() as registry:
        with pytest.raises(TypeError, match="scope must be a"):
            await ScriptedModel([]).run(registry, scope=nothing)
        scope = trio.CancelScope()
        await ScriptedModel([]).run(registry, scope=scope)
        with pytest.raises(RuntimeError, match="CancelScope"):
            await ScriptedModel([]).run(registry, scope=scope)
