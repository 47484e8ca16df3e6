"""ripgrep, if it can be had: which files hold lines that match, and how many.

It is a finder only. What is shown of a file is read by its descriptor as without it, so that both give one text; and it
runs shut into the root by the kernel, so that it reads nothing outside, whatever becomes a link while it walks.
"""

from __future__ import annotations

import errno
import os
import re
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress

import attrs

from trio_tools.tool import SyncToolContext
from trio_tools.toolkits.files._shown import shown
from trio_tools.values import ToolError

# Seconds for a killed process to be gone (F009). It holds nothing, so only a file system that hangs can keep it.
KILL_SECONDS = 3
# Bytes of its output that are read: some five million files with a match. Ten times what F009 gives for lines, since
# these are names and counts, of which a few are kept.
MAX_RAW_BYTES = 200_000_000
# Bytes of its output taken from a pipe at once: what a pipe holds.
_PIECE_BYTES = 65_536
# Seconds between two looks at whether the call was cancelled, and two reports of progress.
_LOOK_SECONDS, _PROGRESS_SECONDS = 0.05, 0.5
# Bytes of its own words that are repeated where it fails.
_SAID_BYTES = 500

# Every file but binary ones, no links; bytes as they are; line feeds and carriage returns as line ends.
_OPTIONS = [
    *("--no-config", "--no-ignore", "--hidden", "--no-follow", "--no-mmap", "--encoding=none", "--crlf"),
    *("--color=never", "--with-filename", "--null", "--count"),
]
_COUNTED = re.compile(rb"\./([^\0]*)\0(\d+)\r\n")  # `--crlf` ends its own lines so, too
_TROUBLE = re.compile(rb"rg: \./(.*): [^:]* \(os error (\d+)\)", re.DOTALL)

# How it ends by itself: there were matches, there were none, there were errors. Not so `_sandbox.REFUSED`, a panic
# (101, where a thread could not be started), and signals (-6 where an allocation failed).
_STATUSES = frozenset({0, 1, 2})

_HERE = os.path.dirname(os.path.abspath(__file__))


@attrs.frozen
class Ripgrep:
    """An executable that can be run shut into a directory. See `_engine`."""

    path: str

    def command(self, root: int, top: int, arguments: Sequence[str]) -> list[str]:
        """How it is run in `top`, shut into `root`; both are descriptors that are to be passed on."""
        program = os.path.join(_HERE, "_sandbox.py")
        numbers = map(str, (os.getpid(), root, top))
        return [sys.executable, "-I", "-S", program, *numbers, self.path, *arguments]


@attrs.frozen(kw_only=True)
class Search:
    """What is to be found: where (descriptors of the root and of the directory to search), which lines, in files whose
    name matches one of `take` (all if there are none), and not where one matches a glob of those to `leave_out`."""

    ripgrep: Ripgrep
    root: int
    top: int
    expression: str
    take: Sequence[str]
    leave_out: Sequence[str]

    @contextmanager
    def process(self) -> Generator[subprocess.Popen[bytes], None, None]:
        """The search as a process; it is gone, and its pipes are closed, when this is left."""
        globs = [f"--glob={one}" for one in (*self.take, *(f"!{name}" for name in self.leave_out))]
        arguments = (*_OPTIONS, *globs, f"--regexp={self.expression}", "./")
        process = subprocess.Popen(
            self.ripgrep.command(self.root, self.top, arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            pass_fds=(self.root, self.top),
            start_new_session=True,  # Ctrl-C is for who runs us
        )
        try:
            yield process
        finally:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(KILL_SECONDS)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()


@attrs.define
class Counting:
    """A search under way, for one thread. `missed` is told of each path below the top that could not be read, with the
    number of the error. `died` tells, at the end, that ripgrep was killed, ran out of memory, could not be shut in,
    or that nobody knows.
    """

    process: subprocess.Popen[bytes]
    ctx: SyncToolContext
    missed: Callable[[str, int], None]
    died: bool = False
    _files: int = 0
    _bytes: int = 0
    _said: bytes = b""

    def counts(self) -> Iterator[tuple[str, int]]:
        """Each file with lines that match, by its path below the top, and how many these are; in no order.

        Raises what `ctx.check_cancelled` raises, and `ToolError` with `SEARCH_RAW_OUTPUT_OVERFLOW` or `SEARCH_FAILED`.
        """
        rest = b""
        for data in self._output():
            rest += data
            end = 0
            for one in _COUNTED.finditer(rest):
                end = one.end()
                self._files += 1
                yield os.fsdecode(one[1]), int(one[2])
            rest = rest[end:]
        self.died = self.died or self._status() not in _STATUSES
        if self._said and not self.died:
            words = shown(self._said[:_SAID_BYTES].decode(errors="replace").strip())
            raise ToolError(f"ripgrep failed: {words}. Try again, or another pattern.", code="SEARCH_FAILED")

    def _status(self) -> int | None:
        """How it ended, now that both pipes have. None if nobody knows: the system, or somebody else, has reaped it."""
        try:
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # what `Popen` would take for a 0
            return None
        return self.process.wait()

    def _output(self) -> Iterator[bytes]:
        """What it prints, as it comes."""
        told = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select(_LOOK_SECONDS):
                    data = os.read(key.fd, _PIECE_BYTES)
                    if not data:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self.process.stderr:
                        self._hear(data)
                    else:
                        self._bound(data)
                        yield data
                self.ctx.check_cancelled()
                if time.monotonic() - told > _PROGRESS_SECONDS:
                    told = time.monotonic()
                    self.ctx.report_progress(self._files, message=f"{self._files:,} files with matches")

    def _bound(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._bytes > MAX_RAW_BYTES:
            raise ToolError(
                f"too many files match: ripgrep listed more than {MAX_RAW_BYTES:,} bytes of their names. Narrow the "
                "pattern, the path or include.",
                code="SEARCH_RAW_OUTPUT_OVERFLOW",
            )

    def _hear(self, data: bytes) -> None:
        """Take in what it complains of: a line for each path, unless that holds line ends itself."""
        *lines, self._said = (self._said + data).split(b"\n")
        message = b""
        for line in lines:
            message += line
            trouble = _TROUBLE.fullmatch(message)
            if trouble is None:
                message += b"\n"
                continue
            if int(trouble[2]) == errno.ENOMEM:  # for its own limit, not the path's fault
                self.died = True
            else:
                self.missed(os.fsdecode(trouble[1]), int(trouble[2]))
            message = b""
        self._said = message + self._said
