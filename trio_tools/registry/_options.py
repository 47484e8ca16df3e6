"""The options of the registry itself, by arguments and by configs alike."""

from __future__ import annotations

import attrs

from trio_tools.registry._option import option, positive_seconds

# Seconds that all post-policies, all observers, or the recording of one event may take for one call: long enough for a
# disk or a local service that is slow, short enough that a cancelled agent is not held up by a listener that hangs.
GRACE = 5.0
# Calls of one turn that run at once (L004): what providers' models ask for in one message rarely exceeds it.
PARALLEL_CALLS = 10


def _check_calls(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{attribute.name} must be a positive integer, not {value!r}")


@attrs.frozen(kw_only=True)
class RegistryOptions:
    """The registry's own options; what is called grace is in seconds.

    Raises `ValueError` for a number out of range.

    Attributes:
        max_parallel_calls: How many calls of one turn run at once.
        policy_grace: What all post-policies together may take for one call.
        observer_grace: What all observers together may take for one call.
        recorder_grace: What the recording of one event may take.
    """

    max_parallel_calls: int = attrs.field(default=PARALLEL_CALLS, validator=_check_calls, metadata=option(unit="calls"))
    policy_grace: float = attrs.field(default=GRACE, validator=positive_seconds, metadata=option(unit="seconds"))
    observer_grace: float = attrs.field(default=GRACE, validator=positive_seconds, metadata=option(unit="seconds"))
    recorder_grace: float = attrs.field(default=GRACE, validator=positive_seconds, metadata=option(unit="seconds"))
