"""The pytest plugin: fixtures, and a line at the end that says what was explored. Loaded by pytest, by its entry
point."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import ParamSpec

import pytest

from trio_tools.testing._effects import EffectRecorder
from trio_tools.testing._explore import explore_cancellation, explore_turn
from trio_tools.testing._gate import Gate
from trio_tools.testing._no_leftovers import no_leftovers
from trio_tools.testing._report import BrokenPromiseError, Report

P = ParamSpec("P")

_REPORTS = pytest.StashKey[list[Report]]()


def _kept(config: pytest.Config, explore: Callable[P, Report]) -> Callable[P, Report]:
    @wraps(explore)
    def kept(*args: P.args, **kwargs: P.kwargs) -> Report:
        __tracebackhide__ = True
        reports = config.stash.setdefault(_REPORTS, [])
        try:
            reports.append(explore(*args, **kwargs))
        except BrokenPromiseError as broken:
            reports.append(broken.report)
            raise
        return reports[-1]

    return kept


@pytest.fixture
def trio_tools_explore_cancellation(pytestconfig: pytest.Config) -> Callable[..., Report]:
    """`trio_tools.testing.explore_cancellation`, with its figures at the end of the session."""
    return _kept(pytestconfig, explore_cancellation)


@pytest.fixture
def trio_tools_explore_turn(pytestconfig: pytest.Config) -> Callable[..., Report]:
    """`trio_tools.testing.explore_turn`, with its figures at the end of the session."""
    return _kept(pytestconfig, explore_turn)


@pytest.fixture
def trio_tools_no_leftovers(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """The test may leave nothing: no thread, process, descriptor or temporary file."""
    tmp_path_factory.getbasetemp()  # pytest's own, which it keeps, is made where it would be without us
    with no_leftovers():
        yield


@pytest.fixture
def trio_tools_effects() -> EffectRecorder:
    """An `EffectRecorder` for the stand-ins of this test."""
    return EffectRecorder()


@pytest.fixture
def trio_tools_gate() -> Gate:
    """A `Gate` for a tool of this test to park at."""
    return Gate()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was explored, and what that leaves unproved."""
    reports = config.stash.get(_REPORTS, list[Report]())
    if not reports:
        return
    runs, seconds = sum(report.runs for report in reports), sum(report.seconds for report in reports)
    terminalreporter.section("trio_tools")
    explorations = "1 exploration" if len(reports) == 1 else f"{len(reports)} explorations"
    broken = sum(bool(report.failures) for report in reports)
    outcome = (
        f"promises were broken in {broken} of {explorations}" if broken else f"every promise held in {explorations}"
    )
    terminalreporter.line(f"{outcome}: {runs} runs, {seconds:.2f} s")
    for report in reports:
        for unproved in report.unproved:
            terminalreporter.line(f"unproved of {report.name}: {unproved}")
