"""Policies that come with trio_tools. Each is a plugin, and uses only what any plugin can."""

from trio_tools.policies._logging import LoggingConfig, logging_plugin
from trio_tools.policies._retry import RetryConfig, retry
from trio_tools.policies._timeout import TimeoutConfig, timeout, with_timeout

__all__ = ["LoggingConfig", "RetryConfig", "TimeoutConfig", "logging_plugin", "retry", "timeout", "with_timeout"]
