"""Policies that come with trio_tools. Each is a plugin, and uses only what any plugin can."""

from trio_tools.policies._timeout import TimeoutConfig, timeout

__all__ = ["TimeoutConfig", "timeout"]
