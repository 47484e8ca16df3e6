"""The kit used on ourselves: every tool that is shipped, alone and in pairs, on real files and processes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import trio
from shipped_tools import ALLOWED, CALLS, plugins_on

from trio_tools import ToolCall, open_registry
from trio_tools.registry import AnyPlugin
from trio_tools.testing import explore_turn

# Cases of each tool alone, and of each pair: samples, since each takes its time. `python -m benchmarks exploration` has
# all of them.
ALONE, IN_PAIRS = 24, 8


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
    report = explore_turn([], calls, plugins=plugins, allow=ALLOWED.get(name, ()), runs=ALONE, seeds=1)
    assert (report.cases, report.untried, report.failures) == (ALONE, 0, ())
    assert not report.virtual
    assert [result.text for result in report.undisturbed if result.is_error] == []


@pytest.mark.parametrize("names", list(itertools.combinations_with_replacement(CALLS, 2)), ids="+".join)
def test_two_shipped_tools_keep_every_promise_together(names: tuple[str, str], plugins: list[AnyPlugin]) -> None:
    """The same for a turn of two."""
    calls = [ToolCall(name, CALLS[name], id=str(place)) for place, name in enumerate(names)]
    allow = {check for name in names for check in ALLOWED.get(name, ())}
    report = explore_turn([], calls, plugins=plugins, allow=allow, runs=IN_PAIRS, seeds=1)
    assert (report.cases, report.untried, report.failures) == (IN_PAIRS, 0, ())
