"""How calls are carried: intake, gate, around, dispatch, post, settle, and the turn that holds them together."""

from trio_tools.pipeline._acknowledge import Acknowledgement, Grace
from trio_tools.pipeline._asked import all_of, check_asked, checked, only
from trio_tools.pipeline._carried import current_call
from trio_tools.pipeline._core import (
    Core,
    Entry,
    JobObserver,
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
from trio_tools.pipeline._faults import run_async, run_sync, take_apart
from trio_tools.pipeline._job import JobState, in_job, job_tasks
from trio_tools.pipeline._keys import EffectLedger
from trio_tools.pipeline._next import CallNext
from trio_tools.pipeline._pending import PendingCall, pending_calls
from trio_tools.pipeline._reach import Reach
from trio_tools.pipeline._services import Services, shown_type
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._turn import OnSettled, Turn, run_turn
from trio_tools.pipeline._view import CallView, Dispatch, SettledView
from trio_tools.pipeline._where import where

__all__ = [
    "Acknowledgement",
    "CallNext",
    "CallState",
    "CallView",
    "Core",
    "Deadline",
    "Dispatch",
    "EffectLedger",
    "Entry",
    "Grace",
    "JobState",
    "JobObserver",
    "Observer",
    "OnSettled",
    "PendingCall",
    "PostPolicy",
    "PrePolicy",
    "ProgressObserver",
    "Reach",
    "Recorder",
    "Seam",
    "Services",
    "SettledView",
    "Turn",
    "Wrapper",
    "all_of",
    "check_asked",
    "checked",
    "current_call",
    "deadline",
    "in_job",
    "job_tasks",
    "logger",
    "name_of",
    "only",
    "pending_calls",
    "run_async",
    "run_sync",
    "run_turn",
    "shown_type",
    "take_apart",
    "where",
]
