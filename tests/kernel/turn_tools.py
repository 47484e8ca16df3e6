"""What the tests of turns share: a log in memory, tools that note what happens to them, and a turn that runs beside
the test."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager

import attrs
import trio
from trio.abc import Instrument
from trio.testing import MockClock

from trio_tools import (
    CallAccepted,
    CallEvent,
    CallSettled,
    CallView,
    Registry,
    ToolCall,
    ToolResult,
    tool,
)


def kind(event: CallEvent) -> str:
    """`accepted`, `decided`, `dispatching` or `settled`."""
    return type(event).__name__.removeprefix("Call").lower()


@attrs.define(eq=False)
class Log:
    """A recorder in memory. `before` is awaited before an event is kept, as a slow or broken disk would be."""

    before: Callable[[CallEvent], Awaitable[None]] | None = None
    events: list[CallEvent] = attrs.field(factory=list[CallEvent])

    async def __call__(self, event: CallEvent) -> None:
        if self.before is not None:
            await self.before(event)
        self.events.append(event)

    @property
    def story(self) -> list[str]:
        """One line per event: its kind and the id of its call."""
        return [f"{kind(event)} {event.ref.call_id}" for event in self.events]

    @property
    def accepted(self) -> list[CallAccepted]:
        return [event for event in self.events if isinstance(event, CallAccepted)]

    @property
    def settled(self) -> list[CallSettled]:
        return [event for event in self.events if isinstance(event, CallSettled)]

    def unbalanced(self, positions: Iterable[int]) -> list[int]:
        """Positions of a single turn that do not have exactly one start and then exactly one result."""
        told = [
            (event.ref.position, kind(event)) for event in (*self.events,) if kind(event) in ("accepted", "settled")
        ]
        wanted = ["accepted", "settled"]
        return [place for place in positions if [what for position, what in told if position == place] != wanted]


@attrs.define(eq=False)
class Heard:
    """An observer: what it was told, in order."""

    views: list[CallView] = attrs.field(factory=list[CallView])
    results: list[ToolResult] = attrs.field(factory=list[ToolResult])

    def __call__(self, call: CallView, result: ToolResult) -> None:
        self.views.append(call)
        self.results.append(result)

    @property
    def ids(self) -> list[str | None]:
        return [result.call_id for result in self.results]

    @property
    def count(self) -> Counter[str | None]:
        return Counter(self.ids)


class Bodies:
    """Tools `nap` (parallel) and `alone` (exclusive) that sleep and return their label, and notes of what they did."""

    def __init__(self, registry: Registry) -> None:
        self.entered: dict[str, float] = {}
        self.left: dict[str, float] = {}
        self.busy = 0
        self.most = 0  # at once
        registry.register(tool(name="nap", parallel=True)(self.sleep))
        registry.register(tool(name="alone")(self.sleep))

    async def sleep(self, label: str, seconds: float = 1) -> str:
        assert label not in self.entered
        self.entered[label] = trio.current_time()
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            await trio.sleep(seconds)
        finally:
            self.busy -= 1
            self.left[label] = trio.current_time()
        return label


def nap(label: str, seconds: float = 1, *, alone: bool = False) -> ToolCall:
    """A call of one of the `Bodies`, whose id is its label."""
    return ToolCall("alone" if alone else "nap", {"label": label, "seconds": seconds}, id=label)


def naps(labels: str, seconds: float = 1, *, alone: bool = False) -> list[ToolCall]:
    """One call for each letter."""
    return [nap(label, seconds, alone=alone) for label in labels]


def codes(results: Iterable[ToolResult]) -> list[str | None]:
    return [None if result.code is None else str(result.code) for result in results]


async def once(registry: Registry, name: str, id: str | None = None, /, **arguments: object) -> ToolResult:  # noqa: A002
    """One call, in a scope that nobody cancels."""
    return await registry.execute(ToolCall(name, arguments, id=id), scope=trio.CancelScope())


@attrs.define(eq=False)
class Run:
    """A turn that runs beside the test: its scope, when each call settled, and at last its results."""

    registry: Registry
    calls: list[ToolCall]
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    settled: dict[int, float] = attrs.field(factory=dict[int, float])
    told: list[tuple[int, ToolResult]] = attrs.field(factory=list[tuple[int, ToolResult]])
    results: tuple[ToolResult, ...] | None = None
    raised: BaseException | None = None

    async def go(self) -> None:
        """Run the turn; what it raises is kept, but for `Cancelled`, which also goes on."""
        try:
            self.results = await self.registry.execute_turn(self.calls, scope=self.scope, on_settled=self.note)
        except trio.Cancelled as cancelled:
            self.raised = cancelled
            raise
        except BaseException as raised:
            self.raised = raised

    def note(self, position: int, result: ToolResult) -> None:
        self.told.append((position, result))
        self.settled[position] = trio.current_time()

    @property
    def codes(self) -> list[str | None]:
        assert self.results is not None, "the turn has not come back"
        return codes(self.results)


def begin(nursery: trio.Nursery, registry: Registry, calls: Iterable[ToolCall]) -> Run:
    """Start a turn beside the test; it begins when the test waits."""
    run = Run(registry, [*calls])
    nursery.start_soon(run.go)
    return run


class Steps(Instrument):
    """Counts the steps of all tasks. When there are very many the clock is moved on, so that a loop that is busy
    while it waits fails its test instead of hanging it."""

    def __init__(self, clock: MockClock) -> None:
        self.count = 0
        self._clock = clock

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1
        if self.count % 5_000 == 0:
            self._clock.jump(1)


@contextmanager
def at_rest_while_waiting(clock: MockClock) -> Generator[None]:
    """The block takes few steps: nothing in it spins."""
    steps = Steps(clock)
    trio.lowlevel.add_instrument(steps)
    try:
        yield
    finally:
        trio.lowlevel.remove_instrument(steps)
    assert steps.count < 5_000, "something was busy while it had to wait"


def let_go(registry: Registry) -> int:
    """Forget the calls that are unsettled, as if they had settled; returns how many there were.

    Only for tests that would hang, instead of fail, if the registry never came to rest.
    """
    left = [*registry._core.unsettled]
    for call in left:
        registry._core.left(call)
    return len(left)


@asynccontextmanager
async def let_go_after(registry: Registry, seconds: float) -> AsyncGenerator[list[int]]:
    """What drains for ever is let go after a while, so that its test fails instead of hanging; the list tells."""
    needed: list[int] = []

    async def rescue() -> None:
        await trio.sleep(seconds)
        needed.append(let_go(registry))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(rescue)
        yield needed
        nursery.cancel_scope.cancel()
