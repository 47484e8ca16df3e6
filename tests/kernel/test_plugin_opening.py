"""Opening that is cut, and Ctrl-C at every line from opening to leaving: nothing hangs, and nothing is left."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import attrs
import pytest
import trio
from kernel_lines import Injector, Place
from test_plugin_lifetimes import leaf
from trio.testing import MockClock

from trio_tools import Plugin, Registry, ToolCall, ToolContext, ToolResult, open_registry, plugin, tool
from trio_tools.testing._scheduling import order_that_can_be_fixed, seed_order


@attrs.frozen
class Nothing:
    """No config."""


def noting(name: str, lines: list[str], opening: Callable[[], Awaitable[object]] | None = None) -> Plugin[Nothing]:
    @plugin(name, config=Nothing)
    @asynccontextmanager
    async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        if opening is not None:
            await opening()
        lines.append(f"open {name}")
        try:
            yield
        finally:
            lines.append(f"leave {name}")

    return opener


@pytest.mark.parametrize("plugins", [0, 1, 2])
async def test_a_registry_that_is_opened_in_a_cancelled_scope_is_cancelled(plugins: int) -> None:
    """Whether its plugins notice while they open or not."""
    lines: list[str] = []
    entered = False
    with trio.CancelScope() as scope:
        scope.cancel()
        async with open_registry(defaults=False, plugins=[noting(str(one), lines) for one in range(plugins)]):
            entered = True
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert not entered or not plugins
    assert [line for line in lines if line.startswith("leave")] == [
        line.replace("open", "leave") for line in reversed(lines) if line.startswith("open")
    ]


async def test_one_that_opens_all_the_same_when_it_is_cancelled_is_left(autojump_clock: MockClock) -> None:
    """It connects where nobody can cut it, and the impatient go on as soon as it has left."""

    async def deaf() -> None:
        with trio.CancelScope(shield=True, relative_deadline=60):
            await trio.sleep(5)

    lines: list[str] = []
    with trio.move_on_after(2) as impatient:
        async with open_registry(plugins=[noting("a", lines), noting("b", lines, deaf)]):
            lines.append("block")
    assert (impatient.cancelled_caught, trio.current_time()) == (True, 5)
    assert lines == ["open a", "open b", "leave b", "leave a"]


async def test_one_that_crashes_while_another_opens_unstoppably_is_what_comes_out(autojump_clock: MockClock) -> None:
    failure = OSError("no such port")

    @plugin("crashing", config=Nothing)
    @asynccontextmanager
    async def crashing(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        async def crash() -> None:
            await trio.sleep(1)
            raise failure

        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash)
            yield

    async def deaf() -> None:
        with trio.CancelScope(shield=True, relative_deadline=60):
            await trio.sleep(5)

    lines: list[str] = []
    with pytest.RaisesGroup(pytest.RaisesExc(OSError, check=lambda raised: raised is failure)):
        async with open_registry(plugins=[crashing, noting("b", lines, deaf)]):
            lines.append("block")
    assert lines == ["open b", "leave b"]


@pytest.mark.parametrize("first", ["a", "b"])
async def test_of_several_that_fail_the_first_in_time_comes_out(
    first: str, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    failures = {name: OSError(name) for name in "ab"}

    def crashing(name: str) -> Plugin[Nothing]:
        @plugin(name, config=Nothing)
        @asynccontextmanager
        async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            async with trio.open_nursery() as nursery:
                if name == first:
                    nursery.start_soon(crash)
                try:
                    yield
                finally:
                    if name != first:
                        raise failures[name]

        async def crash() -> None:
            await trio.sleep(1)
            raise failures[name]

        return opener

    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[crashing("a"), crashing("b")]):
            await trio.sleep(60)
    except BaseException as raised:
        came_out = raised
    assert leaf(came_out) is failures[first]
    assert getattr(came_out, "__notes__", []) == [f'in plugin "{first}"']
    assert len(caplog.records) == 1


async def a_cancelled() -> trio.Cancelled:
    """One of a scope that was left long ago."""
    found: list[trio.Cancelled] = []
    with trio.CancelScope() as elsewhere:
        elsewhere.cancel()
        try:
            await trio.lowlevel.checkpoint()
        except trio.Cancelled as kept:
            found.append(kept)
    return found[0]


@pytest.mark.parametrize("stage", ["opening", "leaving"])
async def test_a_cancelled_that_nobody_has_sent_is_a_plugin_s_failure(stage: str) -> None:
    stored = await a_cancelled()

    @plugin("keeping", config=Nothing)
    @asynccontextmanager
    async def keeping(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        if stage == "opening":
            raise stored
        yield
        raise stored

    with pytest.raises(RuntimeError, match='plugin "keeping" raised a Cancelled that no scope of its has sent'):
        async with open_registry(plugins=[keeping]):
            await trio.lowlevel.checkpoint()


async def a_life(lines: list[str]) -> None:
    """Two plugins, a call with a nested one in it, a job, and their observers."""

    @tool
    async def inner() -> None:
        await trio.sleep(1)

    @tool
    async def outer(ctx: ToolContext) -> None:
        async def job() -> None:
            await trio.sleep(2)

        ctx.start_job(job)
        await ctx.execute(ToolCall("inner"), scope=trio.CancelScope())

    async with open_registry(plugins=[noting("a", lines), noting("b", lines)]) as registry:
        registry.register(inner)
        registry.register(outer)
        registry.add_job_observer(lambda notice: lines.append(f"job {notice.status}"))
        await registry.execute(ToolCall("outer"), scope=trio.CancelScope())


def lived(injector: Injector, at: Place | None = None, *, seed: int) -> tuple[list[str], BaseException | None]:
    """A life with a Ctrl-C in it, and what came out."""
    seed_order(seed)
    lines: list[str] = []

    async def main() -> None:
        before = trio.lowlevel.current_statistics().tasks_living
        try:
            with injector.watching(at):
                await a_life(lines)
        finally:
            lines.append(f"{trio.lowlevel.current_statistics().tasks_living - before} tasks left")
        await trio.lowlevel.checkpoint()

    try:
        trio.run(main, clock=MockClock(autojump_threshold=0), instruments=[injector])
    except BaseException as raised:
        return lines, raised
    return lines, None


# Lines between two of those that Ctrl-C is tried at: all of them take a minute and were tried by hand.
STRIDE = 7


def test_ctrl_c_at_any_line_from_opening_to_leaving_leaves_nothing_and_comes_out_bare() -> None:
    """D17: each plugin that was opened is left, in reverse."""
    seed = random.getrandbits(32)  # another order of tasks in each session, and the same in all runs of this one
    with order_that_can_be_fixed():
        lived(Injector(), seed=seed)  # the first run makes what later ones find in caches
        counting = Injector()
        whole, _ = lived(counting, seed=seed)
        assert whole == ["open a", "open b", "job killed", "leave b", "leave a", "0 tasks left"]
        for at in sorted(counting.places())[::STRIDE]:
            injector = Injector()
            lines, came_out = lived(injector, at, seed=seed)
            assert injector.where, at
            assert type(came_out) is KeyboardInterrupt, (injector.where, came_out)
            opened = [line.removeprefix("open ") for line in lines if line.startswith("open")]
            left = [line.removeprefix("leave ") for line in lines if line.startswith("leave")]
            assert (left, lines[-1]) == (opened[::-1], "0 tasks left"), injector.where


@pytest.mark.parametrize("how", ["drain", "leave"])
async def test_what_comes_while_it_drains_is_not_waited_for(how: str, autojump_clock: MockClock) -> None:
    """Steady traffic does not keep a registry from coming to rest: each refused call takes a while to be recorded."""
    refused: list[str | None] = []

    async def slowly(event: object) -> None:
        await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        async with open_registry() as registry:
            registry.add_recorder(slowly)
            registry.register(tool(name="rest")(trio.lowlevel.checkpoint))

            async def client(offset: float) -> None:
                await trio.sleep(offset)
                with suppress(RuntimeError):  # closed at last
                    while trio.current_time() < 500:
                        result: ToolResult = await registry.execute(ToolCall("rest"), scope=trio.CancelScope())
                        refused.append(result.code)

            for number in range(10):
                nursery.start_soon(client, number / 10)
            await trio.sleep(20)
            if how == "drain":
                await registry.drain()
                assert trio.current_time() < 30
        assert trio.current_time() < 40
    assert "ABORTED_BEFORE_DISPATCH" in refused
