"""The promises, checked on random turns: `python -m benchmarks properties` runs 10,000 of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from math import inf
from typing import TypeAlias

import trio
import trio.testing

from benchmarks._books import discord
from benchmarks._random_turn import Turn, carry_out, plan
from trio_tools import (
    CallAccepted,
    CallDispatching,
    CallSettled,
    Cause,
    EffectBegun,
    EffectEnded,
    ErrorCode,
    ToolResult,
)

# Turns of one run: some seconds' worth a thousand, and every pair of seams meets often.
TURNS = 10_000
# Seconds by which times differ that are sums of floats in two orders, around Unix seconds of today.
CLOSE = 1e-5
# Promises broken that are shown before a run gives up.
SHOWN = 10

_Promise: TypeAlias = Callable[[bool, str], None]

LIMIT_REASONS = {ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH}


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
    _promise_books(turn, by_position, promise)
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


def _promise_books(turn: Turn, results: dict[int, ToolResult], promise: _Promise) -> None:
    assert turn.books is not None
    for what in discord(turn.books, turn.calls, results, turn.ledger.events):
        promise(False, what)
    for record in turn.books.records:
        if record.cause in (Cause.CALLER, Cause.OPERATOR) and turn.cancelled_at is not None:
            at = turn.cancelled_at + turn.books.offset
            when = f"{record.ref.position}: the journal has it given up at {record.cancelled}, and it was at {at}"
            promise(record.cancelled is not None and abs(record.cancelled - at) < CLOSE, when)


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
