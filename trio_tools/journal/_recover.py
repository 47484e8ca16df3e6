"""Closing the books: a call that a process left without a result gets one, which says no more than is known.

Nothing is run again. All of it is added in one go, and each entry holds by itself: whatever of it is written, the next
opening adds what is missing, and nothing twice.

That a body was never entered is only said where every entry can be read that came behind the call's first: that it was
may stand in a lost one.
"""

from __future__ import annotations

import attrs
import trio

from trio_tools.journal._fold import ENDED_INSIDE, Draft, Fold, place_of
from trio_tools.journal._records import Damage, Entry
from trio_tools.journal._store import Store
from trio_tools.values import (
    ABORTED_BEFORE_DISPATCH,
    CUT_OFF,
    CallEvent,
    CallSettled,
    Cause,
    Effect,
    EffectEnded,
    EffectState,
    Text,
    ToolResult,
    effects_text,
    failure_content,
)


async def recover(store: Store, now: float) -> int:
    """Settle every call that has no result, at `now`, in Unix seconds, and return how many that were.

    Raises `JournalError` if it cannot be read or written.

    **Cancellation**: some of it may be written; the next opening goes on from there.
    """
    fold = Fold(await store.unsettled())
    added, damage = None, store.damage
    innermost_first = _unsettled(fold)
    for draft in innermost_first:
        for event in _closing(draft, is_whole=all(_is_before(one, draft) for one in damage)):
            fold.take(Entry(seq=0, time=now, event=event))
            added = store.add(now, event)
    if added is not None:
        await store.written(added)
    return len(innermost_first)


def _unsettled(fold: Fold) -> list[Draft]:
    """Those without a result, each before the call that made it, whose result names what it did."""
    depth: dict[str | None, int] = {}
    for place, draft in fold.drafts.items():  # a call comes after the one that made it
        depth[place] = depth.get(draft.ref.parent, 0) + 1
    left = [draft for draft in fold.drafts.values() if draft.result is None]
    return sorted(left, key=lambda draft: -depth[place_of(draft.ref)])


def _is_before(damage: Damage, draft: Draft) -> bool:
    return damage.entry is not None and damage.entry < draft.first


def _closing(draft: Draft, *, is_whole: bool) -> list[CallEvent]:
    ref, at = draft.ref, trio.current_time()
    ended = [known.effect for known in draft.effects if known.effect.state is EffectState.BEGUN]
    events: list[CallEvent] = [EffectEnded(ref=ref, at=at, effect=_unknown(effect)) for effect in ended]
    return [*events, CallSettled(ref=ref, at=at, result=_result(draft, is_whole), cause=Cause.CRASH)]


def _unknown(effect: Effect) -> Effect:
    return attrs.evolve(effect, state=EffectState.UNKNOWN, error=ENDED_INSIDE)


def _may_have_run(draft: Draft, is_whole: bool) -> bool:
    _, allowed, _ = draft.decided
    return bool(draft.dispatched or draft.named) or not (is_whole or allowed is False)


def _result(draft: Draft, is_whole: bool) -> ToolResult:
    ran = _may_have_run(draft, is_whole)
    error = CUT_OFF if ran else ABORTED_BEFORE_DISPATCH
    effects = tuple(_unknown(one) if one.state is EffectState.BEGUN else one for one in draft.named)
    content, told = failure_content(error), effects_text(effects, receipts=True)
    return ToolResult(
        call_id=draft.ref.call_id,
        tool=draft.ref.tool,
        content=(*content, Text(told)) if told else content,
        error=error,
        dispatched=ran,
        cause=Cause.CRASH,
        effects=effects,
    )
