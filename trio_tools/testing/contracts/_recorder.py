"""The contract of recorders: told of every kind of event, cut off at every step, and put round explored calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import attrs

from trio_tools.pipeline import Recorder
from trio_tools.policies import timeout
from trio_tools.registry import Registry
from trio_tools.testing._case import Mode
from trio_tools.testing._checks import CHECKS
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh, Make
from trio_tools.testing.contracts._recorder_telling import Telling
from trio_tools.testing.contracts._scene import LEFTOVERS, Scene, Sight, explored
from trio_tools.testing.contracts._stock import WORK, failing, slow
from trio_tools.values import ErrorCode, ToolCall, check_seconds

# Seconds that a registry gives a recorder for one event, unless it is told otherwise.
GRACE = 5.0
# Ways to end an explored call that are tried: all that there are, with some to spare.
RUNS = 200
# Seconds of a budget, of which a call needs a small part: what recording takes counts towards it.
SHORT = 50 * WORK


def recorder_contract(make: Make[Recorder], *, grace: float = GRACE, runs: int = RUNS) -> tuple[Promise, ...]:
    """What every recorder promises.

    Arguments: `make`, which gives a new recorder for each run, or an async context manager whose block has one;
    `grace`, the seconds that it may take for one event, as the registry's `recorder_grace`; `runs`, how many ways to
    end a call are tried, drawn if there are more. Files that it writes may stay: a record is meant to.

    Promises are proved on the virtual clock, unless the recorder uses threads, processes or sockets.

    Raises `ValueError` for a number of seconds that is not positive and finite.
    """
    telling = Telling(make, check_seconds("grace", grace))
    sights = cache(lambda: explored(_scenes(make), runs))
    return (*_of_events(telling, grace), *_of_cuts(telling, grace), *_of_calls(telling, sights))


def _of_events(telling: Telling, grace: float) -> Iterator[Promise]:
    yield Promise(
        "It takes every kind of event, in every state",
        "handle each class of CallEvent, and every code and content that a result may have",
        lambda: telling.kinds().problems,
    )
    yield Promise(
        "It takes odd texts, and arguments of 1 MiB and of many levels",
        "write UTF-8, escape what your format cannot hold, and set no limit of your own",
        lambda: telling.hostile().problems,
    )
    yield Promise(
        "It takes calls that end early, and so never have some kinds of event",
        "do not rely on what was told of a call before: one that is refused has no dispatching",
        lambda: telling.early().problems,
    )
    yield Promise(
        "It takes the events of several calls at once",
        "keep what belongs to a call by event.ref, and let one event wait for another where they must not overlap",
        lambda: telling.at_once().problems,
    )
    yield Promise(
        f"It is done with an event within {grace:g} seconds",
        "write less, or hand it on to a task of your own that is ended with the recorder",
        telling.slow_ones,
    )


def _of_cuts(telling: Telling, grace: float) -> Iterator[Promise]:
    yield Promise(
        f"Cut off, it is back within {grace:g} seconds",
        "let the Cancelled go on; a shield round what must be finished has a bound that is shorter than the grace",
        lambda: telling.cuts().late,
    )
    yield Promise(
        "Cut off, it still takes the next call",
        "release locks in finally or with a context manager, and drop what was half written",
        lambda: telling.cuts().damaged,
    )


def _of_calls(telling: Telling, sights: Callable[[], list[Sight]]) -> Iterator[Promise]:
    yield Promise(
        "It leaves nothing behind: no task, thread, process or descriptor",
        "give a context manager that closes what the recorder has opened when its block ends",
        lambda: _left(telling, sights()),
    )
    yield Promise(
        "A call with it keeps every promise, however it is ended",
        "do nothing to the call, and hold nothing from one of its events to a later one that may never come",
        lambda: _broken(sights()),
    )
    yield Promise(
        "A call comes to the same with it and without it",
        "take a small part of what a tool's budget may be: recording counts towards it",
        lambda: _differing(sights()),
    )


# --- round calls ---------------------------------------------------------------------------------------------------


def _scenes(make: Make[Recorder]) -> Iterator[Scene]:
    fresh = Fresh(make, Registry.add_recorder)
    for one in (attrs.evolve(slow, timeout=SHORT), failing):
        call = (ToolCall(one.name),)
        yield Scene(name=f"{one.name} without it", tools=(one,), calls=call, plugins=(timeout,))
        yield Scene(
            name=one.name,
            tools=(one,),
            calls=call,
            plugins=(timeout, fresh.plugin()),
            sources=(fresh.source(),),
            modes=tuple(Mode),
        )


def _left(telling: Telling, sights: list[Sight]) -> Iterator[str]:
    for told in (telling.kinds(), telling.at_once(), telling.cuts()):
        yield from (f"{one} was left behind" for one in told.left)
    for sight in sights:
        yield from sight.found(*(one for one in LEFTOVERS if one != "permits"))


def _refused(sight: Sight) -> bool:
    """Whether it could not record the call when nothing ended it: other promises tell of that."""
    return any(life.result.code == ErrorCode.RECORD_FAILED for life in sight.undisturbed.lives if life.result)


def _broken(sights: list[Sight]) -> Iterator[str]:
    others = CHECKS.keys() - {*LEFTOVERS, "files"} | {"permits"}
    for sight in sights:
        if not _refused(sight):
            yield from sight.found(*others)


def _differing(sights: list[Sight]) -> Iterator[str]:
    for without, with_it in pairwise(sights):
        if with_it.run.case is not None or without.scene != f"{with_it.scene} without it" or _refused(with_it):
            continue
        for one, other in zip(without.lives, with_it.lives, strict=False):
            if one.result is not None and other.result is not None and one.result != other.result:
                yield f"{with_it.words}: it reads {other.result.text!r} with it, and {one.result.text!r} without it"
