"""Who ends a run, and what each signal is good for."""

import signal

import pytest
import trio
from pending_calls import pending
from trio.testing import MockClock

from trio_tools import ToolCall, ToolContext, open_registry, tool
from trio_tools.cli._status import FAILED, READER_GONE
from trio_tools.cli._stop import Step, Stop
from trio_tools.cli._stuck import MAX_CALLS, stuck

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


@pytest.mark.parametrize(
    ("signals", "steps", "status"),
    [
        ([INT], [Step.CANCEL], 130),
        ([INT, INT, INT, INT], [Step.CANCEL, Step.SHOW, Step.LEAVE, Step.LEAVE], 130),
        ([TERM], [Step.CANCEL], 143),
        ([HUP], [Step.CANCEL], 129),
        ([TERM, TERM, TERM, TERM], [Step.CANCEL, Step.NOTHING, Step.NOTHING, Step.NOTHING], 143),
        ([TERM, INT, INT], [Step.CANCEL, Step.SHOW, Step.LEAVE], 143),
        ([INT, TERM, INT, HUP, INT], [Step.CANCEL, Step.NOTHING, Step.SHOW, Step.NOTHING, Step.LEAVE], 130),
    ],
)
def test_each_signal_has_its_step(signals: list[int], steps: list[Step], status: int) -> None:
    """D19: cancel, show, leave; only Ctrl-C goes further."""
    stop = Stop(deadline=float("inf"))
    assert [stop.signalled(one) for one in signals] == steps
    assert stop.status == status


async def test_the_first_end_cancels_what_is_in_hand_and_keeps_its_status() -> None:
    stop = Stop(deadline=float("inf"))
    earlier, scope = stop.take_in_hand(), stop.take_in_hand()
    stop.end(READER_GONE, "")
    stop.end(FAILED, "")
    assert stop.signalled(INT) is Step.CANCEL
    assert stop.status == READER_GONE
    assert scope.cancel_called
    assert not earlier.cancel_called
    assert stop.take_in_hand().cancel_called


async def test_what_is_timed_ends_with_the_time(mock_clock: MockClock) -> None:
    stop = Stop(deadline=trio.current_time() + 5)
    assert stop.take_in_hand().deadline == trio.current_time() + 5
    assert stop.take_in_hand(timed=False).deadline == float("inf")
    mock_clock.jump(5)
    assert stop.take_in_hand().cancel_called
    assert stop.status is None


def test_it_is_told_where_each_call_is_stuck() -> None:
    """D19."""
    assert list(stuck([pending("bash", "a", since_cancel=1.5), pending("bash")], unwritten=2)) == [
        "lines that nobody has read from standard output yet: 2",
        "pending: bash a, in dispatch for 3.0 s, cancelled 1.5 s ago",
        "  x.py:1 f",
        "    y.py:2 g",
        "pending: bash, in dispatch for 3.0 s, not cancelled",
        "  x.py:1 f",
        "    y.py:2 g",
        "press Ctrl-C again to leave at once, without cleaning up",
    ]
    assert next(stuck([], unwritten=0)) == "no call is pending"


def test_of_very_many_the_first_are_told() -> None:
    told = list(stuck([pending("bash") for _ in range(1000)], unwritten=0))
    assert sum(line.startswith("pending") for line in told) == MAX_CALLS
    assert told[-2] == "and 980 more"


async def test_jobs_that_do_not_come_to_rest_are_told_too() -> None:
    """What a registry waits for at its end shows, with the line where it is stuck."""

    @tool
    async def start(ctx: ToolContext) -> None:
        ctx.start_job(trio.sleep_forever, name="watch")

    async with open_registry() as registry:
        registry.register(start)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        lines = list(stuck([], registry.jobs(), unwritten=0))
    assert lines[0].startswith("job: watch (job-1), running, started 0.")
    assert "no call is pending" not in lines
