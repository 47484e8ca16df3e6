"""The command line: `trio-tools run FILE|-` runs turns of tool calls, JSON lines in and JSON lines out."""

from trio_tools.cli._main import main

__all__ = ["main"]
