"""Where an effect may be made, and what may be made inside of one: no effect and no call (RuntimeError)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
from around_tools import opened, run
from effect_tools import Outbox, doing, states
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import once

from trio_tools import (
    CallEvent,
    CallView,
    EffectBegun,
    EffectEnded,
    ErrorCode,
    Job,
    JobStatus,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
)

Inside = Callable[[ToolContext, Registry], Awaitable[object]]


async def nothing() -> None: ...


async def an_effect(ctx: ToolContext, registry: Registry) -> object:
    return await ctx.irreversible("inner", nothing)


async def a_call(ctx: ToolContext, registry: Registry) -> object:
    return await ctx.execute(ToolCall("other"), scope=trio.CancelScope())


async def a_call_by_the_registry(ctx: ToolContext, registry: Registry) -> object:
    return await registry.execute(ToolCall("other"), scope=trio.CancelScope())


async def a_turn(ctx: ToolContext, registry: Registry) -> object:
    return await registry.execute_turn([ToolCall("other")], scope=trio.CancelScope())


async def a_call_by_a_view(ctx: ToolContext, registry: Registry) -> object:
    return await registry.restricted(allow=["mail"]).execute(ToolCall("other"), scope=trio.CancelScope())


async def a_call_of_another_registry(ctx: ToolContext, registry: Registry) -> object:
    async with open_registry() as other:
        return await once(other, "nowhere")


async def directly(act: Callable[[], Awaitable[object]]) -> None:
    await act()


async def in_a_child(act: Callable[[], Awaitable[object]]) -> None:
    refused: list[RuntimeError] = []

    async def child() -> None:
        try:
            await act()
        except RuntimeError as error:
            refused.append(error)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)
    if refused:
        raise refused[0]


async def from_a_thread(act: Callable[[], Awaitable[object]]) -> None:
    await trio.to_thread.run_sync(trio.from_thread.run, act)


@pytest.mark.parametrize("how", [directly, in_a_child, from_a_thread])
@pytest.mark.parametrize(
    "inside",
    [an_effect, a_call, a_call_by_the_registry, a_turn, a_call_by_a_view, a_call_of_another_registry],
)
async def test_inside_of_an_effect_there_is_no_other_and_no_call(
    inside: Inside, how: Callable[[Callable[[], Awaitable[object]]], Awaitable[None]]
) -> None:
    """M022: what cannot be cut is to be short and of one piece. Nothing of the inner one has begun."""

    async def body(ctx: ToolContext) -> None:
        async def action() -> None:
            with pytest.raises(RuntimeError, match=r"(effect|call).* inside of .*'outer'\): make it before or after"):
                await how(partial(inside, ctx, registry))

        await ctx.irreversible("outer", action)

    async with opened(doing(body)) as registry:
        result = await once(registry, "mail")
    assert (result.error, states(result)) == (None, ["outer committed"])


async def test_a_call_that_was_asked_for_before_the_effect_is_not_made_in_it() -> None:
    async def body(ctx: ToolContext) -> None:
        made = ctx.execute(ToolCall("other"), scope=trio.CancelScope())

        async def action() -> None:
            with pytest.raises(RuntimeError, match="no call is made inside of an effect"):
                await made

        await ctx.irreversible("outer", action)

    assert (await run(doing(body))).error is None


async def test_what_an_effect_leaves_behind_may_make_others_and_calls(autojump_clock: MockClock) -> None:
    """A job that is started in one is not inside it, not even while it lasts; a task of the body's nursery is no more,
    once it has ended."""
    codes: list[str | None] = []
    jobs: list[Job] = []

    async def body(ctx: ToolContext) -> None:
        async def job() -> None:
            codes.append((await ctx.execute(ToolCall("job"), scope=trio.CancelScope())).code)

        async def task() -> None:
            await trio.sleep(5)
            await ctx.irreversible("second", nothing)
            codes.append((await ctx.execute(ToolCall("task"), scope=trio.CancelScope())).code)

        async def action() -> None:
            jobs.append(ctx.start_job(job))
            nursery.start_soon(task)
            await trio.sleep(1)
            assert codes == [ErrorCode.UNKNOWN_TOOL]

        async with trio.open_nursery() as nursery:
            await ctx.irreversible("first", action)

    result = await run(doing(body))
    assert (result.error, states(result)) == (None, ["first committed", "second committed"])
    assert (codes, jobs[0].status) == ([ErrorCode.UNKNOWN_TOOL] * 2, JobStatus.COMPLETED)


async def test_tasks_beside_an_effect_are_not_inside_it(autojump_clock: MockClock) -> None:
    outbox = Outbox()

    async def body(ctx: ToolContext) -> str | None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ctx.irreversible, "mail.send", outbox.send)
            await wait_all_tasks_blocked()
            return (await ctx.execute(ToolCall("nowhere"), scope=trio.CancelScope())).code

    result = await run(doing(body))
    assert (result.value, states(result), outbox.sent) == (ErrorCode.UNKNOWN_TOOL, ["mail.send committed"], [1])


async def refusal(ctx: ToolContext, outbox: Outbox) -> str:
    """Why an effect was refused."""
    with pytest.raises(RuntimeError) as refused:
        await ctx.irreversible("mail.send", outbox.send)
    return str(refused.value)


async def test_after_its_call_has_settled_there_is_no_effect() -> None:
    """Observers are called in its task, and are too late too."""
    contexts: list[ToolContext] = []
    outbox = Outbox()
    refusals: list[str] = []

    async def observe(call: CallView, result: ToolResult) -> None:
        refusals.append(await refusal(contexts[0], outbox))

    async def body(ctx: ToolContext) -> None:
        contexts.append(ctx)

    async with opened(doing(body)) as registry:
        registry.add_observer(observe)
        result = await once(registry, "mail")
        refusals.append(await refusal(contexts[0], outbox))
    assert refusals == ["an effect ('mail.send') is made inside of its own call, and it has settled"] * 2
    assert (result.effects, outbox.begun) == ((), [])


@pytest.mark.parametrize("place", ["nursery from elsewhere", "job", "call of a job"])
async def test_nobody_would_wait_for_an_effect_outside_of_its_call(place: str, nursery: trio.Nursery) -> None:
    """Promise 2: also as long as the call runs. Its result could not say what came of it."""
    outbox = Outbox()
    refusals: list[str] = []

    async def body(ctx: ToolContext) -> str:
        async def foreign() -> None:
            refusals.append(await refusal(ctx, outbox))

        if place == "call of a job" and not ctx.call.id:
            await ctx.start_job(partial(ctx.execute, ToolCall("mail", id="2"), scope=trio.CancelScope())).wait()
        elif place == "call of a job":
            refusals.append(await refusal(contexts[0], outbox))
        elif place == "job":
            await ctx.start_job(foreign).wait()
        else:
            nursery.start_soon(foreign)
            await wait_all_tasks_blocked()
        return "done"

    contexts: list[ToolContext] = []

    async def keeping(ctx: ToolContext) -> str:
        contexts.append(ctx)
        return await body(ctx)

    result = await run(doing(keeping))
    why = "this task is in a job, or in a nursery from elsewhere"
    assert refusals == [f"an effect ('mail.send') is made inside of its own call, and {why}"]
    assert (result.text, result.effects, outbox.begun) == ("done", (), [])


async def test_an_effect_is_of_the_call_whose_context_it_was_asked_of(autojump_clock: MockClock) -> None:
    """Wherever in it: in a call that its body makes too, whose own are named by the one around it."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> list[str]:
        if ctx.call.id == "inner":
            await outer[0].irreversible("outer's", nothing)
            await ctx.irreversible("inner's", outbox.send)
            return []
        outer.append(ctx)
        return states(await ctx.execute(ToolCall("mail", id="inner"), scope=trio.CancelScope()))

    outer: list[ToolContext] = []
    result = await run(doing(body))
    assert (states(result), result.value) == (["outer's committed", "inner's committed"], ["inner's committed"])
    assert [effect.call is None for effect in result.effects] == [True, False]


async def test_recorders_of_an_effect_are_not_inside_it() -> None:
    """What stands between begun and ended is the action alone: they may make calls elsewhere."""
    made: list[str | None] = []

    async def record(event: CallEvent) -> None:
        if isinstance(event, EffectBegun | EffectEnded):
            made.append((await once(other, "nowhere")).code)

    async with open_registry() as other, opened(doing(lambda ctx: ctx.irreversible("mail.send", nothing))) as registry:
        registry.add_recorder(record)
        result = await once(registry, "mail")
    assert (result.error, made) == (None, [ErrorCode.UNKNOWN_TOOL] * 2)
