"""Results in call order, none held longer than its turn asks."""

from __future__ import annotations

from collections.abc import Callable

from trio_tools import ToolResult


class InOrder:
    """Passes on the results of one turn in call order: each as soon as all before it have been passed on."""

    def __init__(self, pass_on: Callable[[int, ToolResult], None]) -> None:
        self._pass_on = pass_on
        self._waiting: dict[int, ToolResult] = {}
        self._next = 0

    def settled(self, position: int, result: ToolResult) -> None:
        """Take the result of the call at this position; for `execute_turn`'s `on_settled`."""
        self._waiting[position] = result
        while self._next in self._waiting:
            self._pass_on(self._next, self._waiting.pop(self._next))
            self._next += 1
