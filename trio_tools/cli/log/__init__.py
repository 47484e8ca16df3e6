"""Reading a journal on the command line: its sessions, their calls in time, and effects that wait for a decision."""

from trio_tools.cli.log._commands import add_log, options_behind

__all__ = ["add_log", "options_behind"]
