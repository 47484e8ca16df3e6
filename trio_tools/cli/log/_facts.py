"""All that a journal knows, as JSON. Times are Unix seconds; null is what has not happened."""

from __future__ import annotations

from trio_tools.formats import write_result
from trio_tools.journal import CallRecord, EffectRecord, SessionSummary, UnknownEffect
from trio_tools.values import Effect, JSONValue, Session


def session_facts(one: SessionSummary) -> dict[str, JSONValue]:
    """What there is of a session."""
    return {
        **whose(one.session),
        "first": one.first,
        "last": one.last,
        "turns": one.turns,
        "calls": one.calls,
        "unsettled": one.unsettled,
    }


def call_facts(call: CallRecord) -> dict[str, JSONValue]:
    """What is known of a call; its `result` as `trio-tools run` writes it."""
    ref = call.ref
    return {
        "turn": ref.turn,
        "position": ref.position,
        "id": ref.call_id,
        "tool": ref.tool,
        **whose(ref.session),
        "parent": ref.parent,
        "root": ref.root,
        "arguments": call.arguments,
        "metadata": call.metadata,
        "accepted": call.accepted,
        "decided": call.decided,
        "allowed": call.allowed,
        "reason": call.reason,
        "dispatched": list(call.dispatched),
        "effects": [_recorded(one) for one in call.effects],
        "cancelled": call.cancelled,
        "cause": None if call.cause is None else call.cause.value,
        "settled": call.settled,
        "result": None if call.result is None else write_result(call.result),
    }


def effect_facts(effect: Effect) -> dict[str, JSONValue]:
    """What is known of an effect."""
    return {
        "name": effect.name,
        "key": effect.key,
        "state": effect.state.value,
        "receipt": effect.receipt,
        "error": effect.error,
        "earlier": effect.earlier,
        "call": effect.call,
    }


def unknown_facts(one: UnknownEffect) -> dict[str, JSONValue]:
    """What is known of an effect that waits for a decision, and the call that began it."""
    return {
        "name": one.name,
        "key": one.key,
        "begun": one.begun,
        "error": one.error,
        "turn": one.ref.turn,
        "position": one.ref.position,
        "id": one.ref.call_id,
        "tool": one.ref.tool,
        **whose(one.ref.session),
    }


def _recorded(one: EffectRecord) -> dict[str, JSONValue]:
    return {**effect_facts(one.effect), "begun": one.begun, "ended": one.ended, "resolved": one.resolved}


def whose(session: Session | None) -> dict[str, JSONValue]:
    """Which session it is; null for calls that were made for none."""
    return {"session": None if session is None else session.id, "owner": None if session is None else session.owner}
