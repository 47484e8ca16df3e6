"""`trio-tools call`: one call of one tool, and what a model would read of it."""

from __future__ import annotations

from functools import partial

import attrs
import trio

from trio_tools import Registry, ToolCall
from trio_tools.cli._printable import shown_text
from trio_tools.cli._run import Run, Workplace, check_timeout, with_signals
from trio_tools.cli._setting import STDIN, Setting
from trio_tools.cli._standard_input import standard_input
from trio_tools.cli._status import OK, UNSUCCESSFUL
from trio_tools.config import Config
from trio_tools.formats import write_result


@attrs.frozen(kw_only=True)
class CallRequest:
    """A tool's `name` and its `arguments`, JSON text or `STDIN`; whether the whole result is wanted `as_json`;
    `timeout` of the call in seconds, or None.

    Raises `Refused` for a timeout that is none.
    """

    setting: Setting
    name: str
    arguments: str
    as_json: bool = False
    timeout: float | None = None

    def __attrs_post_init__(self) -> None:
        check_timeout(self.timeout)

    def answer(self) -> int:
        """Make the call, print its result and return the exit status, which says whether it succeeded."""
        config = self.setting.load()
        # before signals are taken: who waits for his own input can end that by Ctrl-C
        arguments = standard_input() if self.arguments == STDIN else self.arguments
        return trio.run(self._run, config, ToolCall(self.name, arguments))

    async def _run(self, config: Config, call: ToolCall) -> int:
        async def made(run: Run) -> int:
            return await run.on_registry(config, partial(self._made, call))

        return await with_signals(self.timeout, made)

    async def _made(self, call: ToolCall, registry: Registry, place: Workplace) -> int:
        scope = place.stop.take_in_hand()
        place.screen.begin(1, [call])
        try:
            result = await registry.execute(call, scope=scope)
        finally:
            place.screen.end()
        if self.as_json:
            place.outlet.put(write_result(result))
        else:
            place.outlet.write(shown_text(result.text).encode() + b"\n")
        return UNSUCCESSFUL if result.is_error else OK
