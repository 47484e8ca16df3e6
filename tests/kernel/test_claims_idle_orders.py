"""Idle budgets against a model: random progress, random other causes, and the first one owns."""

from __future__ import annotations

from math import inf

import attrs
import trio
from around_tools import Wrapper, execute, limit, opened, rest, shield, silent_limit
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from trio_tools import Cause, ErrorCode, ToolContext, ToolResult, tool

EXAMPLES = 60  # half a second or so


@attrs.frozen
class Story:
    """Pauses before each report of progress, the idle budget, and when else the call would end (`inf`: never)."""

    pauses: list[float]
    idle: float
    caller: float
    outer: float  # a wrapper outside of the budget
    outer_claims: bool
    shielded: bool  # whether a wrapper inside of the budget shields
    cleanup: float
    by_deadline: bool

    @property
    def idle_due(self) -> float:
        """When the idle budget runs out, for all that is reported until anything ends the call."""
        now, due, other = 0.0, self.idle, min(self.caller, self.outer)
        for pause in self.pauses:
            now += pause
            if now >= min(due, other):
                break
            due = now + self.idle
        return due


QUARTERS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    # what falls due by itself is never at a quarter, so that no two causes are at one instant
    return Story(
        draw(st.lists(st.sampled_from(QUARTERS), max_size=5)),
        draw(st.sampled_from([1.03125, 1.53125])),
        draw(st.sampled_from([0.125, 1.125, 2.125, 4.125, inf])),
        draw(st.sampled_from([0.0625, 1.0625, 2.0625, 3.0625, inf])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from([0, 0.5, 5])),
        draw(st.booleans()),
    )


async def tell(story: Story) -> tuple[ToolResult, float]:
    """Let it happen; the result, and when it came."""

    @tool(idle_timeout=story.idle)
    async def work(ctx: ToolContext) -> None:
        try:
            for nth, pause in enumerate(story.pauses):
                await trio.sleep(pause)
                ctx.report_progress(nth)
            await trio.sleep_forever()
        finally:
            await rest(story.cleanup)

    outside: list[Wrapper] = []
    if story.outer < inf:
        outside.append(limit(story.outer) if story.outer_claims else silent_limit(story.outer))
    results: list[tuple[ToolResult, float]] = []
    async with opened(work, wrappers=outside, outside=True) as registry:
        if story.shielded:
            registry.add_wrapper(shield)
        deadline, by_hand = (story.caller, inf) if story.by_deadline else (inf, story.caller)
        result = await execute(registry, "work", deadline=deadline, cancel_at=by_hand)
        results.append((result, trio.current_time()))
    return results[0]


@settings(max_examples=EXAMPLES, deadline=None)
@given(story=stories())
@example(Story([1, 1], 1.53125, 4.125, 3.0625, False, False, 5, False))
def test_progress_moves_the_budget_and_the_first_cause_owns(story: Story) -> None:
    """T009, T006, T026, D5, TT1b, TT8."""
    causes = {"idle": story.idle_due, "caller": story.caller, "outer": story.outer}
    # a wrapper that only cuts is shielded off, as in any Trio program
    assume(story.outer_claims or not story.shielded or story.outer > min(story.idle_due, story.caller))
    result, ended = trio.run(tell, story, clock=MockClock(autojump_threshold=0))
    first = min(causes, key=lambda name: causes[name])
    codes: dict[str, str] = {
        "idle": ErrorCode.TOOL_TIMEOUT,
        "caller": ErrorCode.ABORTED,
        "outer": "OWN_LIMIT" if story.outer_claims else ErrorCode.ABORTED,
    }
    assert (result.code, ended) == (codes[first], causes[first] + story.cleanup)
    if first == "idle":
        assert result.cause is Cause.IDLE
