"""A command that runs, as those see it who read its output and stop it, whatever watches over it."""

from __future__ import annotations

import select
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

# Seconds for processes to be gone after SIGKILL. It is a matter of milliseconds; one that hangs in the kernel, or that
# became another user's (`sudo`), never goes, and must not hold the call.
KILL_BOUND = 2


class Child(Protocol):
    """A command that was started. `stdout` and `stderr` are our ends of its pipes, and do not block."""

    @property
    def stdout(self) -> int: ...

    @property
    def stderr(self) -> int: ...

    def is_running(self) -> bool:
        """Whether the command itself has not exited yet. Reaps nothing."""
        ...

    async def wait_exit(self) -> None:
        """Wait until the command itself has exited, or nobody can say any more whether it has.

        **Cancellation**: at once; the command is not touched.
        """
        ...

    async def stop(self, *, grace: float) -> bool:
        """End everything that the command started: SIGTERM, `grace` seconds, SIGKILL.

        If the command has exited by itself there is no SIGTERM and no grace: nobody waits for what it left behind.
        Returns False if something may be left. **Cancellation**: shielded, within bounds of seconds beyond `grace`.
        """
        ...

    def close(self) -> int | None:
        """Reap, and close the descriptors. Returns the command's code: negative for a signal, None if unknown."""
        ...


class Start(Protocol):
    """How commands are started."""

    async def __call__(
        self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str], mark: str
    ) -> Child:
        """Start `command` in `folder`, in a session and process group of its own, with nothing to read.

        `mark` stands in `environment`, see `command_environment`. Raises `OSError` if it cannot be started; then
        nothing runs and nothing is open. **Cancellation**: before it starts, in which case nothing was started; a start
        that has begun is finished.
        """
        ...


def has_ended(pidfd: int) -> bool:
    """Whether the process has exited that a pidfd stands for."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))
