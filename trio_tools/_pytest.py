"""The pytest plugin: fixtures, and a line at the end that says what was explored. Loaded by pytest, by its entry
point, in every session where trio_tools is installed: a session that uses no fixture of it does not pay for the kit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypedDict

import pytest

if TYPE_CHECKING:
    from trio_tools.testing import EffectRecorder, Gate, Report

P = ParamSpec("P")


class _Told(TypedDict):
    """What is told of an exploration at the end: plain data, which a process of pytest-xdist can hand over."""

    name: str
    runs: int
    seconds: float
    broken: bool
    unproved: list[str]


_TOLD = pytest.StashKey[list[_Told]]()
# Under which name a process of pytest-xdist hands it over.
_HANDED_OVER = "trio_tools_explorations"


def _told(report: Report) -> _Told:
    return _Told(
        name=report.name,
        runs=report.runs,
        seconds=report.seconds,
        broken=bool(report.failures),
        unproved=list(report.unproved),
    )


def _kept(config: pytest.Config, explore: Callable[P, Report]) -> Callable[P, Report]:
    from trio_tools.testing import BrokenPromiseError

    @wraps(explore)
    def kept(*args: P.args, **kwargs: P.kwargs) -> Report:
        __tracebackhide__ = True
        told = config.stash.setdefault(_TOLD, [])
        try:
            report = explore(*args, **kwargs)
        except BrokenPromiseError as broken:
            told.append(_told(broken.report))
            raise
        told.append(_told(report))
        return report

    return kept


@pytest.fixture
def trio_tools_explore_cancellation(pytestconfig: pytest.Config) -> Callable[..., Report]:
    """`trio_tools.testing.explore_cancellation`, with its figures at the end of the session."""
    from trio_tools.testing import explore_cancellation

    return _kept(pytestconfig, explore_cancellation)


@pytest.fixture
def trio_tools_explore_turn(pytestconfig: pytest.Config) -> Callable[..., Report]:
    """`trio_tools.testing.explore_turn`, with its figures at the end of the session."""
    from trio_tools.testing import explore_turn

    return _kept(pytestconfig, explore_turn)


@pytest.fixture
def trio_tools_no_leftovers(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """The test may leave nothing: no thread, process, descriptor or temporary file."""
    from trio_tools.testing import no_leftovers

    tmp_path_factory.getbasetemp()  # pytest's own, which it keeps, is made where it would be without us
    with no_leftovers():
        yield


@pytest.fixture
def trio_tools_effects() -> EffectRecorder:
    """An `EffectRecorder` for the stand-ins of this test."""
    from trio_tools.testing import EffectRecorder

    return EffectRecorder()


@pytest.fixture
def trio_tools_gate() -> Gate:
    """A `Gate` for a tool of this test to park at."""
    from trio_tools.testing import Gate

    return Gate()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what was explored, if this is one of several processes."""
    output: dict[str, list[_Told]] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_HANDED_OVER] = session.config.stash.get(_TOLD, list[_Told]())


class _Node(Protocol):
    """One of several processes, as pytest-xdist shows it."""

    config: pytest.Config


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: _Node) -> None:
    """Take what one of several processes has explored. One that has crashed hands nothing over."""
    output: Mapping[str, list[_Told]] = getattr(node, "workeroutput", {})
    node.config.stash.setdefault(_TOLD, []).extend(output.get(_HANDED_OVER, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was explored, and what that leaves unproved."""
    told = config.stash.get(_TOLD, list[_Told]())
    if not told:
        return
    runs, seconds = sum(one["runs"] for one in told), sum(one["seconds"] for one in told)
    terminalreporter.section("trio_tools")
    explorations = "1 exploration" if len(told) == 1 else f"{len(told)} explorations"
    broken = sum(one["broken"] for one in told)
    outcome = (
        f"promises were broken in {broken} of {explorations}" if broken else f"every promise held in {explorations}"
    )
    terminalreporter.line(f"{outcome}: {runs} runs, {seconds:.2f} s")
    for one in told:
        for unproved in one["unproved"]:
            terminalreporter.line(f"unproved of {one['name']}: {unproved}")
