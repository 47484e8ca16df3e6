"""How calls are carried: intake, gate, around, dispatch, post, settle, and the turn that holds them together."""

from trio_tools.pipeline._core import (
    Core,
    Observer,
    PostPolicy,
    PrePolicy,
    ProgressObserver,
    Recorder,
    Seam,
    Wrapper,
    logger,
    name_of,
)
from trio_tools.pipeline._deadline import Deadline, deadline
from trio_tools.pipeline._faults import take_apart
from trio_tools.pipeline._next import CallNext
from trio_tools.pipeline._pending import PendingCall, pending_calls
from trio_tools.pipeline._state import CallState, current_call
from trio_tools.pipeline._turn import OnSettled, Turn, all_of, only, run_turn
from trio_tools.pipeline._view import CallView, Dispatch

__all__ = [
    "CallNext",
    "CallState",
    "CallView",
    "Core",
    "Deadline",
    "Dispatch",
    "Observer",
    "OnSettled",
    "PendingCall",
    "PostPolicy",
    "PrePolicy",
    "ProgressObserver",
    "Recorder",
    "Seam",
    "Turn",
    "Wrapper",
    "all_of",
    "current_call",
    "deadline",
    "logger",
    "name_of",
    "only",
    "pending_calls",
    "run_turn",
    "take_apart",
]
