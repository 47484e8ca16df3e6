"""Calls that a body makes: a whole pipeline each, a tree of events, and no deadlock on what is held around them."""

from __future__ import annotations

import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Heard, Log

from trio_tools import (
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    Registry,
    Session,
    SyncToolContext,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

# Levels of nesting, and calls side by side, that the issue asks for.
DEEP, WIDE = 50, 1_000


@tool
async def down(levels: int, ctx: ToolContext) -> list[str | None]:
    """Call itself so many levels down, then sleep; the codes below come back."""
    if not levels:
        await trio.sleep(100)
        return []
    result = await ctx.execute(ToolCall("down", {"levels": levels - 1}, id=str(levels - 1)), scope=trio.CancelScope())
    below = result.value
    assert isinstance(below, list)
    return [result.code, *[one if isinstance(one, str) else None for one in below]]


@tool
async def wide(calls: int, seconds: float, ctx: ToolContext) -> int:
    """Make so many calls at once; how many of them succeeded."""
    done: list[ToolResult] = []

    async def one(number: int) -> None:
        call = ToolCall("nap", {"seconds": seconds}, id=f"nap {number}")
        done.append(await ctx.execute(call, scope=trio.CancelScope()))

    async with trio.open_nursery() as nursery:
        for number in range(calls):
            nursery.start_soon(one, number)
    return sum(not result.is_error for result in done)


@tool
async def nap(seconds: float) -> str:
    await trio.sleep(seconds)
    return "rested"


def chain(log: Log) -> list[str]:
    """Breaks in the tree of events: who has no settled end, more than one, an unknown parent or another root."""
    places = {f"{one.ref.turn}/{one.ref.position}": one.ref for one in log.accepted}
    settled = [f"{one.ref.turn}/{one.ref.position}" for one in log.settled]
    roots = {ref.root for ref in places.values()}
    found = [place for place in places if settled.count(place) != 1]
    found += [place for place, ref in places.items() if ref.parent is not None and ref.parent not in places]
    found += [place for place, ref in places.items() if (ref.parent is None) != (ref.root == place)]
    return found if len(roots) == 1 else [*found, f"{len(roots)} roots"]


def setting(registry: Registry, log: Log | None = None, heard: Heard | None = None) -> tuple[Log, Heard]:
    log, heard = log or Log(), heard or Heard()
    for one in (down, wide, nap):
        registry.register(one)
    registry.add_recorder(log)
    registry.add_observer(heard)
    return log, heard


async def test_fifty_calls_deep_are_one_tree(autojump_clock: MockClock) -> None:
    """R003, R103: each knows its parent and the outermost."""
    async with open_registry() as registry:
        log, heard = setting(registry)
        result = await registry.execute(ToolCall("down", {"levels": DEEP}, id="top"), scope=trio.CancelScope())
    assert result.value == [None] * DEEP
    assert (len(log.settled), len(heard.results), chain(log)) == (DEEP + 1, DEEP + 1, [])
    root = heard.views[-1].token
    assert {view.root for view in heard.views} == {root}
    assert [view.parent for view in heard.views] == [*[view.token for view in heard.views[1:]], None]


async def test_a_thousand_calls_wide_are_one_tree(autojump_clock: MockClock) -> None:
    async with open_registry() as registry:
        log, _ = setting(registry)
        call = ToolCall("wide", {"calls": WIDE, "seconds": 3})
        result = await registry.execute(call, scope=trio.CancelScope())
        assert (result.value, trio.current_time()) == (WIDE, 3)
    assert (len(log.settled), chain(log)) == (WIDE + 1, [])


@pytest.mark.parametrize("by", ["caller", "deadline", "operator", "enclosing", "shutdown"])
async def test_what_ends_the_outermost_call_ends_all_fifty(by: str, autojump_clock: MockClock) -> None:
    """From above: each is settled once, the innermost first, and none before what it waited for."""
    result: ToolResult | None = None
    log, heard = Log(), Heard()
    with trio.CancelScope() as enclosing:
        async with open_registry() as registry:
            setting(registry, log, heard)
            scope = trio.CancelScope()

            async def go() -> None:
                nonlocal result
                result = await registry.execute(ToolCall("down", {"levels": DEEP}, id="top"), scope=scope)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(go)
                await wait_all_tasks_blocked()
                match by:
                    case "caller":
                        scope.cancel()
                    case "deadline":
                        scope.deadline = trio.current_time() + 5
                    case "operator":
                        assert registry.cancel("top", "enough") == 1
                    case "shutdown":
                        with trio.CancelScope() as draining:
                            draining.cancel()
                            await registry.drain()
                    case _:
                        enclosing.cancel()
    assert {one.code for one in heard.results} == {ErrorCode.ABORTED}
    assert heard.ids == [*map(str, range(DEEP)), "top"]
    assert chain(log) == []
    cause = {"operator": Cause.OPERATOR, "shutdown": Cause.SHUTDOWN}.get(by, Cause.CALLER)
    assert heard.results[-1].cause is cause
    assert (result is None) == (by == "enclosing")


async def test_a_nested_call_cancelled_alone_is_a_result_and_its_parent_goes_on(autojump_clock: MockClock) -> None:
    scope = trio.CancelScope()

    @tool
    async def parent(ctx: ToolContext) -> str:
        with_limit = trio.CancelScope(deadline=trio.current_time() + 2)
        first = await ctx.execute(ToolCall("nap", {"seconds": 60}, id="limited"), scope=with_limit)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_soon)
            second = await ctx.execute(ToolCall("nap", {"seconds": 60}, id="given up"), scope=scope)
        third = await ctx.execute(ToolCall("nap", {"seconds": 1}), scope=trio.CancelScope())
        return f"{first.code} {second.code} {third.value}"

    async def cancel_soon() -> None:
        await trio.sleep(1)
        scope.cancel()

    async with open_registry() as registry:
        log, heard = setting(registry)
        registry.register(parent)
        result = await registry.execute(ToolCall("parent"), scope=trio.CancelScope())
    assert (result.value, trio.current_time()) == ("ABORTED ABORTED rested", 4)
    assert [one.cause for one in heard.results] == [Cause.CALLER, Cause.CALLER, None, None]
    assert chain(log) == []


async def test_a_budget_of_the_parent_ends_the_nested_call_and_each_says_so(autojump_clock: MockClock) -> None:
    """The parent's time ran out; the nested call was given up by its caller, the parent."""

    @tool(timeout=5)
    async def parent(ctx: ToolContext) -> str:
        return (await ctx.execute(ToolCall("nap", {"seconds": 60}), scope=trio.CancelScope())).text

    async with open_registry() as registry:
        _, heard = setting(registry)
        registry.register(parent)
        result = await registry.execute(ToolCall("parent"), scope=trio.CancelScope())
    assert [(one.code, one.cause) for one in heard.results] == [
        (ErrorCode.ABORTED, Cause.CALLER),
        (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE),
    ]
    assert result is heard.results[-1]


async def test_a_nested_call_passes_all_stages_on_behalf_of_the_same_session(autojump_clock: MockClock) -> None:
    met: list[tuple[str, str, Session | None]] = []

    def policy(view: CallView) -> None:
        met.append(("policy", view.name, view.session))

    async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        met.append(("wrapper", dispatch.name, dispatch.session))
        return dispatch.success("from the wrapper") if dispatch.name == "nap" else await call_next()

    @tool
    async def parent(ctx: ToolContext) -> str:
        return (await ctx.execute(ToolCall("nap", {"seconds": 60}), scope=trio.CancelScope())).text

    session = Session("s", owner="o")
    async with open_registry() as registry:
        setting(registry)
        registry.register(parent)
        registry.add_pre_policy(policy)
        registry.add_wrapper(wrapper)
        result = await registry.execute(ToolCall("parent"), scope=trio.CancelScope(), session=session)
    assert result.value == "from the wrapper"
    assert met == [(what, name, session) for name in ("parent", "nap") for what in ("policy", "wrapper")]


async def test_nested_calls_wait_for_no_token_that_those_around_them_hold() -> None:
    """B35: a pool of one, plain and async bodies, fifty levels; and a context handed on to the level below."""
    pool = trio.CapacityLimiter(1)
    contexts: list[ToolContext] = []

    @tool(pool=pool)
    async def asynchronous(levels: int, ctx: ToolContext) -> int:
        contexts.append(ctx)
        if not levels:
            return 0
        scope = trio.CancelScope()
        result = await contexts[0].execute(ToolCall("plain", {"levels": levels - 1}), scope=scope)
        assert isinstance(result.value, int)
        return result.value + 1

    @tool(pool=pool)
    def plain(levels: int, ctx: SyncToolContext) -> int:
        if not levels:
            return 0
        result = ctx.execute(ToolCall("asynchronous", {"levels": levels - 1}), scope=trio.CancelScope())
        assert isinstance(result.value, int)
        return result.value + 1

    async with open_registry() as registry:
        registry.register(asynchronous)
        registry.register(plain)
        with trio.fail_after(30):
            result = await registry.execute(ToolCall("asynchronous", {"levels": DEEP}), scope=trio.CancelScope())
    assert (result.value, pool.borrowed_tokens) == (DEEP, 0)


async def test_a_plain_body_s_nested_call_is_ended_with_it(autojump_clock: MockClock) -> None:
    seen: list[str] = []

    @tool
    def plain(ctx: SyncToolContext) -> str:
        try:
            return ctx.execute(ToolCall("nap", {"seconds": 1_000}, id="inner"), scope=trio.CancelScope()).text
        except BaseException as thrown:
            seen.append(type(thrown).__name__)
            raise

    async with open_registry() as registry:
        log, heard = setting(registry)
        registry.register(plain)
        scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: registry.execute(ToolCall("plain", id="outer"), scope=scope))
            while len(log.story) < 6:
                await trio.lowlevel.checkpoint()
            scope.cancel()
    assert seen == ["Cancelled"]
    assert [(one.call_id, one.code) for one in heard.results] == [("inner", "ABORTED"), ("outer", "ABORTED")]
    assert chain(log) == []


async def test_misuse_of_a_nested_call_is_told_at_once() -> None:
    """As for `registry.execute`: programming errors, not results."""
    kept: list[ToolContext] = []
    met: list[str] = []

    @tool
    async def careless(ctx: ToolContext) -> None:
        kept.append(ctx)
        scope = trio.CancelScope()
        with scope:
            pass
        for wrong in (None, scope):
            try:
                await ctx.execute(ToolCall("nap", {"seconds": 0}), scope=wrong)  # type: ignore[arg-type]  # the misuse
            except (TypeError, RuntimeError) as error:
                met.append(f"{type(error).__name__}: {error}")

    async with open_registry() as registry:
        setting(registry)
        registry.register(careless)
        await registry.execute(ToolCall("careless"), scope=trio.CancelScope())
        with pytest.raises(RuntimeError, match="a context makes calls inside of its own call, and it has settled"):
            await kept[0].execute(ToolCall("nap", {"seconds": 0}), scope=trio.CancelScope())
        with pytest.raises(RuntimeError, match="the call has settled: it can start no more jobs"):
            kept[0].start_job(trio.lowlevel.cancel_shielded_checkpoint)
    assert met == [
        "TypeError: scope must be a trio.CancelScope that you own, not NoneType",
        "RuntimeError: this scope was entered before; a cancel scope serves one call or turn, make a new one",
    ]
