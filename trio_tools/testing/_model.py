"""The language model of an agent, played from a script, and what came of its calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import attrs
import trio
from attrs.validators import instance_of

from trio_tools.registry import RegistryView
from trio_tools.values import Session, ToolCall, ToolResult

# The calls of one message; or a function of all results so far that gives them.
Message: TypeAlias = "Iterable[ToolCall] | Callable[[tuple[ToolResult, ...]], Iterable[ToolCall]]"
Ended: TypeAlias = Literal["text", "concluded", "cancelled"]


@attrs.frozen
class Exchange:
    """One message of the model, and what came back of it: its `calls`, and their `results`."""

    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


@attrs.frozen
class Transcript:
    """What was said, message by message. `ended`: the model said its last `text`, a result `concluded` the turn, or the
    scope was `cancelled`. `text` is None unless the model came to it."""

    exchanges: tuple[Exchange, ...]
    ended: Ended
    text: str | None = None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of all messages, in order."""
        return tuple(call for exchange in self.exchanges for call in exchange.calls)

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The results of all messages, in order."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)

    @property
    def unbalanced(self) -> list[str]:
        """Where calls and results do not match one to one and in order; empty if they do, as providers ask for."""
        return [
            f"message {number}: {problem}"
            for number, exchange in enumerate(self.exchanges, 1)
            for problem in _mismatches(exchange)
        ]


def _mismatches(exchange: Exchange) -> list[str]:
    calls, results = exchange.calls, exchange.results
    found: list[str] = []
    if len(calls) != len(results):
        found.append(f"{len(calls)} calls and {len(results)} results")
    for place, (call, result) in enumerate(zip(calls, results, strict=False), 1):
        asked, answered = (call.id, call.name), (result.call_id, result.tool)
        if asked != answered:
            found.append(f"call {place} is {_shown(*asked)}, and result {place} answers {_shown(*answered)}")
    return found


def _shown(identity: str | None, name: str) -> str:
    return f"{name} ({'no id' if identity is None else identity})"


def _script(messages: Iterable[Message]) -> tuple[Message, ...]:
    if not isinstance(messages, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a script is a list of messages, each a list of tool calls, not {type(messages).__name__}")
    return tuple([_message(number, one) for number, one in enumerate(messages, 1)])


def _message(number: int, message: Message) -> Message:
    if isinstance(message, ToolCall):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"message {number} is a single ToolCall: put it in a list")
    if inspect.iscoroutinefunction(message):
        raise TypeError(f"message {number} is an async function: what a model says next is given at once")
    return message if callable(message) else _calls(number, message)


def _calls(number: int, calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    if not isinstance(calls, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"message {number} must hold tool calls, and is {type(calls).__name__}")
    found = tuple(calls)
    for call in found:
        if not isinstance(call, ToolCall):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"message {number} must hold tool calls, and has {type(call).__name__} among them")
    if not found:
        raise ValueError(f"message {number} has no calls: a message without is the last one, given as text=")
    return found


@attrs.frozen
class ScriptedModel:
    """Plays the language model of an agent: `messages`, one after the other, and then `text`.

    A message is a list of calls, or a plain function that gives one when its turn has come, of all results so far:
    `ScriptedModel([[ToolCall("find")], lambda results: [ToolCall("read", {"path": results[-1].value})]])`. The script
    does not change as it is played, so that it can be played again.

    Raises `TypeError` for a script that is no list of these, `ValueError` for a message without calls.
    """

    messages: tuple[Message, ...] = attrs.field(converter=_script)
    text: str = attrs.field(default="", validator=instance_of(str), kw_only=True)

    async def run(
        self, registry: RegistryView, *, scope: trio.CancelScope, session: Session | None = None
    ) -> Transcript:
        """Play the script as a small agent would: each message is a turn, and the next one is said when all its
        results are there. It ends after the last message, after a turn with a result that concludes it, and when
        `scope` is cancelled.

        A scope can be entered once, so it is entered here, round all turns, and each turn gets a scope of its own
        inside.

        Arguments: `scope`, which the caller owns and has not entered; `session`, on whose behalf.

        Raises what `execute_turn` raises, `TypeError` without a scope, and for what a function of the script gives
        what `ScriptedModel` raises.

        **Cancellation**: when `scope` is cancelled the turn under way settles, with results whose cause is `caller`;
        they are in the transcript, which is returned, and nothing more is said. When a scope around it is cancelled
        the same happens, and then `Cancelled` is raised; the results are with the observers.
        """
        if not isinstance(scope, trio.CancelScope):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"scope must be a trio.CancelScope that you own, not {type(scope).__name__}")
        exchanges: list[Exchange] = []
        ended: Ended = "cancelled"
        with scope:
            ended = await self._play(registry, scope, session, exchanges)
        return Transcript(tuple(exchanges), ended, self.text if ended == "text" else None)

    async def _play(
        self, registry: RegistryView, scope: trio.CancelScope, session: Session | None, exchanges: list[Exchange]
    ) -> Ended:
        said: tuple[ToolResult, ...] = ()
        for number, message in enumerate(self.messages, 1):
            if scope.cancel_called:  # since the last turn came back
                return "cancelled"
            calls = _calls(number, message(said)) if callable(message) else tuple(message)
            results = await _turn(registry, calls, session, exchanges)
            if any(result.concludes_turn for result in results):
                return "concluded"
            said += results
        return "text"


async def _turn(
    registry: RegistryView, calls: tuple[ToolCall, ...], session: Session | None, exchanges: list[Exchange]
) -> tuple[ToolResult, ...]:
    """Run one turn, and keep what came of it, also where a cancel keeps its results from coming back."""
    settled: list[tuple[int, ToolResult]] = []

    def note(position: int, result: ToolResult) -> None:
        settled.append((position, result))

    try:
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), session=session, on_settled=note)
    except BaseException:
        told = sorted(settled, key=lambda one: one[0])
        exchanges.append(Exchange(calls, tuple([result for _, result in told])))
        raise
    exchanges.append(Exchange(calls, results))
    return results
