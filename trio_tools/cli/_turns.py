"""The turns of a run, one after the other: a line in, its results out, and only then the next line."""

from __future__ import annotations

from trio_tools import Registry, Session, ToolResult
from trio_tools.cli._answers import answers
from trio_tools.cli._lines import MAX_LINE_BYTES, Line, Lines
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._printable import complain
from trio_tools.cli._screen import Screen
from trio_tools.cli._status import MISUSE, OK
from trio_tools.cli._stop import Stop
from trio_tools.formats import NotATurn, Turn, read_turn


class Turns:
    """Runs every line there is. A call that was read is answered, whatever ends the run.

    When the time is up, the calls of lines that are there already (in a regular file all of them) are answered as
    aborted before dispatch; a pipe is read no further. When somebody ends the run, the turn in hand is the last.

    `form` is what all lines are in; None if each says it by itself. Answers are in the form of their line. All turns
    are of one `session`, or of none.
    """

    def __init__(
        self,
        lines: Lines,
        registry: Registry,
        outlet: Outlet,
        screen: Screen,
        stop: Stop,
        *,
        form: str | None = None,
        session: Session | None = None,
    ) -> None:
        self._lines = lines
        self._registry = registry
        self._outlet = outlet
        self._screen = screen
        self._stop = stop
        self._form = form
        self._session = session
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
                raise NotATurn(f"longer than {MAX_LINE_BYTES:,} bytes", form=self._form)
            turn = read_turn(line.content, self._form)
        except NotATurn as fault:
            self._faulty = True
            self._refuse(line.number, fault)
        else:
            await self._run_turn(line.number, turn)

    def _refuse(self, number: int, fault: NotATurn) -> None:
        """Tell of a line that is no turn. Where a provider's messages go, nothing of ours may stand between them."""
        if fault.form in {None, "plain"}:
            self._outlet.put({"line": number, "error": str(fault)})
            return
        with self._screen.aside():
            complain(f"line {number}: {fault}")

    async def _run_turn(self, number: int, turn: Turn) -> None:
        answering = answers(turn.form, number, self._outlet.put)
        results: dict[int, ToolResult] = {}

        def settled(position: int, result: ToolResult) -> None:
            results[position] = result
            self._screen.settled(position, result)
            answering.settled(position, result)

        scope = self._stop.take_in_hand()
        self._screen.begin(number, turn.calls)
        try:
            await self._registry.execute_turn(turn.calls, scope=scope, session=self._session, on_settled=settled)
        finally:  # also if a plugin crashes meanwhile: what has settled is told
            answering.ended([result for _, result in sorted(results.items())])
            self._screen.end()
        self._late = self._late or (scope.cancel_called and self._stop.status is None)
