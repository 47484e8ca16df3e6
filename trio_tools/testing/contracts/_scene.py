"""Scenes: what a contract explores, and what is seen of it. The runs are made once, and every promise judges them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

import attrs
import trio

from trio_tools.registry import AnyPlugin, RegistryOptions
from trio_tools.testing._case import Case, Mode
from trio_tools.testing._checks import CHECKS
from trio_tools.testing._exploration import Exploration
from trio_tools.testing._life import Life
from trio_tools.testing._limits import Limits
from trio_tools.testing._plan import Plan, is_watched
from trio_tools.testing._probe import watched
from trio_tools.testing._reachable import reachable
from trio_tools.testing._record import Run
from trio_tools.testing._report import Finding
from trio_tools.testing._services import ServiceSource, service_sources
from trio_tools.testing._surroundings import Surroundings, private_surroundings
from trio_tools.tool import Tool
from trio_tools.values import ToolCall

# Times the steps, and the seconds, of the undisturbed call that it may take to settle: as in explorations.
BOUND = 3
# Seconds that one scene may take on the real clock when nothing ends the call.
SECONDS = 60.0
# Seconds that things take on the real clock which take none on the virtual one.
REAL_SLACK = 0.25
# Seconds by which sums of floats differ on the virtual one.
NO_SLACK = 1e-6
# Findings of an exploration that tell of something left behind.
LEFTOVERS = ("tasks", "threads", "processes", "descriptors", "permits")


@attrs.frozen(kw_only=True)
class Scene:
    """A call, or a turn of calls, of stock tools among these plugins, ended in these ways; `modes` () means never."""

    name: str
    tools: tuple[Tool, ...]
    calls: tuple[ToolCall, ...]
    plugins: tuple[AnyPlugin, ...]
    sources: tuple[ServiceSource, ...] = ()
    modes: tuple[Mode, ...] = ()


@attrs.frozen(eq=False)
class Sight:
    """One run of a scene, the run of it in which nothing ended the call, and what the explorer's checks found."""

    scene: str
    run: Run
    undisturbed: Run
    findings: tuple[Finding, ...]
    virtual: bool  # its clock

    @property
    def words(self) -> str:
        """Which run this is, for a person."""
        case = self.run.case
        place = f", at {self.run.place}" if self.run.place else ""
        return f"{self.scene}, " + ("undisturbed" if case is None else case.words) + place

    @property
    def slack(self) -> float:
        """Seconds that do not count."""
        return NO_SLACK if self.virtual else REAL_SLACK

    @property
    def lives(self) -> list[Life]:
        """The calls of this run, each with its result; none of a run that was given up."""
        return [] if self.run.doom is not None else [life for life in self.run.lives if life.result is not None]

    def found(self, *checks: str) -> Iterator[str]:
        """What these checks found."""
        yield from (f"{self.words}: {one.words}" for one in self.findings if one.check in checks)


def settling(sights: Iterable[Sight]) -> Iterator[str]:
    """Where a call did not settle, or lost a Ctrl-C."""
    for sight in sights:
        yield from sight.found("settles", "balanced")


def leaving(sights: Iterable[Sight]) -> Iterator[str]:
    """Where something was left behind, or a permit kept."""
    for sight in sights:
        yield from sight.found(*LEFTOVERS)


def holding(sights: Iterable[Sight], most: float = 0.0) -> Iterator[str]:
    """Where a call settled more than so many seconds after it was ended and its body had come to rest."""
    for sight in sights:
        ended_at = sight.run.ended_at
        for life in sight.lives:
            if life.ended is None or life.settled_at is None or ended_at is None:
                continue
            held = life.settled_at - max(ended_at, life.rested_at or 0)
            if held > most + sight.slack:
                yield f"{sight.words}: the call settled {held:g} s after it was ended and its body had come to rest"


def breaking(sights: Iterable[Sight]) -> Iterator[str]:
    """What else is broken: anything but leftovers."""
    for sight in sights:
        yield from sight.found(*(CHECKS.keys() - set(LEFTOVERS)))


def explored(scenes: Iterable[Scene], runs: int) -> list[Sight]:
    """Make the runs of these scenes: of each the undisturbed one, and at most `runs` of the others, drawn.

    Raises `RuntimeError` inside of Trio.
    """
    refuse_trio()
    with private_surroundings() as surroundings:
        return [sight for scene in scenes for sight in _explored(scene, runs, surroundings)]


def refuse_trio() -> None:
    """Raises `RuntimeError` inside of Trio."""
    if trio.lowlevel.in_trio_run():
        raise RuntimeError("a promise runs Trio itself: call it from a plain function, not from inside of Trio")


def _explored(scene: Scene, runs: int, surroundings: Surroundings) -> Iterator[Sight]:
    plan = Plan(
        calls=scene.calls,
        tools=tuple(map(watched, scene.tools)),
        plugins=scene.plugins,
        services=(*scene.sources, *service_sources(())),
        check=None,
        options=RegistryOptions(),
        surroundings=surroundings,
        held=tuple(filter(is_watched, reachable(one.body for one in scene.tools))),
    )
    exploration = Exploration(plan, scene.name, Limits(bound=BOUND, seconds=SECONDS))
    seen = exploration.sights(_cases(scene, runs))
    for run, findings in seen:
        yield Sight(scene.name, run, seen[0][0], findings, exploration.virtual)


def _cases(scene: Scene, runs: int) -> Callable[[int], list[Case]]:
    def cases(steps: int) -> list[Case]:
        every = [Case(mode, step) for step in range(1, steps + 1) for mode in scene.modes]
        return every if len(every) <= runs else random.Random(scene.name).sample(every, runs)

    return cases
