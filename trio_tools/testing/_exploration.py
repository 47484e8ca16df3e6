"""The course of an exploration: undisturbed runs first, then case after case, on the clock that the tool needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from itertools import chain

import attrs
import trio

from trio_tools.testing._case import Case, Mode
from trio_tools.testing._checks import CHECKS
from trio_tools.testing._leftovers import Standing, clear_away
from trio_tools.testing._limits import Limits
from trio_tools.testing._plan import Plan
from trio_tools.testing._record import Run
from trio_tools.testing._report import REPLAY, BrokenPromiseError, Failure, Finding, Report, replayed, trace_of
from trio_tools.testing._run import Assignment, carry_out
from trio_tools.testing._scheduling import order_that_can_be_fixed
from trio_tools.testing._surroundings import collect_garbage, ctrl_c_is_trios, garbage_waits
from trio_tools.testing._undisturbed import check_usable, not_seen, results_of
from trio_tools.testing._watchdog import Blocked

# Cases with broken promises after which an exploration stops: one mistake shows in many.
MOST_FAILURES = 5
# Runs between two collections of garbage: some milliseconds' worth, and some megabytes at most.
COLLECTED = 25


class Exploration:
    """One exploration, of one plan."""

    def __init__(self, plan: Plan, name: str, limits: Limits, *, allowed: Collection[str] = ()) -> None:
        self._plan = plan
        self._name = name
        self._limits = limits
        self._allowed = allowed
        self._began = time.perf_counter()
        self._virtual = True
        self._undisturbed: dict[int, Run] = {}  # by seed
        self._runs = 0
        self._tried = 0  # cases
        self._failures: list[Failure] = []
        self._spoilt = False  # whether what is shared by all runs may be so now
        self._missed = 0
        self._shorter = 0  # cases whose call came to its end in fewer steps than undisturbed
        self._unproved: list[str] = []

    def report(self, cases: Callable[[Callable[[int], int]], list[Case]]) -> Report:
        """Make all runs. `cases` draws them up, given how many steps the undisturbed call has under each seed.

        Raises as `explore_cancellation` does.
        """
        __tracebackhide__ = True  # from pytest: what broke is in the message, not here
        if trio.lowlevel.in_trio_run():
            raise RuntimeError(
                "an exploration runs Trio itself: call it from a plain function, not from inside of Trio"
            )
        with ctrl_c_is_trios() as interruptible, order_that_can_be_fixed(), garbage_waits():
            self._first(0)
            asked = replayed(self._name)
            if asked is not None:
                return self._replay(asked)
            if not interruptible:
                self._unproved.append("Ctrl-C was not tried: only the main thread is sent signals")
            listed = [case for case in cases(self._steps_under) if interruptible or case.mode is not Mode.INTERRUPT]
            return self._explored(listed)

    @property
    def virtual(self) -> bool:
        """Whether its runs are on the virtual clock, as far as is known yet."""
        return self._virtual

    def sights(self, cases: Callable[[int], list[Case]]) -> list[tuple[Run, tuple[Finding, ...]]]:
        """The undisturbed run, and one of each of the `cases` that are drawn up for its steps, with what is broken in
        each; nothing is raised for that. Of a call that does not settle undisturbed there is no more to see.

        Raises as `explore_cancellation` does for a call that cannot run.
        """
        runs: list[Run] = []

        def keep(run: Run) -> bool:
            runs.append(run)
            return not self._needs_real_clock(run)

        with ctrl_c_is_trios() as interruptible, order_that_can_be_fixed(), garbage_waits():
            while True:
                runs[:] = [self._run(None, 0)]
                if self._needs_real_clock(runs[0]):
                    continue
                self._undisturbed[0] = runs[0]
                check_usable(runs[0])
                drawn = cases(runs[0].steps) if runs[0].doom is None else ()
                listed = [case for case in drawn if interruptible or case.mode is not Mode.INTERRUPT]
                virtual = self._virtual
                while len(runs) <= len(listed) and self._virtual is virtual:
                    self._carry_out((self._assigned(case, case.seed) for case in listed[len(runs) - 1 :]), keep)
                if self._virtual is virtual:  # else what was seen on the virtual clock does not count
                    return [(run, self._findings(run)) for run in runs]

    # --- undisturbed runs ------------------------------------------------------------------------------------------

    def _steps_under(self, seed: int) -> int:
        """How many steps the undisturbed call has under this seed."""
        return self._first(seed).steps

    def _first(self, seed: int) -> Run:
        """The undisturbed run under this seed, on the clock that it needs. The first of all only warms up what a tool
        keeps on purpose, and a promise that is broken in another ends the exploration."""
        __tracebackhide__ = True
        if seed not in self._undisturbed:
            warm = self._run(None, seed, tracing=self._virtual) if not self._undisturbed else None
            if warm is not None and self._needs_real_clock(warm):
                return self._first(seed)
            # what the warming one has not given back, the next would not get
            tracing = warm is not None and self._virtual  # which are compared
            run = warm if warm is not None and warm.spoils else self._run(None, seed, tracing=tracing)
            if self._needs_real_clock(run):
                return self._first(seed)
            if self._may_be_kept(run):
                run = self._rehearsed(run, seed)
            self._undisturbed[seed] = run
            check_usable(run)
            if warm is not None and warm.trace != run.trace and not self._plan.rehearsed:
                self._check_repeatable(run, seed)
            failure = self._judged(run)
            if failure is not None:
                raise BrokenPromiseError(self._reported((failure,), 0, 0))
        return self._undisturbed[seed]

    def _check_repeatable(self, run: Run, seed: int) -> None:
        if self._run(None, seed, tracing=True).trace != run.trace:
            self._unproved.append(
                "under the same seed the undisturbed call takes other steps each time: something else than the order "
                "of its tasks decides, and a case that is run again may be another one"
            )
        else:
            self._unproved.append(
                "the first call took other steps than later ones, as one does that finds a cache empty: no first one "
                "was ended; have services= make anew what it keeps"
            )

    def _may_be_kept(self, run: Run) -> bool:
        """Whether what was left may be there for later calls: it is an undisturbed call that has left it, and no call
        was made before."""
        return bool(run.left) and run.case is None and run.doom is None and not self._plan.rehearsed

    def _rehearsed(self, run: Run, seed: int) -> Run:
        """The undisturbed run, with one call before it: if that leaves nothing any more, what the first had left is
        kept on purpose, and every run has such a call before it."""
        cold = self._plan
        self._plan = attrs.evolve(cold, rehearsed=True)
        again = self._run(None, seed)
        if again.left or again.doom is not None:
            self._plan = cold
            return run
        kept = "; ".join(one.words for one in run.left)
        self._unproved.append(
            f"the first call in a registry leaves something for later ones ({kept}): an undisturbed call was made "
            "before each that was looked at, and no first one was ended"
        )
        self._undisturbed.clear()
        return again

    def _needs_real_clock(self, run: Run) -> bool:
        outside = run.outside_work or any(one.kind in ("threads", "processes") for one in run.left)
        if not self._virtual or not outside:
            return False
        self._virtual = False
        self._began = time.perf_counter()
        self._undisturbed.clear()
        return True

    # --- cases -----------------------------------------------------------------------------------------------------

    def _explored(self, cases: list[Case]) -> Report:
        __tracebackhide__ = True
        while (
            self._tried < len(cases)
            and len(self._failures) < MOST_FAILURES
            and not self._spoilt
            and self._seconds() < self._limits.seconds
        ):
            self._carry_out((self._assigned(case, case.seed) for case in cases[self._tried :]), self._tell)
        if cases and not self._tried:
            raise ValueError(f"the time was up before the first of {len(cases)} cases was tried: give more seconds=")
        report = self._reported(tuple(self._failures), len(cases), len(cases) - self._tried)
        if self._failures:
            raise BrokenPromiseError(report)
        return report

    def _tell(self, run: Run) -> bool:
        """A case was tried. Whether the next may follow in the same run of Trio."""
        assert run.case is not None
        if self._needs_real_clock(run):
            self._tried = self._missed = self._shorter = 0  # what was seen on the virtual clock does not count
            self._failures.clear()
            return False
        self._tried += 1
        self._missed += all(life.ended is None for life in run.lives) and run.doom is None
        self._shorter += run.steps < run.case.step and run.doom is None
        failure = self._judged(run)
        if failure is not None:
            self._failures.append(failure)
            self._spoilt = run.spoils or isinstance(run.doom, Blocked)
        return failure is None and self._seconds() < self._limits.seconds

    def traced(self, case: Case) -> Run:
        """One run of one case, with a trace of its steps."""
        return self._run(case, case.seed, tracing=True)

    def _replay(self, case: Case) -> Report:
        __tracebackhide__ = True
        run = self.traced(case)
        if run.steps < case.step and run.doom is None and self._virtual:
            raise ValueError(f"{REPLAY}: the call of {self._name} has {run.steps} steps, so {case} never comes")
        failure = self._judged(run)
        self._unproved.append(f"every other case: {REPLAY} asked for this one")
        if failure is None:
            held = Failure(case=case, place=run.place, findings=(), trace=trace_of(run))
            print(f"every promise held: {held.words(self._name)}")
            return self._reported((), 1, 0)
        raise BrokenPromiseError(self._reported((attrs.evolve(failure, trace=trace_of(run)),), 1, 0))

    def _run(self, case: Case | None, seed: int, *, tracing: bool = False) -> Run:
        runs: list[Run] = []

        def keep(run: Run) -> bool:
            runs.append(run)
            return False

        self._carry_out([self._assigned(case, seed, tracing=tracing)], keep)
        return runs[0]

    def _assigned(self, case: Case | None, seed: int, *, tracing: bool = False) -> Assignment:
        first = None if case is None else self._first(case.seed)
        return Assignment(
            case=case, seed=seed, bounds=self._limits.of_run(first, virtual=self._virtual), tracing=tracing
        )

    def _carry_out(self, assignments: Iterable[Assignment], tell: Callable[[Run], bool]) -> None:
        """Make these runs, and tell of each. What is left of one is cleared away, and then the next gets a run of Trio
        of its own, as each does on the real clock."""

        def told(run: Run, around: Standing) -> bool:
            self._runs += 1
            if self._runs % COLLECTED == 0:
                collect_garbage()
            clean = not run.left and run.doom is None
            if not clean and not self._may_be_kept(run):
                clear_away(around)
            return tell(run) and clean and self._virtual

        pending = iter(assignments)
        first = next(pending)
        carry_out(self._plan, chain([first], pending), told, real_seconds=first.bounds.real_seconds)

    def _findings(self, run: Run) -> tuple[Finding, ...]:
        undisturbed = self._first(0 if run.case is None else run.case.seed)
        names = [name for name in (CHECKS if run.doom is None else ("settles",)) if name not in self._allowed]
        return tuple(Finding(name, words) for name in names for words in CHECKS[name](run, undisturbed))

    def _judged(self, run: Run) -> Failure | None:
        findings = self._findings(run)
        return Failure(case=run.case, place=run.place, findings=findings) if findings else None

    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _reported(self, failures: tuple[Failure, ...], cases: int, untried: int) -> Report:
        if untried and not failures:
            self._unproved.append(f"{untried} of {cases} cases were not tried: the time was up")
        self._unproved += [f"{name} was not checked, as it is allowed" for name in self._allowed]
        if not self._virtual:
            self._unproved.append(
                "threads, processes and sockets take their own time: the steps of this call differ from run to run, "
                f"and {self._missed} of {cases} cases came after its end"
            )
        undisturbed = self._first(0)
        if self._shorter and self._virtual:
            self._unproved.append(
                f"{self._shorter} of {cases} cases never came: the call took fewer steps than undisturbed; let it find "
                "each time what it found the first time, such as an empty cache (services= makes it anew)"
            )
        self._unproved += not_seen(undisturbed)
        return Report(
            name=self._name,
            steps=undisturbed.steps,
            runs=self._runs,
            cases=cases,
            untried=untried,
            missed=self._missed,
            seconds=self._seconds(),
            virtual=self._virtual,
            undisturbed=results_of(undisturbed),
            failures=failures,
            unproved=tuple(self._unproved),
        )
