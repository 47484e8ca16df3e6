"""Case B24: cancels and progress that come late, or for nobody. Such messages race by nature."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, Heard, begin, codes, nap, naps, once

from trio_tools import CallView, Cause, ErrorCode, Progress, ToolCall, ToolContext, ToolResult, open_registry, tool

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


async def test_case_b24_a_cancel_for_nobody(autojump_clock: MockClock) -> None:
    """Case B24 (a): an id that has finished, one never seen, the same twice; no exception, no second result."""
    heard = Heard()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_observer(heard)
        await registry.execute(nap("a"), scope=trio.CancelScope())
        assert [registry.cancel(name) for name in ("a", "a", "never seen", "")] == [0, 0, 0, 0]
        result = await registry.execute(nap("b"), scope=trio.CancelScope())
    assert (result.code, heard.ids) == (None, ["a", "b"])


async def test_case_b24_the_same_cancel_twice(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B24 (a), D19: the first counts; also while the call cleans up."""
    heard = Heard()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_observer(heard)
        run = begin(nursery, registry, naps("a", 9))
        await trio.sleep(1)
        assert [registry.cancel("a", "first"), registry.cancel("a", "second")] == [1, 0]
        await trio.sleep(1)
        assert registry.cancel("a") == 0
    assert (run.codes, heard.ids) == ([ABORTED], ["a"])


@pytest.mark.parametrize("listener", ["observer", "on_settled", "finalizer", "recorder"])
async def test_case_b24_a_cancel_from_whoever_hears_of_the_result(listener: str) -> None:
    """Case B24 (a): it is too late by then; the next call works."""
    heard, cancelled = Heard(), list[int]()

    def cancel(*_: object) -> None:
        cancelled.append(registry.cancel("c"))

    async def record(event: object) -> None:
        if type(event).__name__ == "CallSettled":
            cancel()

    @tool(finalize_content=cancel if listener == "finalizer" else None)
    async def echo(text: str) -> str:
        return text

    async with open_registry() as registry:
        registry.register(echo)
        if listener == "observer":
            registry.add_observer(cancel)
        if listener == "recorder":
            registry.add_recorder(record)
        registry.add_observer(heard)
        results = [
            (
                await registry.execute_turn(
                    [ToolCall("echo", {"text": text}, id="c")],
                    scope=trio.CancelScope(),
                    on_settled=cancel if listener == "on_settled" else None,
                )
            )[0]
            for text in "ab"
        ]
    assert ([result.text for result in results], cancelled) == (["a", "b"], [0, 0])
    assert heard.results == results


async def test_case_b24_one_of_two_is_cancelled(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B24 (b): it gets ABORTED promptly, and the other finishes."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("ab", 5))
        await trio.sleep(1)
        assert registry.cancel("a", "not needed any more") == 1
        await trio.sleep(9)
    assert (run.codes, run.settled) == ([ABORTED, None], {0: 1, 1: 5})
    assert bodies.left == {"a": 1, "b": 5}
    assert run.told[0][1].cause is Cause.OPERATOR


async def test_case_b24_calls_that_share_an_id_or_have_none(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B24, R002: all that have the id are meant, waiting ones too, and a call without one is not."""
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        labelled = [(label, {"label": label, "seconds": 5}) for label in "abcd"]
        ids = {"a": "twice", "b": None, "c": "other", "d": "twice"}
        run = begin(nursery, registry, [ToolCall("nap", arguments, id=ids[label]) for label, arguments in labelled])
        await trio.sleep(1)
        assert registry.cancel("twice") == 2
        await trio.sleep(20)
    assert run.codes == [ABORTED, None, None, NEVER_RAN]


async def test_case_b24_a_cancel_in_the_tick_in_which_the_call_ends(autojump_clock: MockClock) -> None:
    """Case B24 (a): either way there is one result, and what was said of the cancel is true."""
    outcomes: set[tuple[str | None, int]] = set()
    for _ in range(50):
        heard = Heard()
        async with open_registry() as registry, trio.open_nursery() as nursery:
            Bodies(registry)
            registry.add_observer(heard)
            run = begin(nursery, registry, naps("a", 1))
            await trio.sleep(1)
            count = registry.cancel("a")
        assert run.results is not None
        assert heard.results == [*run.results]
        outcomes.add((run.codes[0], count))
    assert outcomes <= {(None, 0), (ABORTED, 1)}


async def test_case_b24_what_an_operator_says_reaches_the_body(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B24 (b): the reason, and that a cancel was asked for."""
    said: list[tuple[bool, str | None]] = []

    @tool
    async def listen(ctx: ToolContext) -> None:
        try:
            await trio.sleep_forever()
        finally:
            said.append((ctx.cancel_requested, ctx.cancel_reason))

    async with open_registry() as registry:
        registry.register(listen)
        run = begin(nursery, registry, [ToolCall("listen", id="l")])
        await trio.sleep(1)
        registry.cancel("l", "the disk is needed")
        await wait_all_tasks_blocked()
    assert (run.codes, said) == ([ABORTED], [(True, "the disk is needed")])


async def test_case_b24_progress_after_the_result_is_dropped(autojump_clock: MockClock) -> None:
    """Case B24 (c): quietly, and it appears nowhere; once more after the turn has ended."""
    kept: list[Callable[[float], None]] = []
    seen: list[float] = []

    @tool
    async def work(ctx: ToolContext) -> str:
        kept.append(ctx.report_progress)
        ctx.report_progress(1)
        return "a"

    def observe(call: CallView, result: ToolResult) -> None:
        kept[0](2)

    def progress(call: CallView, reported: Progress) -> None:
        seen.append(reported.done)

    async with open_registry() as registry:
        registry.register(work)
        registry.add_observer(observe)
        registry.add_progress_observer(progress)
        first = await once(registry, "work")
        kept[0](3)
        second = await once(registry, "work")
    kept[0](4)
    assert (codes([first, second]), seen) == ([None, None], [1, 1])


async def test_case_b24_progress_of_a_task_that_outlives_its_call_is_dropped(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B24 (c): also of a call that was cancelled."""
    seen: list[float] = []

    @tool
    async def work(ctx: ToolContext) -> None:
        nursery.start_soon(report, ctx)
        await trio.sleep_forever()

    async def report(ctx: ToolContext) -> None:
        for done in range(5):
            ctx.report_progress(done)
            await trio.sleep(1)

    async with open_registry() as registry:
        registry.register(work)
        registry.add_progress_observer(lambda call, progress: seen.append(progress.done))
        scope = trio.CancelScope(deadline=trio.current_time() + 1.5)
        result = await registry.execute(ToolCall("work"), scope=scope)
        await trio.sleep(9)
    assert (result.code, seen) == (ABORTED, [0, 1])
