"""Contracts for authors of recorders, wrappers, policies and plugins: promises that their own tests call."""

from trio_tools.testing.contracts._contract import Promise, check_contract
from trio_tools.testing.contracts._plugin import plugin_contract
from trio_tools.testing.contracts._policy import pre_policy_contract
from trio_tools.testing.contracts._post_policy import post_policy_contract
from trio_tools.testing.contracts._recorder import recorder_contract
from trio_tools.testing.contracts._wrapper import wrapper_contract

__all__ = [
    "Promise",
    "check_contract",
    "plugin_contract",
    "post_policy_contract",
    "pre_policy_contract",
    "recorder_contract",
    "wrapper_contract",
]
