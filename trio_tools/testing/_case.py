"""One case of an exploration: what happens to the call, at which step, in which order of tasks."""

from __future__ import annotations

from enum import StrEnum

import attrs


class Mode(StrEnum):
    """What happens to the call at a step."""

    BLOCKED = "blocked"  # its caller cancels it while a task is blocked at the checkpoint that ends the step
    WAKING = "waking"  # its caller cancels it as the task wakes, with what it waited for in its hands
    BUDGET = "budget"  # its budget runs out while a task is blocked there
    BUDGET_FIRST = "budget-first"  # the same, and its caller cancels it a step later
    CALLER_FIRST = "caller-first"  # its caller cancels it there, and its budget runs out a step later
    INTERRUPT = "interrupt"  # Ctrl-C comes while a task is blocked there


_WORDS = {
    Mode.BLOCKED: "cancelled while blocked",
    Mode.WAKING: "cancelled as it wakes",
    Mode.BUDGET: "out of budget while blocked",
    Mode.BUDGET_FIRST: "out of budget while blocked, then cancelled",
    Mode.CALLER_FIRST: "cancelled while blocked, then out of budget",
    Mode.INTERRUPT: "Ctrl-C while blocked",
}


@attrs.frozen
class Case:
    """One way to end a call: `mode` at the `step`-th step (1 is the first), under the order of tasks that `seed`
    draws. Written as `blocked:7:0`."""

    mode: Mode
    step: int
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.mode}:{self.step}:{self.seed}"

    @property
    def words(self) -> str:
        """The same for a person."""
        return f"{_WORDS[self.mode]} at step {self.step} (seed {self.seed})"


def read_case(text: str) -> Case:
    """The case that `str` wrote. Raises `ValueError` saying what a case looks like."""
    mode, _, rest = text.partition(":")
    step, _, seed = rest.partition(":")
    if mode not in set(Mode) or not step.isdecimal() or not seed.isdecimal() or not int(step):
        like = 'mode:step:seed, such as "blocked:7:0"'
        raise ValueError(f"a case is written {like}, with a mode of {', '.join(Mode)}; not {text!r}")
    return Case(Mode(mode), int(step), int(seed))
