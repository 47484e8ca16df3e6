"""The limits of a command: which one ended it, and that no output in time counts as none."""

import math

import attrs
import pytest
import trio
from trio.testing import MockClock

from trio_tools.toolkits.shell._limits import Limit, Limits, wait_within


@attrs.define
class Command:
    """A command that exits and writes when it is told to."""

    exited: trio.Event = attrs.field(factory=trio.Event)
    wrote: float = attrs.field(factory=trio.current_time)
    unread: bool = False
    unwatched: bool = False  # who waits for it is told of an end that has not been seen

    def is_running(self) -> bool:
        return self.unwatched or not self.exited.is_set()

    async def wait_exit(self) -> None:
        await self.exited.wait()

    def is_waiting(self) -> bool:
        return self.unread

    async def write(self, every: float, times: int) -> None:
        """Write as often, so many seconds apart, and be read at once."""
        for _ in range(times):
            await trio.sleep(every)
            self.wrote = trio.current_time()

    async def exit_after(self, seconds: float) -> None:
        await trio.sleep(seconds)
        self.exited.set()


async def waited(command: Command, limits: Limits) -> tuple[Limit | None, float]:
    """Which limit ended it, and after how many seconds."""
    began = trio.current_time()
    limit = await wait_within(limits, command, command)
    return limit, round(trio.current_time() - began, 3)


@pytest.mark.parametrize(
    ("limits", "ended"),
    [
        (Limits(timeout=5), (Limit.TIMEOUT, 5)),
        (Limits(idle=3), (Limit.IDLE, 3)),
        (Limits(timeout=5, idle=3), (Limit.IDLE, 3)),
        (Limits(timeout=3, idle=5), (Limit.TIMEOUT, 3)),
        (Limits(timeout=3, idle=3), (Limit.TIMEOUT, 3)),  # of two that fall due together the outer one
    ],
)
async def test_the_first_limit_ends_a_silent_command(
    autojump_clock: MockClock, limits: Limits, ended: tuple[Limit, float]
) -> None:
    """T009, B011."""
    assert await waited(Command(), limits) == ended


async def test_what_is_written_winds_the_idle_limit_up_again(autojump_clock: MockClock) -> None:
    """T009."""
    command = Command()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(command.write, 2, 4)
        assert await waited(command, Limits(idle=3)) == (Limit.IDLE, 11)


async def test_a_command_that_always_writes_ends_by_the_other_limit(autojump_clock: MockClock) -> None:
    command = Command()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(command.write, 2, 20)
        assert await waited(command, Limits(timeout=9.5, idle=3)) == (Limit.TIMEOUT, 9.5)
        nursery.cancel_scope.cancel()


async def test_a_command_that_ends_by_itself_has_kept_its_limits(mock_clock: MockClock) -> None:
    """B024: also if the loop was blocked beyond them meanwhile."""
    command = Command()
    command.exited.set()
    limits = Limits(timeout=1, idle=1)
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def wait() -> None:
            assert await wait_within(limits, command, command) is None

        mock_clock.jump(5)


async def test_a_command_that_nobody_watches_any_more_is_not_waited_for(autojump_clock: MockClock) -> None:
    """B024: it has killed what watched over it, maybe."""
    command = Command(unwatched=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(command.exit_after, 2)
        assert await waited(command, Limits(timeout=5, idle=3)) == (None, 2)


async def test_output_that_nobody_had_the_time_to_read_counts(autojump_clock: MockClock) -> None:
    """T009: a blocked loop is not an idle command."""
    command = Command(unread=True)

    async def read_after(seconds: float) -> None:
        await trio.sleep(seconds)
        command.unread = False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_after, 7)
        assert await waited(command, Limits(idle=3)) == (Limit.IDLE, 9)


@pytest.mark.parametrize("limits", [Limits(), Limits(timeout=5), Limits(idle=5), Limits(timeout=6, idle=5)])
async def test_a_cancel_that_comes_first_is_no_limit(autojump_clock: MockClock, limits: Limits) -> None:
    """T006, T024, B024."""
    command = Command()
    with trio.CancelScope(relative_deadline=4) as scope:
        await wait_within(limits, command, command)
    assert scope.cancelled_caught


@pytest.mark.parametrize("limits", [Limits(timeout=2), Limits(idle=2)])
async def test_a_limit_that_comes_first_stays_the_cause(mock_clock: MockClock, limits: Limits) -> None:
    """T006, T025: also if the loop was blocked beyond both."""
    limit: Limit | None = None
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def wait() -> None:
            nonlocal limit
            with trio.CancelScope(relative_deadline=4):
                limit = await wait_within(limits, Command(), Command())

        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(9)
    assert limit is (Limit.IDLE if limits.idle else Limit.TIMEOUT)


async def test_without_limits_it_waits_for_years(autojump_clock: MockClock) -> None:
    """B040."""
    command = Command()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(command.exit_after, 1e8)
        assert await wait_within(Limits(), command, command) is None
    assert math.isclose(trio.current_time(), 1e8)
