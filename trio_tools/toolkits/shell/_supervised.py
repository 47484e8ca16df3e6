"""A command that a process of its own watches over (`_supervisor.py`): what it starts can neither hide nor outlive us.

One supervising process for each command, so that they share nothing. Between it and us is a socket, the lifeline: what
is to be done goes down, how it ended comes up, and if we die its end is the word to end everything. That the command
itself has exited we see without it, by a pidfd, so a supervisor that the command has stopped (`kill -STOP $PPID`) hides
nothing. One that the command has killed is told of: what carries the call's mark is still found and killed, and the
rest, and how the command ended, is not known.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import attrs
import trio

from trio_tools.toolkits.shell._child import KILL_BOUND, has_ended
from trio_tools.toolkits.shell._escapees import find_marked, kill_escapees
from trio_tools.toolkits.shell._pipes import pipe

# The program, a file of its own. By import, and not as a script, so that it need not be compiled at each start.
SUPERVISOR = Path(__file__).with_name("_supervisor.py")
_RUN = f"import sys; sys.path.append(sys.argv[1]); from {SUPERVISOR.stem} import main; main()"
# Seconds for the supervisor to have begun. It takes 0.01; this is for a machine that can hardly start anything.
START_BOUND = 30
# Seconds for it to have started the command and said so. Only a command that stops its supervisor at once, and goes on
# doing so, or a disk that does not answer, lets this run out.
EXEC_BOUND = 5
# Seconds after which one that has not said so is woken, in case the command has stopped it.
WAKE_INTERVAL = 0.1
# Seconds for the supervisor to answer, beyond the grace and KILL_BOUND, which it keeps itself. After that it is taken
# for one that the command keeps stopping.
ANSWER_BOUND = 2
# Bytes of a message of the supervisor, and of what Python prints if it cannot run it: both are a few words.
MESSAGE_BYTES = 4_096


@attrs.define(kw_only=True)
class SupervisedChild:
    """A command that was started: its `supervisor`, the lifeline to it, and what stands for the command itself.

    `leader` is the command's pidfd; None if it is not known, because the command turned on its supervisor before that
    could say so, and then nothing is waited for. `watch` has something to tell when either of them has ended.
    """

    supervisor: trio.Process
    lifeline: socket.socket
    leader: int | None
    watch: select.epoll
    mark: str
    stdout: int
    stderr: int
    _code: int | None = None

    def is_running(self) -> bool:
        """Whether the command itself has not exited yet, as far as is known. Reaps nothing."""
        return self.leader is None or not has_ended(self.leader)

    async def wait_exit(self) -> None:
        """Wait until the command itself, or its supervisor, has exited.

        **Cancellation**: at once; the command is not touched.
        """
        if self.leader is not None:
            await trio.lowlevel.wait_readable(self.watch)

    async def stop(self, *, grace: float) -> bool:
        """Have everything ended that the command started: SIGTERM, `grace` seconds, SIGKILL.

        If the command has exited by itself there is no SIGTERM and no grace. Returns False if something may be left.
        **Cancellation**: shielded for at most grace + 2 * KILL_BOUND + ANSWER_BOUND + SWEEP_BOUND.
        """
        grace = grace if self.is_running() else 0
        until = trio.current_time() + grace
        answer = await self._ask_to_end(grace)
        if answer is None:
            self.supervisor.kill()
        # Shield: it has said its last word, or is killed, and is to be reaped. Bound: KILL_BOUND.
        with trio.CancelScope(shield=True, relative_deadline=KILL_BOUND):
            await self.supervisor.wait()
        if answer is None:
            await self._stop_marked(until)
            return False
        left, *code = [int(number) for number in answer.split()[1:]]
        self._code = code[0] if code else None
        if left:  # it could not, or could not see them: the command may have limited how many files it opens
            await kill_escapees(self.mark, leader=self.supervisor.pid)
        return left == 0

    async def _ask_to_end(self, grace: float) -> bytes | None:
        """Tell the supervisor to end everything. Returns its report; None if there is none."""
        self.supervisor.send_signal(signal.SIGCONT)  # the command may have stopped it
        with suppress(OSError):  # gone
            self.lifeline.send(str(grace).encode())
        # Shield: what it does is done to the end, whoever is cancelled. Bound: what it keeps itself, and ANSWER_BOUND.
        with trio.CancelScope(shield=True, relative_deadline=grace + KILL_BOUND + ANSWER_BOUND):
            while True:
                await trio.lowlevel.wait_readable(self.lifeline)
                heard = self._heard()
                if heard is None or heard.startswith(b"ended"):  # that it has started may come only now
                    return heard
        return None

    def _heard(self) -> bytes | None:
        """The next thing that the supervisor has said; None if it is gone."""
        with suppress(OSError):
            return self.lifeline.recv(MESSAGE_BYTES) or None
        return None

    async def _stop_marked(self, until: float) -> None:
        """End what is found without a supervisor; SIGTERM comes first if there is time `until` SIGKILL."""
        if until > trio.current_time():
            # Shield: the command has a right to the rest of its grace. Bound: `until`.
            with (
                trio.CancelScope(shield=True, deadline=until),
                await find_marked(self.mark, apart_from=self.supervisor.pid) as found,
            ):
                for one in found:
                    one.send(signal.SIGTERM)
                for one in found:
                    await one.wait_exit()
        await kill_escapees(self.mark, leader=self.supervisor.pid)

    def close(self) -> int | None:
        """Close the descriptors. Returns the command's code: negative for a signal, None if it is not known."""
        self.watch.close()
        self.lifeline.close()
        for fd in (self.leader, self.stdout, self.stderr):
            if fd is not None:
                os.close(fd)
        return self._code


async def start_supervised(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], mark: str
) -> SupervisedChild:
    """Start `command` in `folder`, in a session and process group of its own, under a supervising process.

    Raises `OSError` if either cannot be started; then nothing runs and nothing is open. **Cancellation**: before it
    starts, in which case nothing was started; a start that has begun is finished.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        stdout, stdout_theirs = pipe(ours, theirs)
        stderr, stderr_theirs = pipe(ours, theirs)
        lifeline, lifeline_theirs = _lifeline(ours, theirs)
        watch = ours.enter_context(select.epoll())
        supervisor = await trio.lowlevel.open_process(
            [*_python(), str(lifeline_theirs.fileno()), str(os.getpid()), *command],
            stdin=subprocess.DEVNULL,
            stdout=stdout_theirs,
            stderr=stderr_theirs,
            pass_fds=(lifeline_theirs.fileno(),),
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        theirs.close()  # else the lifeline would not end with the supervisor
        try:
            leader = await _leader(supervisor, lifeline, stderr)
        except OSError:
            await _give_up(supervisor, lifeline, mark)
            raise
        for fd in (lifeline.fileno(), leader):
            if fd is not None:
                watch.register(fd, select.EPOLLIN)
        ours.pop_all()
        return SupervisedChild(
            supervisor=supervisor,
            lifeline=lifeline,
            leader=leader,
            watch=watch,
            mark=mark,
            stdout=stdout,
            stderr=stderr,
        )


def _python() -> list[str]:
    """An interpreter that reads no environment, no site and no encodings, running the supervisor."""
    bytecode = ["-B"] if sys.dont_write_bytecode else []
    return [sys.executable, "-I", "-S", "-X", "utf8", *bytecode, "-c", _RUN, str(SUPERVISOR.parent)]


def _lifeline(ours: ExitStack, theirs: ExitStack) -> tuple[socket.socket, socket.socket]:
    """Two ends of a socket that keeps messages apart, and cannot be opened through /proc as a pipe can."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.callback(one.close)
    theirs.callback(other.close)
    one.setblocking(False)
    return one, other


async def _leader(supervisor: trio.Process, lifeline: socket.socket, stderr: int) -> int | None:
    """A pidfd of the command; None if it ended its supervisor at once, or does not let it speak.

    Raises `OSError` if it was not started, or nobody says so. **Cancellation**: shielded for at most START_BOUND +
    EXEC_BOUND.
    """
    heard = b""
    # Shield: what was begun is known only when the supervisor has answered. Bound: START_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=START_BOUND) as bound:
        await trio.lowlevel.wait_readable(lifeline)
        heard = lifeline.recv(MESSAGE_BYTES)
    if bound.cancelled_caught:
        raise TimeoutError(f"the supervising process has not begun within {START_BOUND} seconds")
    if not heard:
        raise ChildProcessError(f"the supervising process ended before it could start it: {_last_line(stderr)}")
    # Shield: as above. Bound: EXEC_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=EXEC_BOUND):
        while heard == b"starting":
            with trio.move_on_after(WAKE_INTERVAL) as wait:
                await trio.lowlevel.wait_readable(lifeline)
                heard = lifeline.recv(MESSAGE_BYTES)
            if wait.cancelled_caught:
                supervisor.send_signal(signal.SIGCONT)
    word, *numbers = heard.split() or [b""]
    if word == b"failed":
        raise OSError(int(numbers[0]), os.strerror(int(numbers[0])))
    if word == b"started":
        with suppress(ProcessLookupError):  # its number is its own as long as its supervisor lives, who reaps it last
            return os.pidfd_open(int(numbers[0]))
    return None


async def _give_up(supervisor: trio.Process, lifeline: socket.socket, mark: str) -> None:
    """Have everything killed of a start that failed, and reap. **Cancellation**: shielded, as `stop` without grace."""
    with suppress(OSError):  # gone
        lifeline.send(b"0")
    # Shield: what was started must not stay. Bound: what the supervisor keeps itself, and ANSWER_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=KILL_BOUND + ANSWER_BOUND):
        await supervisor.wait()
    supervisor.kill()
    # Shield: a zombie would be left. Bound: KILL_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=KILL_BOUND):
        await supervisor.wait()
    await kill_escapees(mark, leader=supervisor.pid)


def _last_line(stderr: int) -> str:
    """What Python said last, as a rule why it could not run the supervisor."""
    with suppress(BlockingIOError):
        if lines := os.read(stderr, MESSAGE_BYTES).decode(errors="replace").split("\n"):
            return next((line for line in reversed(lines) if line.strip()), "nothing was printed")
    return "nothing was printed"
