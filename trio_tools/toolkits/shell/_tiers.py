"""Who watches over commands: a supervising process for each, where that works, or this process itself."""

from __future__ import annotations

import logging
import os
import sys
import uuid
from pathlib import Path

from trio_tools.toolkits.shell._child import Start
from trio_tools.toolkits.shell._config import Supervise
from trio_tools.toolkits.shell._environment import command_environment
from trio_tools.toolkits.shell._process import start_in_process
from trio_tools.toolkits.shell._supervised import SUPERVISOR, start_supervised

logger = logging.getLogger("trio_tools.shell")

# Seconds of grace for the command that is tried, which has ended by itself by then.
_TRIED_GRACE = 1
# What was found to work in this process, by the Python and the bash that were run. What fails later is told of by the
# command that meets it.
_FOUND_TO_WORK: set[tuple[str, str]] = set()


async def choose_start(supervise: Supervise, *, bash: str) -> Start:
    """How commands are to be started here: `"auto"` has them supervised if that can be done, and warns if it cannot.
    That it can is found out once in a process.

    Raises `RuntimeError` if what is asked for cannot promise that a stopped command is stopped.
    **Cancellation**: at once, or when the command that is tried has been stopped.
    """
    _require_linux()
    if supervise == "never":
        return start_in_process
    try:
        await _try_supervised(bash)
    except OSError as error:
        if supervise == "auto":
            logger.warning(
                "commands are not supervised: %s. What wipes its environment and leaves its group is not found, and "
                'all of a command outlives this process if that is killed. supervise = "never" says that this is known',
                error,
            )
            return start_in_process
        raise RuntimeError(
            f"shell: no supervising process can be had here: {error}. It needs a Python that can be run as "
            'sys.executable, prctl, and /proc/<pid>/task/<tid>/children. supervise = "auto" does without if it must'
        ) from error
    return start_supervised


def _require_linux() -> None:
    """Raise `RuntimeError` where processes can neither be held on to, nor be found."""
    try:
        os.close(os.pidfd_open(os.getpid()))
        Path("/proc/self/environ").read_bytes()
    except (AttributeError, OSError) as error:
        raise RuntimeError(
            "shell: commands can be stopped reliably only on Linux 5.4 or newer with /proc mounted "
            f"(os.pidfd_open and /proc/self/environ), and this is {sys.platform}: {error}. Run it in a Linux container "
            "or virtual machine, or leave the plugin out"
        ) from error


async def _try_supervised(bash: str) -> None:
    """Run a command that does nothing under a supervisor, unless one was run before. Raises `OSError` if that cannot be
    done."""
    if not sys.executable or getattr(sys, "frozen", False) or not SUPERVISOR.is_file():
        raise FileNotFoundError("this Python is part of another program, or its modules are not files")
    if (sys.executable, bash) in _FOUND_TO_WORK:
        return
    mark = uuid.uuid4().hex
    environment = command_environment(os.environ, mark=mark)
    child = await start_supervised((bash, "-c", ":"), folder=Path("/"), environment=environment, mark=mark)
    try:
        try:
            await child.wait_exit()
        finally:
            ended = await child.stop(grace=_TRIED_GRACE)
    finally:
        code = child.close()
    if not ended or code != 0:
        raise ChildProcessError(f"a command that does nothing came to {code}")
    _FOUND_TO_WORK.add((sys.executable, bash))
