"""What a model reads of a command."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

import attrs

from trio_tools.toolkits.shell._limits import Limit, Limits
from trio_tools.toolkits.shell._output import Captured
from trio_tools.values import milliseconds

NO_OUTPUT = "(no output)"
UNAVAILABLE = "(unavailable)"
STILL_RUNNING = "[processes that this command started may still be running]"
UNKNOWN_END = "[exit code: unknown]"
# Stands for every byte that is no text, and for NUL, which providers refuse in a request.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Bytes that can be left of a UTF-8 character whose first byte was cut off: characters have at most four.
MAX_CUT = 3


@attrs.frozen(kw_only=True)
class Finished:
    """How a command ended.

    `exit_code` is None if it was ended by `signal` (a name), both are None if it could not be ended at all, or has
    ended what watched over it. `limit` is which of its own `limits` ran out first, if one did. `left_running` says that
    something it started may have survived.
    """

    stdout: Captured
    stderr: Captured
    exit_code: int | None
    signal: str | None
    limits: Limits
    limit: Limit | None = None
    left_running: bool = False


def signal_name(number: int) -> str:
    """`SIGTERM` for 15; `SIG35` for a signal that has no name of its own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def stream_text(stream: Captured) -> str:
    """One stream as text: valid whatever the bytes were, with marks if something was dropped.

    It has at most as many characters as bytes were kept, and less than 200 more plus the path in the marks.
    """
    text = as_text(_whole_characters(stream))
    if not stream.dropped:
        return text
    dropped = stream.total - len(_whole_characters(stream))
    return f"[{dropped} bytes dropped]\n{text}\n[output truncated; full output: {_place(stream)}]"


def as_text(data: bytes) -> str:
    """Any bytes as text that a provider takes."""
    return data.decode(errors="replace").replace("\0", REPLACEMENT)


def result_text(finished: Finished) -> str:
    """Stdout, stderr under a line of its own, and the markers, of which that of the exit is always the last."""
    markers = limit_markers(finished)
    if finished.signal is not None:
        markers.append(f"[killed by signal: {finished.signal}]")
    elif finished.exit_code:
        markers.append(f"[exit code: {finished.exit_code}]")
    elif finished.exit_code is None:
        markers.append(UNKNOWN_END)
    return with_markers(both(stream_text(finished.stdout), stream_text(finished.stderr)) or NO_OUTPUT, markers)


def both(text: str, errors: str) -> str:
    """Stdout, and stderr under a line of its own, if there is any."""
    return f"{_on_new_line(text)}[stderr]\n{errors}" if errors else text


def with_markers(text: str, markers: Iterable[str]) -> str:
    """A text with each marker on a line of its own below it."""
    for marker in markers:
        text = f"{_on_new_line(text)}{marker}"
    return text


def limit_markers(finished: Finished) -> list[str]:
    """What is to be told of how a command was stopped."""
    markers: list[str] = []
    if finished.left_running:
        markers.append(STILL_RUNNING)
    stopped = stopped_by(finished)
    if stopped is not None:
        markers.append(f"[{stopped}]")
    return markers


def stopped_by(finished: Finished) -> str | None:
    """Which limit stopped a command, in words; None if none did."""
    if finished.limit is Limit.TIMEOUT:
        return f"timed out after {milliseconds(finished.limits.timeout or 0)}ms"
    if finished.limit is Limit.IDLE:
        return f"stopped after {milliseconds(finished.limits.idle or 0)}ms without output"
    return None


def _whole_characters(stream: Captured) -> bytes:
    """The kept bytes without the rest of a character that the cut went through."""
    return from_whole_character(stream.kept) if stream.dropped else stream.kept


def from_whole_character(data: bytes) -> bytes:
    """The bytes without the rest of a character that a cut before them went through."""
    cut = 0
    while cut < min(MAX_CUT, len(data)) and data[cut] & 0xC0 == 0x80:
        cut += 1
    return data[cut:]


def _place(stream: Captured) -> str:
    return place_text(stream.path, first=None if stream.spilled == stream.total else stream.spilled)


def place_text(path: str | None, *, first: int | None) -> str:
    """Where all of a stream is, if anywhere; `first` is how many bytes are there of one that is longer."""
    if path is None:
        return UNAVAILABLE
    shown = os.fsencode(path).decode(errors="replace")
    return shown if first is None else f"{UNAVAILABLE}; its first {first} bytes: {shown}"


def _on_new_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
