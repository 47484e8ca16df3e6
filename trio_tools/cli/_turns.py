"""The turns of a run, one after the other: a line in, its results out, and only then the next line."""

from __future__ import annotations

from functools import partial

from trio_tools import Registry, ToolCall, ToolResult
from trio_tools.cli._lines import MAX_LINE_BYTES, Line, Lines
from trio_tools.cli._order import InOrder
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._screen import Screen
from trio_tools.cli._status import MISUSE, OK
from trio_tools.cli._stop import Stop
from trio_tools.formats import NotATurn, read_turn, write_result


class Turns:
    """Runs every line there is. A call that was read is answered, whatever ends the run.

    When the time is up, the calls of lines that are there already (in a regular file all of them) are answered as
    aborted before dispatch; a pipe is read no further. When somebody ends the run, the turn in hand is the last.
    """

    def __init__(self, lines: Lines, registry: Registry, outlet: Outlet, screen: Screen, stop: Stop) -> None:
        self._lines = lines
        self._registry = registry
        self._outlet = outlet
        self._screen = screen
        self._stop = stop
        self._faulty = False  # a line was no turn
        self._late = False  # the time was up before the input was

    async def run(self) -> int:
        """Run them and return the status, that of a run which nobody ended. Raises `OSError` as reading does.

        **Cancellation**: the turn in hand settles. Results that were not written by then are lost.
        """
        while (line := await self._next()) is not None:
            if line.content is None or line.content.strip():  # blank lines are let pass
                await self._take(line)
                await self._outlet.flushed()
        return MISUSE if self._faulty else OK

    async def _next(self) -> Line | None:
        if self._stop.status is not None:
            return None
        if (line := self._lines.taken()) is not None:
            return line
        if self._late and not self._lines.is_regular:
            return None
        with self._stop.take_in_hand(timed=not self._lines.is_regular):
            return await self._lines.next()
        self._late = self._stop.status is None
        return None

    async def _take(self, line: Line) -> None:
        try:
            if line.content is None:
                raise NotATurn(f"longer than {MAX_LINE_BYTES:,} bytes")
            calls = read_turn(line.content)
        except NotATurn as fault:
            self._faulty = True
            self._outlet.put({"line": line.number, "error": str(fault)})
        else:
            await self._turn(line.number, calls)

    async def _turn(self, number: int, calls: list[ToolCall]) -> None:
        order = InOrder(partial(self._pass_on, number))

        def settled(position: int, result: ToolResult) -> None:
            self._screen.settled(position, result)
            order.settled(position, result)

        scope = self._stop.take_in_hand()
        self._screen.begin(number, calls)
        try:
            await self._registry.execute_turn(calls, scope=scope, on_settled=settled)
        finally:
            self._screen.end()
        self._late = self._late or (scope.cancel_called and self._stop.status is None)

    def _pass_on(self, number: int, position: int, result: ToolResult) -> None:
        self._outlet.put({"turn": number, "position": position, **write_result(result)})
