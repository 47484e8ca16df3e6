"""How long the runs of an exploration may take."""

from __future__ import annotations

import attrs

from trio_tools.testing._probe import BUDGET
from trio_tools.testing._record import Run
from trio_tools.testing._stepping import Bounds

# Steps of a call that nothing ends: more than any tool has, and a fraction of a second.
MOST_STEPS = 30_000
# Steps that a call may always take to settle: those of the registry itself, and a clean-up of some length.
LEAST_STEPS = 30
# Seconds on the run's clock that a call may always take to settle: bounded clean-ups take 5 to 20.
LEAST_SECONDS = 30.0
# Seconds that one run on the real clock may take beyond what it may take to settle.
REAL_GRACE = 10.0


@attrs.frozen(kw_only=True)
class Limits:
    """How long things may take: `bound` times the undisturbed call to settle, `seconds` for all runs."""

    bound: float  # a factor, of steps and of seconds
    seconds: float

    def of_run(self, first: Run | None, *, virtual: bool) -> Bounds:
        """The bounds of a run in which something ends the call, by what the undisturbed one took; None: of that
        itself."""
        if first is None:
            real = None if virtual else self.seconds
            return Bounds(most_steps=MOST_STEPS, most_steps_after=MOST_STEPS, most_seconds_after=0, real_seconds=real)
        lasted = first.seconds if first.seconds < BUDGET else 0  # else it waited until its budget ran out
        after = max(LEAST_SECONDS, self.bound * lasted)
        return Bounds(
            most_steps=MOST_STEPS,
            most_steps_after=max(LEAST_STEPS, round(self.bound * first.steps)),
            most_seconds_after=after,
            real_seconds=None if virtual else lasted + after + REAL_GRACE,
            careful=first.saw_quiet,
        )
