"""Events that a recorder is tried with: every kind, with the oddest texts and sizes that the registry may tell of."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from trio_tools.values import (
    ABORTED,
    MAX_ARGUMENT_BYTES,
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Cause,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    ErrorInfo,
    Image,
    Json,
    JSONValue,
    Outcome,
    Session,
    Text,
    ToolResult,
    failure_content,
    freeze,
    safe,
)

# Levels of nesting in arguments: deeper than what people write, and within what intake takes.
DEEP = 60

# What names, ids and texts may hold: no UTF-8 text is refused, and what came with a lone surrogate was made safe.
ODD_TEXTS = (
    "",
    "of two\nlines\r\n",
    "\x00\x07\x1b[2J\x9b",
    "\u202egnp.exe",
    "\ufeff\u200d\u0301",
    "Überweisung 送金 🏦",
    "'; DROP TABLE calls; --",
    "../../etc/passwd",
    safe("a lone \ud800"),
    "x" * 300,
)


def ref(position: int, *, turn: str = "t1", tool: str = "mail", call_id: str | None = "c1") -> CallRef:
    """The name of a call in events."""
    session = Session("s1", owner="o1") if position % 2 else None
    return CallRef(turn=turn, position=position, call_id=call_id, tool=tool, session=session, root=f"{turn}/{position}")


def accepted(call: CallRef, arguments: JSONValue = "{}") -> CallEvent:
    """It has passed intake."""
    return CallAccepted(ref=call, at=1.0, arguments=arguments, metadata=freeze({}))


def succeeded(call: CallRef) -> ToolResult:
    """A result of this call."""
    return ToolResult(call.call_id, call.tool, (Text("done"),), "done", dispatched=True)


def settled(call: CallRef, result: ToolResult | None = None) -> CallEvent:
    """It has its result."""
    return CallSettled(ref=call, at=5.0, result=succeeded(call) if result is None else result)


def whole_call(call: CallRef) -> list[CallEvent]:
    """What is told of a call that goes well, with an effect. Its key is its own: of one key a registry begins one
    effect at a time, and none after it went through."""
    effect = Effect("mail.send", EffectState.COMMITTED, receipt=freeze({"id": 7}), key=f"{call.turn}/{call.position}")
    return [
        *_begun(call, freeze({"to": "a@example.org"})),
        EffectBegun(ref=call, at=3.0, name=effect.name, key=effect.key),
        EffectEnded(ref=call, at=4.0, effect=effect),
        settled(call),
    ]


def every_kind() -> Iterator[tuple[str, list[CallEvent]]]:
    """Calls that between them have every kind of event in every kind of state, each with its name."""
    yield "a call that goes well", whole_call(ref(0))
    yield "a call with effects in every state", _effects(ref(1))
    again = CallDispatching(ref=ref(0), at=3.0, attempt=2)
    yield "a call that is tried twice", [*_begun(ref(0)), again, settled(ref(0))]
    for result in _results(ref(2)):
        call = ref(2)
        words = "a success" if result.code is None else f"the code {result.code}"
        yield (
            f"a call that comes to {words}",
            [
                *_begun(call),
                CallSettled(ref=call, at=3.0, result=result, cancelled_at=2.5, cause=result.cause),
            ],
        )


def ended_early() -> Iterator[tuple[str, list[CallEvent]]]:
    """Calls of which some kinds of event are never told."""
    call = ref(0)
    denied = ErrorInfo("DeniedError", ErrorCode.DENIED, "not on a Sunday")
    unread = ErrorInfo("ToolArgsError", ErrorCode.INVALID_ARGS, "invalid arguments: no")
    before = ErrorInfo("AbortError", ErrorCode.ABORTED_BEFORE_DISPATCH, "tool call aborted before dispatch")
    yield "a call that fails at intake", [accepted(call, "{"), settled(call, _failed(call, unread))]
    for reason in (denied.message, *ODD_TEXTS):
        decided = CallDecided(ref=call, at=1.0, allowed=False, reason=reason)
        error = attrs.evolve(denied, message=reason)
        yield (
            f"a call that is denied for {reason[:20]!r}",
            [accepted(call), decided, settled(call, _failed(call, error))],
        )
    yield "a call that is cancelled before it starts", [accepted(call), settled(call, _failed(call, before))]
    yield (
        "a call that is allowed, and cancelled before it is dispatched",
        [accepted(call), CallDecided(ref=call, at=1.0, allowed=True), settled(call, _failed(call, before))],
    )


def hostile() -> Iterator[tuple[str, list[CallEvent]]]:
    """Calls with odd texts wherever there is one, and with large and deep arguments."""
    for position, text in enumerate(ODD_TEXTS):
        call = ref(position, tool=text, call_id=text)
        error = ErrorInfo("ToolError", ErrorCode.TOOL_FAILED, text)
        effect = Effect(text or "x", EffectState.FAILED, error=text, key=text)
        words = f"a call with {text[:20]!r} for every text"
        yield (
            words,
            [
                *_begun(call, freeze({text: text})),
                EffectBegun(ref=call, at=3.0, name=effect.name, key=text),
                EffectEnded(ref=call, at=4.0, effect=effect),
                settled(call, _failed(call, error)),
            ],
        )
    large, deep = "ü" * (MAX_ARGUMENT_BYTES // 2), freeze({})
    for _ in range(DEEP):
        deep = freeze([deep])
    nothing = ref(1, call_id=None)
    yield "a call with 1 MiB of arguments", [*_begun(nothing, freeze({"text": large})), settled(nothing)]
    yield "a call with 1 MiB of raw arguments", [*_begun(nothing, large), settled(nothing)]
    yield "a call with arguments of many levels", [*_begun(nothing, freeze({"a": deep})), settled(nothing)]


def interleaved() -> list[CallEvent]:
    """Three calls under way at once, two of one id, and one that another's body makes."""
    first, second = ref(0), ref(1)
    nested = CallRef(turn="t2", position=0, call_id=None, tool="mail", parent="t1/0", root="t1/0")
    lists = [whole_call(first), whole_call(second), whole_call(nested)]
    return [event for events in zip(*lists, strict=True) for event in events]


def _begun(call: CallRef, arguments: JSONValue = "{}") -> list[CallEvent]:
    return [
        accepted(call, arguments),
        CallDecided(ref=call, at=1.0, allowed=True),
        CallDispatching(ref=call, at=2.0, attempt=1),
    ]


def _effects(call: CallRef) -> list[CallEvent]:
    effects = (
        Effect("a", EffectState.COMMITTED, receipt=freeze({"id": [1, 2.5, None, True]})),
        Effect("b", EffectState.FAILED, error="no such host"),
        Effect("c", EffectState.UNKNOWN, key="k"),
    )
    begun = [EffectBegun(ref=call, at=3.0, name=effect.name, key=effect.key) for effect in effects]
    ended = [EffectEnded(ref=call, at=4.0, effect=effect) for effect in reversed(effects)]
    return [
        *_begun(call),
        *begun,
        *ended,
        settled(call),
    ]


def _failed(call: CallRef, error: ErrorInfo, cause: Cause | None = None) -> ToolResult:
    return ToolResult(call.call_id, call.tool, failure_content(error), error=error, cause=cause)


def _results(call: CallRef) -> Iterator[ToolResult]:
    """A success of every kind of content, and every code with a cause that it may have."""
    blocks = (Text("of text"), Image("iVBORw0KGgo=", "image/png"), Json({"a": [1, None]}))
    yield ToolResult(
        call.call_id,
        call.tool,
        blocks,
        freeze([1]),
        dispatched=True,
        contexts=(freeze({"note": 1}),),
        effects=(Effect("a", EffectState.COMMITTED),),
        concludes_turn=True,
    )
    for cause in Cause:
        yield ToolResult(
            call.call_id,
            call.tool,
            failure_content(ABORTED),
            error=ABORTED,
            dispatched=True,
            cause=cause,
            superseded=Outcome((Text("late"),), "late"),
        )
    for code in (*ErrorCode, "MY_OWN_CODE"):
        yield _failed(call, ErrorInfo("SomeError", code, "of some kind"))
