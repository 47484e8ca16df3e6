"""A command that this very process watches over: started in a group of its own, ended as a group, and reaped.

It needs nothing beside it, and cannot end everything: see `_escapees.py` for what it does not find, `_supervised.py`
for what does.

`trio.run_process` does none of this: its kill reaches only the leader and stops with it, and it waits for whoever
holds the pipe. Here the leader's end is watched through a pidfd, which does not reap it. As long as it is not reaped
its pid, which is the group's id, cannot be given to anybody else, so a signal to the group hits no stranger.
`GroupChild.close` reaps, as the very last step, and takes no await.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import attrs
import trio

from trio_tools.toolkits.shell._child import KILL_BOUND, has_ended
from trio_tools.toolkits.shell._escapees import find_marked, kill_escapees
from trio_tools.toolkits.shell._pipes import pipe


@attrs.frozen(kw_only=True)
class GroupChild:
    """A command that was started: its leader's `process` and `pidfd`, its `mark`, our ends of its two pipes."""

    process: trio.Process
    pidfd: int
    mark: str
    stdout: int
    stderr: int

    def is_running(self) -> bool:
        """Whether the leader has not exited yet. Reaps nothing."""
        return not has_ended(self.pidfd)

    async def wait_exit(self) -> None:
        """Wait until the leader has exited; it is not reaped.

        **Cancellation**: at once; the process is not touched.
        """
        await trio.lowlevel.wait_readable(self.pidfd)

    async def stop(self, *, grace: float) -> bool:
        """End everything that the command started: SIGTERM, `grace` seconds, SIGKILL, then what left its group.

        If the leader has exited by itself there is no SIGTERM and no grace: nobody waits for what it left behind.
        Returns False if something may be left. **Cancellation**: shielded for at most grace + KILL_BOUND + SWEEP_BOUND.
        """
        if self.is_running():
            await self._terminate(grace)
        self._signal_group(signal.SIGKILL)
        # Shield: a leader that is not seen to exit cannot be reaped. Bound: KILL_BOUND.
        with trio.CancelScope(shield=True, relative_deadline=KILL_BOUND):
            await self.wait_exit()
        swept = await kill_escapees(self.mark, leader=self.process.pid)
        return swept and not self.is_running()

    async def _terminate(self, grace: float) -> None:
        """Ask everything to end, and wait until all of it has, or `grace` is over."""
        self._signal_group(signal.SIGTERM)
        # Shield: the call is already cancelled, as a rule, and the command has a right to its grace. Bound: `grace`.
        with (
            trio.CancelScope(shield=True, relative_deadline=grace),
            await find_marked(self.mark, apart_from=self.process.pid) as found,
        ):
            for one in found:
                if one.left_group(self.process.pid):
                    one.send(signal.SIGTERM)
            await self.wait_exit()
            for one in found:
                await one.wait_exit()

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # all gone, or all become another user's
            os.killpg(self.process.pid, number)

    def close(self) -> int | None:
        """Reap the leader and close the descriptors. Returns its code: negative for a signal, None if it still runs."""
        code = self.process.returncode
        if code is not None:
            self._reap_adopted()
        for fd in (self.pidfd, self.stdout, self.stderr):
            os.close(fd)
        return code

    def _reap_adopted(self) -> None:
        """Reap members of the group that became our children: we are a container's first process, or a subreaper."""
        with suppress(ChildProcessError):
            while os.waitid(os.P_PGID, self.process.pid, os.WEXITED | os.WNOHANG) is not None:
                pass


async def start_in_process(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], mark: str
) -> GroupChild:
    """Start `command` in `folder`, in a session and process group of its own, with nothing to read.

    Raises `OSError` if it cannot be started; then nothing runs and nothing is open. **Cancellation**: before it
    starts, in which case nothing was started; a start that has begun is finished.
    """
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:  # as inherited from some launchers
        # The system would reap the leader itself: its end would be lost, and its group's number be anybody's.
        raise ChildProcessError("this process ignores SIGCHLD, so how a command ended is not known; set it to SIG_DFL")
    with ExitStack() as ours, ExitStack() as theirs:
        stdout, stdout_theirs = pipe(ours, theirs)
        stderr, stderr_theirs = pipe(ours, theirs)
        process = await trio.lowlevel.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout_theirs,
            stderr=stderr_theirs,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        try:
            pidfd = os.pidfd_open(process.pid)
        except OSError:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            # Shield: a zombie would be left. Bound: KILL_BOUND.
            with trio.CancelScope(shield=True, relative_deadline=KILL_BOUND):
                await process.wait()
            raise
        ours.pop_all()
        return GroupChild(process=process, pidfd=pidfd, mark=mark, stdout=stdout, stderr=stderr)
