"""The kit used on ourselves: every tool that is shipped, alone and in pairs, on real files and processes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import trio
from shipped_tools import ALLOWED, BACKGROUND_TURNS, BESIDE, CALLS, IN_PAIRS, busy, plugins_on

from trio_tools import ToolCall, open_registry
from trio_tools.registry import AnyPlugin
from trio_tools.testing import explore_turn

# Cases of each tool alone, and of each pair: samples, since each takes its time. `python -m benchmarks exploration` has
# all of them.
ALONE, OF_A_PAIR = 24, 8


@pytest.fixture
def plugins(tmp_path: Path) -> list[AnyPlugin]:
    return plugins_on(tmp_path)


def test_every_tool_that_is_shipped_is_explored(plugins: list[AnyPlugin]) -> None:
    async def main() -> set[str]:
        async with open_registry(plugins=plugins) as registry:
            return set(registry.tools)

    assert trio.run(main) == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_shipped_tool_keeps_every_promise(name: str, plugins: list[AnyPlugin]) -> None:
    """M017, and the shell's B010: ended at any step in any way, nothing is left, and the result is true."""
    calls = [ToolCall(name, CALLS[name])]
    plugins += BESIDE.get(name, ())
    report = explore_turn([], calls, plugins=plugins, allow=ALLOWED.get(name, ()), runs=ALONE, seeds=1)
    assert (report.cases, report.untried, report.failures) == (ALONE, 0, ())
    assert not report.virtual
    assert [result.text for result in report.undisturbed if result.is_error] == []


@pytest.mark.parametrize("names", list(itertools.combinations_with_replacement(IN_PAIRS, 2)), ids="+".join)
def test_two_shipped_tools_keep_every_promise_together(names: tuple[str, str], plugins: list[AnyPlugin]) -> None:
    """The same for a turn of two."""
    calls = [ToolCall(name, CALLS[name], id=str(place)) for place, name in enumerate(names)]
    allow = {check for name in names for check in ALLOWED.get(name, ())}
    report = explore_turn([], calls, plugins=plugins, allow=allow, runs=OF_A_PAIR, seeds=1)
    assert (report.cases, report.untried, report.failures) == (OF_A_PAIR, 0, ())


@pytest.mark.parametrize("calls", BACKGROUND_TURNS, ids=["start", "start+wait+kill"])
def test_commands_in_the_background_keep_every_promise(calls: list[ToolCall], plugins: list[AnyPlugin]) -> None:
    """B051, B052, M017: a call that is ended leaves the job, and the registry's end leaves nothing. (A job may have a
    thread of its own for its start.)"""
    report = explore_turn([], calls, plugins=[*plugins, busy], allow=["threads"], runs=ALONE, seeds=1)
    assert (report.cases, report.untried, report.failures) == (ALONE, 0, ())
    assert [result.text for result in report.undisturbed if result.is_error] == []
