"""What a recorder is told of a call, in which order, and what waits for it."""

from __future__ import annotations

import json

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Log, at_rest_while_waiting, begin, kind, nap, naps, once

from trio_tools import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallNext,
    CallSettled,
    CallView,
    Cause,
    Deny,
    Dispatch,
    ErrorCode,
    Session,
    ToolCall,
    ToolResult,
    open_registry,
    to_json,
    tool,
)


@tool
async def echo(text: str) -> str:
    return text


@tool(timeout=1)
async def slow() -> str:
    await trio.sleep(60)
    return "late"


async def test_the_events_of_a_call_that_runs() -> None:
    """L005, L016: accepted, decided, dispatching, settled."""
    log = Log()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(log)
        await once(registry, "echo", "c", text="a")
    accepted, decided, dispatching, settled = log.events
    assert isinstance(accepted, CallAccepted)
    assert isinstance(decided, CallDecided)
    assert isinstance(dispatching, CallDispatching)
    assert isinstance(settled, CallSettled)
    assert (decided.allowed, decided.reason, dispatching.attempt) == (True, None, 1)
    assert accepted.ref == decided.ref == dispatching.ref == settled.ref


async def test_what_the_record_of_a_call_and_of_its_result_holds(autojump_clock: MockClock) -> None:
    """L016: turn, place, the model's id, name, arguments as they came; the result; on whose behalf, and when."""
    log = Log()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(log)
        await trio.sleep(3)
        session = Session("s1", owner="ann")
        calls = [
            ToolCall("echo", ' {"text":\t"a"} ', id="twice", metadata={"model": "m"}),
            ToolCall("echo", {"text": "b"}, id="twice"),
        ]
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), session=session)
    first, second = log.accepted
    assert (first.ref.position, first.ref.call_id, first.ref.tool, first.ref.session) == (0, "twice", "echo", session)
    assert (second.ref.position, second.ref.call_id, second.ref.parent) == (1, "twice", None)
    assert (first.arguments, second.arguments) == (' {"text":\t"a"} ', {"text": "b"})
    assert (first.metadata, second.metadata, first.at) == ({"model": "m"}, {}, 3)
    assert [(event.ref.position, event.result) for event in log.settled] == [*enumerate(results)]
    assert first.ref.turn == second.ref.turn


async def test_each_turn_has_a_name_of_its_own_and_nested_calls_name_their_parent() -> None:
    """L016, R103"""
    log = Log()

    @tool
    async def outer() -> str:
        return (await once(registry, "echo", "inner", text="a")).text

    async with open_registry() as registry:
        registry.register(outer)
        registry.register(echo)
        registry.add_recorder(log)
        for _ in range(2):
            await registry.execute_turn([ToolCall("nothing"), ToolCall("outer", id="o")], scope=trio.CancelScope())
    names = {event.ref.turn for event in log.events}
    assert len(names) == 4
    parents = {event.ref.parent for event in log.events if event.ref.call_id == "inner"}
    assert parents == {f"{event.ref.turn}/1" for event in log.events if event.ref.call_id == "o"}


async def test_the_record_of_a_call_that_is_denied() -> None:
    """L016, R021"""
    log = Log()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_pre_policy(lambda call: Deny("not on Sundays"))
        registry.add_recorder(log)
        await once(registry, "echo", "c", text="a")
    assert log.story == ["accepted c", "decided c", "settled c"]
    (decided,) = (event for event in log.events if isinstance(event, CallDecided))
    assert (decided.allowed, decided.reason) == (False, "not on Sundays")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (ToolCall("echo", '{"text": "a', id="c"), ErrorCode.INVALID_ARGS),
        (ToolCall("echo", '{"txt": "a"}', id="c"), ErrorCode.INVALID_ARGS),
        (ToolCall("echo", "[" * 300, id="c"), ErrorCode.INVALID_ARGS),
        (ToolCall("nothing", '{"text": "a"}', id="c"), ErrorCode.UNKNOWN_TOOL),
    ],
)
@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_call_that_fails_intake_has_its_start_in_the_record_and_its_raw_text(
    call: ToolCall, code: str, cancelled: bool
) -> None:
    """D29, L001, L014, L016: or the history has a result without a call, and nobody knows what the model wrote."""
    log = Log()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(log)
        scope = trio.CancelScope()
        if cancelled:
            scope.cancel()
        result = await registry.execute(call, scope=scope)
    assert (result.code, log.story) == (code, ["accepted c", "settled c"])
    assert [event.arguments for event in log.accepted] == [call.arguments]


async def test_a_raw_text_without_end_is_kept_within_a_bound() -> None:
    """D29, L001: the record stays small, and says what the model began with."""
    log = Log()
    text = '{"text": "' + "a" * 3_000_000
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(log)
        result = await registry.execute(ToolCall("echo", text), scope=trio.CancelScope())
    assert result.code == ErrorCode.INVALID_ARGS
    (accepted,) = log.accepted
    assert isinstance(accepted.arguments, str)
    assert text.startswith(accepted.arguments)
    assert 1000 < len(accepted.arguments) < 2_000_000


async def test_each_attempt_is_recorded_before_it_is_made() -> None:
    """L016, R043: a wrapper that goes on again."""
    log = Log()

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        return await call_next()

    async with open_registry() as registry:
        registry.register(echo)
        registry.add_wrapper(twice)
        registry.add_recorder(log)
        await once(registry, "echo", "c", text="a")
    assert [event.attempt for event in log.events if isinstance(event, CallDispatching)] == [1, 2]
    assert log.story == ["accepted c", "decided c", "dispatching c", "dispatching c", "settled c"]


async def test_the_body_waits_until_its_start_is_recorded(autojump_clock: MockClock) -> None:
    """L005: *dispatching* is awaited before what it announces; and the result before it is given to anybody."""

    async def slowly(event: CallEvent) -> None:
        await trio.sleep(1)

    told: list[float] = []
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(Log(slowly))
        registry.add_observer(lambda call, result: told.append(trio.current_time()))
        await registry.execute(nap("a", 1), scope=trio.CancelScope())
    assert (bodies.entered, told) == ({"a": 3}, [5])


async def test_a_call_that_is_given_up_while_its_start_is_recorded_does_not_start(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """R045, L016: the last look comes after *dispatching*, and the record tells by whom and when."""

    async def slowly(event: CallEvent) -> None:
        if isinstance(event, CallDispatching):
            await trio.sleep(2)

    log = Log(slowly)
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, naps("a"))
        await trio.sleep(1)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, bodies.entered) == ([ErrorCode.ABORTED_BEFORE_DISPATCH], {})
    assert log.story == ["accepted a", "decided a", "dispatching a", "settled a"]
    assert [(event.cancelled_at, event.cause) for event in log.settled] == [(1, Cause.CALLER)]


@pytest.mark.parametrize("cause", [Cause.CALLER, Cause.OPERATOR, None])
async def test_the_result_s_record_carries_time_and_cause_of_a_cancel(
    cause: Cause | None, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """L016: when it was given up, not when it came to rest."""
    log = Log()

    @tool
    async def tidy() -> None:
        try:
            await trio.sleep(3)
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)

    async with open_registry() as registry:
        registry.register(tidy)
        registry.add_recorder(log)
        run = begin(nursery, registry, [ToolCall("tidy", id="a")])
        await trio.sleep(1)
        if cause is Cause.CALLER:
            run.scope.cancel()
        elif cause is Cause.OPERATOR:
            registry.cancel("a")
        await trio.sleep(5)
    (settled,) = log.settled
    assert (settled.cause, settled.result.cause) == (cause, cause)
    assert (settled.cancelled_at, settled.at) == ((None, 5) if cause is None else (1, 3))


async def test_results_are_recorded_while_all_around_is_cancelled(autojump_clock: MockClock) -> None:
    """D4, L014: a slow disk and a cancelled enclosing scope lose nothing."""

    async def slowly(event: CallEvent) -> None:
        await trio.sleep(0.5)

    log = Log(slowly)
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        with at_rest_while_waiting(autojump_clock), trio.move_on_after(3):
            await registry.execute_turn(naps("abcd", 30), scope=trio.CancelScope())
    assert log.unbalanced(range(4)) == []
    assert [event.result.code for event in log.settled][2:] == [ErrorCode.ABORTED_BEFORE_DISPATCH] * 2


async def test_every_event_can_be_written_down() -> None:
    """L016: as JSON in UTF-8, whatever the model wrote."""
    log = Log()

    def gate(call: CallView) -> Deny | None:
        return Deny("no") if call.id == "denied" else None

    async with open_registry() as registry:
        registry.register(echo)
        registry.add_pre_policy(gate)
        registry.add_recorder(log)
        texts = ['{"text": "\\ud83d"}', '{"text": "\ud800"}', '{"text": "a\\u0000b"}', "\x00"]
        for text in texts:
            await registry.execute(ToolCall("echo", text), scope=trio.CancelScope())
        await once(registry, "echo", "denied", text="a")
        await once(registry, "slow")
    assert [kind(event) for event in log.events].count("settled") == len(texts) + 2
    for event in log.events:
        assert json.dumps(to_json(event), ensure_ascii=False).encode()
