"""Composition: a registry with the default plugins put in."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager

from trio_tools.pipeline import Core
from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, Plugin, Registry, hold
from trio_tools.values import check_seconds

# Seconds that all post-policies, all observers, or the recording of one event may take for one call: long enough for a
# disk or a local service that is slow, short enough that a cancelled agent is not held up by a listener that hangs.
GRACE = 5.0
# Calls of one turn that run at once (L004): what providers' models ask for in one message rarely exceeds it.
PARALLEL_CALLS = 10


def open_registry(
    *,
    plugins: Iterable[AnyPlugin] = (),
    defaults: bool = True,
    max_parallel_calls: int = PARALLEL_CALLS,
    policy_grace: float = GRACE,
    observer_grace: float = GRACE,
    recorder_grace: float = GRACE,
) -> AbstractAsyncContextManager[Registry]:
    """A registry, open for as long as the block: `async with open_registry() as registry`.

    Arguments: `plugins`, opened in this order and left in reverse; `defaults`, whether the timeout policy is put in
    front (unless a plugin of its name, `timeout`, is listed); `max_parallel_calls` of one turn; `policy_grace`,
    `observer_grace` and `recorder_grace`, seconds that post-policies, observers and the recording of one event may
    take.

    Raises `ValueError` for a number out of range, for two plugins of one name and for one whose requirements are not
    listed before it, `TypeError` for what is no plugin.
    The block's own exception comes out as it is, never in a group.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; plugins leave; then it goes on.
    Leaving without an error lets running calls finish.
    """
    if isinstance(max_parallel_calls, bool) or not isinstance(max_parallel_calls, int) or max_parallel_calls < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"max_parallel_calls must be a positive integer, not {max_parallel_calls!r}")
    graces = {"policy_grace": policy_grace, "observer_grace": observer_grace, "recorder_grace": recorder_grace}
    for name, seconds in graces.items():
        check_seconds(name, seconds)
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
    for position, name in enumerate(names):
        if names.count(name) > 1:
            raise ValueError(f'plugin "{name}" is listed more than once')
        for needed in listed[position].requires:
            if needed not in names[:position]:
                raise ValueError(f'plugin "{name}" requires plugin "{needed}", which is not listed before it')
    return (timeout, *listed) if defaults and timeout.name not in names else listed
