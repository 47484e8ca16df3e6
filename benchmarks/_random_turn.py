"""A random turn: planned by a seed, carried out on a registry with random seams, beside a journal in memory."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

import attrs
import trio
import trio.testing

from benchmarks._books import SESSION, Books, read_books
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
    CallDecided,
    CallEvent,
    CallView,
    Registry,
    Session,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
)
from trio_tools.journal import Journal, journal_in_memory

# Seconds on the virtual clock for listeners: more than bodies that block can make it jump while a recorder waits.
GRACE = 100.0


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
    books: Books | None = None  # what the journal holds of it in the end


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
        plugins=[journal_in_memory],
        max_parallel_calls=turn.cap,
        policy_grace=GRACE,
        observer_grace=GRACE,
        recorder_grace=GRACE,
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
                    turn.calls,
                    scope=turn.scope,
                    session=Session(SESSION),
                    on_settled=lambda position, result: _settled(turn, position, result),
                )
                turn.swallowed = turn.enclosing.cancel_called
                nursery.cancel_scope.cancel()
        turn.propagated = turn.enclosing.cancelled_caught
        turn.pending = len(registry.pending())
        turn.books = await read_books(registry.require(Journal))
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
