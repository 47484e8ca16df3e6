"""Services of a tool under test: in which forms they are given, and which are made anew for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs
import pytest
import trio

from trio_tools import ToolContext
from trio_tools.testing import EffectRecorder, Happening, Run, explore_cancellation


@attrs.define(eq=False)
class Counter:
    """Counts the calls that began."""

    begun: int = 0


class Counting(Protocol):
    begun: int


class Special(Counter):
    pass


def make() -> Counter:
    return Counter()


async def counts(ctx: ToolContext) -> int:
    """Counts itself."""
    counter = ctx.require(Counter)
    counter.begun += 1
    await trio.sleep(1)
    return counter.begun


async def counts_by_protocol(ctx: ToolContext) -> int:
    counter = ctx.require(Counting)  # type: ignore[type-abstract]
    counter.begun += 1
    await trio.sleep(1)
    return counter.begun


Given = Iterable[object] | Mapping[type[object], object]


@pytest.mark.parametrize(
    "services",
    [
        [Counter],
        [(Counter, Counter)],
        [(Counter, make)],
        [(Counter, Special)],
        {Counter: Counter},
        {Counter: make},
    ],
    ids=[
        "class",
        "pair of class and class",
        "pair of class and function",
        "subclass",
        "mapping",
        "mapping to function",
    ],
)
def test_classes_and_functions_make_one_for_each_run(services: Given) -> None:
    most: list[int] = []
    report = explore_cancellation(counts, services=services, check=lambda run: most.append(run.service(Counter).begun))
    assert set(most) == {0, 1}
    assert len(most) == report.runs


@pytest.mark.parametrize("form", ["object", "pair", "mapping"])
def test_an_object_is_shared_by_all_runs(form: str) -> None:
    counter = Special() if form != "object" else Counter()
    services: Given = {"object": [counter], "pair": [(Counter, counter)], "mapping": {Counter: counter}}[form]  # type: ignore[assignment]
    report = explore_cancellation(counts, services=services, check=lambda run: run.service(Counter) is counter)
    assert 1 < counter.begun <= report.runs


def test_a_service_may_be_of_a_protocol_that_cannot_be_asked_for_at_run_time() -> None:
    assert explore_cancellation(counts_by_protocol, services=[(Counting, Counter)]).failures == ()


def test_an_effect_recorder_is_there_without_being_given_and_new_for_each_run() -> None:
    async def sends(ctx: ToolContext) -> None:
        async def send() -> int:
            ctx.require(EffectRecorder).happened("mail.send", 7)
            return 7

        await ctx.irreversible("mail.send", send)

    def check(run: Run) -> bool:
        recorder = run.service(EffectRecorder)
        return tuple(recorder.happenings) == run.happened and recorder.count("mail.send") in (0, 1)

    report = explore_cancellation(sends, check=check)
    assert report.undisturbed[0].effects[0].receipt == 7


def test_a_recorder_that_the_tool_reaches_in_another_way_is_found() -> None:
    recorder = EffectRecorder()
    seen: set[tuple[Happening, ...]] = set()

    async def sends(ctx: ToolContext) -> None:
        async def send() -> None:
            recorder.happened("mail.send")

        await ctx.irreversible("mail.send", send)

    explore_cancellation(sends, check=lambda run: seen.add(run.happened))
    assert seen == {(), (Happening("mail.send"),)}


@pytest.mark.parametrize(
    ("services", "words"),
    [
        ([(Counter,)], "services: a pair is of a type and a service or a function that makes one, not"),
        ([("counter", Counter())], "services: a pair is of a type and a service"),
        ([(Counter, Counter(), 3)], "services: a pair is of a type and a service"),
    ],
)
def test_what_is_no_pair_is_refused(services: Given, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        explore_cancellation(counts, services=services)


def test_a_type_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="services: Counter is given more than once"):
        explore_cancellation(counts, services=[Counter, (Counter, Special)])


def test_a_service_that_is_missing_is_refused_with_what_to_do() -> None:
    words = r"the call cannot run: counts: .*no test_testing_services\.Counter is provided: name it in services="
    with pytest.raises(ValueError, match=words):
        explore_cancellation(counts)
