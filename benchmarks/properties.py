"""The promises, checked on random turns: `python -m benchmarks properties` runs 10,000 of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from random import Random
from typing import TypeAlias

import attrs
import trio
import trio.testing

from benchmarks.random_turns import (
    MOMENTS,
    Ledger,
    random_calls,
    random_policy,
    random_post_policy,
    random_tool,
    random_wrapper,
)
from trio_tools import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallSettled,
    CallView,
    Cause,
    EffectBegun,
    EffectEnded,
    ErrorCode,
    Registry,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
)

# Turns of one run: some seconds' worth a thousand, and every pair of seams meets often.
TURNS = 10_000
# Seconds on the virtual clock for listeners: more than bodies that block can make it jump while a recorder waits.
GRACE = 100.0
# Promises broken that are shown before a run gives up.
SHOWN = 10

_Promise: TypeAlias = Callable[[bool, str], None]

LIMIT_REASONS = {ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH}


@attrs.define
class Turn:
    """One random turn: its plan, and what came of it."""

    seed: int
    rng: Random
    ledger: Ledger
    calls: list[ToolCall]
    tools: list[Tool]
    cap: int
    cancel_at: float | None
    how: str  # who cancels: scope, deadline, operator, enclosing
    pool: trio.CapacityLimiter
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    enclosing: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    bare: bool = False  # no wrapper but the timeout policy
    results: tuple[ToolResult, ...] | None = None
    propagated: bool = False
    swallowed: bool = False  # it returned although a scope around it had been cancelled
    cancelled_at: float | None = None
    tasks_left: int = 0
    pending: int = 0


def plan(seed: int, clock: trio.testing.MockClock) -> Turn:
    """Draw the turn that this seed names."""
    rng = Random(seed)
    ledger = Ledger(clock)
    count = rng.randint(1, 5)
    pool = trio.CapacityLimiter(1)
    tools = [random_tool(rng, f"t{position}", position, ledger, pool) for position in range(count)]
    cancel_at = rng.choice(MOMENTS) + 0.05 if rng.random() < 0.6 else None
    how = rng.choice(("scope", "deadline", "operator", "enclosing"))
    calls = random_calls(rng, count)
    return Turn(seed, rng, ledger, calls, tools, rng.randint(1, 4), cancel_at, how, pool)


async def carry_out(turn: Turn) -> None:
    """Run the turn on a registry with random seams, and note what came of it."""
    before = trio.lowlevel.current_statistics().tasks_living
    async with open_registry(
        max_parallel_calls=turn.cap, policy_grace=GRACE, observer_grace=GRACE, recorder_grace=GRACE
    ) as registry:
        for one in turn.tools:
            registry.register(one)
        leaving = _join(registry, turn)
        if turn.cancel_at is not None and turn.how == "deadline":
            turn.cancelled_at = turn.scope.deadline = trio.current_time() + turn.cancel_at
        with turn.enclosing:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_disturb, registry, turn, leaving)
                turn.results = await registry.execute_turn(
                    turn.calls, scope=turn.scope, on_settled=lambda position, result: _settled(turn, position, result)
                )
                turn.swallowed = turn.enclosing.cancel_called
                nursery.cancel_scope.cancel()
        turn.propagated = turn.enclosing.cancelled_caught
        turn.pending = len(registry.pending())
    turn.tasks_left = trio.lowlevel.current_statistics().tasks_living - before


def _settled(turn: Turn, position: int, result: ToolResult) -> None:
    turn.ledger.settled.append((position, result))
    if turn.rng.random() < 0.1:
        raise RuntimeError("on_settled")


def _join(registry: Registry, turn: Turn) -> ExitStack:
    rng, ledger = turn.rng, turn.ledger
    leaving = ExitStack()
    wrappers = rng.choice((0, 0, 1, 2))
    turn.bare = not wrappers
    for _ in range(wrappers):
        leaving.enter_context(registry.add_wrapper(random_wrapper(rng)))
    for _ in range(rng.choice((0, 0, 1))):
        registry.add_pre_policy(random_policy(rng))
    for _ in range(rng.choice((0, 0, 1))):
        registry.add_post_policy(random_post_policy(rng))

    async def observe(view: CallView, result: ToolResult) -> None:
        position = int(view.id or 0)
        ledger.observed.append((position, result))
        if ledger.inside.get(position):
            ledger.restless.append(position)
        await trio.sleep(rng.choice((0.0, 0.25)))
        if rng.random() < 0.2:
            raise RuntimeError("observer")

    async def record(event: CallEvent) -> None:
        await trio.lowlevel.checkpoint()
        ledger.events.append(event)
        if isinstance(event, CallDecided) and event.allowed:
            ledger.decided_at[event.ref.position] = trio.current_time()  # from here on its budget runs

    registry.add_observer(observe)
    registry.add_recorder(record)
    return leaving


async def _disturb(registry: Registry, turn: Turn, leaving: ExitStack) -> None:
    """Cancel the turn in the way it is planned, and have a plugin leave in the middle of it."""
    if turn.rng.random() < 0.3:
        await trio.sleep(0.3)
        leaving.close()
        registry.unregister(turn.tools[-1].name)
    if turn.cancel_at is None or turn.how == "deadline":
        return
    await trio.sleep(turn.cancel_at)
    turn.cancelled_at = trio.current_time()
    match turn.how:
        case "scope":
            turn.scope.cancel()
        case "enclosing":
            turn.enclosing.cancel()
        case _:
            registry.cancel(turn.calls[0].id or "")


def broken(turn: Turn) -> list[str]:
    """The promises that this turn broke, in words; none is what we promise."""
    ledger, count = turn.ledger, len(turn.calls)
    enclosing = turn.how == "enclosing" and turn.cancelled_at is not None
    found: list[str] = []

    def promise(kept: bool, what: str) -> None:
        if not kept:
            found.append(what)

    positions = list(range(count))
    promise(sorted(p for p, _ in ledger.settled) == positions, "one on_settled per call")
    promise(sorted(p for p, _ in ledger.observed) == positions, "one publication per call")
    by_position = dict(ledger.settled)
    promise(all(by_position.get(p) is r for p, r in ledger.observed), "the same object for everybody")
    if turn.results is None:
        promise(enclosing and turn.propagated, "results are missing only when a scope around the turn was cancelled")
    else:
        promise(len(turn.results) == count, "one result per call")
        promise(all(by_position.get(p) is r for p, r in enumerate(turn.results)), "results in call order")
    promise(not turn.swallowed, "the cancel of a scope around it goes on")
    promise(not ledger.restless, "quiescent before published")
    promise(not any(ledger.inside.values()), "no body left running")
    promise(turn.tasks_left == 0, "no task left")
    promise(turn.pending == 0, "nothing pending")
    promise(turn.pool.borrowed_tokens == 0, "no permit kept")
    promise(ledger.most_at_once <= turn.cap, "the cap holds")
    promise(not ledger.overlapped, "an exclusive call runs alone")
    _promise_records(turn, promise)
    for position, result in ledger.settled:
        _promise_truth(turn, position, result, promise)
        _promise_effects(turn, position, result, promise)
    return found


def _promise_records(turn: Turn, promise: _Promise) -> None:
    accepted = [event.ref.position for event in turn.ledger.events if isinstance(event, CallAccepted)]
    settled = [event.ref.position for event in turn.ledger.events if isinstance(event, CallSettled)]
    promise(accepted == sorted(accepted) or turn.how == "operator", "accepted in call order")
    promise(sorted(settled) == list(range(len(turn.calls))), "one settled event per call")
    for position in turn.ledger.entered:
        attempts = [
            e.attempt for e in turn.ledger.events if isinstance(e, CallDispatching) and e.ref.position == position
        ]
        promise(len(attempts) >= turn.ledger.entered[position], "no body before its record")


def _promise_truth(turn: Turn, position: int, result: ToolResult, promise: _Promise) -> None:
    entered = turn.ledger.entered.get(position, 0) > 0
    promise(result.dispatched == entered, f"{position}: dispatched says whether the body ran")
    promise(not (entered and result.code == ErrorCode.ABORTED_BEFORE_DISPATCH), f"{position}: never ran, it says")
    promise(entered or result.code != ErrorCode.ABORTED, f"{position}: ran, it says")
    gave_up = turn.cancelled_at
    if result.cause in (Cause.CALLER, Cause.OPERATOR):
        promise(gave_up is not None, f"{position}: nobody gave it up, yet cause {result.cause}")
    if gave_up is not None and (turn.how != "operator" or position == 0):
        _promise_first_cause(turn, position, result, gave_up, promise)
    if result.code in LIMIT_REASONS:
        promise(result.cause is not None, f"{position}: an abort without a cause")
    if result.error is None:
        promise(result.cause is None, f"{position}: a success with a cause")


def _promise_effects(turn: Turn, position: int, result: ToolResult, promise: _Promise) -> None:
    done = sorted(state for place, state in turn.ledger.effects_done if place == position)
    told = [str(one.state) for one in result.effects if not (one.error or "").startswith("it never began")]
    promise(done == sorted(told), f"{position}: effects came to {done}, it says {told}")
    events = [one for one in turn.ledger.events if one.ref.position == position]
    begun = [one.name for one in events if isinstance(one, EffectBegun)]
    ended = [one.effect for one in events if isinstance(one, EffectEnded)]
    promise(len(begun) == len(ended), f"{position}: {len(begun)} effects were begun, {len(ended)} ended")
    by_state = sorted([str(one.state) for one in ended])
    promise(by_state == sorted(str(one.state) for one in result.effects), f"{position}: the record says {by_state}")
    line = "Went through, do not repeat: effect" in result.text
    promise(line == (result.is_error and "committed" in told), f"{position}: the text tells what went through")
    if turn.cancelled_at is not None and (turn.how != "operator" or position == 0):
        late = [at for place, at in turn.ledger.effects_begun if place == position and at > turn.cancelled_at]
        promise(not late, f"{position}: effects began at {late}, after it was given up at {turn.cancelled_at}")


def _promise_first_cause(turn: Turn, position: int, result: ToolResult, gave_up: float, promise: _Promise) -> None:
    tool = turn.tools[position]
    decided_at = turn.ledger.decided_at.get(position)
    if result.code == ErrorCode.TOOL_TIMEOUT:
        assert decided_at is not None
        due = decided_at + min(tool.timeout or inf, tool.idle_timeout or inf)
        # of equal deadlines the outermost owns; an explicit cancel at that very instant may have come after
        earlier = due < gave_up if turn.how == "deadline" else due <= gave_up
        promise(earlier, f"{position}: timed out at {due}, after it was given up at {gave_up}")
    late = (
        result.superseded is not None and not result.superseded.is_error
    )  # it may have been in time: post took longer
    if result.code in LIMIT_REASONS and not late and turn.bare and decided_at is not None and tool.timeout is not None:
        due = decided_at + tool.timeout
        promise(due >= gave_up, f"{position}: given up at {gave_up}, after it had timed out at {due}")


def check(seed: int) -> list[str]:
    """Run the turn that this seed names; the promises it broke."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    turn = plan(seed, clock)

    async def main() -> None:
        await carry_out(turn)

    trio.run(main, clock=clock)
    return broken(turn)


def main() -> int:
    """Check `TURNS` turns and print what was found; 1 if a promise was broken."""
    logging.getLogger("trio_tools").setLevel(logging.CRITICAL)  # the failing listeners are ours
    began, failures = time.perf_counter(), 0
    turns = 0
    while turns < TURNS and failures <= SHOWN:
        for what in check(turns):
            failures += 1
            print(f"seed {turns}: {what}")
        turns += 1
    seconds = time.perf_counter() - began
    print(f"properties: {turns:,} random turns in {seconds:.1f} s, {failures} promises broken")
    return 1 if failures else 0
