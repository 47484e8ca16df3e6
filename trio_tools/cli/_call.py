"""`trio-tools call`: one call of one tool, and what a model would read of it."""

from __future__ import annotations

import difflib
from functools import partial

import attrs
import trio

from trio_tools import ErrorCode, Registry, Session, ToolCall, ToolResult
from trio_tools.cli._given import STDIN, TOOLS
from trio_tools.cli._printable import complain, shown_text
from trio_tools.cli._run import Run, Workplace, check_timeout, with_signals
from trio_tools.cli._session import session_for
from trio_tools.cli._setting import Setting
from trio_tools.cli._standard_input import standard_input
from trio_tools.cli._status import OK, UNSUCCESSFUL
from trio_tools.config import Config
from trio_tools.formats import write_result


@attrs.frozen(kw_only=True)
class CallRequest:
    """A tool's `name` and its `arguments`, JSON text or `STDIN`; whether the whole result is wanted `as_json`;
    `timeout` of the call in seconds, or None; the name of its `session`, or None for a new one.

    Raises `Refused` for a timeout that is none.
    """

    setting: Setting
    name: str
    arguments: str
    as_json: bool = False
    timeout: float | None = None
    session: str | None = None

    def __attrs_post_init__(self) -> None:
        check_timeout(self.timeout)

    def answer(self) -> int:
        """Make the call, print its result and return the exit status, which says whether it succeeded."""
        config = self.setting.load()
        # before signals are taken: who waits for his own input can end that by Ctrl-C
        arguments = standard_input() if self.arguments == STDIN else self.arguments
        return trio.run(self._run, config, ToolCall(self.name, arguments), session_for(config, self.session))

    async def _run(self, config: Config, call: ToolCall, session: Session) -> int:
        async def made(run: Run) -> int:
            return await run.on_registry(config, partial(self._made, call, session))

        return await with_signals(self.timeout, made)

    async def _made(self, call: ToolCall, session: Session, registry: Registry, place: Workplace) -> int:
        def settled(_: int, result: ToolResult) -> None:  # also if a plugin crashes meanwhile
            if self.as_json:
                place.outlet.put(write_result(result))
            else:
                place.outlet.write(shown_text(result.text).encode() + b"\n")
            if result.code == ErrorCode.UNKNOWN_TOOL:
                complain(f"{self._hint(registry)}; `trio-tools tools` lists those that there are")

        scope = place.stop.take_in_hand()
        place.screen.begin(1, [call])
        try:
            (result,) = await registry.execute_turn([call], scope=scope, session=session, on_settled=settled)
        finally:
            place.screen.end()
        return UNSUCCESSFUL if result.is_error else OK

    def _hint(self, registry: Registry) -> str:
        if self.name in TOOLS and self.setting.config is None:
            return f"--tools {self.name} would bring it"
        close = difflib.get_close_matches(self.name, registry.tools, n=1)
        return f'did you mean "{close[0]}"?' if close else "there is no such tool"
