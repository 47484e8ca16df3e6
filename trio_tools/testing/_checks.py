"""The checks: what each run is held against. Each is a function of the run and of the one in which nothing ended the
call; it gives back, in words, what is broken.

A check stands on what was seen from outside: marks that the kit has made itself, the body's own coming and going, and
the result. What the registry thinks of the call is not asked, but for whether it was over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import trio

from trio_tools.testing._clock import Stuck
from trio_tools.testing._record import Heard, Run
from trio_tools.testing._truth import untruths
from trio_tools.testing._watchdog import Blocked
from trio_tools.values import EffectState

Check: TypeAlias = Callable[[Run, Run], Iterator[str]]


def settles(run: Run, baseline: Run) -> Iterator[str]:
    """The call comes to its end, in bounded steps and time, and a Ctrl-C goes on."""
    if run.doom is not None:
        what = "nothing can wake it any more" if isinstance(run.doom, Stuck) else "it goes on beyond its bound"
        if isinstance(run.doom, Blocked):
            what = f"it blocks Trio's loop, at {run.doom.place}"
        yield "; ".join((f"the call does not settle: {what}", *run.stuck))
    if run.raised is not None:
        yield f"execute raised instead of giving a result: {type(run.raised).__name__}: {run.raised}"
    if run.interrupt_sent and not run.interrupted and run.doom is None:
        yield "the Ctrl-C was lost: no KeyboardInterrupt came out"


def balanced(run: Run, baseline: Run) -> Iterator[str]:
    """Every call has one result, the same object for everybody, published once, in call order."""
    for life in run.lives:
        if life.told != 1 or len(life.observed) != 1:
            yield f"{life.name} was published {life.told} times to the turn and {len(life.observed)} times to observers"
        elif life.observed[0] is not life.result:
            yield f"observers of {life.name} got another result than its turn"
    if run.raised is None and not run.interrupted and [*run.results] != [life.result for life in run.lives]:
        yield f"{len(run.results)} results came back for {len(run.lives)} calls, or not in call order"


def unwinding(run: Run, baseline: Run) -> Iterator[str]:
    """A body that was cut unwinds. What it awaits after that is cut at once, unless it is shielded."""
    for misstep in run.missteps:
        if misstep.how == "unwinding":
            yield (
                f"after the cancel it awaited again, at {misstep.place}, and was cut again at once: a clean-up that "
                "awaits needs a shield with a bound, such as trio.move_on_after(5, shield=True)"
            )


def shields(run: Run, baseline: Run) -> Iterator[str]:
    """A shield has a bound, but for that of `irreversible`."""
    for misstep in run.missteps:
        if misstep.how == "shields":
            yield f"after the cancel it waited in a shield without a deadline, at {misstep.place}"


def swallows(run: Run, baseline: Run) -> Iterator[str]:
    """A body lets the `Cancelled` go on that it was cut with."""
    for life in run.lives:
        if life.swallowed:
            yield f"{life.name} was cut, swallowed its Cancelled, and returned as if nothing had been"


def strays(run: Run, baseline: Run) -> Iterator[str]:
    """A body raises a `Cancelled` only if it was cancelled."""
    for life in run.lives:
        if life.result is not None and life.result.cause is None and life.ended is None and _is_cancelled(life.raised):
            yield f"{life.name} raised a Cancelled that was not its own: nothing had cancelled it"


def _is_cancelled(raised: BaseException | None) -> bool:
    if isinstance(raised, BaseExceptionGroup):
        group: BaseExceptionGroup[BaseException] = raised  # pyright: ignore[reportUnknownVariableType]
        return any(map(_is_cancelled, group.exceptions))
    return isinstance(raised, trio.Cancelled)


def late_effects(run: Run, baseline: Run) -> Iterator[str]:
    """No effect begins after the cancel."""
    for heard in run.heard:
        if _is_late(heard, run):
            yield (
                f"{heard.happening.name} happened after the call had been ended, and had not been begun before with "
                "irreversible"
            )


def _is_late(heard: Heard, run: Run) -> bool:
    if heard.of_job:
        return False
    ended = run.ended if heard.life is None else heard.life.ended
    if ended is None or heard.moment < ended:
        return False
    begun = [zone for zone in run.zones if zone.begun < ended]
    return not any(zone.ended is None or zone.ended > heard.moment for zone in begun)


def effects(run: Run, baseline: Run) -> Iterator[str]:
    """Every effect that happened stands in a result, and none that did not happen stands there as committed."""
    happened = Counter(heard.happening.name for heard in run.heard if heard.has_result)
    late = Counter(heard.happening.name for heard in run.heard if _is_late(heard, run))
    named = [effect for result in run.published for effect in result.effects]
    # each once: where it was done, not where it is told of again
    listed = [effect for effect in named if effect.call is None and not effect.earlier]
    committed = Counter(effect.name for effect in listed if effect.state is EffectState.COMMITTED)
    unknown = Counter(effect.name for effect in listed if effect.state is EffectState.UNKNOWN)
    for name in sorted(happened.keys() | {heard.happening.name for heard in baseline.heard}):
        if happened[name] - late[name] > committed[name] + unknown[name]:
            yield (
                f"{name} happened {_times(happened[name])}, and {_naming(committed[name])}: do it with ctx.irreversible"
            )
        if committed[name] > happened[name]:
            known = f"happened {_times(happened[name])}" if happened[name] else "never happened"
            yield f"results name {name} {_times(committed[name])}, and it {known}"


def _naming(number: int) -> str:
    return f"results name it {_times(number)}" if number else "no result names it"


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def late_reports(run: Run, baseline: Run) -> Iterator[str]:
    """What a body reports of its call it reports before the call has settled."""
    for life in run.lives:
        for name, count in Counter(life.late_uses).items():
            yield f"{name} of {life.name}'s context was called {_times(count)} after the call had settled"


def permits(run: Run, baseline: Run) -> Iterator[str]:
    """Tokens of limiters, semaphores and locks are given back."""
    yield from run.permits_kept


def _left(kind: str) -> Check:
    def check(run: Run, baseline: Run) -> Iterator[str]:
        for one in run.left:
            if one.kind == kind:
                yield f"{one.words} was left behind"

    return check


def objections(run: Run, baseline: Run) -> Iterator[str]:
    """The user's own check."""
    if run.objection is not None:
        yield f"the check of your own objects: {run.objection}"


# Every check by its name. A run that was given up is held against `settles` alone.
CHECKS: Mapping[str, Check] = {
    "settles": settles,
    "truth": untruths,
    "balanced": balanced,
    "unwinding": unwinding,
    "shields": shields,
    "swallows": swallows,
    "strays": strays,
    "late_effects": late_effects,
    "effects": effects,
    "late_reports": late_reports,
    "permits": permits,
    "tasks": _left("tasks"),
    "threads": _left("threads"),
    "processes": _left("processes"),
    "descriptors": _left("descriptors"),
    "files": _left("files"),
    "check": objections,
}
