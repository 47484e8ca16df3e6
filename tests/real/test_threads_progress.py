"""What a thread tells while it runs: progress, and context variables."""

from __future__ import annotations

from contextvars import ContextVar

import trio
from test_threads import Gate, Running, execute
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import CallView, Cause, ErrorCode, Progress, SyncToolContext, open_registry, tool


async def test_progress_of_a_thread_comes_in_order_and_before_its_result() -> None:
    """T009: all of it, on Trio's own thread."""
    heard: list[float | str] = []

    @tool
    def work(ctx: SyncToolContext) -> str:
        for done in range(100):
            ctx.report_progress(done, 100)
        return "done"

    def hear(view: CallView, progress: Progress) -> None:
        trio.lowlevel.current_trio_token()  # raises anywhere else
        heard.append(progress.done)

    async with open_registry() as registry:
        registry.register(work)
        registry.add_progress_observer(hear)
        registry.add_observer(lambda view, result: heard.append("settled"))
        await execute(registry, "work")
    assert heard == [*range(100), "settled"]


async def keep_context(kept: list[SyncToolContext], heard: list[float]) -> None:
    """Run a tool whose context outlives it, and report from a thread when the call is over."""

    @tool
    def leave_behind(ctx: SyncToolContext) -> None:
        kept.append(ctx)

    async with open_registry() as registry:
        registry.register(leave_behind)
        registry.add_progress_observer(lambda view, progress: heard.append(progress.done))
        await execute(registry, "leave_behind")
        await trio.to_thread.run_sync(kept[0].report_progress, 1)
        await wait_all_tasks_blocked()


def test_late_progress_of_a_thread_is_dropped() -> None:
    """T009: when the call is over, and when the loop is."""
    kept: list[SyncToolContext] = []
    heard: list[float] = []
    trio.run(keep_context, kept, heard)
    kept[0].report_progress(2)
    assert (heard, len(kept)) == ([], 1)


async def test_progress_of_a_thread_keeps_its_idle_budget_from_running_out(mock_clock: MockClock) -> None:
    """T009, TT8: told from the thread; without more of it the budget runs out."""
    gates = [Gate(), Gate(), Gate()]
    heard = [trio.Event(), trio.Event()]

    @tool(idle_timeout=2)
    def work(ctx: SyncToolContext) -> str:
        for nth, gate in enumerate(gates):
            gate.wait()
            ctx.check_cancelled()
            ctx.report_progress(nth)
        return "done"

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(work)
        registry.add_progress_observer(lambda view, progress: heard[int(progress.done)].set())
        running = Running(registry)
        nursery.start_soon(running.go, "work")
        for nth in range(2):
            await gates[nth].reached.wait()
            mock_clock.jump(1.5)
            await wait_all_tasks_blocked(0.01)
            gates[nth].opened.set()
            await heard[nth].wait()
        await gates[2].reached.wait()
        mock_clock.jump(2)
        await wait_all_tasks_blocked(0.01)
        gates[2].opened.set()
    (result,) = running.results
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, 5)


VARIABLE: ContextVar[str] = ContextVar("VARIABLE", default="unset")


async def test_context_variables_go_in_and_are_seen_by_observers_only() -> None:
    """R048: the thread sees its caller's; observers see the thread's; nothing flows back."""
    seen: list[str] = []

    @tool
    def work() -> None:
        seen.append(VARIABLE.get())
        VARIABLE.set("thread's")

    async with open_registry() as registry:
        registry.register(work)
        registry.add_observer(lambda view, result: seen.append(VARIABLE.get()))
        VARIABLE.set("caller's")
        await execute(registry, "work")
        seen.append(VARIABLE.get())
    assert seen == ["caller's", "thread's", "caller's"]
