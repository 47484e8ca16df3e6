"""Proofs for tools and for what is put round them: a call is ended at every step in every way, and each run is held
against every promise; contracts of recorders, wrappers, policies and plugins. And what their tests are made of: gates,
scripted models, servers in memory, arguments drawn from a schema."""

from trio_tools.testing._case import Case, Mode
from trio_tools.testing._effects import EffectRecorder, Happening
from trio_tools.testing._explore import explore_cancellation, explore_turn
from trio_tools.testing._gate import Gate
from trio_tools.testing._leftovers import Leftover
from trio_tools.testing._memory import MemoryStream, memory_server
from trio_tools.testing._model import Exchange, Message, ScriptedModel, Transcript
from trio_tools.testing._no_leftovers import LeftoversError, no_leftovers
from trio_tools.testing._record import Run
from trio_tools.testing._report import BrokenPromiseError, Failure, Finding, Report
from trio_tools.testing.contracts import (
    Promise,
    check_contract,
    plugin_contract,
    post_policy_contract,
    pre_policy_contract,
    recorder_contract,
    wrapper_contract,
)
from trio_tools.testing.schemas import arguments

__all__ = [
    "BrokenPromiseError",
    "Case",
    "EffectRecorder",
    "Exchange",
    "Failure",
    "Finding",
    "Gate",
    "Happening",
    "Leftover",
    "LeftoversError",
    "MemoryStream",
    "Message",
    "Mode",
    "Promise",
    "Report",
    "Run",
    "ScriptedModel",
    "Transcript",
    "arguments",
    "check_contract",
    "explore_cancellation",
    "explore_turn",
    "memory_server",
    "no_leftovers",
    "plugin_contract",
    "post_policy_contract",
    "pre_policy_contract",
    "recorder_contract",
    "wrapper_contract",
]
