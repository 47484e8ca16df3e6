"""A recorder that writes many events at once, and returns one acknowledgement to all who wait for them: in time or not,
each is told as if its wait had a scope of its own."""

from __future__ import annotations

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, codes, kind, nap

from trio_tools import CallEvent, ErrorCode, Registry, ToolResult, open_registry
from trio_tools.pipeline import Acknowledgement, Grace

GRACE = 5.0
REFUSED = str(ErrorCode.RECORD_FAILED)


class Grouped:
    """Has every *dispatching* wait for one acknowledgement, until `written`."""

    def __init__(self) -> None:
        self.group = Acknowledgement()

    def __call__(self, event: CallEvent) -> Acknowledgement | None:
        return self.group if kind(event) == "dispatching" else None


async def execute_all(registry: Registry, labels: str, results: list[ToolResult]) -> None:
    async def one(label: str) -> None:
        results.append(await registry.execute(nap(label), scope=trio.CancelScope()))

    async with trio.open_nursery() as nursery:
        for label in labels:
            nursery.start_soon(one, label)


async def test_no_body_begins_before_it_is_given_and_then_all_do() -> None:
    results = list[ToolResult]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        bodies, recorder = Bodies(registry), Grouped()
        registry.add_recorder(recorder)
        nursery.start_soon(execute_all, registry, "abc", results)
        await wait_all_tasks_blocked()
        assert bodies.entered == {}
        recorder.group.give()
    assert codes(results) == [None, None, None]


async def test_what_it_is_refused_for_refuses_each_call() -> None:
    """L014."""
    results = list[ToolResult]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        bodies, recorder = Bodies(registry), Grouped()
        registry.add_recorder(recorder)
        nursery.start_soon(execute_all, registry, "ab", results)
        await wait_all_tasks_blocked()
        recorder.group.refuse(OSError("disk full"))
    assert (codes(results), bodies.entered) == ([REFUSED, REFUSED], {})
    assert all(result.text.endswith("the call could not be recorded: OSError: disk full") for result in results)


async def test_the_second_recorder_is_told_when_the_first_has_acknowledged() -> None:
    told = list[str]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        Bodies(registry)
        recorder = Grouped()
        registry.add_recorder(recorder)
        registry.add_recorder(lambda event: told.append(kind(event)))
        nursery.start_soon(execute_all, registry, "a", list[ToolResult]())
        await wait_all_tasks_blocked()
        assert told == ["accepted", "decided"]
        recorder.group.give()
    assert told == ["accepted", "decided", "dispatching", "settled"]


async def test_a_call_that_is_given_up_meanwhile_waits_for_it_and_never_runs() -> None:
    scope, results = trio.CancelScope(), list[ToolResult]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        bodies, recorder = Bodies(registry), Grouped()
        registry.add_recorder(recorder)

        async def execute() -> None:
            results.append(await registry.execute(nap("a"), scope=scope))

        nursery.start_soon(execute)
        await wait_all_tasks_blocked()
        scope.cancel()
        await wait_all_tasks_blocked()
        assert results == []
        recorder.group.give()
    assert (codes(results), bodies.entered) == ([ErrorCode.ABORTED_BEFORE_DISPATCH], {})


async def test_one_that_is_never_given_holds_up_each_call_for_its_own_grace(autojump_clock: MockClock) -> None:
    """B36."""
    results, ended = list[ToolResult](), list[float]()

    async with open_registry(recorder_grace=GRACE) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(Grouped())

        async def execute(label: str, after: float) -> None:
            await trio.sleep(after)
            results.append(await registry.execute(nap(label), scope=trio.CancelScope()))
            ended.append(trio.current_time() - began)

        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for label, after in zip("abc", (0, 1, 3), strict=True):
                nursery.start_soon(execute, label, after)
    assert ended == pytest.approx([GRACE, GRACE + 1, GRACE + 3])
    assert (codes(results), bodies.entered) == ([REFUSED] * 3, {})
    assert "took longer than 5 s" in results[0].text


async def test_whoever_awaits_one_by_himself_may_be_cancelled_and_hears_what_it_was_refused_for() -> None:
    group = Acknowledgement()
    with trio.CancelScope() as scope:
        scope.cancel()
        await group
    assert scope.cancelled_caught
    assert not group.is_awaited
    group.refuse(OSError("disk full"))
    with pytest.raises(OSError, match="disk full"):
        await group


# a wait: when it begins, for which acknowledgement, in seconds
WAITS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=12)
# when each acknowledgement is given: before some waits begin, after some graces have run out, or never
GIVEN = st.lists(st.none() | st.integers(0, 20).map(lambda number: number + 0.5), min_size=4, max_size=4)


@given(waits=WAITS, given_at=GIVEN)
@settings(deadline=None)
def test_each_wait_ends_when_its_own_is_given_or_its_own_grace_is_over(
    waits: list[tuple[int, int]], given_at: list[float | None]
) -> None:
    """Whoever keeps the time for the others, and however often that is handed on."""
    ends = dict[int, tuple[bool, float]]()

    async def main() -> None:
        grace, groups = Grace(GRACE), [Acknowledgement() for _ in given_at]
        began = trio.current_time()

        async def wait(number: int, after: float, group: Acknowledgement) -> None:
            await trio.sleep(after)
            in_time = await grace.wait(group)
            ends[number] = in_time, round(trio.current_time() - began, 6)

        async def give(group: Acknowledgement, after: float) -> None:
            await trio.sleep(after)
            group.give()

        async with trio.open_nursery() as nursery:
            for number, (after, which) in enumerate(waits):
                nursery.start_soon(wait, number, after, groups[which])
            for group, at in zip(groups, given_at, strict=True):
                if at is not None:
                    nursery.start_soon(give, group, at)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    for number, (after, which) in enumerate(waits):
        at = given_at[which]
        due = after + GRACE
        expected = (True, max(after, at)) if at is not None and at < due else (False, due)
        assert ends[number] == expected
