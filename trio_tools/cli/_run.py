"""A run from its first signal handler to its exit status: what holds together the work that is done on a registry."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from typing import TypeAlias

import attrs
import trio

from trio_tools import Job, PendingCall, Registry, Session
from trio_tools.cli._lines import Lines
from trio_tools.cli._log import log_told
from trio_tools.cli._opening import opened
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._printable import complain
from trio_tools.cli._screen import Screen, screen_for
from trio_tools.cli._session import session_for
from trio_tools.cli._setting import Setting
from trio_tools.cli._source import cannot_read, open_source
from trio_tools.cli._status import FAILED, INTERRUPTED, OK, READER_GONE, Refused
from trio_tools.cli._stdout import STDOUT
from trio_tools.cli._stop import SIGNALS, Step, Stop
from trio_tools.cli._stuck import stuck
from trio_tools.cli._turns import Turns
from trio_tools.config import Config

# Seconds that a journal has to write what it was told before the process is left: it takes milliseconds, and who has
# pressed Ctrl-C three times waits for a disk that hangs no longer.
LAST_SECONDS = 1.0


@attrs.frozen
class Workplace:
    """What work on a registry has around it: where results go, what shows it, and what ends it early."""

    outlet: Outlet
    screen: Screen
    stop: Stop


Work: TypeAlias = Callable[[Registry, Workplace], Awaitable[int]]


@attrs.frozen(kw_only=True)
class RunRequest:
    """`trio-tools run`: a `file` to read turns from, perhaps `STDIN`; the `form` of its lines, or None for whichever
    each is in; `timeout` of the whole run in seconds, or None; the name of its `session`, or None for a new one.

    Raises `Refused` for a timeout that is none.
    """

    setting: Setting
    file: str
    form: str | None = None
    timeout: float | None = None
    session: str | None = None

    def __attrs_post_init__(self) -> None:
        check_timeout(self.timeout)

    def answer(self) -> int:
        """Run all turns of the input and return the exit status."""
        config = self.setting.load()
        return trio.run(self._run, config, session_for(config, self.session))

    async def _run(self, config: Config, session: Session) -> int:
        async def turns(run: Run) -> int:
            async with open_source(self.file, run.place.stop.take_in_hand()) as lines:
                if lines is not None:
                    return await run.on_registry(config, partial(self._turns, lines, session))
                if run.place.stop.status is None:  # cut, and not by a signal
                    raise Refused("the time was up before the input was open", status=FAILED)
                return OK

        return await with_signals(self.timeout, turns)

    async def _turns(self, lines: Lines, session: Session, registry: Registry, place: Workplace) -> int:
        turns = Turns(lines, registry, place.outlet, place.screen, place.stop, form=self.form, session=session)
        try:
            return await turns.run()
        except OSError as error:
            raise cannot_read(self.file, error) from error


def check_timeout(timeout: float | None) -> None:
    """Raise `Refused` for a `--timeout` that is no positive finite number of seconds."""
    if timeout is not None and not 0 < timeout < inf:
        raise Refused(f"--timeout must be a positive number of seconds, not {timeout:g}")


async def with_signals(timeout: float | None, work: Callable[[Run], Awaitable[int]]) -> int:
    """Do the work while signals are taken, in so many seconds if that is not None, and return the exit status.

    **Cancellation**: what is in hand settles, and what was not written by then is lost. Who wants the results sends a
    signal.
    """
    taken = [one for one in SIGNALS if one != signal.SIGHUP or signal.getsignal(one) != signal.SIG_IGN]  # nohup
    with trio.open_signal_receiver(*taken) as signals:
        return await Run(timeout).do(signals, work)


class Run:
    """The state of a run: its registry, once that is open, and its workplace."""

    def __init__(self, timeout: float | None) -> None:
        deadline = inf if timeout is None else trio.current_time() + timeout
        screen = screen_for(sys.stderr)
        self.place = Workplace(Outlet(STDOUT, screen, self._output_failed), screen, Stop(deadline=deadline))
        self._registry: Registry | None = None

    async def do(self, signals: AsyncIterator[int], work: Callable[[Run], Awaitable[int]]) -> int:
        """Do the work, and write and show what it gives meanwhile.

        **Cancellation**: as for `with_signals`.
        """
        place = self.place
        with log_told(place.screen):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._heed, signals)
                nursery.start_soon(place.outlet.run)
                nursery.start_soon(place.screen.run, self._pending)
                try:
                    status = await work(self)
                except Refused as refusal:
                    for line in refusal.lines:
                        complain(line)
                    status = refusal.status
                except KeyboardInterrupt:  # raised by a plugin: a real one comes as a signal here
                    status = INTERRUPTED
                await place.outlet.flushed()
                nursery.cancel_scope.cancel("the run is over")
        return status if place.stop.status is None else place.stop.status

    async def on_registry(self, config: Config, work: Work) -> int:
        """Open a registry, do the work on it, and leave it.

        **Cancellation**: as for `with_signals`.
        """
        stop, status = self.place.stop, None
        with stop.take_in_hand() as life:
            async with opened(config) as self._registry:
                life.deadline = inf
                stop.put_down()
                self._registry.add_progress_observer(self.place.screen.progressed)
                try:
                    status = await work(self._registry, self.place)
                finally:
                    stop.leave(life)
        if status is None and stop.status is None:  # cut while it was opened, and not by a signal
            raise Refused("the time was up before all plugins were open", status=FAILED)
        return OK if status is None else status

    def _pending(self) -> Sequence[PendingCall]:
        return () if self._registry is None else self._registry.pending()

    def _jobs(self) -> Sequence[Job]:
        return () if self._registry is None else self._registry.jobs()

    def _output_failed(self, error: OSError) -> None:
        if error.errno == errno.EPIPE:
            self.place.stop.end(READER_GONE, "nobody reads the results")
            return
        complain(f"cannot write to standard output: {error.strerror}")
        self.place.stop.end(FAILED, "results cannot be written")

    async def _write_down(self) -> None:
        """Have a journal write what it was told, if there is one, for as long as `LAST_SECONDS`."""
        from trio_tools.journal import Journal, JournalError

        try:
            journal = None if self._registry is None else self._registry.require(Journal)
        except LookupError:  # nothing is recorded
            return
        if journal is not None:
            with trio.move_on_after(LAST_SECONDS), suppress(JournalError):  # which is logged where it happens
                await journal.flushed()

    async def _heed(self, signals: AsyncIterator[int]) -> None:
        """Do what each signal asks for (D19)."""
        place = self.place
        async for number in signals:
            step = place.stop.signalled(number)
            if step is Step.SHOW:
                with place.screen.aside():
                    leaving = None if self._registry is None else self._registry.leaving
                    for line in stuck(self._pending(), self._jobs(), leaving, unwritten=place.outlet.waiting):
                        complain(line)
            elif step is Step.LEAVE:
                place.screen.end()
                await self._write_down()
                os._exit(INTERRUPTED if place.stop.status is None else place.stop.status)
