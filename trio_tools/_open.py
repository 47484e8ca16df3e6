"""Composition: a registry with the default plugins put in."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from math import inf

from trio_tools.pipeline import Core
from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, Plugin, Registry, hold

# Seconds that all post-policies, all observers, or the recording of one event may take for one call: long enough for a
# disk or a local service that is slow, short enough that a cancelled agent is not held up by a listener that hangs.
GRACE = 5.0


def open_registry(
    *,
    plugins: Iterable[AnyPlugin] = (),
    defaults: bool = True,
    max_parallel_calls: int = 10,
    policy_grace: float = GRACE,
    observer_grace: float = GRACE,
    recorder_grace: float = GRACE,
) -> AbstractAsyncContextManager[Registry]:
    """A registry, open for as long as the block: `async with open_registry() as registry`.

    Arguments: `plugins`, opened in this order and left in reverse; `defaults`, whether the timeout policy is put in
    front (unless it is listed); `max_parallel_calls` of one turn; `policy_grace`, `observer_grace` and
    `recorder_grace`, seconds that post-policies, observers and the recording of one event may take.

    Raises `ValueError` for a number out of range and for two plugins of one name, `TypeError` for what is no plugin.
    The block's own exception comes out as it is, never in a group.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; plugins leave; then it goes on.
    Leaving without an error lets running calls finish.
    """
    if isinstance(max_parallel_calls, bool) or not isinstance(max_parallel_calls, int) or max_parallel_calls < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"max_parallel_calls must be a positive integer, not {max_parallel_calls!r}")
    graces = {"policy_grace": policy_grace, "observer_grace": observer_grace, "recorder_grace": recorder_grace}
    for name, seconds in graces.items():
        if not 0 < seconds < inf:
            raise ValueError(f"{name} must be a positive finite number of seconds, not {seconds!r}")
    core = Core(
        max_parallel_calls=max_parallel_calls,
        policy_grace=policy_grace,
        observer_grace=observer_grace,
        recorder_grace=recorder_grace,
    )
    return hold(core, _composed(tuple(plugins), defaults))


def _composed(listed: tuple[AnyPlugin, ...], defaults: bool) -> tuple[AnyPlugin, ...]:
    for one in listed:
        if not isinstance(one, Plugin):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"plugins must be made with @plugin, not {type(one).__name__}")
    names = [one.name for one in listed]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'plugin "{name}" is listed more than once')
    return (timeout, *listed) if defaults and timeout.name not in names else listed
