"""Ownership against a model: random times of every cause, random cleanups; the model only knows "the first one"."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf

import attrs
import trio
from around_tools import Wrapper, execute, later, opened, rest, shield, silent_limit
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, ErrorInfo, ToolResult, tool

EXAMPLES = 60  # half a second or so

# distinct instants, so that no two causes fall due in one pass of the scheduler, which nobody orders
INSTANTS = st.permutations(range(1, 9))
CAUSES = ("caller", "operator", "outer", "budget", "inner")


@attrs.frozen
class Story:
    """When each cause falls due (`inf`: never), when the work would be done by itself, and how it ends."""

    caller: float
    operator: float
    outer: float  # a claim of a wrapper outside of the budget
    budget: float
    inner: float  # a claim of a wrapper inside of it
    work: float
    cleanup: float
    caller_by_deadline: bool
    how: str
    shields: frozenset[int] = frozenset()  # between which wrappers

    @property
    def first(self) -> str:
        """What ends the call: the earliest of all, the work among them."""
        return min(("work", *CAUSES), key=lambda name: float(getattr(self, name)))


@st.composite
def stories(draw: st.DrawFn) -> Story:
    times = draw(INSTANTS)
    never = draw(st.sets(st.sampled_from(CAUSES)))
    at = {name: inf if name in never else time for name, time in zip((*CAUSES, "work"), times, strict=False)}
    return Story(
        **at,
        cleanup=draw(st.sampled_from([0, 0.5, 2.5, 10])),
        caller_by_deadline=draw(st.booleans()),
        how=draw(st.sampled_from(["cancelled", "value", "error", "group"])),
        shields=frozenset(draw(st.sets(st.sampled_from([0, 1, 2])))),
    )


async def end_as(how: str) -> str:
    """The end of a body that was cut."""
    if how == "error":
        raise ValueError("own")
    if how == "group":
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
    if how == "cancelled":
        await trio.sleep_forever()
    return "late"


async def tell(story: Story) -> tuple[ToolResult, float]:
    """Let it happen; the result, and when it came."""

    @tool(timeout=None if story.budget == inf else story.budget)
    async def work() -> str:
        try:
            await trio.sleep(story.work)
        except trio.Cancelled:
            await rest(story.cleanup)
            return await end_as(story.how)
        return "done"

    def shields(place: int) -> list[Wrapper]:
        return [shield] if place in story.shields else []

    outside = [*shields(0), claiming("OUTER", story.outer), *shields(1)]
    async with opened(work, wrappers=outside, outside=True) as registry:
        for wrapper in (claiming("INNER", story.inner), *shields(2)):
            registry.add_wrapper(wrapper)
        async with trio.open_nursery() as nursery:
            if story.operator < inf:
                nursery.start_soon(later, story.operator, lambda: registry.cancel("x"))
            by_hand, deadline = (inf, story.caller) if story.caller_by_deadline else (story.caller, inf)
            result = await execute(registry, "work", call_id="x", cancel_at=by_hand, deadline=deadline)
            nursery.cancel_scope.cancel()
            return result, trio.current_time()
    raise AssertionError("the nursery was cancelled too early")


def claiming(code: str, seconds: float) -> Wrapper:
    async def claim(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if seconds == inf:
            return await call_next()
        return await dispatch.within(seconds, call_next, ErrorInfo("Limit", code, "too slow"))

    return claim


CODES = {"outer": "OUTER", "inner": "INNER", "budget": ErrorCode.TOOL_TIMEOUT}
NAMES = {"caller": Cause.CALLER, "operator": Cause.OPERATOR}


def expected(story: Story) -> tuple[str | None, Cause | None]:
    first = story.first
    if first == "work":
        return None, None
    if first in CODES:
        return CODES[first], Cause.DEADLINE
    # a claim that falls due in the cleanup replaces nothing; the body's own error stands (R050)
    return (ErrorCode.TOOL_FAILED, None) if story.how == "error" else (ErrorCode.ABORTED, NAMES[first])


def virtually(main: Callable[[], Awaitable[None]]) -> None:
    trio.run(main, clock=MockClock(autojump_threshold=0))


@settings(max_examples=EXAMPLES, deadline=None)
@given(story=stories())
@example(Story(1, inf, inf, 2, inf, 8, 10, False, "error"))
@example(Story(3, inf, 2, 1, inf, 8, 10, True, "group"))
def test_the_first_cause_owns(story: Story) -> None:
    """D5, T006, T023, T024, T025, T026, TT1, TT1b, R049, R050: whatever else falls due before the body is at rest."""

    async def main() -> None:
        result, ended = await tell(story)
        first = float(getattr(story, story.first))
        assert (result.code, result.cause) == expected(story)
        assert result.dispatched
        assert ended == first + (0 if story.first == "work" else story.cleanup)
        if story.how == "value" and story.first != "work":
            assert result.superseded is not None
            assert result.superseded.value == "late"

    virtually(main)


@attrs.frozen
class Cuts:
    """A wrapper that only cuts, outside of a budget, and a caller who cancels: three instants and a cleanup."""

    wrapper: float
    budget: float
    caller: float
    cleanup: float
    by_hand: bool


def cutting(cuts: Cuts) -> Wrapper:
    async def cut(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        results: list[ToolResult] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(later, cuts.wrapper, nursery.cancel_scope.cancel)
            results.append(await call_next())
            nursery.cancel_scope.cancel()
        return results[0]

    return cut if cuts.by_hand else silent_limit(cuts.wrapper)


@settings(max_examples=30, deadline=None)
@given(
    times=st.permutations([1, 2, 3]),
    caller_comes=st.booleans(),
    cleanup=st.sampled_from([0, 0.5, 1.5, 10]),
    by_hand=st.booleans(),
)
@example(times=[1, 2, 3], caller_comes=True, cleanup=10, by_hand=True)
def test_a_wrapper_that_claims_nothing_is_a_cause_too(
    times: list[int], caller_comes: bool, cleanup: float, by_hand: bool
) -> None:
    """D5, T024, T025, T026, TT1b: by hand or by deadline, a wrapper's cut before the budget makes no timeout."""
    wrapper, budget, caller = times
    cuts = Cuts(wrapper, budget, caller if caller_comes else inf, cleanup, by_hand)

    async def main() -> None:
        @tool(timeout=cuts.budget)
        async def work() -> None:
            try:
                await trio.sleep_forever()
            finally:
                await rest(cuts.cleanup)

        async with opened(work, wrappers=[cutting(cuts)], outside=True) as registry:
            result = await execute(registry, "work", cancel_at=cuts.caller)
        first = min(cuts.wrapper, cuts.budget, cuts.caller)
        assert result.code == (ErrorCode.TOOL_TIMEOUT if first == cuts.budget else ErrorCode.ABORTED)
        assert trio.current_time() == first + cuts.cleanup

    virtually(main)
