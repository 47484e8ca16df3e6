"""A bound of an effect: `ctx.irreversible(name, action, timeout=seconds)`. What it cuts is unknown, nothing else is."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from math import inf, nan

import pytest
import trio
from around_tools import later, opened, run
from effect_tools import SENT, Body, Outbox, doing, slow_to_record, states
from trio.testing import MockClock
from turn_tools import Heard, Log, once

from trio_tools import (
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    EffectUnknownError,
    ErrorCode,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
)

SAYS = "mail.send was begun, and had not ended after 2 s"
LOST = Effect("mail.send", EffectState.UNKNOWN, error="it had not ended after 2 s")


def bounded(action: Callable[[], Awaitable[object]], *, timeout: float = 2) -> Body:
    """A body that does this within so many seconds."""

    async def body(ctx: ToolContext) -> object:
        return await ctx.irreversible("mail.send", action, timeout=timeout)

    return body


async def test_an_action_that_ends_within_its_bound_gives_its_receipt(autojump_clock: MockClock) -> None:
    result = await run(doing(bounded(Outbox(seconds=1).send)))
    assert (result.value, result.effects) == ({"id": 1}, (SENT,))


async def test_what_the_bound_cuts_is_unknown_and_told_to_the_body(autojump_clock: MockClock) -> None:
    """M023: the body reads so, the model, the recorder, and the result, whose code says so."""
    log, outbox = Log(), Outbox(seconds=60)
    async with opened(doing(bounded(outbox.send))) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail")
    assert (result.code, result.cause, result.effects) == (ErrorCode.EFFECT_UNKNOWN, None, (LOST,))
    assert result.text == f"Error: {SAYS}\nMay have gone through, check before you repeat: mail.send"
    assert [(event.effect, event.at) for event in log.events if isinstance(event, EffectEnded)] == [(LOST, 2)]
    assert (outbox.begun, outbox.sent) == ([0], [])


async def test_a_body_that_can_do_without_goes_on(autojump_clock: MockClock) -> None:
    async def body(ctx: ToolContext) -> str:
        with pytest.raises(EffectUnknownError, match=SAYS):
            await bounded(Outbox(seconds=60).send)(ctx)
        return "asked them on the telephone"

    result = await run(doing(body))
    assert (result.error, result.effects) == (None, (LOST,))


async def test_a_receipt_that_comes_all_the_same_is_kept(autojump_clock: MockClock) -> None:
    """M022: an action that shields its last step, or swallows the cut, has returned, and so it went through."""

    async def send() -> object:
        with trio.CancelScope(shield=True):
            await trio.sleep(5)
        try:
            await trio.sleep(1)
        except trio.Cancelled:
            return {"id": 1}
        return "not cut"

    result = await run(doing(bounded(send)))
    assert (result.value, result.effects) == ({"id": 1}, (SENT,))


async def test_a_receipt_that_comes_late_because_the_loop_was_blocked_is_kept(autojump_clock: MockClock) -> None:
    async def send() -> object:
        autojump_clock.jump(60)
        return {"id": 1}

    result = await run(doing(bounded(send)))
    assert (result.error, result.effects) == (None, (SENT,))


async def test_what_the_action_raises_in_time_is_its_failure(autojump_clock: MockClock) -> None:
    """M024: never mistaken for the bound's end, though it is the same type; and also if nobody has cut it."""

    async def give_up() -> None:
        with trio.fail_after(1):
            await trio.sleep(60)

    async def blocked() -> None:
        autojump_clock.jump(60)
        raise trio.TooSlowError

    for action in (give_up, blocked):
        result = await run(doing(bounded(action)))
        assert (result.code, states(result)) == (ErrorCode.TOOL_FAILED, ["mail.send failed"])
        assert result.error is not None
        assert result.error.name == "TooSlowError"


@pytest.mark.parametrize("grouped", [False, True])
async def test_whatever_it_raises_once_it_was_cut_is_no_failure(grouped: bool, autojump_clock: MockClock) -> None:
    """M024: a client that makes an error of its own of the cancel cannot know how far it had got."""

    async def send() -> None:
        try:
            await trio.sleep(60)
        except trio.Cancelled as cancelled:
            raised = ConnectionError("aborted")
            raise (BaseExceptionGroup("of a nursery", [cancelled, raised]) if grouped else raised) from None

    result = await run(doing(bounded(send)))
    assert (result.code, result.effects) == (ErrorCode.EFFECT_UNKNOWN, (LOST,))


async def test_the_body_may_see_what_it_was_cut_with() -> None:
    """The cause of what it is told, where the action made something of the cut."""

    async def send() -> None:
        try:
            await trio.sleep(60)
        finally:
            raise ConnectionError("aborted")

    async def body(ctx: ToolContext) -> str:
        with pytest.raises(EffectUnknownError) as told:
            await ctx.irreversible("mail.send", send, timeout=0.001)
        return repr(told.value.__cause__)

    assert (await run(doing(body))).value == "ConnectionError('aborted')"


async def test_the_bound_is_the_action_s_alone(autojump_clock: MockClock) -> None:
    """Neither recording its beginning nor its end is within it."""
    log = slow_to_record(4, EffectBegun, EffectEnded)
    async with opened(doing(bounded(Outbox(seconds=1).send))) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail")
    assert (result.effects, trio.current_time()) == ((SENT,), 9)


@pytest.mark.parametrize("cancel_at", [1, 2, 3])
async def test_a_call_that_is_given_up_meanwhile_waits_no_longer_than_the_bound(
    cancel_at: float, autojump_clock: MockClock
) -> None:
    """What the action came to is told as it is: nobody saw its end. It is not the caller who cut it."""
    heard, scope = Heard(), trio.CancelScope()
    async with opened(doing(bounded(Outbox(seconds=60).send))) as registry, trio.open_nursery() as nursery:
        registry.add_observer(heard)
        nursery.start_soon(later, cancel_at, scope.cancel)
        result = await registry.execute(ToolCall("mail"), scope=scope)
        assert trio.current_time() == 2
    assert (result.code, result.effects) == (ErrorCode.EFFECT_UNKNOWN, (LOST,))


async def test_the_call_s_own_budget_does_not_cut_it_and_is_told_by_its_own_code(autojump_clock: MockClock) -> None:
    result = await run(doing(bounded(Outbox(seconds=60).send), timeout=1))
    assert (result.code, result.effects, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, (LOST,), 2)
    assert result.text.endswith("\nMay have gone through, check before you repeat: mail.send")


async def test_a_scope_that_the_action_leaves_open_does_not_hide_that_it_was_cut(autojump_clock: MockClock) -> None:
    async def send() -> None:
        trio.CancelScope().__enter__()
        await trio.sleep(60)

    result = await run(doing(bounded(send)))
    assert (result.code, result.effects) == (ErrorCode.EFFECT_UNKNOWN, (LOST,))


def test_ctrl_c_in_an_action_that_was_cut_goes_on() -> None:
    """D17"""
    heard = Heard()

    async def send() -> None:
        try:
            await trio.sleep(60)
        finally:
            signal.raise_signal(signal.SIGINT)

    async def main() -> None:
        async with open_registry() as registry:
            registry.register(doing(bounded(send, timeout=0.001)))
            registry.add_observer(heard)
            await registry.execute(ToolCall("mail"), scope=trio.CancelScope())

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert [states(result) for result in heard.results] == [["mail.send unknown"]]


@pytest.mark.parametrize("timeout", [0, -1, inf, nan, True, "2", ()])
async def test_a_bound_is_a_positive_finite_number_of_seconds(timeout: object) -> None:
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with pytest.raises(ValueError, match="timeout must be a positive finite number of seconds"):
            await ctx.irreversible("mail.send", outbox.send, timeout=timeout)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    result = await run(doing(body))
    assert (result.error, result.effects, outbox.begun) == (None, (), [])


# --- an action that has lost sight of it ------------------------------------------------------------------------------


async def lose_sight() -> None:
    await trio.sleep(1)
    raise EffectUnknownError("no answer after DATA") from ConnectionError("reset")


async def lose_sight_in_a_nursery() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lose_sight)
        await trio.sleep_forever()


@pytest.mark.parametrize("action", [lose_sight, lose_sight_in_a_nursery])
async def test_an_action_may_say_itself_that_it_lost_sight(
    action: Callable[[], Awaitable[None]], autojump_clock: MockClock
) -> None:
    """M023: unknown, with its own words, and the result's code says so."""
    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", action)))
    assert result.effects == (Effect("mail.send", EffectState.UNKNOWN, error="no answer after DATA"),)
    assert result.code == ErrorCode.EFFECT_UNKNOWN
    assert result.text.splitlines()[0] == "Error: no answer after DATA"


async def bounce_late() -> None:
    await trio.sleep(1)
    raise ConnectionError("no such host")


async def test_one_of_several_that_lost_sight_is_enough(autojump_clock: MockClock) -> None:
    """Side by side in an action, or in a body: what failed beside it makes it no less unknown."""

    async def both() -> None:
        raise BaseExceptionGroup("of a nursery", [ConnectionError("no such host"), EffectUnknownError("no answer")])

    async def body(ctx: ToolContext) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ctx.irreversible, "first", lose_sight)
            nursery.start_soon(ctx.irreversible, "second", bounce_late)

    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", both)))
    assert (result.code, states(result)) == (ErrorCode.EFFECT_UNKNOWN, ["mail.send unknown"])
    result = await run(doing(body))
    assert (result.code, sorted(states(result))) == (ErrorCode.EFFECT_UNKNOWN, ["first unknown", "second failed"])


async def test_a_body_s_own_word_counts_only_if_an_effect_is_unknown(autojump_clock: MockClock) -> None:
    """A tool cannot speak for the registry, and what it makes of the error is its own."""

    async def alone(ctx: ToolContext) -> None:
        raise EffectUnknownError("who knows")

    async def after_another(ctx: ToolContext) -> None:
        await ctx.irreversible("mail.send", trio.lowlevel.checkpoint)
        raise EffectUnknownError("who knows")

    async def anew(ctx: ToolContext) -> None:
        try:
            await ctx.irreversible("mail.send", lose_sight)
        except EffectUnknownError as lost:
            raise EffectUnknownError("ask the postmaster") from lost

    async def in_its_own_words(ctx: ToolContext) -> None:
        try:
            await ctx.irreversible("mail.send", lose_sight)
        except EffectUnknownError as lost:
            raise ToolError("ask the postmaster", code="MAIL_LOST") from lost

    async def coded(ctx: ToolContext) -> None:
        try:
            await ctx.irreversible("mail.send", lose_sight)
        except EffectUnknownError as lost:
            raise ToolError("ask the postmaster", code=ErrorCode.EFFECT_UNKNOWN) from lost

    results: list[ToolResult] = [
        await run(doing(body)) for body in (alone, after_another, anew, in_its_own_words, coded)
    ]
    failed = ErrorCode.TOOL_FAILED
    assert [result.code for result in results] == [failed, failed, ErrorCode.EFFECT_UNKNOWN, "MAIL_LOST", failed]
    assert results[2].text.splitlines()[0] == "Error: ask the postmaster"
