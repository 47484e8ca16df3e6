"""The kit used on ourselves: the kernel's promises under turns of every kind, and policies alone and in pairs."""

from __future__ import annotations

import inspect
import itertools
import logging
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import pytest
import trio
from turn_of_all_kinds import CALLS, TOOLS, crowd, every_seam, look

from trio_tools import ToolCall, policies, tool
from trio_tools.registry import AnyPlugin, Plugin
from trio_tools.testing import explore_cancellation, explore_turn

# Undisturbed runs before the first that counts, and to see whether it can be repeated.
WARM = 1
SHIPPED: list[AnyPlugin] = [one for _, one in inspect.getmembers(policies) if isinstance(one, Plugin)]  # pyright: ignore[reportUnknownVariableType]
# No result here is long enough to be saved: with its threads an exploration is on the real clock, see tests/real.
SPILL = policies.SpillConfig(directory=Path(gettempdir()))
POLICIES = [one(SPILL) if one is policies.spill else one for one in SHIPPED]
PAIRS: list[tuple[AnyPlugin, ...]] = list(itertools.permutations(POLICIES, 2))


@tool(read_only=True, timeout=20)
async def stumble() -> None:
    """Fail, after a while, each time that it is tried."""
    await trio.sleep(0.5)
    raise OSError("stumbled")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What is logged of thousands of calls is not looked at."""
    logger = logging.getLogger("trio_tools")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(before)


@pytest.mark.parametrize("max_parallel_calls", [10, 2, 1])
def test_a_turn_of_every_kind_keeps_every_promise_however_it_is_ended(max_parallel_calls: int) -> None:
    """Promises 1 to 4, D5, L006, L012: by samples; all of them run in `python -m benchmarks exploration`."""
    report = explore_turn(TOOLS, CALLS, runs=40, max_parallel_calls=max_parallel_calls)
    assert (report.runs, report.failures, report.virtual) == (40 + WARM + 10, (), True)


def test_a_turn_with_somebody_at_every_seam_keeps_every_promise_however_it_is_ended() -> None:
    """The same, with policies, wrappers, recorders and observers that take their time."""
    report = explore_turn(TOOLS, CALLS, plugins=[every_seam], runs=40, seeds=3)
    assert report.failures == ()
    assert report.steps > 80


@pytest.mark.parametrize("call", CALLS[:-1], ids=lambda call: call.name)
def test_each_kind_of_call_alone_keeps_every_promise_at_every_step(call: ToolCall) -> None:
    """The same, alone and at every step: no sample."""
    report = explore_turn(TOOLS, [call], runs=10_000, seeds=1)
    assert (report.untried, report.failures) == (0, ())


def test_all_policies_are_seen() -> None:
    assert {one.name for one in POLICIES} == {"timeout", "logging", "retry", "spill"}


@pytest.mark.parametrize(
    "listed",
    [*((one,) for one in POLICIES), *PAIRS],
    ids=lambda listed: "+".join(one.name for one in listed),
)
def test_policies_alone_and_in_pairs_keep_every_promise(listed: tuple[AnyPlugin, ...]) -> None:
    """Every policy that is shipped, round a call of several tasks, at every step in every way."""
    for one, arguments in ((crowd, ""), (look, '{"place": "attic"}'), (stumble, "")):
        assert explore_cancellation(one, arguments, plugins=listed).failures == ()
