"""Reading one pipe of a command, to its end or to ours."""

from __future__ import annotations

import os
import select

import trio

from trio_tools.toolkits.shell._output import Captured, Kept
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._thread import in_thread

# Bytes of one read: what a Linux pipe holds by default, so that one read empties it.
READ_BYTES = 65_536
# Bytes read at the end from a pipe that somebody still holds open: the most an ordinary user can make a pipe hold, so
# that all that was written before is read, and a survivor that goes on writing cannot keep us here.
LAST_BYTES = 1024 * 1024
# Seconds for the last write to a file of at most LAST_BYTES. Far more than a disk needs that works at all.
SPILL_BOUND = 30


class Stream:
    """One pipe of a command: `fd` is the end that we read, non-blocking, and stays the caller's to close.

    `kept` is where what is read goes. `longest` is the seconds after which reading ends whatever happens; infinite for
    a command without a limit. `progress` is given what each read brought.
    """

    def __init__(self, fd: int, *, kept: Kept, longest: float, progress: ShellProgress) -> None:
        self._fd = fd
        self._tail = kept.tail
        self._spill = kept.spill
        self._unspilled = bytearray()  # read, and not yet in the file
        self._progress = progress
        # A token of our own: threads that other tools occupy must not hold up the reading, or the child blocks.
        self._thread = trio.CapacityLimiter(1)
        # Shield: a cancelled call still wants what the command prints on SIGTERM. Bound: `longest`, the whole life of a
        # call; `stop` cuts it short long before. In the background there may be none, and whoever ends the command,
        # which every cancel does, calls `stop`.
        self._scope = trio.CancelScope(shield=True, relative_deadline=longest)
        self._left = trio.Event()
        self.at_end = False  # nobody holds the other end any more

    @trio.lowlevel.enable_ki_protection  # a task of its own does not have it from the one that starts it
    async def drain(self) -> None:
        """Read until the pipe's end, so that the command never blocks on it, however little of it is kept.

        **Cancellation**: shielded; ends after `longest` at the latest, or at `stop`. What was read is kept.
        """
        try:
            with self._scope:
                while not self.at_end:
                    with trio.move_on_at(self._progress.due) as wait:
                        await trio.lowlevel.wait_readable(self._fd)
                    if wait.cancelled_caught:  # nothing more for now, and the last of it is not told yet
                        self._progress.tell()
                        continue
                    self._read()
                    if self._unspilled:
                        await in_thread(self._write_spill, limiter=self._thread)
        finally:
            self._left.set()

    async def wait_end(self) -> None:
        """Wait until the reading is over.

        **Cancellation**: at once; the reading goes on.
        """
        await self._left.wait()

    def is_waiting(self) -> bool:
        """Whether there is something to read."""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return not self.at_end and bool(poll.poll(0))

    def stop(self) -> None:
        """End the reading, if the pipe's end has not ended it yet."""
        self._scope.cancel(reason="the command is over")

    async def captured(self) -> Captured:
        """What came of the stream. Call it once, when `drain` has ended.

        **Cancellation**: shielded for at most `SPILL_BOUND`.
        """
        last = self._tail.total + LAST_BYTES
        while self._tail.total < last and self._read():
            pass
        if self._unspilled or self._spill.is_open:
            # Shield: the result names the file, so it must be whole. Bound: one write.
            with trio.CancelScope(shield=True, relative_deadline=SPILL_BOUND):
                await in_thread(self.close, limiter=self._thread)
        self.close()  # nothing is left to do, unless that bound ran out before the thread began
        path = self._spill.path
        return Captured(
            kept=self._tail.kept(),
            total=self._tail.total,
            path=None if path is None else str(path),
            spilled=self._spill.written,
        )

    def _read(self) -> bool:
        """Take what is in the pipe; False if that is nothing. Holds no await: what is read is never lost."""
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self.at_end = True
            return False
        lacking = self._tail.add(data)
        if not self._spill.is_full:
            self._unspilled += lacking
        self._progress.add(data)
        return True

    def _write_spill(self) -> None:
        """In a thread. The bytes stay ours until they are written: a cancel before the thread begins loses none."""
        self._spill.write(bytes(self._unspilled))
        self._unspilled.clear()

    def close(self) -> None:
        """Write what is still to be written, and close the file. Blocks; again it does nothing."""
        if self._unspilled:
            self._write_spill()
        self._spill.close()
