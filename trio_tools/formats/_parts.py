"""What a transcript is made of when its balance is looked at: messages with calls, and answers to them.

All are compared by identity: two that read the same are two.
"""

from __future__ import annotations

import json

import attrs

from trio_tools.formats._message import sendable
from trio_tools.formats._span import NotATurn, Span

# How a failure's text begins, in every form: the forms of some have no other mark of it.
_FAILURE = "Error:"


class NotATranscript(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """What is no transcript. Its text says what is wrong and where: `messages[4].role must be a string`."""


@attrs.frozen
class Change:
    """One thing that was changed: its `place` in what was given (`messages[4].tool_calls[0]`), `what` was done there,
    and `why`."""

    place: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}: {self.why}"


@attrs.frozen(eq=False)
class Call:
    """A call: where it stands; its `id`, None for one that no answer can name; the name that was called. `is_old` says
    that it is a `function_call`, which is answered by its name."""

    span: Span
    id: str | None
    name: str | None
    is_old: bool = False


@attrs.frozen(eq=False)
class Answer:
    """A result: where it stands, the `id` that it names, if it names one; the tool's name and the position in its turn,
    where it says them; whether it tells of a failure."""

    span: Span
    id: str | None
    name: str | None = None
    position: int | None = None
    is_failure: bool = False
    is_old: bool = False


@attrs.frozen(eq=False)
class Message:
    """A message: its calls; its answers and what else stands beside these, in order; whether a user speaks, and whether
    it says nothing at all."""

    span: Span
    calls: tuple[Call, ...] = ()
    units: tuple[Answer | Span, ...] = ()
    is_users: bool = False
    is_empty: bool = False

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers in it."""
        return tuple(one for one in self.units if isinstance(one, Answer))

    @property
    def rest(self) -> tuple[Span, ...]:
        """What stands in it beside answers."""
        return tuple(one for one in self.units if isinstance(one, Span))


def read_own_id(members: dict[str, Span], key: str) -> str | None:
    """An id; None if it is absent, null, empty, or one that cannot be sent. Raises `NotATurn` for other types."""
    place = members.get(key)
    if place is None or place.kind == "null":
        return None
    found = place.string()
    return found if found and sendable(found) == found else None


def text_in(members: dict[str, Span], key: str) -> str | None:
    """The string under a key, if there is one."""
    place = members.get(key)
    return place.string() if place is not None and place.kind == "a string" else None


def tells_failure(content: Span | None) -> bool:
    """Whether content, text or blocks, begins as the text of a failure does."""
    if content is not None and content.kind == "an array":
        first = next(iter(content.items()), None)
        content = dict(first.entries()).get("text") if first is not None and first.kind == "an object" else None
    return content is not None and content.kind == "a string" and content.string().startswith(_FAILURE)


def says_nothing(message: Span) -> bool:
    """Whether an assistant's message holds nothing: no text, no calls, and nothing under keys that nobody here reads.
    What a stream that was cut leaves behind is such a one."""
    return all(key == "role" or value.raw in {"null", "false"} or _is_hollow(value) for key, value in message.entries())


def _is_hollow(value: Span) -> bool:
    if value.kind == "a string":
        return not value.string().strip()
    if value.kind == "an array":
        return not value.items()
    return value.kind == "an object" and not value.entries()


@attrs.frozen
class Edit:
    """A piece of text that stands in the place of another."""

    start: int
    end: int
    text: str


def member(owner: Span, key: str, text: str) -> Edit:
    """The edit that gives an object this JSON under a key, whether or not it had one."""
    if (value := owner.some(key).get(key)) is not None:
        return Edit(value.start, value.end, text)
    comma = ", " if owner.entries() else ""
    return Edit(owner.start + 1, owner.start + 1, f"{json.dumps(key)}: {text}{comma}")


def edited(span: Span, edits: list[Edit]) -> str:
    """The text of a value with these edits made in it, in any order."""
    parts, at = list[str](), span.start
    for edit in sorted(edits, key=lambda one: one.start):
        parts += (span.text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, span.text[at : span.end]))


def misplaced(place: Span, role: str) -> NotATurn:
    """The error of a result in the message of somebody else."""
    return NotATurn(f"{place.place} is a result in a message of the role {role}; only a user's has results")
