"""What an exploration came to, for a person: figures, and every promise that was broken with the way to see it
again."""

from __future__ import annotations

import os
import shlex
import sys
from types import FrameType

import attrs

from trio_tools.testing._case import Case, read_case
from trio_tools.testing._record import Run
from trio_tools.values import ToolResult

# Says which one case is to be run again: `<tool>:<mode>:<step>:<seed>`. See `replay_of`.
REPLAY = "TRIO_TOOLS_REPLAY"
# Cases that a report shows in full: as a rule one mistake breaks many in the same way, and the first of them says it.
SHOWN = 3


@attrs.frozen
class Finding:
    """A promise that was broken: the name of the check that saw it, and what it saw."""

    check: str
    words: str


@attrs.frozen(kw_only=True)
class Failure:
    """A case in which promises were broken: where the task of its step was, and what each check found."""

    case: Case | None  # None: nothing ended the call
    place: str
    findings: tuple[Finding, ...]
    trace: tuple[str, ...] = ()

    def words(self, name: str) -> str:
        """The same for a person, about the call of this name."""
        what = "undisturbed" if self.case is None else self.case.words
        lines = [f"{name}, {what}" + (f", at {self.place}" if self.place else "")]
        lines += [f"  {finding.check}: {finding.words}" for finding in self.findings]
        if self.case is not None:
            lines.append(f"  again: {replay_line(name, self.case)}")
        lines += [f"    {line}" for line in self.trace]
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class Report:
    """What an exploration came to. `steps` are those of the undisturbed call, `runs` all runs that were made, `cases`
    the ways to end the call, of which `untried` were left out and `missed` came after its end; `seconds` are those of a
    real clock; `undisturbed` are the results of the undisturbed calls; `unproved` says what does not follow from it."""

    name: str
    steps: int
    runs: int
    cases: int
    untried: int
    missed: int
    seconds: float
    virtual: bool
    undisturbed: tuple[ToolResult, ...]
    failures: tuple[Failure, ...]
    unproved: tuple[str, ...]

    def __str__(self) -> str:
        clock = "virtual" if self.virtual else "real"
        lines = [
            f"{self.name}: {_counted(self.steps, 'step')}, {_counted(self.runs, 'run')} on the {clock} clock in "
            f"{self.seconds:.2f} s, {len(self.failures) or 'none'} broken"
        ]
        shown = self._shown()
        lines += [failure.words(self.name) for failure in shown]
        if len(self.failures) > len(shown):
            lines.append(f"... and {_counted(len(self.failures) - len(shown), 'more case')}")
        if self.failures and self.untried:
            lines.append(f"stopped there: {self.untried} of {_counted(self.cases, 'case')} were not tried")
        lines += [f"unproved: {one}" for one in self.unproved]
        return "\n".join(lines)

    def _shown(self) -> list[Failure]:
        """The first cases, of each kind of finding one."""
        firsts: dict[tuple[Finding, ...], Failure] = {}
        for failure in self.failures:
            firsts.setdefault(failure.findings, failure)
        return [*firsts.values()][:SHOWN]


class BrokenPromiseError(AssertionError):
    """An exploration found promises broken. `report` has all of it."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


def replayed(name: str) -> Case | None:
    """The case that the environment asks for, if it is one of the calls of this name. Raises `ValueError`."""
    asked, _, case = os.environ.get(REPLAY, "").partition(":")
    return read_case(case) if asked == name else None


def replay_line(name: str, case: Case) -> str:
    """The command that runs this case alone, with a trace of its steps."""
    variable = f"{REPLAY}={shlex.quote(f'{name}:{case}')}"
    test = os.environ.get("PYTEST_CURRENT_TEST")
    if test is not None:
        return f"{variable} python -m pytest {shlex.quote(_reachable_from_here(test.rpartition(' ')[0]))}"
    return f"{variable} python {shlex.join(sys.orig_argv[1:])}"


def _reachable_from_here(test: str) -> str:
    """A test's id, which is relative to pytest's root folder, as it can be given in this folder: with the path of its
    file, which runs right now, if it is another."""
    file, _, rest = test.partition("::")
    frame: FrameType | None = sys._getframe()
    while frame is not None and not os.path.exists(file):
        path = frame.f_code.co_filename
        if path.endswith(f"{os.sep}{file}"):
            file = path
        frame = frame.f_back
    return f"{file}::{rest}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def trace_of(run: Run) -> tuple[str, ...]:
    """The steps of a run, with a mark at that of its case."""
    step = None if run.case is None else str(run.case.step)
    return tuple(f"> {line}" if line.split()[0] == step else f"  {line}" for line in run.trace)
