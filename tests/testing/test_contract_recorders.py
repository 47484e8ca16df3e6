"""The contract of recorders: good ones keep it, and each of its promises is broken by one that breaks only that."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import pytest
import recorder_examples as them
from contract_checks import broken

from trio_tools.pipeline import Recorder
from trio_tools.testing import recorder_contract

# Ways to end a call that are tried: enough to see each mistake here.
RUNS = 2

Make: TypeAlias = "Callable[[], Recorder | AbstractAsyncContextManager[Recorder]]"

BAD: dict[str, tuple[Make, str, int]] = {
    "knows not all codes": (them.KnowsNotAllCodes, "It takes every kind of event", RUNS),
    "writes ASCII": (them.WritesAscii, "It takes odd texts", RUNS),
    "counts time": (them.CountsTime, "It takes calls that end early", RUNS),
    "one at a time": (them.OneAtATime, "It takes the events of several calls at once", RUNS),
    "dawdles": (them.Dawdles, "It is done with an event within 5 seconds", RUNS),
    "finishes at any price": (them.FinishesAtAnyPrice, "Cut off, it is back within 5 seconds", RUNS),
    "keeps the lock": (them.KeepsTheLock, "Cut off, it still takes the next call", RUNS),
    "leaves its task": (them.leaves_its_task, "It leaves nothing behind", RUNS),
    "holds a permit": (them.HoldsAPermit, "A call with it keeps every promise", 8),
    "takes its time": (them.TakesItsTime, "A call comes to the same with it and without it", RUNS),
}


@pytest.mark.parametrize(("make", "promise", "runs"), BAD.values(), ids=BAD.keys())
def test_a_recorder_with_a_mistake_breaks_just_the_promise_that_is_about_it(
    make: Make, promise: str, runs: int
) -> None:
    found = broken(recorder_contract(make, runs=runs))
    assert [name.startswith(promise) for name in found] == [True], found


@pytest.mark.parametrize(
    "make",
    [them.Keeps, them.keeps_at_once, them.writes_to_a_file],
    ids=["keeps", "keeps at once", "writes to a file"],
)
def test_a_good_recorder_keeps_every_promise(make: Make) -> None:
    assert broken(recorder_contract(make, runs=RUNS)) == {}


def test_every_promise_is_broken_by_some_example() -> None:
    names = [promise.name for promise in recorder_contract(them.Keeps)]
    assert [name for name in names if not any(name.startswith(promise) for _, promise, _ in BAD.values())] == []


def test_a_recorder_is_given_the_grace_that_its_author_says() -> None:
    slow = broken(recorder_contract(them.Dawdles, grace=11, runs=RUNS))
    assert slow == {}


def test_a_grace_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="grace must be"):
        recorder_contract(them.Keeps, grace=0)
