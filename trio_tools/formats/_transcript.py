"""A transcript as a file holds it: an array of messages, an object with `messages`, or a message a line."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

import attrs

from trio_tools.formats._balance import balance_spans
from trio_tools.formats._parts import Change, NotATranscript
from trio_tools.formats._rendering import Piece
from trio_tools.formats._span import TRANSCRIPT, NotATurn, Span, whole

# The key of an object under which its messages stand: a request's own.
_MESSAGES = "messages"
# What JSON counts as space.
_SPACE = " \t\r\n"


@attrs.frozen
class BalancedText:
    """A transcript that is balanced, in the shape that it came in, and what was changed for that: nothing if it was so
    already, and then `text` is what was given. `form` is None if there are no calls, and it could be anybody's."""

    form: str | None
    text: bytes
    changes: tuple[Change, ...]


def balance_text(text: bytes, form: str | None = None) -> BalancedText:
    """Balance the transcript of a file as `balance` does: a JSON array of messages, an object with `messages`, or JSON
    lines. What need not change stays as it is written, to the byte.

    Raises `NotATranscript` for what is not UTF-8, or none of these, and `ValueError` for a form that there is none of.
    """
    mark = codecs.BOM_UTF8 if text.startswith(codecs.BOM_UTF8) else b""
    try:
        document = _document(text[len(mark) :].decode())
    except UnicodeDecodeError as error:
        raise NotATranscript(f"not UTF-8 at byte {error.start + len(mark)}") from None
    except RecursionError:
        raise NotATranscript("not readable: nested too deep") from None
    except NotATurn as fault:
        raise NotATranscript(str(fault)) from None
    outcome = balance_spans(document.messages, form)
    if not outcome.changes:
        return BalancedText(outcome.form, text, ())
    return BalancedText(outcome.form, mark + document.written(outcome.pieces).encode(), outcome.changes)


@attrs.frozen
class _Lines:
    """A message a line. None that is written has a line end in it: they stood on one line, or were made on one."""

    messages: tuple[Span, ...]
    line_end: str

    def written(self, pieces: Iterable[Piece]) -> str:
        return "".join(piece.text + self.line_end for piece in pieces)


@attrs.frozen
class _Array:
    """Messages in an array, alone or in an object: all around it stays as it is."""

    whole: Span
    array: Span
    messages: tuple[Span, ...]

    def written(self, pieces: Iterable[Piece]) -> str:
        inside = self.array.raw[1:-1]
        before = inside[: len(inside) - len(inside.lstrip(_SPACE))]
        after = inside[len(inside.rstrip(_SPACE)) :]
        between = "," + (before or " ")
        made = f"[{before}{between.join(piece.text for piece in pieces)}{after}]"
        start, end = self.array.start, self.array.end
        return self.whole.text[:start] + made + self.whole.text[end:]


def _document(text: str) -> _Lines | _Array:
    lines = text.split("\n")
    first = next((line.strip(_SPACE) for line in lines if line.strip(_SPACE)), None)
    if first is None:
        raise NotATranscript("it is empty, and has no messages")
    if first[0] == "{" and _is_message(first):
        return _Lines(tuple(_in_lines(lines)), "\r\n" if lines[0].endswith("\r") else "\n")
    everything = attrs.evolve(whole(text), place=TRANSCRIPT)
    if everything.kind == "an array":
        array = attrs.evolve(everything, place=_MESSAGES)
    elif everything.kind == "an object" and _MESSAGES in (found := everything.some(_MESSAGES)):
        array = found[_MESSAGES]
    else:
        raise NotATranscript("it must be an array of messages, an object with messages, or a message a line")
    return _Array(everything, array, tuple(array.items()))


def _is_message(line: str) -> bool:
    """Whether a line is an object for itself, and none that holds messages."""
    try:
        return _MESSAGES not in whole(line).some(_MESSAGES)
    except NotATurn:
        return False


def _in_lines(lines: Iterable[str]) -> Iterator[Span]:
    for number, line in enumerate(lines, 1):
        if line.strip(_SPACE):
            try:
                yield attrs.evolve(whole(line), place=f"line {number}")
            except NotATurn as fault:
                raise NotATranscript(f"line {number}: {fault}") from None
            except RecursionError:
                raise NotATranscript(f"line {number}: not readable: nested too deep") from None
