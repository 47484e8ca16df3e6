"""One command from start to rest: started, read, waited for, stopped, and told."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import attrs
import trio

from trio_tools.pipeline import deadline
from trio_tools.toolkits.shell._child import KILL_BOUND, Child, Start
from trio_tools.toolkits.shell._config import ShellConfig
from trio_tools.toolkits.shell._environment import command_environment
from trio_tools.toolkits.shell._escapees import SWEEP_BOUND
from trio_tools.toolkits.shell._output import SpillFile, Tail
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
    spills: Path | None
    start: Start = start_supervised


@trio.lowlevel.enable_ki_protection  # a Ctrl-C between two of these lines would leave processes behind
async def run_command(shell: Shell, command: str, *, folder: Path, timeout: float, progress: ShellProgress) -> Finished:
    """Run `command` in a fresh `bash -c` and return when nothing of it runs any more.

    `timeout` is in seconds; `progress` is given what each read brought. Raises `ToolError`, code
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
    try:
        child = await shell.start((shell.bash, "-c", command), folder=folder, environment=environment, mark=mark)
    except OSError as error:
        raise ToolError(f"could not start bash: {error.strerror or error}", code="BASH_SPAWN_FAILED") from error
    longest = timeout + shell.config.grace + READING_SLACK
    streams = [_stream(shell.config, fd, shell.spills, longest, progress) for fd in (child.stdout, child.stderr)]
    stopped = timed_out = False
    try:
        async with trio.open_nursery() as readers:
            for stream in streams:
                readers.start_soon(stream.drain)
            try:
                timed_out = await _wait_over(child, streams, timeout)
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
        timeout=timeout,
        timed_out=timed_out,
        left_running=not stopped or not all(stream.at_end for stream in streams),
    )


async def _wait_over(child: Child, streams: list[Stream], timeout: float) -> bool:
    """Wait until the command is over, or is to be stopped. Returns whether its own time ran out first.

    **Cancellation**: returns, see `run_command`.
    """
    limit = deadline(timeout)
    try:
        with limit:
            await child.wait_exit()
        if not child.is_running():
            with trio.move_on_after(LINGER):
                for stream in streams:
                    await stream.wait_end()
    except trio.Cancelled:
        pass  # not ours to raise again: the output so far is still to be returned
    # A command that ended by itself did so before its time was up, also if a blocked loop let us see it only later.
    return limit.expired and child.is_running()


async def _end_reading(streams: list[Stream]) -> None:
    """Read on until the pipes' ends, at most for `DRAIN_BOUND` seconds. **Cancellation**: shielded for so long."""
    # Shield: what the command wrote before it died is in the pipes, and is the result. Bound: DRAIN_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=DRAIN_BOUND):
        for stream in streams:
            await stream.wait_end()
    for stream in streams:
        stream.stop()


def _stream(config: ShellConfig, fd: int, spills: Path | None, longest: float, progress: ShellProgress) -> Stream:
    return Stream(
        fd,
        tail=Tail(config.max_output_bytes),
        spill=SpillFile(spills, config.max_spill_bytes),
        longest=longest,
        progress=progress,
    )
