"""Proofs for tools: a call is ended at every step in every way, and each run is held against every promise."""

from trio_tools.testing._case import Case, Mode
from trio_tools.testing._effects import EffectRecorder, Happening
from trio_tools.testing._explore import explore_cancellation, explore_turn
from trio_tools.testing._leftovers import Leftover
from trio_tools.testing._no_leftovers import LeftoversError, no_leftovers
from trio_tools.testing._record import Run
from trio_tools.testing._report import BrokenPromiseError, Failure, Finding, Report

__all__ = [
    "Case",
    "EffectRecorder",
    "Failure",
    "Finding",
    "Happening",
    "Leftover",
    "LeftoversError",
    "Mode",
    "BrokenPromiseError",
    "Report",
    "Run",
    "explore_cancellation",
    "explore_turn",
    "no_leftovers",
]
