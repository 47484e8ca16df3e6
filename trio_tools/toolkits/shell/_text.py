"""What a model reads of a command."""

from __future__ import annotations

import os
import signal

import attrs

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
    ended what watched over it. `timed_out` says that its own `timeout`, in seconds, ran out first. `left_running` says
    that something it started may have survived.
    """

    stdout: Captured
    stderr: Captured
    exit_code: int | None
    signal: str | None
    timeout: float
    timed_out: bool = False
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
    text = _whole_characters(stream).decode(errors="replace").replace("\0", REPLACEMENT)
    if not stream.dropped:
        return text
    dropped = stream.total - len(_whole_characters(stream))
    return f"[{dropped} bytes dropped]\n{text}\n[output truncated; full output: {_place(stream)}]"


def result_text(finished: Finished) -> str:
    """Stdout, stderr under a line of its own, and the markers, of which that of the exit is always the last."""
    text = stream_text(finished.stdout)
    errors = stream_text(finished.stderr)
    if errors:
        text = f"{_on_new_line(text)}[stderr]\n{errors}"
    text = text or NO_OUTPUT
    for marker in _markers(finished):
        text = f"{_on_new_line(text)}{marker}"
    return text


def _markers(finished: Finished) -> list[str]:
    markers: list[str] = []
    if finished.left_running:
        markers.append(STILL_RUNNING)
    if finished.timed_out:
        markers.append(f"[timed out after {milliseconds(finished.timeout)}ms]")
    if finished.signal is not None:
        markers.append(f"[killed by signal: {finished.signal}]")
    elif finished.exit_code:
        markers.append(f"[exit code: {finished.exit_code}]")
    elif finished.exit_code is None:
        markers.append(UNKNOWN_END)
    return markers


def _whole_characters(stream: Captured) -> bytes:
    """The kept bytes without the rest of a character that the cut went through."""
    if not stream.dropped:
        return stream.kept
    cut = 0
    while cut < min(MAX_CUT, len(stream.kept)) and stream.kept[cut] & 0xC0 == 0x80:
        cut += 1
    return stream.kept[cut:]


def _place(stream: Captured) -> str:
    if stream.path is None:
        return UNAVAILABLE
    path = os.fsencode(stream.path).decode(errors="replace")
    if stream.spilled == stream.total:
        return path
    return f"{UNAVAILABLE}; its first {stream.spilled} bytes: {path}"


def _on_new_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
