"""Composition: a registry with the default plugins put in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial

from trio_tools.pipeline import Core, Services
from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, Registry, hold, in_order_of_need
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

    Arguments: `plugins`, opened in this order, but each after those that it requires, and left in reverse; `defaults`,
    whether the timeout policy is put in front (unless a plugin of its name, `timeout`, is listed);
    `max_parallel_calls` of one turn; `policy_grace`, `observer_grace` and `recorder_grace`, seconds that post-policies,
    observers and the recording of one event may take.

    Raises `ValueError` for a number out of range, for two plugins of one name, for a requirement that is not listed and
    for plugins that require each other, `TypeError` for what is no plugin.
    The block's own exception comes out as it is, never in a group.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; plugins leave; then it goes on.
    Leaving without an error lets running calls finish.
    """
    if isinstance(max_parallel_calls, bool) or not isinstance(max_parallel_calls, int) or max_parallel_calls < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"max_parallel_calls must be a positive integer, not {max_parallel_calls!r}")
    graces = {"policy_grace": policy_grace, "observer_grace": observer_grace, "recorder_grace": recorder_grace}
    for name, seconds in graces.items():
        check_seconds(name, seconds)
    composed = _composed(tuple(plugins), defaults)
    core = Core(
        services=Services(partial(_could_provide, composed)),
        max_parallel_calls=max_parallel_calls,
        policy_grace=policy_grace,
        observer_grace=observer_grace,
        recorder_grace=recorder_grace,
    )
    return hold(core, composed)


def _composed(listed: tuple[AnyPlugin, ...], defaults: bool) -> list[AnyPlugin]:
    unlisted = defaults and all(getattr(one, "name", None) != timeout.name for one in listed)
    return in_order_of_need((timeout, *listed) if unlisted else listed)


def _could_provide(listed: list[AnyPlugin], kind: type[object]) -> Iterator[str]:
    """Who could bring a service that is missing, and what to do about it."""
    for one in listed:
        if kind in one.provides:
            yield f'plugin "{one.name}" does while it is open; name it in requires=("{one.name}",)'
