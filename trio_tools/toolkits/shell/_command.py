"""One command from start to rest: started, read, waited for, stopped, and told."""

from __future__ import annotations

import math
import os
import uuid
from pathlib import Path

import attrs
import trio

from trio_tools.toolkits.shell._child import KILL_BOUND, Child, Start
from trio_tools.toolkits.shell._config import ShellConfig
from trio_tools.toolkits.shell._environment import command_environment
from trio_tools.toolkits.shell._escapees import SWEEP_BOUND
from trio_tools.toolkits.shell._limits import Limit, Limits, wait_within
from trio_tools.toolkits.shell._output import Kept, SpillFile, SpillFolder, Tail
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._stream import Stream
from trio_tools.toolkits.shell._supervised import start_supervised
from trio_tools.toolkits.shell._text import Finished, signal_name
from trio_tools.values import ToolError

# Seconds that what a command leaves in the background may go on writing once the shell itself has exited, if it holds
# the command's output open: a filter that the shell does not wait for (`> >(tee log)`) still has its last lines to
# write. Short, since a server started with `&` holds the output for ever and the call waits for this.
LINGER = 0.5
# Seconds for the end of a pipe once everything is dead. It comes at once, unless something escaped that holds it.
DRAIN_BOUND = 0.5
# Seconds beyond timeout and grace by which a stream has ended in any case: the bounds above, and room for a loop that
# somebody blocks meanwhile. Only a backstop, reached by no road we know of.
READING_SLACK = LINGER + KILL_BOUND + SWEEP_BOUND + DRAIN_BOUND + 10


@attrs.frozen(kw_only=True)
class Shell:
    """What commands are run with: the program `bash`, the absolute folder `root`, the folder for long output, and how
    they are started.
    """

    config: ShellConfig
    bash: str
    root: Path
    spills: SpillFolder
    start: Start = start_supervised

    def kept(self) -> tuple[Kept, Kept]:
        """Where the two streams of a new command are to be kept."""
        config = self.config
        return (
            Kept(Tail(config.max_output_bytes), SpillFile(self.spills, config.max_spill_bytes)),
            Kept(Tail(config.max_output_bytes), SpillFile(self.spills, config.max_spill_bytes)),
        )


@attrs.frozen(kw_only=True)
class Request:
    """What is to be run: `command`, in the absolute `folder`, within `limits`."""

    command: str
    folder: Path
    limits: Limits


@attrs.frozen
class Reading:
    """Both streams of a command, for whoever waits for it to write."""

    streams: list[Stream]
    progress: ShellProgress

    @property
    def wrote(self) -> float:
        """When either last brought something, or the start, in seconds on Trio's clock."""
        return self.progress.wrote

    def is_waiting(self) -> bool:
        """Whether either holds something that was not read yet."""
        return any(stream.is_waiting() for stream in self.streams)


@trio.lowlevel.enable_ki_protection  # a Ctrl-C between two of these lines would leave processes behind
async def run_command(shell: Shell, request: Request, *, kept: tuple[Kept, Kept], progress: ShellProgress) -> Finished:
    """Run a command in a fresh `bash -c` and return when nothing of it runs any more.

    `kept` is where its stdout and stderr go; `progress` is given what each read brought. Raises `ToolError`, code
    `BASH_SPAWN_FAILED`, if it cannot be started.

    **Cancellation**: before the start, as everywhere, and nothing was started. Afterwards the command is stopped
    (SIGTERM, the configured grace, SIGKILL) under bounded shields, and what came of it is RETURNED: `Cancelled` is not
    raised again, although the caller's scope stays cancelled and the next checkpoint says so. The registry looks at
    the scope, not at the exception: it reports the call as `ABORTED` or `TOOL_TIMEOUT`, and keeps the output as what
    the tool came to all the same (D11). Raised again, the output would be lost.
    """
    await trio.lowlevel.checkpoint()  # for a call that was given up not even a pipe is opened
    mark = uuid.uuid4().hex
    environment = command_environment(os.environ, mark=mark)
    longest = _or_forever(request.limits.timeout) + shell.config.grace + READING_SLACK
    try:
        child = await shell.start(
            (shell.bash, "-c", request.command), folder=request.folder, environment=environment, mark=mark
        )
    except OSError as error:
        raise ToolError(f"could not start bash: {error.strerror or error}", code="BASH_SPAWN_FAILED") from error
    pipes = zip((child.stdout, child.stderr), kept, strict=True)
    streams = [Stream(fd, kept=place, longest=longest, progress=progress) for fd, place in pipes]
    stopped, limit = False, None
    try:
        async with trio.open_nursery() as readers:
            for stream in streams:
                readers.start_soon(stream.drain)
            try:
                limit = await _wait_over(child, streams, progress, request.limits)
            finally:
                stopped = await child.stop(grace=shell.config.grace)
                await _end_reading(streams)
        stdout, stderr = [await stream.captured() for stream in streams]
    finally:
        code = child.close()
        for stream in streams:
            stream.close()
    return Finished(
        stdout=stdout,
        stderr=stderr,
        exit_code=None if code is None or code < 0 else code,
        signal=signal_name(-code) if code is not None and code < 0 else None,
        limits=request.limits,
        limit=limit,
        left_running=not stopped or not all(stream.at_end for stream in streams),
    )


def _or_forever(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds


async def _wait_over(child: Child, streams: list[Stream], progress: ShellProgress, limits: Limits) -> Limit | None:
    """Wait until the command is over, or is to be stopped. Returns the limit if that was what came first.

    **Cancellation**: returns, see `run_command`.
    """
    try:
        limit = await wait_within(limits, child, Reading(streams, progress))
        if not child.is_running():
            with trio.move_on_after(LINGER):
                for stream in streams:
                    await stream.wait_end()
    except trio.Cancelled:
        return None  # not ours to raise again: the output so far is still to be returned
    return limit


async def _end_reading(streams: list[Stream]) -> None:
    """Read on until the pipes' ends, at most for `DRAIN_BOUND` seconds. **Cancellation**: shielded for so long."""
    # Shield: what the command wrote before it died is in the pipes, and is the result. Bound: DRAIN_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=DRAIN_BOUND):
        for stream in streams:
            await stream.wait_end()
    for stream in streams:
        stream.stop()
