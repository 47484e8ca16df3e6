"""Policies that come with trio_tools. Each is a plugin, and uses only what any plugin can."""

from trio_tools.policies._logging import LoggingConfig, logging_plugin
from trio_tools.policies._retry import RetryConfig, retry
from trio_tools.policies._spill import SpillConfig, spill
from trio_tools.policies._timeout import TimeoutConfig, timeout, with_timeout

__all__ = [
    "LoggingConfig",
    "RetryConfig",
    "SpillConfig",
    "TimeoutConfig",
    "logging_plugin",
    "retry",
    "spill",
    "timeout",
    "with_timeout",
]
