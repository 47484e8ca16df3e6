"""Effects of calls that are given up: before the door nothing happens, past it everything does."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
from around_tools import execute, later, limit, opened, run, shield, silent_limit
from effect_tools import SENT, WENT, Outbox, doing, sends, slow_to_record, states
from trio.testing import MockClock
from turn_tools import Heard, codes

from trio_tools import (
    Cause,
    EffectBegun,
    EffectEnded,
    ErrorCode,
    Registry,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
)

ABORTED, TIMEOUT = "Error: tool call aborted", "Error: tool call timed out after {}ms"


async def given_up(registry: Registry, by: str, at: float) -> ToolResult:
    """One call of `mail`, that is given up at a time of the virtual clock."""
    heard = Heard()
    registry.add_observer(heard)
    scope, enclosing = trio.CancelScope(), trio.CancelScope()
    act: dict[str, Callable[[], object]] = {
        "caller": scope.cancel,
        "operator": lambda: registry.cancel("1"),
        "enclosing": enclosing.cancel,
        "deadline": lambda: None,
        "enclosing deadline": lambda: None,
    }
    if by == "deadline":
        scope.deadline = trio.current_time() + at
    if by == "enclosing deadline":
        enclosing.deadline = trio.current_time() + at
    async with trio.open_nursery() as nursery:
        nursery.start_soon(later, at, act[by])
        with enclosing:
            await registry.execute(ToolCall("mail", id="1"), scope=scope)
    return heard.results[0]


GIVEN_UP = ["caller", "operator", "enclosing", "deadline", "enclosing deadline"]


@pytest.mark.parametrize("by", GIVEN_UP)
async def test_a_cancel_while_the_action_runs_lets_it_end(by: str, autojump_clock: MockClock) -> None:
    """M022, RT8: ABORTED, when all is done, with the effect, and a line that says so."""
    outbox = Outbox(seconds=3)
    async with opened(sends(outbox, after=5)) as registry:
        result = await given_up(registry, by, 2)
        assert (outbox.sent, trio.current_time()) == ([3], 3)
    assert (result.code, result.effects, result.text) == (ErrorCode.ABORTED, (SENT,), f"{ABORTED}\n{WENT}")


@pytest.mark.parametrize("by", GIVEN_UP)
async def test_a_cancel_before_the_door_keeps_it_shut(by: str, autojump_clock: MockClock) -> None:
    """M020: the wait before it is cut, and nothing is said of an effect."""
    outbox = Outbox()
    async with opened(sends(outbox, before=3)) as registry:
        result = await given_up(registry, by, 2)
    assert (result.code, result.effects, result.text, outbox.begun) == (ErrorCode.ABORTED, (), ABORTED, [])


async def test_a_receipt_comes_back_although_the_call_was_given_up(autojump_clock: MockClock) -> None:
    """MT3: no checkpoint between the action and its receipt; what the body makes of it is kept."""
    outbox = Outbox(seconds=3)
    receipts: list[object] = []

    async def body(ctx: ToolContext) -> str:
        receipts.append(await ctx.irreversible("mail.send", outbox.send))
        assert ctx.cancel_requested
        return "sent"

    result = await run(doing(body), cancel_at=1)
    assert (result.code, receipts) == (ErrorCode.ABORTED, [{"id": 1}])
    assert result.superseded is not None
    assert (result.superseded.text, result.text.splitlines()[-1]) == ("sent", WENT)


async def test_a_budget_that_runs_out_while_the_action_runs_is_a_timeout_with_the_effect(
    autojump_clock: MockClock,
) -> None:
    """M022, T030."""
    outbox = Outbox(seconds=3)
    result = await run(sends(outbox, after=1, timeout=2))
    assert (result.code, result.cause, result.effects) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, (SENT,))
    assert (result.text, outbox.sent) == (f"{TIMEOUT.format(2000)}\n{WENT}", [3])


Surrounded = Callable[[Callable[[], Awaitable[object]]], Awaitable[object]]


async def plainly(act: Callable[[], Awaitable[object]]) -> object:
    return await act()


async def in_a_child(act: Callable[[], Awaitable[object]]) -> None:
    async def child() -> None:
        await act()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)


@pytest.mark.parametrize("surrounded", [plainly, in_a_child])
@pytest.mark.parametrize("wrapper", [None, shield, limit(4), silent_limit(4)])
@pytest.mark.parametrize("by", ["scope", "enclosing", "budget", "own scope"])
async def test_a_deadline_that_passes_while_the_loop_is_blocked_shuts_the_door(
    by: str, wrapper: Callable[..., Awaitable[ToolResult]] | None, surrounded: Surrounded, autojump_clock: MockClock
) -> None:
    """M021: Trio has not noticed yet that anybody's time is up."""
    outbox = Outbox()
    after: list[str] = []

    async def body(ctx: ToolContext) -> str:
        with trio.CancelScope(deadline=2 if by == "own scope" else 1_000) as own:
            autojump_clock.jump(3)
            await surrounded(partial(ctx.irreversible, "mail.send", outbox.send))
            after.append("went on")
        return f"own time up: {own.cancelled_caught}"

    mail = doing(body, timeout=2 if by == "budget" else 2_000)
    async with opened(mail, wrappers=[wrapper] if wrapper else [], outside=True) as registry:
        heard = Heard()
        registry.add_observer(heard)
        with trio.CancelScope(deadline=2 if by == "enclosing" else 1_000):
            await execute(registry, "mail", deadline=2 if by == "scope" else 1_000)
    (result,) = heard.results
    assert (outbox.begun, after, result.effects) == ([], [], ())
    if by == "own scope":
        assert result.text == "own time up: True"
    else:
        assert result.code == (ErrorCode.TOOL_TIMEOUT if by == "budget" else ErrorCode.ABORTED)


@pytest.mark.parametrize("timeout", [None, 1_000])
@pytest.mark.parametrize("by", ["deadline", "enclosing deadline", "budget"])
async def test_a_deadline_that_passes_unnoticed_counts_behind_a_shield_of_the_body_s_own(
    by: str, timeout: float | None, autojump_clock: MockClock
) -> None:
    """M021: what was in force when the body began is not forgotten."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope(shield=True):
            autojump_clock.jump(3)
            await ctx.irreversible("mail.send", outbox.send)

    async with opened(doing(body, timeout=2 if by == "budget" else timeout)) as registry:
        result = await given_up(registry, by if by != "budget" else "caller", 2 if by != "budget" else 100)
    assert (outbox.begun, result.effects) == ([], ())
    assert result.code == (ErrorCode.TOOL_TIMEOUT if by == "budget" else ErrorCode.TOOL_FAILED)


@pytest.mark.parametrize("by", GIVEN_UP)
@pytest.mark.parametrize("surrounded", [plainly, in_a_child])
async def test_behind_a_shield_of_the_body_s_own_the_door_is_shut_by_a_failure(
    surrounded: Surrounded, by: str, autojump_clock: MockClock
) -> None:
    """M021: a Cancelled there is one that Trio has not sent, and a nursery behind the shield would swallow it."""
    outbox = Outbox()
    after: list[str] = []

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(3)
            await surrounded(partial(ctx.irreversible, "mail.send", outbox.send))
            after.append("went on")

    async with opened(doing(body)) as registry:
        result = await given_up(registry, by, 2)
    assert (outbox.begun, after, result.effects) == ([], [], ())
    assert (result.code, result.text) == (
        ErrorCode.TOOL_FAILED,
        "Error: mail.send was not begun: the call was given up before it, behind a shield of the tool's own",
    )


async def test_behind_a_shield_of_the_body_s_own_a_scope_of_its_own_does_not_count(autojump_clock: MockClock) -> None:
    """The call was not given up: that scope is the body's to shield from."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope() as own, trio.CancelScope(shield=True):
            own.cancel()
            await ctx.irreversible("mail.send", outbox.send)

    result = await run(doing(body))
    assert (result.error, states(result)) == (None, ["mail.send committed"])


async def test_a_deadline_that_was_moved_back_in_time_lets_it_through(autojump_clock: MockClock) -> None:
    """D5: what was seen of a scope behind a shield may be out of date; the look is at what is in force."""
    outbox = Outbox()
    enclosing = trio.CancelScope(deadline=2)

    async def body(ctx: ToolContext) -> object:
        enclosing.deadline = 100
        autojump_clock.jump(3)
        return await ctx.irreversible("mail.send", outbox.send)

    async with opened(doing(body), wrappers=[shield]) as registry:
        with enclosing:
            result = await execute(registry, "mail")
            assert (result.error, outbox.begun) == (None, [3])


async def test_a_call_that_is_given_up_while_its_effect_is_recorded_does_not_begin_it(
    autojump_clock: MockClock,
) -> None:
    """M021, M023: the books balance: what was announced and never began has ended as failed."""
    outbox = Outbox()
    log = slow_to_record(2, EffectBegun)
    async with opened(sends(outbox)) as registry:
        registry.add_recorder(log)
        result = await given_up(registry, "caller", 1)
    begun, ended = log.events[3:5]
    assert isinstance(begun, EffectBegun)
    assert isinstance(ended, EffectEnded)
    assert (begun.name, begun.ref, ended.effect.state) == ("mail.send", ended.ref, "failed")
    assert ended.effect.error == "it never began: the call was given up first"
    assert (result.code, result.effects, result.text) == (ErrorCode.ABORTED, (ended.effect,), ABORTED)
    assert outbox.begun == []


async def test_the_same_behind_a_shield_of_the_body_s_own(autojump_clock: MockClock) -> None:
    outbox = Outbox()
    raised: list[str] = []

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope(shield=True):
            try:
                await ctx.irreversible("mail.send", outbox.send)
            except ToolError as refused:
                raised.append(str(refused))

    async with opened(doing(body)) as registry:
        registry.add_recorder(slow_to_record(1, EffectBegun))
        result = await given_up(registry, "caller", 0.5)
    assert (result.code, states(result), outbox.begun) == (ErrorCode.ABORTED, ["mail.send failed"], [])
    assert len(raised) == 1


@pytest.mark.parametrize("swallowed", [False, True])
def test_ctrl_c_in_the_action_leaves_the_effect_unknown_and_goes_on(swallowed: bool) -> None:
    """D17, M023: all calls settle, cause `interrupt`, also if the body makes nothing of it."""
    heard = Heard()

    async def strike() -> None:
        signal.raise_signal(signal.SIGINT)

    async def body(ctx: ToolContext) -> None:
        try:
            await ctx.irreversible("mail.send", strike)
        except KeyboardInterrupt:
            if not swallowed:
                raise

    async def main() -> None:
        async with open_registry() as registry:
            registry.register(doing(body))
            registry.add_observer(heard)
            await registry.execute(ToolCall("mail"), scope=trio.CancelScope())

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    (result,) = heard.results
    assert (codes([result]), result.cause, states(result)) == (["ABORTED"], Cause.INTERRUPT, ["mail.send unknown"])
    assert "\nMay have gone through, check before you repeat: mail.send" in result.text
