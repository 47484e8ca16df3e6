"""Random turns: bodies that finish, fail, sleep, swallow, shield, nest nurseries and block, under random seams.

Everything is drawn from one seeded generator, so that a seed names a turn. What happens is written to a `Ledger` on
the virtual clock; `properties.py` checks it against the promises.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random

import attrs
import trio
import trio.testing

from trio_tools import (
    Allow,
    Block,
    CallEvent,
    CallNext,
    CallView,
    Deny,
    Dispatch,
    ReplaceContent,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)

# Seconds on the virtual clock. Few and coarse, so that causes often meet; never equal sums by chance of floats.
MOMENTS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)


@attrs.define
class Ledger:
    """What happened in one turn, by position of the call."""

    clock: trio.testing.MockClock
    entered: dict[int, int] = attrs.field(factory=dict[int, int])
    inside: dict[int, int] = attrs.field(factory=dict[int, int])  # bodies and their children that are alive
    decided_at: dict[int, float] = attrs.field(factory=dict[int, float])
    finished: dict[int, object] = attrs.field(factory=dict[int, object])
    observed: list[tuple[int, ToolResult]] = attrs.field(factory=list[tuple[int, ToolResult]])
    settled: list[tuple[int, ToolResult]] = attrs.field(factory=list[tuple[int, ToolResult]])
    events: list[CallEvent] = attrs.field(factory=list[CallEvent])
    restless: list[int] = attrs.field(factory=list[int])  # published while its body was still alive
    effects_begun: list[tuple[int, float]] = attrs.field(factory=list[tuple[int, float]])  # position, seconds
    effects_done: list[tuple[int, str]] = attrs.field(factory=list[tuple[int, str]])  # position, what it came to
    most_at_once: int = 0
    overlapped: bool = False  # an exclusive body met another one
    exclusive: set[int] = attrs.field(factory=set[int])

    def enter(self, position: int) -> None:
        self.entered[position] = self.entered.get(position, 0) + 1
        self.inside[position] = self.inside.get(position, 0) + 1
        alive = [one for one, count in self.inside.items() if count]
        self.most_at_once = max(self.most_at_once, len(alive))
        if len(alive) > 1 and self.exclusive.intersection(alive):
            self.overlapped = True

    def leave(self, position: int) -> None:
        self.inside[position] -= 1


async def _step(kind: str, seconds: float, ledger: Ledger, position: int, context: ToolContext) -> str | None:
    """One thing that a body does; a text ends it."""
    match kind:
        case "sleep":
            await trio.sleep(seconds)
        case "fail":
            raise ValueError("failed")
        case "tool error":
            raise ToolError("refused", code="OWN_CODE")
        case "too slow":
            with trio.fail_after(seconds):
                await trio.sleep(seconds + 1)
        case "swallow":
            try:
                await trio.sleep(seconds)
            except trio.Cancelled:
                return "swallowed"
        case "shielded cleanup":
            try:
                await trio.sleep(seconds)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.sleep(seconds / 2)
        case "own error":
            try:
                await trio.sleep(seconds)
            except trio.Cancelled:
                raise ToolError("gave up", code="OWN_ABORT") from None
        case "block":
            ledger.clock.jump(seconds)
        case "progress":
            context.report_progress(1, 2)
            context.defer_context({"position": position})
        case "nursery":
            await _children(seconds, ledger, position)
        case "effect" | "shielded effect" | "two effects" | "failing effect":
            await _effects(kind, seconds, ledger, position, context)
        case "failing child":
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep, seconds)
                raise KeyError("child")
        case _:
            raise AssertionError(kind)
    return None


async def _children(seconds: float, ledger: Ledger, position: int) -> None:
    async def child() -> None:
        ledger.inside[position] += 1
        try:
            await trio.sleep(seconds)
        finally:
            ledger.leave(position)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)
        nursery.start_soon(child)


async def _effects(kind: str, seconds: float, ledger: Ledger, position: int, context: ToolContext) -> None:
    async def action() -> float:
        ledger.effects_begun.append((position, trio.current_time()))
        await trio.sleep(seconds)
        ledger.effects_done.append((position, "failed" if kind == "failing effect" else "committed"))
        if kind == "failing effect":
            raise ConnectionError("bounced")
        return seconds

    with trio.CancelScope(shield=kind == "shielded effect"):
        if kind == "shielded effect":
            await trio.sleep(seconds)
        async with trio.open_nursery() as nursery:
            for _ in range(2 if kind == "two effects" else 1):
                nursery.start_soon(context.irreversible, "effect", action)


STEPS = (
    *("sleep",) * 4,
    "fail",
    "tool error",
    "too slow",
    "swallow",
    "shielded cleanup",
    "own error",
    "block",
    "progress",
    "nursery",
    "failing child",
    "effect",
    "effect",
    "shielded effect",
    "two effects",
    "failing effect",
)


def random_tool(rng: Random, name: str, position: int, ledger: Ledger, pool: trio.CapacityLimiter | None) -> Tool:
    """A tool whose body does one to three random things, on random terms."""
    steps = [(rng.choice(STEPS), rng.choice(MOMENTS)) for _ in range(rng.randint(1, 3))]
    parallel = rng.random() < 0.7
    if not parallel:
        ledger.exclusive.add(position)

    def finalize(result: ToolResult) -> str | None:
        if rng.random() < 0.2:
            raise RuntimeError("finalizer")
        return None

    @tool(
        name=name,
        timeout=rng.choice((None, 0.25, 0.5, 1.0, 2.0)),
        idle_timeout=rng.choice((None, None, 0.5, 1.0)),
        parallel=parallel,
        pool=pool if rng.random() < 0.3 else None,
        finalize_content=finalize if rng.random() < 0.2 else None,
    )
    async def body(context: ToolContext) -> str:
        ledger.enter(position)
        try:
            for kind, seconds in steps:
                ended = await _step(kind, seconds, ledger, position, context)
                if ended is not None:
                    return ended
            return "done"
        finally:
            ledger.leave(position)

    return body


def random_wrapper(rng: Random) -> Callable[[Dispatch, CallNext], Awaitable[ToolResult]]:
    """A wrapper that passes, waits, shields, bounds, retries, answers itself or fails."""
    kind = rng.choice(("pass", "pass", "before", "after", "bound", "shield", "retry", "answer", "fail", "claim"))
    seconds = rng.choice(MOMENTS)

    async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        match kind:
            case "before":
                await trio.sleep(seconds)
            case "after":
                result = await call_next()
                await trio.sleep(seconds)
                return result
            case "bound":
                with trio.move_on_after(seconds + 0.1):
                    return await call_next()
                return dispatch.failure("out of bounds", code="OUT_OF_BOUNDS")
            case "shield":
                with trio.CancelScope(shield=True):
                    return await call_next()
            case "retry":
                result = await call_next()
                return result if not result.is_error else await call_next()
            case "answer":
                return dispatch.success({"from": "wrapper"})
            case "fail":
                result = await call_next()
                raise RuntimeError(f"after {result.code}")
            case "claim":
                outcome = dispatch.failure("claimed", code="OWN_CLAIM").error
                assert outcome is not None
                return await dispatch.within(seconds + 0.1, call_next, outcome)
            case _:
                pass
        return await call_next()

    return wrapper


def random_policy(rng: Random) -> Callable[[CallView], Awaitable[Allow | Deny | None]]:
    """A pre-policy that allows, waits, denies or fails."""
    kind = rng.choice(("allow", "allow", "wait", "deny", "fail"))
    seconds = rng.choice(MOMENTS)

    async def policy(view: CallView) -> Allow | Deny | None:
        if kind == "wait":
            await trio.sleep(seconds)
        if kind == "deny" and view.id in {"0", "2"}:
            return Deny("not this one")
        if kind == "fail" and view.id == "1":
            raise RuntimeError("policy")
        return Allow()

    return policy


def random_post_policy(rng: Random) -> Callable[[CallView, ToolResult], Awaitable[Block | ReplaceContent | None]]:
    """A post-policy that passes, waits, redacts, blocks or fails."""
    kind = rng.choice(("pass", "wait", "redact", "block", "fail"))

    async def policy(view: CallView, result: ToolResult) -> Block | ReplaceContent | None:
        match kind:
            case "wait":
                await trio.sleep(1)
            case "redact":
                return ReplaceContent("redacted")
            case "block" if view.id == "1":
                return Block("blocked")
            case "fail" if view.id == "2":
                raise RuntimeError("post-policy")
            case _:
                pass
        return None

    return policy


def random_calls(rng: Random, count: int) -> list[ToolCall]:
    """Calls of the tools `t0`, `t1`, ..., now and then one of no tool or with bad arguments."""
    calls: list[ToolCall] = []
    for position in range(count):
        draw = rng.random()
        name = "nowhere" if draw < 0.05 else f"t{position}"
        arguments = '{"extra": 1}' if 0.05 <= draw < 0.1 else rng.choice(("", "{}", "  "))
        calls.append(ToolCall(name, arguments, id=str(position)))
    return calls
