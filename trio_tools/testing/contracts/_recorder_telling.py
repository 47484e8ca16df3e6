"""Telling recorders of events without a registry: of every kind, at once, and cut off at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import attrs
import trio

from trio_tools.pipeline import Recorder
from trio_tools.testing.contracts import _recorder_events as events
from trio_tools.testing.contracts._fresh import Make, made
from trio_tools.testing.contracts._scene import LEFTOVERS
from trio_tools.testing.contracts._stage import Act, Stage, Strike
from trio_tools.values import CallEvent

# Steps of one recording at which it is cut off: more than writing and syncing takes.
MOST_CUTS = 50


@attrs.frozen
class _Told:
    """What came of telling it."""

    problems: list[str] = attrs.field(factory=list[str])
    slow: list[str] = attrs.field(factory=list[str])
    left: list[str] = attrs.field(factory=list[str])


@attrs.frozen
class _Cuts:
    """What came of cutting it off."""

    late: list[str] = attrs.field(factory=list[str])
    damaged: list[str] = attrs.field(factory=list[str])
    left: list[str] = attrs.field(factory=list[str])


@attrs.define(eq=False)
class _Cut:
    """One time that it is cut off; times are in seconds on the run's clock."""

    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    at: float = 0.0
    back_at: float | None = None

    def off(self) -> None:
        self.at = trio.current_time()
        self.scope.cancel("the grace has run out")


class Telling:
    """Tells recorders of events, without a registry. Each way of telling is tried once."""

    def __init__(self, make: Make[Recorder], grace: float) -> None:
        self._make = make
        self._grace = grace
        self._stage = Stage()
        self.kinds = cache(lambda: self._told(events.every_kind))
        self.hostile = cache(lambda: self._told(events.hostile))
        self.early = cache(lambda: self._told(events.ended_early))
        self.at_once = cache(self._told_at_once)
        self.cuts = cache(self._cut)

    def slow_ones(self) -> Iterator[str]:
        """Events that it took too long for."""
        for told in (self.kinds(), self.hostile(), self.early()):
            yield from told.slow

    def _told(self, calls: Callable[[], Iterable[tuple[str, list[CallEvent]]]]) -> _Told:
        def prepare() -> Act[_Told]:
            told = _Told()

            async def main() -> None:
                async with made(self._make) as recorder:
                    for number, (words, listed) in enumerate(calls()):
                        for event in listed:
                            await self._tell(recorder, _of_turn(event, number), words, told)

            return Act(main=main, state=told)

        return self._take(prepare)

    def _told_at_once(self) -> _Told:
        def prepare() -> Act[_Told]:
            told = _Told()

            async def tell_all(recorder: Recorder, listed: list[CallEvent]) -> None:
                for event in listed:
                    await self._tell(recorder, event, "one of several calls at once", told)
                    await trio.lowlevel.checkpoint()

            async def main() -> None:
                async with made(self._make) as recorder:
                    for event in events.interleaved():
                        await self._tell(recorder, _of_turn(event, 1), "one of several calls, event by event", told)
                    async with trio.open_nursery() as nursery:
                        for position in range(3):
                            nursery.start_soon(tell_all, recorder, events.whole_call(events.ref(position, turn="t3")))

            return Act(main=main, state=told)

        return self._take(prepare)

    def _take(self, prepare: Callable[[], Act[_Told]]) -> _Told:
        take, told = self._stage.take(prepare)
        if take.raised is not None:
            raise take.raised
        if take.gave_up is not None:
            told.problems.append(take.gave_up)
        told.left.extend(one.words for one in take.left if one.kind in LEFTOVERS)
        return told

    async def _tell(self, recorder: Recorder, event: CallEvent, words: str, told: _Told) -> None:
        began = trio.current_time()
        try:
            await _recorded(recorder, event)
        except Exception as thrown:
            told.problems.append(f"{words}: told of {_named(event)} it raised {type(thrown).__name__}: {thrown}"[:500])
        took = trio.current_time() - began
        if took >= self._grace:
            told.slow.append(f"{words}: {_named(event)} took {took:g} seconds")

    # --- cut off ---------------------------------------------------------------------------------------------------

    def _cut(self) -> _Cuts:
        cuts = _Cuts()
        for number in range(len(events.whole_call(events.ref(0)))):
            for step in range(1, MOST_CUTS + 1):
                if not self._cut_at(number, step, cuts):
                    break
        return cuts

    def _cut_at(self, number: int, step: int, cuts: _Cuts) -> bool:
        """Cut the recording of the `number`-th event of a call at a step; whether it has one."""
        take, cut = self._stage.take(lambda: self._act(number, step))
        if not take.struck:
            return False
        words = f"cut off at step {step} of {_named(events.whole_call(events.ref(0))[number])}"
        if cut.back_at is None:
            cuts.late.append(f"{words}: it is not back at all: {take.gave_up or take.raised}")
        elif cut.back_at - cut.at >= self._grace:
            cuts.late.append(f"{words}: it is back after {cut.back_at - cut.at:g} seconds")
        elif take.gave_up is not None:
            cuts.damaged.append(f"{words}: the next call is not recorded: {take.gave_up}")
        elif take.raised is not None:
            cuts.damaged.append(f"{words}: the next call raised {type(take.raised).__name__}: {take.raised}")
        cuts.left.extend(f"{words}: {one.words}" for one in take.left if one.kind in LEFTOVERS)
        return True

    def _act(self, number: int, step: int) -> Act[_Cut]:
        cut = _Cut()
        strike = Strike(step, cut.off, armed=False)

        async def main() -> None:
            async with made(self._make) as recorder:
                *before, event = events.whole_call(events.ref(0))[: number + 1]
                for one in before:
                    await _recorded(recorder, one)
                with cut.scope:
                    strike.armed = True
                    await _quietly(recorder, event)
                strike.armed = False
                cut.back_at = trio.current_time()
                if before:  # whoever has lost the first event of a call is told no more of it
                    await _quietly(recorder, events.settled(event.ref))
                for one in events.whole_call(events.ref(1, turn="t2")):
                    await _recorded(recorder, one)

        return Act(main=main, state=cut, strike=strike)


async def _recorded(recorder: Recorder, event: CallEvent) -> None:
    waits = recorder(event)
    if waits is not None:
        await waits


async def _quietly(recorder: Recorder, event: CallEvent) -> None:
    try:
        await _recorded(recorder, event)
    except Exception:
        return  # what was cut off may fail: the registry counts it as lost


def _of_turn(event: CallEvent, number: int) -> CallEvent:
    """The same of a turn of its own, since no two calls have one place."""
    turn = f"{event.ref.turn}-{number}"
    return attrs.evolve(event, ref=attrs.evolve(event.ref, turn=turn))


def _named(event: CallEvent) -> str:
    return type(event).__name__
