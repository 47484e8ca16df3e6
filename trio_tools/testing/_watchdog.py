"""A watchdog for code that blocks Trio's loop for good: a lock that nobody will let go of, an endless computation.

No step of such a run ever ends, so neither the stepper nor the clock gets a turn. What does is a signal, whose handler
Python runs in the midst of the blocking call.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from trio_tools.testing._clock import Clock, Doom
from trio_tools.testing._where import Place, is_machinery

# Real seconds that a run may take beyond its limit: a run on the virtual clock takes milliseconds.
PATIENCE = 20.0
# Real seconds after which whatever has swallowed the interruption is interrupted again.
AGAIN = 0.5


class Blocked(Doom):
    """Code of the tool's blocks Trio's loop: `place` is its line."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class Watchdog:
    """Ends a run that has not come to its end in `seconds` real ones, counted from the last `feed()`."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._watches = False

    def feed(self) -> None:
        """A run begins."""
        if self._watches:
            signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch for as long as the block; not off the main thread, and not where somebody else has the alarm."""
        main = threading.current_thread() is threading.main_thread()
        self._watches = main and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        if not self._watches:
            yield
            return
        signal.signal(signal.SIGALRM, self._bark)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _bark(self, _: int, frame: FrameType | None) -> None:
        place = "?"
        while frame is not None and place == "?":
            if not is_machinery(frame):
                place = str(Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
            frame = frame.f_back
        doom = self._clock.doom if isinstance(self._clock.doom, Blocked) else Blocked(place)
        self._clock.doom = doom
        raise doom
