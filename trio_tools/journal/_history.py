"""Which turns of a session its provider is told of, and as what."""

from __future__ import annotations

from itertools import groupby

from trio_tools.formats import HistoryTurn
from trio_tools.journal._fold import Fold, in_call_order
from trio_tools.journal._records import CallRecord
from trio_tools.values import ToolCall

# What a provider is told of arguments that the record has not, as of a text that is no JSON: an empty object would say
# that the model gave none.
NOT_KEPT = "(these arguments were not kept: they are no JSON, or their record is damaged)"


def turns_of(fold: Fold) -> list[HistoryTurn]:
    """The turns of a session whose calls have all settled, in order. Not those that a call of this session has made:
    no model has asked for them. (A sub-agent that has a session of its own is asked by a model.)"""
    own = [one for one in in_call_order(fold) if one.ref.parent not in fold.drafts]
    made = [_turn(list(calls)) for _, calls in groupby(own, lambda one: one.ref.turn)]
    return [turn for turn in made if turn is not None]


def _turn(records: list[CallRecord]) -> HistoryTurn | None:
    results = tuple(one.result for one in records if one.result is not None)
    if len(results) < len(records):
        return None
    calls = [_call(record, result.call_id) for record, result in zip(records, results, strict=True)]
    return HistoryTurn(tuple(calls), results)


def _call(record: CallRecord, own_id: str | None) -> ToolCall:
    """As the model made it, but for what is redacted or damaged."""
    arguments = record.arguments
    return ToolCall(record.ref.tool, arguments if isinstance(arguments, (str, dict)) else NOT_KEPT, id=own_id)
