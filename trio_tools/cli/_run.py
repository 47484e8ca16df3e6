"""A run from its first signal handler to its exit status: what holds the turns together."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from math import inf

import trio

from trio_tools import PendingCall, Registry, open_registry
from trio_tools.cli._log import log_told
from trio_tools.cli._options import Options
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._printable import complain
from trio_tools.cli._source import cannot_read, open_source
from trio_tools.cli._status import FAILED, INTERRUPTED, OK, READER_GONE, Refused
from trio_tools.cli._stop import SIGNALS, Step, Stop
from trio_tools.cli._stuck import stuck
from trio_tools.cli._table import screen_for
from trio_tools.cli._turns import Turns

# File descriptor of standard output, written without Python's buffer.
STDOUT = 1


async def run(options: Options) -> int:
    """Run all turns of the input and return the exit status.

    **Cancellation**: the turn in hand settles, and what was not written by then is lost. Who wants the results sends a
    signal.
    """
    taken = [one for one in SIGNALS if one != signal.SIGHUP or signal.getsignal(one) != signal.SIG_IGN]  # nohup
    with trio.open_signal_receiver(*taken) as signals:
        return await _Run(options).run(signals)


class _Run:
    def __init__(self, options: Options) -> None:
        deadline = inf if options.timeout is None else trio.current_time() + options.timeout
        self._options = options
        self._stop = Stop(deadline=deadline)
        self._screen = screen_for(sys.stderr)
        self._outlet = Outlet(STDOUT, self._screen, self._output_failed)
        self._registry: Registry | None = None

    async def run(self, signals: AsyncIterator[int]) -> int:
        with log_told(self._screen):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._heed, signals)
                nursery.start_soon(self._outlet.run)
                nursery.start_soon(self._screen.run, self._pending)
                try:
                    status = await self._turns()
                except Refused as refusal:
                    complain(str(refusal))
                    status = refusal.status
                nursery.cancel_scope.cancel("the run is over")
        return status if self._stop.status is None else self._stop.status

    async def _turns(self) -> int:
        """Open what is needed, and run the turns."""
        options = self._options
        async with open_source(options.file, self._stop.take_in_hand()) as lines, AsyncExitStack() as stack:
            if lines is None:
                return OK
            opening = open_registry(plugins=options.plugins(), max_parallel_calls=options.parallel)
            try:
                self._registry = await stack.enter_async_context(opening)
            except (OSError, RuntimeError, ValueError) as error:  # a plugin's own words
                raise Refused(str(error)) from error
            self._registry.add_progress_observer(self._screen.progressed)
            turns = Turns(lines, self._registry, self._outlet, self._screen, self._stop)
            try:
                return await turns.run()
            except OSError as error:
                raise cannot_read(options.file, error) from error

    def _pending(self) -> Sequence[PendingCall]:
        return () if self._registry is None else self._registry.pending()

    def _output_failed(self, error: OSError) -> None:
        if error.errno == errno.EPIPE:
            self._stop.end(READER_GONE, "nobody reads the results")
            return
        complain(f"cannot write to standard output: {error.strerror}")
        self._stop.end(FAILED, "results cannot be written")

    async def _heed(self, signals: AsyncIterator[int]) -> None:
        """Do what each signal asks for (D19)."""
        async for number in signals:
            step = self._stop.signalled(number)
            if step is Step.SHOW:
                with self._screen.aside():
                    for line in stuck(self._pending(), unwritten=self._outlet.waiting):
                        complain(line)
            elif step is Step.LEAVE:
                self._screen.end()
                os._exit(INTERRUPTED if self._stop.status is None else self._stop.status)
