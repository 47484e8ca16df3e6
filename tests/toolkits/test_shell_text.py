"""The text of a result, to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trio_tools.toolkits.shell._limits import Limit, Limits
from trio_tools.toolkits.shell._output import Captured
from trio_tools.toolkits.shell._text import Finished, result_text, signal_name, stream_text

BAD = "\N{REPLACEMENT CHARACTER}"


def whole(data: bytes) -> Captured:
    return Captured(kept=data, total=len(data))


def finished(
    stdout: bytes = b"",
    stderr: bytes = b"",
    *,
    exit_code: int | None = 0,
    signal: str | None = None,
    timeout: float = 120,
    limit: Limit | None = None,
    left_running: bool = False,
) -> Finished:
    return Finished(
        stdout=whole(stdout),
        stderr=whole(stderr),
        exit_code=exit_code,
        signal=signal,
        limits=Limits(timeout=timeout, idle=2.5),
        limit=limit,
        left_running=left_running,
    )


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (finished(), "(no output)"),
        (finished(b"a\n"), "a\n"),
        (finished(b"a", b"b"), "a\n[stderr]\nb"),
        (finished(b"a\n", b"b\n"), "a\n[stderr]\nb\n"),
        (finished(b"", b"b"), "[stderr]\nb"),
        (finished(b"\n", b"b"), "\n[stderr]\nb"),
        (finished(exit_code=1), "(no output)\n[exit code: 1]"),
        (finished(b"a\n", exit_code=1), "a\n[exit code: 1]"),
        (finished(b"a", limit=Limit.TIMEOUT), "a\n[timed out after 120000ms]"),
        (finished(b"a", exit_code=3, limit=Limit.IDLE), "a\n[stopped after 2500ms without output]\n[exit code: 3]"),
        (finished(b"a", timeout=0.0505, limit=Limit.TIMEOUT), "a\n[timed out after 50.5ms]"),
        (
            finished(b"a", exit_code=None, signal="SIGKILL", timeout=0.5, limit=Limit.TIMEOUT),
            "a\n[timed out after 500ms]\n[killed by signal: SIGKILL]",
        ),
        (
            finished(b"a", exit_code=4, timeout=1, limit=Limit.TIMEOUT, left_running=True),
            "a\n[processes that this command started may still be running]\n[timed out after 1000ms]\n[exit code: 4]",
        ),
        (
            finished(b"a", exit_code=None, left_running=True),
            "a\n[processes that this command started may still be running]\n[exit code: unknown]",
        ),
    ],
)
def test_a_result_reads_as_agreed(outcome: Finished, text: str) -> None:
    """B006, B007: each marker on a line of its own, that of the exit last."""
    assert result_text(outcome) == text


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        (
            Captured(kept=b"cd", total=4, path="/s/f", spilled=4),
            "[2 bytes dropped]\ncd\n[output truncated; full output: /s/f]",
        ),
        (Captured(kept=b"d\n", total=4), "[2 bytes dropped]\nd\n\n[output truncated; full output: (unavailable)]"),
        (
            Captured(kept=b"d", total=4, path="/s/f", spilled=3),
            "[3 bytes dropped]\nd\n[output truncated; full output: (unavailable); its first 3 bytes: /s/f]",
        ),
        (
            Captured(kept="\u4f60\u4f60".encode()[1:], total=6),
            "[3 bytes dropped]\n\u4f60\n[output truncated; full output: (unavailable)]",
        ),
        (
            Captured(kept=b"\x80\x80\x80\x80", total=5),
            f"[4 bytes dropped]\n{BAD}\n[output truncated; full output: (unavailable)]",
        ),
    ],
)
def test_what_was_dropped_is_marked(stream: Captured, text: str) -> None:
    """B009, case B28 (a), (c): how much, and where all of it is, if that is true."""
    assert stream_text(stream) == text


@given(st.text(st.sampled_from("a\u00e9\u4f60\U0001f600"), min_size=2), st.integers(0, 1000))
def test_a_cut_anywhere_leaves_only_whole_characters(text: str, cut: int) -> None:
    """Case B28 (c): those of two, three and four bytes."""
    data = text.encode()
    cut = 1 + cut % (len(data) - 1) if len(data) > 1 else 1
    shown = stream_text(Captured(kept=data[cut:], total=len(data)))
    marked = shown.partition("\n")[2].rpartition("\n")[0]
    assert BAD not in shown
    assert text.endswith(marked)
    assert shown.startswith(f"[{len(data) - len(marked.encode())} bytes dropped]\n")


@given(st.binary(), st.integers(0, 10))
def test_any_bytes_are_valid_text_of_a_bounded_length(data: bytes, dropped: int) -> None:
    """Case B14, case B28: no NUL, nothing that cannot be encoded, at most a character for each byte and the marks."""
    shown = stream_text(Captured(kept=data, total=len(data) + dropped))
    assert shown.encode().decode() == shown
    assert "\0" not in shown
    assert len(shown) <= len(data) + (200 if dropped else 0)


def test_signals_have_names() -> None:
    """BT5."""
    assert (signal_name(15), signal_name(9), signal_name(40)) == ("SIGTERM", "SIGKILL", "SIG40")
