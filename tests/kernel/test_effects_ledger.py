"""Keys of effects: what a service that keeps them, an `EffectLedger`, says of what was done before."""

from __future__ import annotations

import attrs
import pytest
import trio
from around_tools import opened
from effect_tools import BEFORE, CHECK, KEYED, Outbox, doing, post_call, post_once, posting
from trio.testing import MockClock
from turn_tools import codes, once

from trio_tools import (
    CallEvent,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectLedger,
    EffectState,
    ErrorCode,
    Registry,
    ToolCall,
    ToolContext,
    ToolError,
)


@attrs.define(eq=False)
class Ledger:
    """Knows what it is given; each question takes so many seconds, or raises."""

    known: object = None
    seconds: float = 0
    failure: BaseException | None = None
    asked: list[tuple[str, str]] = attrs.field(factory=list[tuple[str, str]])

    async def effect(self, name: str, key: str) -> Effect | None:
        self.asked.append((name, key))
        await trio.sleep(self.seconds)
        if self.failure is not None:
            raise self.failure
        return self.known  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # one that keeps no promise


def provide(registry: Registry, ledger: Ledger) -> None:
    registry.provide(EffectLedger, ledger)  # type: ignore[type-abstract]  # a protocol stands for its services


async def test_a_ledger_says_what_was_done_before(autojump_clock: MockClock) -> None:
    """Whoever did it, and when; in the terms of this call."""
    outbox = Outbox()
    ledger = Ledger(attrs.evolve(KEYED, receipt={"id": 7}, call="t/0", key=None))
    async with opened(posting(outbox.send)) as registry:
        provide(registry, ledger)
        result = await post_once(registry)
    assert (result.value, outbox.begun, ledger.asked) == ({"id": 7}, [], [("mail.send", "m1")])
    assert result.effects == (Effect("mail.send", EffectState.COMMITTED, {"id": 7}, key="m1", earlier=True),)


@pytest.mark.parametrize("known", [None, Effect("mail.send", EffectState.FAILED, error="no such host")])
async def test_what_a_ledger_does_not_know_or_knows_to_have_failed_is_done(
    known: Effect | None, autojump_clock: MockClock
) -> None:
    """It is asked each time: where there is one, the registry remembers nothing against it."""
    outbox, ledger = Outbox(), Ledger(known)
    async with opened(posting(outbox.send)) as registry:
        provide(registry, ledger)
        results = [await post_once(registry) for _ in range(2)]
    assert codes(results) == [None, None]
    assert (len(outbox.sent), len(ledger.asked)) == (2, 2)


@pytest.mark.parametrize("state", [EffectState.BEGUN, EffectState.UNKNOWN])
async def test_what_a_ledger_saw_begin_and_not_end_is_unknown(state: EffectState) -> None:
    """M023, B31: it is not run again, and the result says so."""
    outbox = Outbox()
    async with opened(posting(outbox.send)) as registry:
        provide(registry, Ledger(Effect("mail.send", state)))
        result = await post_once(registry)
    assert (result.code, outbox.begun) == (ErrorCode.EFFECT_UNKNOWN, [])
    assert result.text.startswith(BEFORE)
    assert result.text.endswith(CHECK)
    (effect,) = result.effects
    assert (effect.state, effect.key, effect.earlier) == (EffectState.UNKNOWN, "m1", True)


@pytest.mark.parametrize(
    ("ledger", "why"),
    [
        (Ledger(failure=OSError("disk full")), "OSError: disk full"),
        (Ledger(failure=SystemExit(3)), "the tool tried to exit the process with code 3"),
        (Ledger({"id": 1}), "TypeError: it answered dict, not an Effect or None"),
    ],
)
async def test_a_ledger_that_cannot_say_refuses_the_effect(ledger: Ledger, why: str) -> None:
    """Nothing was run, and its key is free again."""
    outbox = Outbox()
    refused: list[ToolError] = []

    async def body(ctx: ToolContext) -> None:
        for _ in range(2):
            with pytest.raises(ToolError) as told:
                await ctx.irreversible("mail.send", outbox.send, key="m1")
            refused.append(told.value)

    async with opened(doing(body)) as registry:
        provide(registry, ledger)
        result = await once(registry, "mail")
    assert (result.error, result.effects, outbox.begun) == (None, (), [])
    assert [one.message for one in refused] == [
        f"mail.send was not begun: nobody can say whether it was done before: {why}"
    ] * 2


async def test_the_wait_for_a_ledger_can_be_cut(autojump_clock: MockClock) -> None:
    outbox = Outbox()
    async with opened(posting(outbox.send)) as registry:
        provide(registry, Ledger(seconds=60))
        result = await registry.execute(post_call(), scope=trio.CancelScope(deadline=2))
        assert trio.current_time() == 2
    assert (result.code, result.effects, outbox.begun) == (ErrorCode.ABORTED, (), [])


async def test_a_call_that_is_given_up_while_a_ledger_is_asked_begins_nothing(autojump_clock: MockClock) -> None:
    """M021: the last look comes last."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope(shield=True):
            await ctx.irreversible("mail.send", outbox.send, key="m1")

    async with opened(doing(body)) as registry:
        provide(registry, Ledger(seconds=5))
        result = await registry.execute(ToolCall("mail"), scope=trio.CancelScope(deadline=2))
        assert trio.current_time() == 5
    assert (result.code, result.effects, outbox.begun) == (ErrorCode.TOOL_FAILED, (), [])


async def test_who_comes_second_asks_when_the_end_of_the_first_is_recorded(autojump_clock: MockClock) -> None:
    """M023: asked before, the ledger would have seen it begin and not end."""
    outbox, ledger = Outbox(), Ledger()

    async def learn(event: CallEvent) -> None:
        if isinstance(event, EffectBegun):
            ledger.known = attrs.evolve(KEYED, state=EffectState.BEGUN, receipt=None)
        elif isinstance(event, EffectEnded):
            await trio.sleep(1)
            ledger.known = event.effect

    async with opened(posting(outbox.send)) as registry:
        provide(registry, ledger)
        registry.add_recorder(learn)
        results = await registry.execute_turn([post_call(), post_call()], scope=trio.CancelScope())
    assert [result.value for result in results] == [{"id": 1}, {"id": 1}]
    assert len(outbox.begun) == 1
    assert sorted(effect.earlier for result in results for effect in result.effects) == [False, True]
