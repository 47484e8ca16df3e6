"""Effects of plain functions, in their own threads: `SyncToolContext.irreversible(name, action, key=key)`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
import trio
from around_tools import opened
from turn_tools import Log, codes, once

from trio_tools import (
    Cause,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    EffectUnknownError,
    ErrorCode,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolResult,
    tool,
)

SENT = Effect("mail.send", EffectState.COMMITTED, {"id": 1})
SyncBody = Callable[[SyncToolContext], object]


def doing(body: SyncBody, name: str = "mail") -> Tool:
    """A tool whose body this is, in a thread."""

    @tool(name=name, parallel=True)
    def run_it(ctx: SyncToolContext) -> object:
        return body(ctx)

    return run_it


async def run(body: SyncBody) -> ToolResult:
    results: list[ToolResult] = []
    async with opened(doing(body)) as registry:
        results.append(await once(registry, "mail"))
    (result,) = results
    return result


class Threads:
    """What a thread says to the test: that it has come so far, and, the other way, that it may go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.goes_on = threading.Event()

    async def wait(self) -> None:
        await trio.to_thread.run_sync(self.begun.wait)

    def send(self) -> dict[str, int]:
        self.begun.set()
        self.goes_on.wait()
        return {"id": 1}


async def test_the_action_runs_in_the_body_s_own_thread_and_its_receipt_comes_back() -> None:
    """M022: recorded before and after, as an async one's is."""
    threads: list[int] = []
    log = Log()

    def send() -> dict[str, int]:
        threads.append(threading.get_ident())
        return {"id": 1}

    def body(ctx: SyncToolContext) -> object:
        threads.append(threading.get_ident())
        return ctx.irreversible("mail.send", send)

    async with opened(doing(body)) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail")
    assert (result.value, result.effects, threads[0] == threads[1]) == ({"id": 1}, (SENT,), True)
    kinds = [type(event) for event in log.events]
    assert kinds[3:5] == [EffectBegun, EffectEnded]


async def test_a_cancel_while_the_action_runs_is_not_told_to_it() -> None:
    """M022: `check_cancelled` raises nothing in the action, and does after it; the effect stands in the result."""
    threads = Threads()
    told: list[str] = []

    def send(ctx: SyncToolContext) -> dict[str, int]:
        receipt = threads.send()
        ctx.check_cancelled()
        trio.from_thread.check_cancelled()
        trio.from_thread.run(trio.lowlevel.checkpoint)
        told.append(f"cancel requested: {ctx.cancel_requested}")
        return receipt

    def body(ctx: SyncToolContext) -> None:
        told.append(str(ctx.irreversible("mail.send", partial(send, ctx))))
        ctx.check_cancelled()
        told.append("not reached")

    scope = trio.CancelScope()
    results: list[ToolResult] = []

    async with opened(doing(body)) as registry, trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _() -> None:
            results.append(await registry.execute(ToolCall("mail"), scope=scope))

        await threads.wait()
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        threads.goes_on.set()
    (result,) = results
    assert (result.code, result.cause, result.effects) == (ErrorCode.ABORTED, Cause.CALLER, (SENT,))
    assert told == ["cancel requested: True", "{'id': 1}"]


async def test_a_call_that_was_given_up_before_begins_nothing() -> None:
    """M021: the last look is in the task that waits for the thread."""
    threads = Threads()
    done: list[str] = []
    scope = trio.CancelScope()
    results: list[ToolResult] = []

    def body(ctx: SyncToolContext) -> None:
        threads.send()
        ctx.irreversible("mail.send", lambda: done.append("sent"))

    async with opened(doing(body)) as registry, trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _() -> None:
            results.append(await registry.execute(ToolCall("mail"), scope=scope))

        await threads.wait()
        scope.cancel()
        threads.goes_on.set()
    assert (results[0].code, results[0].effects, done) == (ErrorCode.ABORTED, (), [])


def bounce() -> None:
    raise ConnectionError("no such host")


def lose_sight() -> None:
    raise EffectUnknownError("no answer after DATA")


def stop() -> None:
    raise SystemExit(3)


async def later() -> None: ...


def forgets_to_await() -> object:
    return later()


@pytest.mark.parametrize(
    ("action", "state", "code"),
    [
        (bounce, EffectState.FAILED, ErrorCode.TOOL_FAILED),
        (stop, EffectState.FAILED, ErrorCode.TOOL_FAILED),
        (lose_sight, EffectState.UNKNOWN, ErrorCode.EFFECT_UNKNOWN),
        (object, EffectState.COMMITTED, ErrorCode.TOOL_FAILED),  # its receipt is no JSON
        (forgets_to_await, EffectState.UNKNOWN, ErrorCode.TOOL_FAILED),
    ],
)
async def test_what_becomes_of_it_is_told_as_of_any(
    action: Callable[[], object], state: EffectState, code: ErrorCode
) -> None:
    log = Log()
    async with opened(doing(lambda ctx: ctx.irreversible("mail.send", action))) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail")
    assert (result.code, result.effects[0].state) == (code, state)
    assert [event.effect for event in log.events if isinstance(event, EffectEnded)] == [*result.effects]


async def test_an_async_action_is_refused_and_told_what_to_do() -> None:
    """Nothing has begun."""

    async def send() -> None: ...

    def body(ctx: SyncToolContext) -> None:
        with pytest.raises(TypeError, match="pass a plain function, or declare the tool with async def"):
            ctx.irreversible("mail.send", send)
        with pytest.raises(TypeError, match="pass it as it is, uncalled"):
            ctx.irreversible("mail.send", send())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    result = await run(body)
    assert (result.error, result.effects) == (None, ())


async def test_a_plain_action_does_in_an_async_body_too() -> None:
    async def body(ctx: ToolContext) -> object:
        return await ctx.irreversible("mail.send", lambda: {"id": 1})  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]

    async with opened(tool(name="mail")(body)) as registry:
        result = await once(registry, "mail")
    assert (result.value, result.effects) == ({"id": 1}, (SENT,))


async def test_inside_of_it_there_is_no_other_and_no_call() -> None:
    """M022: for as long as it lasts."""

    def outer(ctx: SyncToolContext) -> None:
        with pytest.raises(RuntimeError, match=r"no effect .* inside of another"):
            ctx.irreversible("inner", bounce)
        with pytest.raises(RuntimeError, match="no call is made inside of an effect"):
            ctx.execute(ToolCall("other"), scope=trio.CancelScope())

    def body(ctx: SyncToolContext) -> str | None:
        ctx.irreversible("outer", partial(outer, ctx))
        ctx.irreversible("after", lambda: None)
        return ctx.execute(ToolCall("other"), scope=trio.CancelScope()).code

    result = await run(body)
    assert (result.value, [effect.name for effect in result.effects]) == (ErrorCode.UNKNOWN_TOOL, ["outer", "after"])


async def test_it_is_made_in_the_body_s_own_thread_and_inside_of_its_call() -> None:
    contexts: list[SyncToolContext] = []
    refused: list[str] = []

    def elsewhere(ctx: SyncToolContext) -> None:
        try:
            ctx.irreversible("mail.send", bounce)
        except RuntimeError as error:
            refused.append(str(error))

    def body(ctx: SyncToolContext) -> None:
        contexts.append(ctx)
        thread = threading.Thread(target=elsewhere, args=(ctx,))
        thread.start()
        thread.join()

    result = await run(body)
    elsewhere(contexts[0])
    await trio.to_thread.run_sync(elsewhere, contexts[0])
    assert (result.error, result.effects) == (None, ())
    assert [one.split(":")[0] for one in refused] == [
        "this thread wasn't created by Trio, pass kwarg trio_token=...",
        "this thread wasn't created by Trio, pass kwarg trio_token=...",
        "an effect ('mail.send') is made inside of its own call, and it has settled",
    ]


async def test_a_key_is_done_once_in_threads_too() -> None:
    """Two threads at once: the second waits, and can be cut while it does."""
    threads = Threads()

    def body(ctx: SyncToolContext) -> object:
        return ctx.irreversible("mail.send", threads.send, key="m1")

    async with opened(doing(body)) as registry, trio.open_nursery() as nursery:
        results: list[ToolResult] = []

        async def post(scope: trio.CancelScope) -> None:
            results.append(await registry.execute(ToolCall("mail"), scope=scope))

        nursery.start_soon(post, trio.CancelScope())
        await threads.wait()
        cut = trio.CancelScope()
        nursery.start_soon(post, cut)
        nursery.start_soon(post, trio.CancelScope())
        (under_way,) = registry._core.keys._under_way.values()
        while under_way.statistics().tasks_waiting < 2:  # their threads are on their way to it
            await trio.lowlevel.checkpoint()
        cut.cancel()
        while not results:
            await trio.lowlevel.checkpoint()
        threads.goes_on.set()
    assert sorted(codes(results), key=str) == [ErrorCode.ABORTED, None, None]
    earlier = [effect.earlier for result in results for effect in result.effects]
    assert sorted(earlier) == [False, True]
