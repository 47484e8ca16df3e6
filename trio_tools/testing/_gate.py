"""A place where work parks until a test lets it go on, so that no test waits for time to pass."""

from __future__ import annotations

import trio
from trio.lowlevel import ParkingLot, checkpoint


class Gate:
    """A point that a tool under test comes to and parks at. The test waits for its arrival, not for a time, then lets
    it go on, or cancels it there.

    A plain function, which runs in a thread, parks by `trio.from_thread.run(gate.wait)`.
    """

    def __init__(self) -> None:
        self._parked = ParkingLot()
        self._watching = ParkingLot()
        self.is_open = False
        self.arrived = 0  # in all, those that have gone on or were cut included
        self.cut = 0  # cancelled before they were let go on

    @property
    def waiting(self) -> int:
        """How many are parked here now."""
        return len(self._parked)

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return f"<Gate {state}: {self.arrived} arrived, {self.waiting} wait, {self.cut} were cut>"

    async def wait(self) -> None:
        """Arrive, and park until the gate is opened or this one is let through. For the tool.

        **Cancellation**: it stops waiting, and is counted in `cut`. One that was let through goes on.
        """
        self.arrived += 1
        self._watching.unpark_all()
        try:
            if self.is_open:
                await checkpoint()
            else:
                await self._parked.park()
        except trio.Cancelled:
            self.cut += 1
            raise

    async def reached(self, count: int = 1) -> None:
        """Wait until `count` have arrived in all. For the test, which bounds it by `trio.fail_after` if the tool may
        never come here.

        **Cancellation**: it stops waiting, and nothing has happened.
        """
        await checkpoint()
        while self.arrived < count:
            await self._watching.park()

    def let_one_through(self) -> None:
        """Let go on whoever has waited longest; the gate stays closed. Raises `RuntimeError` if nobody waits."""
        if not self._parked.unpark():
            raise RuntimeError("nobody waits at this gate: let the test wait for `reached` first")

    def open(self) -> None:
        """Let all go on that wait here, and whoever comes later."""
        self.is_open = True
        self._parked.unpark_all()
