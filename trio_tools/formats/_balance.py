"""The balance of a transcript that others wrote: what is wrong with it, and the same transcript without that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import attrs

from trio_tools.formats._names import Ids
from trio_tools.formats._pairing import paired
from trio_tools.formats._parts import Answer, Call, Change, Message, NotATranscript
from trio_tools.formats._rendering import Piece, Rendering
from trio_tools.formats._span import NotATurn, Span, shown, whole
from trio_tools.formats._transcript_forms import READERS
from trio_tools.formats._turn import form_of
from trio_tools.values import JSONValue


@attrs.frozen
class Balanced:
    """A transcript in which each call is answered exactly once, in call order and right behind it; and what was changed
    for that, nothing if it was so already. `form` is None if there are no calls, and it could be anybody's."""

    form: str | None
    messages: list[JSONValue]
    changes: tuple[Change, ...]


def balance(messages: Iterable[JSONValue], form: str | None = None) -> Balanced:
    """Balance a conversation that others wrote, in this form, or if it is None in the one that it is in.

    A call without a result gets one that says that nobody knows how it ended. A result without a call is removed; of
    several of one call the last stays that tells of no failure, or else the last, and in any case one that names the
    call before one that does not. Results that stand elsewhere are moved behind their calls. A call whose id is absent,
    or an earlier call's, gets a new one, on its result too. A message of the assistant that says nothing is removed.
    All else stays: a message that need not change is given back as the very object. What is balanced comes back without
    changes.

    Raises `NotATranscript` for what is no JSON, or no messages of one form; `ValueError` for a form that there is none
    of.
    """
    given = list(messages)
    spans = [_span_of(one, f"messages[{at}]") for at, one in enumerate(given)]
    outcome = balance_spans(spans, form)
    at_span = {id(span): one for span, one in zip(spans, given, strict=True)}
    written = [json.loads(one.text) if one.origin is None else at_span[id(one.origin)] for one in outcome.pieces]
    return Balanced(outcome.form, written, outcome.changes)


def _span_of(message: JSONValue, place: str) -> Span:
    try:
        return attrs.evolve(whole(json.dumps(message, allow_nan=False)), place=place)
    except RecursionError:
        raise NotATranscript(f"{place} is nested too deep") from None
    except (TypeError, ValueError) as error:
        raise NotATranscript(f"{place} is not JSON: {error}") from None


@attrs.frozen
class Outcome:
    """What became of a transcript: its form, its messages, and what was changed."""

    form: str | None
    pieces: tuple[Piece, ...]
    changes: tuple[Change, ...]


def balance_spans(spans: Sequence[Span], form: str | None) -> Outcome:
    """Balance messages that are known to be JSON. Raises as `balance` does."""
    if form is not None and form not in READERS:
        raise ValueError(f"there is no form {form!r} of transcripts: it must be one of {', '.join(READERS)}")
    try:
        form = _form_of_all(spans, form)
        read = READERS[form or "anthropic"]  # without calls it is the same in both
        messages = [read(span) for span in spans]
        pairing = paired(messages)
        ids = {} if form in {None, "plain"} else _new_ids(messages, str(form))
        rendering = Rendering(form or "anthropic", pairing, ids)
        kept = [one for one in messages if not one.is_empty]
        pieces = tuple(rendering.pieces(kept))
        return Outcome(form, pieces, tuple(_changes(messages, rendering, _out_of_place(kept, rendering))))
    except RecursionError:
        raise NotATranscript("not readable: nested too deep") from None
    except NotATurn as fault:
        raise NotATranscript(str(fault)) from None


def _form_of_all(spans: Iterable[Span], wanted: str | None) -> str | None:
    """The form that a transcript is in, None if none of its messages tells."""
    form, telling = wanted, ""
    for span in spans:
        found = _form_of_one(span)
        if form is None:
            form, telling = found, span.place
        elif found not in {None, form}:
            other = f"and {telling} in {form}" if telling else f"where {form} is wanted"
            raise NotATurn(f"{span.place} is in the form {found}, {other}: a transcript is in one form")
    return form


def _form_of_one(span: Span) -> str | None:
    found = form_of(span)
    if found is None and span.kind == "an object" and (members := span.some("role", "tool")):
        return "plain" if "role" not in members else None
    return found


def _new_ids(messages: Iterable[Message], form: str) -> dict[Call, str]:
    """Ids for the calls that have none, or an earlier call's."""
    calls = [call for message in messages for call in message.calls if not call.is_old]
    named = [answer.id for message in messages for answer in message.answers]
    ids = Ids(form, [one for one in (*named, *(call.id for call in calls)) if one is not None])
    seen: set[str] = set()
    made: dict[Call, str] = {}
    for call in calls:
        if call.id is None or call.id in seen:
            made[call] = ids.make(call.id)
        else:
            seen.add(call.id)
    return made


def _out_of_place(messages: Sequence[Message], rendering: Rendering) -> set[Answer]:
    """The answers that are moved: those that do not stand right behind their call or the answer before them, or in
    another message than the others."""
    answers = rendering.pairing.answers
    staying = set(answers.values())
    before: dict[Answer, object] = {}
    holder: dict[Answer, Message] = {}
    last: object = None
    for message in messages:
        for unit in message.units or (message,):
            if isinstance(unit, Answer):
                if unit not in staying:
                    continue
                before[unit], holder[unit] = last, message
            last = unit
        last = message if message.calls else last
    moved: set[Answer] = set()
    for message, following in zip_longest(messages, messages[1:]):
        last = message
        for answer in [answers[call] for call in message.calls if call in answers]:
            in_one = rendering.form != "anthropic" or holder[answer] is following
            if before[answer] is not last or not in_one:
                moved.add(answer)
            last = answer
    return moved


def _changes(messages: Iterable[Message], rendering: Rendering, moved: set[Answer]) -> Iterator[Change]:
    """What is changed, in the order in which it was given."""
    calls = {answer: call for call, answer in rendering.pairing.answers.items()}
    for message in messages:
        if message.is_empty:
            yield Change(message.span.place, "message removed", "it says nothing")
        for call in message.calls:
            yield from _changes_of_call(call, rendering)
        for answer in message.answers:
            place = answer.span.place
            if answer in rendering.pairing.left:
                yield Change(place, "result removed", rendering.pairing.left[answer])
                continue
            if answer in moved:
                yield Change(place, "result moved", "results stand right behind their calls, in call order")
            call = calls[answer]
            if call not in rendering.ids and rendering.is_named_anew(call, answer):
                yield Change(
                    place, f"id {shown(call.id or '')} given", "it named no call, and can answer only this one"
                )


def _changes_of_call(call: Call, rendering: Rendering) -> Iterator[Change]:
    if call in rendering.ids:
        why = "it had none" if call.id is None else f"an earlier call has {shown(call.id)}"
        yield Change(call.span.place, f"id {shown(rendering.ids[call])} given", why)
    if call not in rendering.pairing.answers:
        what = f"result of {shown(call.name or '')} added"
        yield Change(call.span.place, what, "it has none, and whether it ran is not known")
