"""The supervising process: it starts one command, and ends everything that the command has started.

`_supervised.py` runs it, one for each command; nobody imports it. It is a subreaper: whoever loses its parent below it
becomes its own child, whatever it did to its session and environment, so what has no child left has nothing left.

It is paid for by every command, so it imports nothing that is written in Python: `_signal` for `signal` saves 6 ms
where the bare interpreter takes 9, `_ctypes` for `ctypes` another 4, `posix` for `os` one.

Spoken over the lifeline, a socket that keeps messages apart. It says `starting`, since a command may end us before we
know that it runs; then `started PID`, or `failed ERRNO` and goes; at last `ended LEFT CODE`: how many it could not end,
and how the command ended (negative for a signal; nothing if it runs on). It is told once or more how many seconds of
grace there are: 0 means SIGKILL at once. Nobody at the other end any more, or no host, means that the host was killed.
"""

import _ctypes
import posix
import select
import sys
from time import monotonic

TYPE_CHECKING = False  # `typing` would cost more than all of this
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator
else:
    import _signal as signal

# Linux's number, in prctl, for a process that adopts the orphans below it.
PR_SET_CHILD_SUBREAPER = 36
# Linux's number, in prctl, for whether others of the same user may look into a process, and take descriptors from it.
PR_SET_DUMPABLE = 4
# Seconds of grace, at most, when the host is gone: nobody is left to hear of a clean-up, and the tree is to go soon.
ABANDONED_GRACE = 0.5
# Seconds of SIGKILLs. One is enough for all but what respawns, and what cannot be killed does not go by more of them.
KILL_BOUND = 2
# Seconds between two looks for descendants while they are killed, unless a child ends before.
LOOK_AGAIN = 0.01
# Milliseconds of one wait, at most: `poll` takes no more than a C int holds. Who waits longer waits again.
MOST_AT_A_TIME_MS = 2**31 - 1
# Processes of one look. More are a fork bomb, which would keep us looking; the next look finds the rest.
MOST_AT_ONCE = 10_000
# Bytes of one read, of /proc and of the lifeline: no number here is longer.
READ_BYTES = 65_536


class Supervisor:
    """Watches over the process `leader`, which has a session and a group of its own, until it is told to end it."""

    def __init__(self, lifeline: int, host: int, leader: int) -> None:
        self._me = posix.getpid()
        self._lifeline = lifeline
        self._host = host
        self._leader = leader
        self._code: int | None = None  # of the leader; it is reaped last, so that its group's number stays its own
        self._woken, wakes = posix.pipe()
        for fd in (self._woken, wakes):
            posix.set_blocking(fd, False)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        self._events = select.poll()
        for fd in (lifeline, host, self._woken):
            self._events.register(fd, select.POLLIN)

    def run(self) -> None:
        """Wait until somebody says so, end everything, and tell how it ended."""
        while (grace := self._attend(None)) is None:
            self._lives()  # what it adopted and has ended does not wait for the end of the command
        if grace > 0:
            self._terminate(monotonic() + grace)
        left = self._kill()
        code = "" if self._code is None else self._code
        tell(self._lifeline, f"ended {left} {code}")

    def _attend(self, until: float | None) -> float | None:
        """Wait for a word, the end of the host, of a child, or the time `until`. Returns the grace if one is given."""
        grace = None
        wait = None if until is None else min(max(0, until - monotonic()) * 1000, MOST_AT_A_TIME_MS)
        for fd, _ in self._events.poll(wait):
            if fd == self._woken:
                posix.read(fd, READ_BYTES)
            elif fd == self._lifeline and (said := heard(fd)):
                grace = float(said)
            else:
                for one in (self._lifeline, self._host):
                    self._events.unregister(one)
                return ABANDONED_GRACE
        return grace

    def _terminate(self, until: float) -> None:
        """SIGTERM, once, to the group and to what has left it; then wait until all have ended, or `until`."""
        left_group = [(pid, parent) for pid, parent in self._descendants() if group_of(pid) != self._leader]
        self._signal_group(signal.SIGTERM)
        for pid, parent in left_group:
            self._send(pid, parent, signal.SIGTERM)
        while self._lives() and monotonic() < until:
            grace = self._attend(until)
            if grace is not None:
                until = min(until, monotonic() + grace)

    def _kill(self) -> int:
        """SIGKILL until there is no child, for `KILL_BOUND` seconds at most. Returns how many are left."""
        until = monotonic() + KILL_BOUND
        self._signal_group(signal.SIGKILL)
        while True:
            for pid, parent in self._descendants():
                self._send(pid, parent, signal.SIGKILL)
            if not self._has_children():
                return 0
            if monotonic() > until:
                return max(1, len(children_of(self._me)))
            self._attend(monotonic() + LOOK_AGAIN)

    def _lives(self) -> bool:
        """Whether the leader or anybody else still runs. Reaps those that do not, but not the leader."""
        others = [pid for pid in children_of(self._me) if pid != self._leader]
        running = [pid for pid in others if not ended(pid, posix.WEXITED)]
        return bool(running) or not ended(self._leader, posix.WEXITED | posix.WNOWAIT)

    def _has_children(self) -> bool:
        """Reap what has ended, the leader too; whether anybody is left. Unlike a look into /proc it misses none."""
        while True:
            try:
                one = posix.waitid(posix.P_ALL, 0, posix.WEXITED | posix.WNOHANG)
            except ChildProcessError:
                return False
            if one is None:
                return True
            if one.si_pid == self._leader:
                self._code = one.si_status if one.si_code == posix.CLD_EXITED else -one.si_status

    def _descendants(self) -> "Iterator[tuple[int, int]]":
        """Children, their children, and so on, each with its parent; read while they are taken."""
        found = [(pid, self._me) for pid in children_of(self._me)]
        for pid, parent in found:
            if len(found) < MOST_AT_ONCE:
                found += [(child, pid) for child in children_of(pid)]
            yield pid, parent

    def _send(self, pid: int, parent: int, number: int) -> None:
        """Signal that very process: one that ended, and whose number was given to a stranger, has another parent."""
        try:
            pidfd = posix.pidfd_open(pid)
        except OSError:
            return  # gone
        try:
            if parent_of(pid) in (parent, self._me):
                signal.pidfd_send_signal(pidfd, number)
        except OSError:
            pass  # gone, or another user's
        finally:
            posix.close(pidfd)

    def _signal_group(self, number: int) -> None:
        try:
            posix.killpg(self._leader, number)
        except OSError:
            return  # all gone, or all another user's


def children_of(pid: int) -> list[int]:
    """The children of all threads of a process. Some may be missing if others end meanwhile: look again."""
    try:
        threads = posix.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in content(f"/proc/{pid}/task/{thread}/children").split()]


def parent_of(pid: int) -> int | None:
    fields = content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else None


def group_of(pid: int) -> int | None:
    try:
        return posix.getpgid(pid)
    except OSError:
        return None


def content(path: str) -> bytes:
    """What is in a file of /proc; nothing if its process is gone."""
    try:
        return read_all(path)
    except OSError:
        return b""


def read_all(path: str) -> bytes:
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        while part := posix.read(fd, READ_BYTES):
            parts.append(part)
        return b"".join(parts)
    finally:
        posix.close(fd)


def ended(pid: int, options: int) -> bool:
    """Whether a child has ended; reaps it, unless the options say otherwise."""
    try:
        return posix.waitid(posix.P_PID, pid, options | posix.WNOHANG) is not None
    except ChildProcessError:
        return True


def tell(lifeline: int, words: str) -> None:
    try:
        posix.write(lifeline, words.encode())
    except OSError:
        return  # nobody is there to hear it


def heard(lifeline: int) -> bytes:
    """One message; nothing if nobody can send any more."""
    try:
        return posix.read(lifeline, READ_BYTES)
    except OSError:
        return b""


def set_on_process(option: int, value: int) -> None:
    """Linux's `prctl`. Raises `OSError` if it refuses."""
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the stub does not know that None is the program itself
    if _ctypes.call_function(prctl, (option, value, 0, 0, 0)) != 0:
        raise OSError(95, f"prctl {option} was refused")  # EOPNOTSUPP


def woken(number: int, frame: object) -> None:
    """A signal wakes `poll` by its descriptor, and only if Python has a handler for it."""


def start(command: list[str]) -> int:
    """Start the command with the environment and the signals that this process was given, and return its pid.

    All signals but SIGCHLD are blocked here from now on. What gets past that is SIGKILL and SIGSTOP, and the two that
    the C library keeps for itself and lets nobody block (32 and 33).
    """
    signal.signal(signal.SIGCHLD, woken)
    mask = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals() - {signal.SIGCHLD})
    entries = (entry.partition(b"=") for entry in read_all("/proc/self/environ").split(b"\0") if entry)
    return posix.posix_spawn(
        command[0],
        command,
        {name: value for name, _, value in entries},  # not `posix.environ`: Python may have set LC_CTYPE there
        setsid=True,
        setsigmask=mask,
        setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # which Python ignores
    )


def main() -> None:
    """Run `sys.argv[4:]`, with the lifeline's descriptor and the host's pid before it."""
    lifeline, host = int(sys.argv[2]), int(sys.argv[3])
    posix.set_inheritable(lifeline, False)
    try:
        hosted = posix.pidfd_open(host)
        if posix.getppid() != host:
            raise OSError(3, "the host is gone")  # ESRCH
        read_all(f"/proc/self/task/{posix.getpid()}/children")  # not every kernel has it
        set_on_process(PR_SET_CHILD_SUBREAPER, 1)
        tell(lifeline, "starting")
        leader = start(sys.argv[4:])
    except OSError as error:
        tell(lifeline, f"failed {error.errno}")
        posix._exit(1)
    null = posix.open("/dev/null", posix.O_RDWR)
    for fd in (1, 2):  # the command's pipes are to end with the command
        posix.dup2(null, fd)
    posix.chdir("/")
    set_on_process(PR_SET_DUMPABLE, 0)  # who runs as the same user cannot take the lifeline out of here
    supervisor = Supervisor(lifeline, hosted, leader)
    tell(lifeline, f"started {leader}")
    supervisor.run()
    posix._exit(0)  # an orderly end of Python takes a millisecond more
