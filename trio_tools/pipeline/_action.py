"""What an effect does: `irreversible(name, action)`, the point of no return. A callable and not a block, because a
block cannot be skipped.

In the call's own task the action is shielded for as long as it runs, or until its bound is up. In the thread of a plain
function it runs there, while the task that waits for the thread is in a shield.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._carried import ZONE
from trio_tools.pipeline._effect import Begun, begin, check_where, end
from trio_tools.pipeline._faults import run_either
from trio_tools.pipeline._state import CallState
from trio_tools.values import Effect, JSONValue, NotJSON, check_seconds, check_text, safe

Action: TypeAlias = Callable[[], Awaitable[object]]
PlainAction: TypeAlias = Callable[[], object]


@enable_ki_protection
async def irreversible(
    call: CallState, name: str, action: Action, *, key: str | None, timeout: float | None
) -> JSONValue:
    """Run the action of an effect, and return its receipt. See `ToolContext.irreversible`.

    **Cancellation**: as there.
    """
    _check(name, action, key)
    if timeout is not None:
        check_seconds("timeout", timeout)
    check_where(call, name)
    begun = await begin(call, safe(name), key)
    return begun.receipt if isinstance(begun, Effect) else await _performed(begun, action, timeout)


def _check(name: object, action: object, key: object) -> None:
    """Refuse what is no effect, and one inside of another."""
    if inspect.iscoroutine(action):
        action.close()  # never awaited, and so it shall not warn
        raise TypeError("an effect's action is a function without arguments: pass it as it is, uncalled")
    if not callable(action):
        raise TypeError(f"an effect's action is a function without arguments, not {type(action).__name__}")
    if not isinstance(name, str):
        raise TypeError(f"an effect's name must be a string, not {type(name).__name__}")
    if not name:
        raise ValueError("an effect needs a name: it is what the model reads of it")
    if key is not None:
        _check_key(name, key)
    inside = ZONE.get()
    if inside is not None and inside.is_open:
        raise RuntimeError(f"no effect ({name!r}) is made inside of another ({inside.name!r}): make it before or after")


def _check_key(name: str, key: object) -> None:
    if not isinstance(key, str):
        raise TypeError(f"the key of an effect ({name!r}) must be a string, not {type(key).__name__}")
    if not key:
        raise ValueError(f"the key of an effect ({name!r}) is empty: leave it out, or tell what makes two the same")
    try:
        check_text(key)
    except NotJSON as problem:  # changed to what UTF-8 can carry, it might be another's
        raise ValueError(f"the key of an effect ({name!r}) cannot be kept: {problem}") from None


async def _performed(begun: Begun, action: Action, timeout: float | None) -> JSONValue:
    before = ZONE.set(begun.zone)
    # unbounded if nobody bounds it: cut in the middle, nobody could say whether it went through
    shield = trio.CancelScope(shield=True)
    receipt: JSONValue = None
    try:
        with shield:
            if timeout is not None:
                shield.deadline = trio.current_time() + timeout
            receipt = begun.returned(await run_either(action))
        if timeout is not None and begun.is_under_way:
            raise begun.ran_out(timeout)
    except BaseException as thrown:
        if timeout is not None and shield.cancel_called and begun.is_under_way and not begun.is_interrupted(thrown):
            # whatever it raises once it has been cut, a failure too: it cannot tell how far it had got
            raise begun.ran_out(timeout) from thrown
        begun.broke_off(thrown)
        raise
    finally:
        begun.zone.is_open = False
        ZONE.reset(before)
        await end(begun)
    return receipt


def irreversible_in_thread(call: CallState, name: str, action: PlainAction, key: str | None) -> JSONValue:
    """Run the action of an effect in this thread, that of the call's body, and return its receipt. See
    `SyncToolContext.irreversible`."""
    _check(name, action, key)
    if inspect.iscoroutinefunction(action):
        raise TypeError(
            f"the action of {name!r} is an async function, and this body is a plain one, in a thread: pass a plain "
            "function, or declare the tool with async def"
        )
    entered = trio.from_thread.run(_entered, call, name, key)
    if isinstance(entered, Effect):
        return entered.receipt
    begun, shield = entered
    before = ZONE.set(begun.zone)
    answer: object = None
    failure: BaseException | None = None
    try:
        answer = action()
    except BaseException as thrown:
        failure = thrown
        raise
    finally:
        ZONE.reset(before)
        receipt = trio.from_thread.run(_left, begun, shield, answer, failure)
    return receipt


@enable_ki_protection
async def _entered(call: CallState, name: str, key: str | None) -> tuple[Begun, trio.CancelScope] | Effect:
    """In the task that waits for the thread: begin, and shield that wait, so that the thread is not told of a cancel.

    **Cancellation**: raised before the effect has begun.
    """
    check_where(call, name)
    begun = await begin(call, safe(name), key)
    if isinstance(begun, Effect):
        return begun
    # unbounded, as the thread is: nothing can cut it. Left by `_left`, which the thread always comes to
    shield = trio.CancelScope(shield=True)
    shield.__enter__()
    return begun, shield


@enable_ki_protection
async def _left(begun: Begun, shield: trio.CancelScope, answer: object, failure: BaseException | None) -> JSONValue:
    """In that task again: note what the action came to, and leave the shield.

    **Cancellation**: not raised.
    """
    try:
        if failure is None:
            return begun.returned(answer)
        begun.broke_off(failure)
        return None
    finally:
        begun.zone.is_open = False
        try:
            shield.__exit__(None, None, None)
        finally:
            await end(begun)
