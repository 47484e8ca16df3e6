"""Ownership against a model, when the loop was blocked over several deadlines, which Trio learns of together."""

from __future__ import annotations

from math import inf

import attrs
import trio
from around_tools import Wrapper, opened, shield
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from trio_tools import (
    CallEvent,
    CallNext,
    CallSettled,
    Cause,
    Dispatch,
    ErrorCode,
    ErrorInfo,
    ToolCall,
    ToolContext,
    ToolResult,
    tool,
)

EXAMPLES = 80  # half a second or so

DEADLINES = ("enclosing", "caller", "outer", "budget", "inner")  # outermost first
CODES = {"outer": "OUTER", "inner": "INNER", "budget": ErrorCode.TOOL_TIMEOUT}


@attrs.frozen
class Story:
    """Deadlines, and how long the body blocks the loop; it cannot be cut meanwhile."""

    due: dict[str, float]
    blocked: float
    how: str
    shielded: bool

    @property
    def first(self) -> str | None:
        """The earliest deadline that had passed, of equal ones the outermost."""
        passed = [name for name in DEADLINES if self.due[name] <= self.blocked]
        return min(passed, key=lambda name: self.due[name]) if passed else None


@st.composite
def stories(draw: st.DrawFn) -> Story:
    instants = st.sampled_from([1.0, 2.0, 3.0, 4.0, inf])
    return Story(
        {name: draw(instants) for name in DEADLINES},
        draw(st.sampled_from([0.5, 1.5, 2.5, 3.5, 9])),
        draw(st.sampled_from(["value", "error", "wait"])),
        draw(st.booleans()),
    )


def claiming(code: str, seconds: float) -> Wrapper:
    async def claim(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if seconds == inf:
            return await call_next()
        return await dispatch.within(seconds, call_next, ErrorInfo("Limit", code, "too slow"))

    return claim


async def tell(story: Story, clock: MockClock, published: list[ToolResult]) -> None:
    """Let it happen; the result is with the observers, whatever becomes of the caller."""
    due = story.due

    @tool(timeout=None if due["budget"] == inf else due["budget"])
    async def block() -> str:
        clock.jump(story.blocked)
        if story.how == "wait":
            await trio.lowlevel.checkpoint()
        elif story.how == "error":
            raise ValueError("own")
        return "sent id=7"

    with trio.CancelScope(deadline=due["enclosing"]):
        async with opened(block, wrappers=[claiming("OUTER", due["outer"])], outside=True) as registry:
            registry.add_wrapper(claiming("INNER", due["inner"]))
            if story.shielded:
                registry.add_wrapper(shield)
            registry.add_observer(lambda view, result: published.append(result))
            await registry.execute(ToolCall("block"), scope=trio.CancelScope(deadline=due["caller"]))


def expected(story: Story) -> tuple[str | None, Cause | None]:
    if story.first in CODES:
        return CODES[story.first], Cause.DEADLINE
    if story.how == "error":
        return ErrorCode.TOOL_FAILED, None  # the body's own error stands over an abort (R050)
    return (None, None) if story.first is None else (ErrorCode.ABORTED, Cause.CALLER)


NEVER = dict.fromkeys(DEADLINES, inf)


@settings(max_examples=EXAMPLES, deadline=None)
@given(story=stories())
@example(Story({**NEVER, "enclosing": 1, "budget": 2}, 9, "value", False))
@example(Story({**NEVER, "enclosing": 1}, 1.5, "value", False))
@example(Story({**NEVER, "enclosing": 1}, 1.5, "value", True))
@example(Story({**NEVER, "caller": 2, "budget": 2}, 9, "wait", True))
@example(Story({**NEVER, "outer": 1, "budget": 1, "inner": 1}, 9, "error", True))
def test_the_first_deadline_owns_when_the_loop_was_blocked_over_all(story: Story) -> None:
    """D5, D6, TT2, TT4, T023, T024, T025, R049, case B03: by when each fell due, and a receipt is never lost."""
    published: list[ToolResult] = []
    clock = MockClock()
    trio.run(tell, story, clock, published, clock=clock)
    (result,) = published
    assert (result.code, result.cause, result.dispatched) == (*expected(story), True)
    if story.how == "value":
        assert "sent id=7" in result.text


async def test_the_record_says_when_the_call_was_given_up(mock_clock: MockClock) -> None:
    """D5: a deadline counts from itself though the loop was blocked, a cancel by hand from when it is made."""
    settled: list[CallSettled] = []
    by_hand = trio.CancelScope()

    @tool
    async def block(ctx: ToolContext) -> None:
        mock_clock.jump(3)
        if ctx.call.id == "by hand":
            by_hand.cancel()
        await trio.sleep_forever()

    async def record(event: CallEvent) -> None:
        if isinstance(event, CallSettled):
            settled.append(event)

    async with opened(block) as registry:
        registry.add_recorder(record)
        await registry.execute(ToolCall("block"), scope=trio.CancelScope(deadline=1))
        await registry.execute(ToolCall("block", id="by hand"), scope=by_hand)
    assert [(event.cancelled_at, event.cause) for event in settled] == [(1, Cause.CALLER), (6, Cause.CALLER)]
