"""Whether a task waits in a shield without a bound, and whose shield that is.

Trio tells the deadline in force and no more: not who has shielded a task, nor whether the deadline is of the thing it
waits for, as that of `trio.sleep` is. Both stand where the code that has entered a scope keeps it until it leaves it:
on the stack of its coroutine, which the garbage collector sees into.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterable, Iterator, Mapping
from math import inf

import trio

from trio_tools.testing._where import is_machinery


def waits_in_a_shield(task: trio.lowlevel.Task, deadline: float) -> bool | None:
    """Whether a task waits in a shield of a tool's own that has no bound. `deadline` is the one in force, in seconds on
    the run's clock. None: in a shield of somebody's that cannot be told."""
    bound = deadline
    is_waited_for = True  # whether this is the code of what the tool waits for
    for awaited, frame in reversed([*_chain(task.coro)]):
        is_waited_for = is_waited_for and _is_librarys(frame)
        for scope in reversed([*_on_stack(awaited)]):
            if is_waited_for:
                if scope.shield:
                    return False  # as those of `Condition.wait` and `run_process`, which are bound to leave it
                if scope.deadline <= bound:
                    bound = inf  # it was of what is waited for
            elif bound < inf or scope.deadline < inf:
                return False
            elif scope.shield:
                return True
    return None if deadline == inf else False


def _is_librarys(frame: types.FrameType) -> bool:
    return is_machinery(frame) or str(frame.f_globals.get("__name__")).partition(".")[0] == "anyio"


def _chain(coro: object) -> Iterator[tuple[object, types.FrameType]]:
    """A coroutine, and what it awaits, each with its frame."""
    awaited = coro
    while awaited is not None:
        frame = _one_of(awaited, "cr_frame", "gi_frame", "ag_frame")
        if isinstance(frame, types.FrameType):
            yield awaited, frame
            awaited = _one_of(awaited, "cr_await", "gi_yieldfrom", "ag_await")
        else:  # a step of an asynchronous generator, which does not show whose
            awaited = next(filter(_is_generator, gc.get_referents(awaited)), None)


def _one_of(awaited: object, *names: str) -> object:
    return next((getattr(awaited, name) for name in names if hasattr(awaited, name)), None)


def _is_generator(one: object) -> bool:
    return isinstance(one, types.AsyncGeneratorType)


def _on_stack(holder: object) -> Iterator[trio.CancelScope]:
    """The scopes whose exits this coroutine or generator holds: what `with` is to call at its end."""
    for held in gc.get_referents(holder):
        if isinstance(held, types.MethodType):
            yield from _of_manager(held.__self__)


def _of_manager(manager: object) -> Iterator[trio.CancelScope]:
    if isinstance(manager, trio.CancelScope):
        yield manager
        return
    callbacks: Iterable[tuple[bool, object]] = getattr(manager, "_exit_callbacks", ())  # of an exit stack
    for _, leave in callbacks:
        if isinstance(leave, types.MethodType):
            yield from _of_manager(leave.__self__)
    generator: object = getattr(manager, "gen", None)  # that is a context manager
    if generator is not None:
        yield from _on_stack(generator)
    # anyio's scopes, and our own deadlines, have one inside, as an attribute or in a slot
    attributes: Mapping[str, object] = getattr(manager, "__dict__", {})
    inner = (*attributes.values(), *gc.get_referents(manager))
    yield from (one for one in inner if isinstance(one, trio.CancelScope))
