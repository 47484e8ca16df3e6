"""Effects of calls that a body makes: named in the results of the calls around them too."""

from __future__ import annotations

import pytest
import trio
from around_tools import opened, retry_once
from effect_tools import SENT, WENT, Outbox, doing, sends, states
from trio.testing import MockClock
from turn_tools import Log, once

from trio_tools import (
    Block,
    CallView,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    ReplaceContent,
    ToolCall,
    ToolContext,
    ToolResult,
    from_json,
    open_registry,
    to_json,
    tool,
)


@tool
async def forward(ctx: ToolContext) -> str:
    """Has a mail sent, and fails."""
    await ctx.execute(ToolCall("mail"), scope=trio.CancelScope())
    raise LookupError("no such folder")


@tool
async def assist(ctx: ToolContext) -> str:
    """Has one forwarded, and fails too."""
    await ctx.execute(ToolCall("forward"), scope=trio.CancelScope())
    raise LookupError("no such assistant")


async def test_the_results_of_all_calls_around_it_name_it_and_who_made_it(autojump_clock: MockClock) -> None:
    """Promise 3: a model that only sees the outermost reads what not to repeat. There are no second events."""
    log, results = Log(), dict[str, ToolResult]()
    async with opened(sends(Outbox()), forward, assist) as registry:
        registry.add_recorder(log)
        registry.add_observer(lambda call, result: results.__setitem__(call.name, result))
        await once(registry, "assist")
    (ended,) = (event for event in log.events if isinstance(event, EffectEnded))
    made_by = f"{ended.ref.turn}/{ended.ref.position}"
    assert results["mail"].effects == (ended.effect,) == (SENT,)
    told = Effect("mail.send", EffectState.COMMITTED, {"id": 1}, call=made_by)
    assert results["forward"].effects == results["assist"].effects == (told,)
    assert results["assist"].text == f"Error: LookupError: no such assistant\n{WENT}"
    assert sum(isinstance(event, EffectBegun) for event in log.events) == 1
    assert from_json(ToolResult, to_json(results["assist"])) == results["assist"]


async def test_they_stand_where_the_nested_call_settled(autojump_clock: MockClock) -> None:
    """Those that a body made itself among them, as they began."""

    async def body(ctx: ToolContext) -> None:
        if ctx.call.id == "inner":
            await ctx.irreversible("inner's", trio.lowlevel.checkpoint)
            return
        async with trio.open_nursery() as nursery:
            await ctx.irreversible("first", trio.lowlevel.checkpoint)
            await ctx.execute(ToolCall("mail", id="inner"), scope=trio.CancelScope())
            nursery.start_soon(ctx.irreversible, "last", trio.lowlevel.checkpoint)

    async with opened(doing(body)) as registry:
        result = await once(registry, "mail")
    assert states(result) == ["first committed", "inner's committed", "last committed"]


async def test_a_retry_that_makes_the_call_twice_names_both(autojump_clock: MockClock) -> None:
    seen: list[int] = []

    async with opened(sends(Outbox()), forward, wrappers=[retry_once]) as registry:
        registry.add_observer(lambda call, result: seen.append(len(result.effects)))
        result = await once(registry, "forward")
    assert (result.code, states(result), seen) == (ErrorCode.TOOL_FAILED, ["mail.send committed"] * 2, [1, 1, 2])
    assert result.effects[0].call != result.effects[1].call


async def test_an_effect_of_a_cut_call_is_named_too(autojump_clock: MockClock) -> None:
    """RT8: cancelled while the nested call's action ran."""
    async with opened(sends(Outbox(seconds=2)), forward) as registry:
        scope = trio.CancelScope(deadline=1)
        result = await registry.execute(ToolCall("forward"), scope=scope)
    assert (result.code, states(result)) == (ErrorCode.ABORTED, ["mail.send committed"])
    assert result.text == f"Error: tool call aborted\n{WENT}"


async def test_calls_in_threads_of_other_registries_and_by_the_registry_itself_are_inside_too(
    autojump_clock: MockClock,
) -> None:
    """Wherever the task of the call is below that of the body."""

    async def body(ctx: ToolContext) -> None:
        await once(registry, "mail")
        await trio.to_thread.run_sync(lambda: trio.from_thread.run(once, other, "mail"))

    async with opened(sends(Outbox())) as other, opened(sends(Outbox())) as registry:
        registry.register(tool(name="outer")(body))
        result = await once(registry, "outer")
    assert (result.error, states(result)) == (None, ["mail.send committed"] * 2)


async def test_what_jobs_have_done_stands_in_the_results_of_their_own_calls(autojump_clock: MockClock) -> None:
    """A job outlives its call, whose result cannot tell of it."""
    results: dict[str, ToolResult] = {}

    @tool
    async def starts(ctx: ToolContext) -> None:
        async def job() -> None:
            await ctx.execute(ToolCall("mail"), scope=trio.CancelScope())

        await ctx.start_job(job).wait()

    async with opened(sends(Outbox()), starts) as registry:
        registry.add_observer(lambda call, result: results.__setitem__(call.name, result))
        await once(registry, "starts")
    assert (states(results["mail"]), results["starts"].effects) == (["mail.send committed"], ())


async def test_a_call_that_an_observer_makes_comes_too_late_for_the_one_it_observes(autojump_clock: MockClock) -> None:
    async def observe(call: CallView, result: ToolResult) -> None:
        if call.name == "nothing":
            await once(registry, "mail")

    async with open_registry() as registry:
        registry.register(sends(outbox := Outbox()))
        registry.add_observer(observe)
        result = await once(registry, "nothing")
    assert (len(outbox.sent), result.effects) == (1, ())


@pytest.mark.parametrize("review", [ReplaceContent("redacted"), Block("not for you")])
async def test_what_a_policy_took_out_of_the_nested_result_is_not_told_by_the_one_around_it(
    review: ReplaceContent | Block, autojump_clock: MockClock
) -> None:
    """M022: the receipt may be what it took out. The name is told."""

    def policy(call: CallView, result: ToolResult) -> ReplaceContent | Block | None:
        return review if call.name == "mail" else None

    async with opened(sends(Outbox()), forward) as registry:
        registry.add_post_policy(policy)
        result = await once(registry, "forward")
    assert result.text == "Error: LookupError: no such folder\nWent through, do not repeat: mail.send"
