"""The command line on a terminal of its own, and what a person would see there.

The bytes that come out of a pty are interpreted by pyte, a terminal emulator in memory.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import pyte

from benchmarks.warm import Process, Start, fresh

# Seconds that anything may take before whoever waits for it gives up. Far more than it does on a busy machine.
BOUND = 120.0
# Seconds without a byte after which a drawing is complete: much less than from one to the next.
QUIET = 0.05
# Nanoseconds that a process needs to stop: some ten thousand, and a drawing does not know its size so soon.
STOPPING = 50_000
# Bytes of one read: more than a pty hands out at once.
READ_BYTES = 65_536
# Lines that have scrolled out of the terminal and are kept.
HISTORY_LINES = 10_000


def _sized(descriptor: int, columns: int, lines: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


@attrs.define
class Terminal:
    """A process, the other end of its terminal, and what came out there: all of it as bytes, and as the screen that a
    person would see, which is worked out when somebody looks."""

    process: Process
    _descriptor: int
    _screen: pyte.HistoryScreen
    _stream: pyte.ByteStream
    received: bytearray = attrs.Factory(bytearray)
    _interpreted: int = 0  # bytes

    @property
    def screen(self) -> pyte.HistoryScreen:
        """The screen after all that came."""
        self._stream.feed(bytes(self.received[self._interpreted :]))
        self._interpreted = len(self.received)
        return self._screen

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, without blanks at their ends and without empty ones at the bottom."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def text(self) -> str:
        """The same in one piece."""
        return "\n".join(self.lines)

    @property
    def everything(self) -> list[str]:
        """All lines, each as wide as the screen, those that have scrolled away first."""
        screen = self.screen
        columns = range(screen.columns)
        scrolled = ["".join(line[column].data for column in columns) for line in screen.history.top]
        return [*scrolled, *screen.display]

    def take(self, bound: float) -> bool:
        """Take what comes within so many seconds; False if nothing does, or if it is the end."""
        if not select.select([self._descriptor], [], [], max(0, bound))[0]:
            return False
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except OSError:  # the last to hold the other end has gone
            return False
        self.received += data
        return bool(data)

    def see(self, wanted: Callable[[str], bool]) -> str:
        """Wait until the screen satisfies this while nothing is being drawn, and return it. Raises `TimeoutError`,
        with what there is instead."""
        deadline = time.monotonic() + BOUND
        while self.take(QUIET) or not wanted(self.text):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise TimeoutError(f"never seen; the screen is\n{self.text}")
        return self.text

    def end(self) -> int:
        """Take all there is, and return the status of the process."""
        deadline = time.monotonic() + BOUND
        while self.take(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0, deadline - time.monotonic()))

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._descriptor, keys)

    def hang_up(self) -> None:
        """Close the window: the other end of the terminal is gone, and nothing can be written to it any more."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._descriptor)
        os.close(nothing)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size; the process is told, as by a window that is dragged. It is stopped meanwhile,
        where it draws nothing: what it had begun to draw for the old size would wrap, and stand there for good."""
        while not self._stopped_at_rest():
            self.process.send_signal(signal.SIGCONT)
        _sized(self._descriptor, columns, lines)
        _resize(self.screen, columns, lines)
        self.process.send_signal(signal.SIGWINCH)
        self.process.send_signal(signal.SIGCONT)

    def _stopped_at_rest(self) -> bool:
        """Stop the process once all that it drew is taken; whether it was waiting, and did no more than stop."""
        while self.take(QUIET):
            pass
        worked, state = self._worked(), self._state()
        self.process.send_signal(signal.SIGSTOP)
        while self._state() != "T":
            pass
        return state == "S" and self._worked() - worked < STOPPING

    def _worked(self) -> int:
        """For how many nanoseconds its main thread has worked."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0])

    def _state(self) -> str:
        """The letter of the state that it is in."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def _resize(screen: pyte.HistoryScreen, columns: int, lines: int) -> None:
    """Resize as xterm does: lines below the cursor go first, then those at the top. pyte takes all from the top."""
    x, y = screen.cursor.x, screen.cursor.y
    lost = max(0, screen.lines - lines)
    scrolled = max(0, y - lines + 1)
    screen.cursor_position(screen.lines)
    for _ in range(scrolled):
        screen.index()
    screen.cursor_position()
    screen.insert_lines(lost)
    screen.resize(lines, columns)
    screen.cursor_position(y - scrolled + 1, x + 1)


@contextmanager
def terminal(
    arguments: Sequence[str],
    *,
    columns: int = 80,
    lines: int = 24,
    stdout: int | None = None,
    before: bytes = b"",
    environment: dict[str, str],
    start: Start = fresh,
) -> Generator[Terminal]:
    """`trio-tools` with these arguments, on a terminal that is its stdin, stdout (unless that is given as a descriptor)
    and stderr, and from which Ctrl-C comes. `before` stands on it already. Killed if it is still there at the end."""
    descriptor, inside = pty.openpty()
    _sized(descriptor, columns, lines)
    process = start(
        arguments,
        environment=environment,
        stdin=inside,
        stdout=inside if stdout is None else stdout,
        stderr=inside,
        leads=True,
    )
    os.close(inside)
    screen = pyte.HistoryScreen(columns, lines, history=HISTORY_LINES)
    try:
        yield Terminal(process, descriptor, screen, pyte.ByteStream(screen), bytearray(before))
    finally:
        process.kill()
        process.wait(BOUND)
        os.close(descriptor)
