"""Records as a journal gives them, with the times that a test says."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from trio_tools import Session, ToolResult
from trio_tools.journal import CallRecord, EffectRecord
from trio_tools.values import CallRef, Cause, Effect, EffectState, ErrorInfo, JSONValue, as_content

# Unix seconds of a Monday, 2026-11-30 17:05:12 UTC.
BEGAN = 1796058312.0
SESSION = Session("s1", "ann")

# What a page, a terminal or a shell may take for its own.
HOSTILE = (
    '</script><script>alert(1)</script>"><img src="http://x.example/" onerror=alert(1)>\u202e\x1b[31m\x00\r&amp;\''
)


def record(
    place: str,
    tool: str = "read",
    *,
    accepted: float = 0.0,
    dispatched: Sequence[float] = (),
    effects: Sequence[EffectRecord] = (),
    cancelled: float | None = None,
    settled: float | None = None,
    code: str | None = None,
    cause: Cause | None = None,
    call_id: str | None = None,
    parent: str | None = None,
    arguments: JSONValue = None,
    text: str = "fine",
) -> CallRecord:
    """The call at this "turn/position"; times are seconds from `BEGAN`."""
    turn, _, position = place.partition("/")
    result = None
    if settled is not None:
        error = None if code is None else ErrorInfo("Broken", code, text)
        named = tuple(one.effect for one in effects)
        content = as_content(text)
        result = ToolResult(call_id, tool, content, None, error, bool(dispatched), cause, named)
    return CallRecord(
        ref=CallRef(turn=turn, position=int(position), call_id=call_id, tool=tool, session=SESSION, parent=parent),
        accepted=BEGAN + accepted,
        arguments=arguments,
        dispatched=tuple(BEGAN + one for one in dispatched),
        effects=tuple(effects),
        cancelled=None if cancelled is None else BEGAN + cancelled,
        cause=cause,
        settled=None if settled is None else BEGAN + settled,
        result=result,
    )


def effect(
    name: str,
    state: EffectState,
    begun: float,
    ended: float | None = None,
    *,
    key: str | None = None,
    receipt: JSONValue = None,
    error: str | None = None,
    resolved: float | None = None,
) -> EffectRecord:
    """An effect; times are seconds from `BEGAN`."""
    known = EffectRecord(effect=Effect(name, state, receipt, error, key), begun=BEGAN + begun)
    if ended is not None:
        known = attrs.evolve(known, ended=BEGAN + ended)
    return known if resolved is None else attrs.evolve(known, resolved=BEGAN + resolved)


# A session with one of each: what went well, a mail, a cancel, a call that never ran; a tool that makes calls, one of
# which is tried three times; and an hour later a crash.
CALLS = (
    record("t1/0", dispatched=[0.02], settled=0.5, call_id="toolu_01A09q90qw90lq917801"),
    record(
        "t1/1",
        "mail",
        dispatched=[0.5],
        settled=2.2,
        effects=[effect("mail.send", EffectState.COMMITTED, 1.2, 1.9, key="m-1", receipt={"id": "<1@example.org>"})],
        call_id="toolu_01A09q90qw90lq917802",
    ),
    record(
        "t1/2",
        "bash",
        dispatched=[2.2],
        cancelled=2.9,
        settled=3.1,
        code="ABORTED",
        cause=Cause.CALLER,
        call_id="c3",
    ),
    record("t1/3", cancelled=2.9, settled=2.9, code="ABORTED_BEFORE_DISPATCH", cause=Cause.CALLER, call_id="c4"),
    record("t2/0", "check", accepted=60, dispatched=[60.1], settled=64, call_id="c5"),
    record("t9/0", "bash", accepted=60.2, dispatched=[60.2, 61, 62], settled=62.2, code="TOOL_FAILED", parent="t2/0"),
    record(
        "t9/1",
        "pay 日本 e\u0301\u202e",
        accepted=62.3,
        dispatched=[62.3],
        settled=63.9,
        effects=[effect("pay", EffectState.FAILED, 63, 63.5, error="no money")],
        parent="t2/0",
    ),
    record(
        "t3/0",
        "mail",
        accepted=3600,
        dispatched=[3600.1],
        settled=99_999,
        code="ABORTED",
        cause=Cause.CRASH,
        effects=[effect("mail.send", EffectState.UNKNOWN, 3601, key="m-2")],
        call_id="c9",
    ),
    record("t3/1", accepted=3600, call_id="c10"),
)
