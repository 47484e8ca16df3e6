"""A tool that is watched: the same in every respect, but that it is known when its body runs and what it comes to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar

import attrs
import trio

from trio_tools.testing._life import Life
from trio_tools.tool import Signature, Tool
from trio_tools.values import FrozenDict

# Which call a body belongs to: set as it is given its arguments, and inherited by the thread of a plain function.
current_life: ContextVar[Life | None] = ContextVar("trio_tools.testing.current_life", default=None)

# Which call's body runs here, or a task or thread that it has started.
life_around: ContextVar[Life | None] = ContextVar("trio_tools.testing.life_around", default=None)

# What a body tells its context of its call: dropped once that has settled.
_REPORTS = {"report_progress", "defer_context", "conclude_turn"}

# Says which call the current task carries, if it is one that is looked at. Of one run of Trio.
LIVES: trio.lowlevel.RunVar[Callable[[], Life | None]] = trio.lowlevel.RunVar("trio_tools.testing.lives")

# Seconds of a budget for a tool that has none, so that there is one to run out: longer than anything that waits.
BUDGET = 1e6


def watched(one: Tool) -> Tool:
    """The tool, with a budget, and watched."""
    body = _async_body(one) if one.signature.is_async else _plain_body(one)
    return attrs.evolve(
        one,
        body=body,
        signature=_WatchedSignature(one.signature),
        timeout=BUDGET if one.timeout is None else one.timeout,
    )


def _async_body(one: Tool) -> Callable[..., Awaitable[object]]:
    async def body(*positional: object, **named: object) -> object:
        life = current_life.get()
        if life is None:  # a call that another tool's body makes: what it does is that one's
            return await _awaited(one.body(*positional, **named))
        task = trio.lowlevel.current_task()
        life.enter(task)
        tokens = current_life.set(None), life_around.set(life)
        try:
            value = await _awaited(one.body(*positional, **named))
            life.returned = True
            life.swallowed = life.swallowed or task in life.unwinders
            return value
        except BaseException as thrown:
            life.raised = thrown
            raise
        finally:
            life.task, life.rested_at = None, trio.current_time()
            current_life.reset(tokens[0])
            life_around.reset(tokens[1])

    return body


async def _awaited(answer: object) -> object:
    return await answer if isinstance(answer, Awaitable) else answer  # pyright: ignore[reportUnknownVariableType]


def _plain_body(one: Tool) -> Callable[..., object]:
    def body(*positional: object, **named: object) -> object:
        life = current_life.get()
        if life is None:
            return one.body(*positional, **named)
        life.enter(None)
        tokens = current_life.set(None), life_around.set(life)
        try:
            value = one.body(*positional, **named)
            life.returned = True
            return value
        except BaseException as thrown:
            life.raised = thrown
            raise
        finally:
            current_life.reset(tokens[0])
            life_around.reset(tokens[1])

    return body


@attrs.frozen
class _WatchedSignature:
    """A signature that hands the body a context which is watched."""

    _of: Signature

    @property
    def schema(self) -> FrozenDict:
        return self._of.schema

    @property
    def context(self) -> str | None:
        return self._of.context

    @property
    def is_async(self) -> bool:
        return self._of.is_async

    @property
    def trusted(self) -> bool:
        return self._of.trusted

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        return self._of.read(arguments, problems)

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        life = LIVES.get()()
        current_life.set(life)
        return self._of.bind(values, context if life is None or context is None else _WatchedContext(context, life))

    def prepare(self) -> None:
        self._of.prepare()


class _WatchedContext:
    """A body's context. What is reported to it after the call has settled is noted."""

    def __init__(self, context: object, life: Life) -> None:
        self._context = context
        self._life = life

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._context, name)
        return _Reported(found, name, self._life) if name in _REPORTS and callable(found) else found


@attrs.frozen
class _Reported:
    """A method that tells of a call, and is of no use once that has settled."""

    _method: Callable[..., object]
    _name: str
    _life: Life

    def __call__(self, *positional: object, **named: object) -> object:
        if self._life.settled is not None:
            self._life.late_uses.append(self._name)
        return self._method(*positional, **named)
