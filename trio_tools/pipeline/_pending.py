"""Where an unsettled call is, and what it is stuck at."""

from __future__ import annotations

from collections.abc import Iterable, Set
from math import inf

import attrs
import trio

from trio_tools.pipeline._identity import Identity
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._waiting import waits_for
from trio_tools.pipeline._where import where
from trio_tools.values import CallToken, Session


@attrs.frozen(kw_only=True)
class PendingCall:
    """A call that has not settled.

    `parent` is the call whose body made it, if one did that is pending too. `seconds_in_stage`, `seconds_left` (until
    the earliest deadline that is known to end it, 0 when that has passed; None: none is known) and
    `seconds_since_cancel` (None: nobody has given it up) are seconds on Trio's clock. `waits_for` goes on from these
    two words ("bash c2 (runs alone)"), where the registry knows for what; names in it are as they came, to be escaped
    where they are shown. `where` is a chain of `file:line function`, outermost first, of the call's task, its child
    tasks and its thread.
    """

    token: CallToken
    parent: CallToken | None
    id: str | None
    tool: str
    session: Session | None
    stage: str
    seconds_in_stage: float
    seconds_left: float | None
    seconds_since_cancel: float | None
    waits_for: str | None
    where: tuple[str, ...]


def pending_calls(unsettled: Iterable[CallState]) -> list[PendingCall]:
    """A snapshot of the unsettled calls of a registry, for a person who asks why nothing happens."""
    calls = list(unsettled)
    children: dict[Identity, list[CallState]] = {}
    for call in calls:
        if call.parent is not None:
            children.setdefault(call.parent, []).append(call)
    seen = {call.identity for call in calls}
    return [_pending_call(call, children.get(call.identity, []), seen) for call in calls]


def _pending_call(call: CallState, children: list[CallState], seen: Set[Identity]) -> PendingCall:
    now = trio.current_time()
    deadline = call.deadline
    return PendingCall(
        token=call.token,
        parent=call.parent.token if call.parent is not None and call.parent in seen else None,
        id=call.call.id,
        tool=call.name,
        session=call.turn.session,
        stage=call.stage,
        seconds_in_stage=now - call.since,
        seconds_left=None if deadline == inf else max(0.0, deadline - now),
        seconds_since_cancel=None if call.cause is None else now - call.cancelled_at,
        waits_for=waits_for(call, children),
        where=where(call.task, call.thread),
    )
