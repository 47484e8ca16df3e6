"""What an exception from user code is made of, and the trampolines that user code runs behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ParamSpec, TypeVar

import attrs
import trio
from trio.lowlevel import disable_ki_protection

P = ParamSpec("P")
R = TypeVar("R")


@disable_ki_protection
async def run_async(function: Callable[P, Awaitable[R]], *args: P.args, **kwargs: P.kwargs) -> R:
    """Await user code where Ctrl-C may interrupt it; the kernel around it stays protected.

    **Cancellation**: whatever the function does.
    """
    return await function(*args, **kwargs)


@disable_ki_protection
async def run_awaitable(awaitable: Awaitable[R]) -> R:
    """Await what user code gave, where Ctrl-C may interrupt it.

    **Cancellation**: whatever is awaited does.
    """
    return await awaitable


@disable_ki_protection
async def run_body(body: Callable[..., object], positional: Sequence[object], named: dict[str, object]) -> object:
    """Await a tool's async body where Ctrl-C may interrupt it.

    **Cancellation**: whatever the body does.
    """
    answer = body(*positional, **named)
    if isinstance(answer, Awaitable):
        return await answer  # pyright: ignore[reportUnknownVariableType]
    return answer  # a decorator has awaited it, or made a plain function of it


@disable_ki_protection
def run_sync(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call user code where Ctrl-C may interrupt it."""
    return function(*args, **kwargs)


@disable_ki_protection
async def run_either(function: Callable[P, R | Awaitable[R]], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call user code that may be sync or async, where Ctrl-C may interrupt it.

    **Cancellation**: whatever the function does.
    """
    answer = function(*args, **kwargs)
    if answer is not None and isinstance(answer, Awaitable):
        return await answer  # pyright: ignore[reportUnknownVariableType]
    return answer


@attrs.frozen
class Fault:
    """An exception taken apart: what failed (without the cancellations around it), and the Ctrl-C in it, if any.

    Neither means that it was nothing but `trio.Cancelled`.
    """

    failure: BaseException | None
    interrupt: KeyboardInterrupt | None


_INTERRUPTS = (KeyboardInterrupt,)


def take_apart(thrown: BaseException) -> Fault:
    """Split an exception, or a group that nurseries made of several. Only types are looked at, and they decide
    nothing: whether a call was cancelled is for its scopes to say."""
    if isinstance(thrown, trio.Cancelled):
        return Fault(None, None)
    if isinstance(thrown, KeyboardInterrupt):
        return Fault(None, thrown)
    if not isinstance(thrown, BaseExceptionGroup):
        return Fault(thrown, None)
    group: BaseExceptionGroup[BaseException] = thrown  # pyright: ignore[reportUnknownVariableType]
    interrupts, others = group.split(_INTERRUPTS)
    failure = None if others is None else others.split(trio.Cancelled)[1]
    return Fault(failure, None if interrupts is None else KeyboardInterrupt())
