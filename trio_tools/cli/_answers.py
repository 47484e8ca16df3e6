"""The answers to a turn, in the form it came in: in call order, and none held longer than its form asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from trio_tools import JSONValue, ToolResult
from trio_tools.formats import anthropic_user_message, openai_tool_message, write_result


class Answers(Protocol):
    """What is said of a turn's results, when."""

    def settled(self, position: int, result: ToolResult) -> None:
        """The call at this position has its result; for `execute_turn`'s `on_settled`."""
        ...

    def ended(self, results: Sequence[ToolResult]) -> None:
        """All have, and here they are in call order."""
        ...


class OneEach:
    """A line for every call: each as soon as all before it have been passed on."""

    def __init__(self, pass_on: Callable[[int, ToolResult], None]) -> None:
        self._pass_on = pass_on
        self._waiting: dict[int, ToolResult] = {}
        self._next = 0

    def settled(self, position: int, result: ToolResult) -> None:
        self._waiting[position] = result
        while self._next in self._waiting:
            self._pass_on(self._next, self._waiting.pop(self._next))
            self._next += 1

    def ended(self, results: Sequence[ToolResult]) -> None:
        """Nothing is left to say."""


class OneForAll:
    """One line for the turn, at its end; none if it had no calls."""

    def __init__(self, pass_on: Callable[[Sequence[ToolResult]], None]) -> None:
        self._pass_on = pass_on

    def settled(self, position: int, result: ToolResult) -> None:
        """Too early to say anything."""

    def ended(self, results: Sequence[ToolResult]) -> None:
        if results:
            self._pass_on(results)


def answers(form: str | None, number: int, put: Callable[[Mapping[str, JSONValue]], None]) -> Answers:
    """The answers to the turn on line `number`, put as they come. Our own fields are in the plain form alone."""
    match form:
        case "openai":
            return OneEach(lambda _, result: put(openai_tool_message(result)))
        case "anthropic":
            return OneForAll(lambda results: put(anthropic_user_message(results)))
        case _:
            return OneEach(lambda position, result: put({"turn": number, "position": position, **write_result(result)}))
