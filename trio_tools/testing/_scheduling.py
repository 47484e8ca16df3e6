"""The scheduler's dice, loaded: the one place that touches names which are Trio's own.

Trio runs each batch of tasks in an order that it draws at random. Its own support for hypothesis sorts the batch first
and draws from a generator that it seeds; this does the same, for one run. Both names are private, and so is that of the
method by which a cancel is known. They are looked for before they are used, and a test fails when Trio has moved them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from trio._core import _run

# The method of Trio's tasks in which one is scheduled to raise a Cancelled.
_SCHEDULES_A_CANCEL = "_attempt_abort"


@contextmanager
def order_that_can_be_fixed() -> Generator[None]:
    """Have Trio's order of tasks, and the `random` module, follow from what `seed_order` says for as long as the block.

    Raises `RuntimeError` for a version of Trio in which the order cannot be fixed.
    """
    fixable = hasattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING") and isinstance(getattr(_run, "_r", None), random.Random)
    if not fixable or not hasattr(_run.Task, _SCHEDULES_A_CANCEL):
        raise RuntimeError("this version of Trio has no order of tasks that can be fixed: trio_tools needs a newer one")
    before, trios, everybodys = _run._ALLOW_DETERMINISTIC_SCHEDULING, _run._r.getstate(), random.getstate()
    # declared final for the eyes of type checkers: Trio's own support for hypothesis sets it too
    setattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True)  # noqa: B010
    try:
        yield
    finally:
        setattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", before)  # noqa: B010
        _run._r.setstate(trios)
        random.setstate(everybodys)


def seed_order(seed: int) -> None:
    """Fix the order of tasks of the next run."""
    _run._r.seed(seed)
    random.seed(seed)


def is_scheduled_by_a_cancel() -> bool:
    """Whether Trio schedules a task, right now, to have it raise a Cancelled: a thread's answer may come at the same
    instant, and Trio tells the two apart by nothing but the function that it is in."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name != _SCHEDULES_A_CANCEL:
        frame = frame.f_back
    return frame is not None
