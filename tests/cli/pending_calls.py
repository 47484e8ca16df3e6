"""Pending calls as the registry tells of them, for tests of what is shown of them."""

from trio_tools import CallToken, PendingCall


def pending(
    tool: str,
    own_id: str | None = None,
    stage: str = "dispatch",
    *,
    seconds: float = 3,
    left: float | None = None,
    since_cancel: float | None = None,
    waits_for: str | None = None,
    parent: PendingCall | None = None,
) -> PendingCall:
    """A call that is in its stage for so many seconds, and has so many left."""
    return PendingCall(
        token=CallToken(),
        parent=None if parent is None else parent.token,
        id=own_id,
        tool=tool,
        session=None,
        stage=stage,
        seconds_in_stage=seconds,
        seconds_left=left,
        seconds_since_cancel=since_cancel,
        waits_for=waits_for,
        where=("x.py:1 f", "  y.py:2 g"),
    )
