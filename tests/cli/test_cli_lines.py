"""Lines as they come: cut right however they arrive, bounded, and not one read too many."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from trio_tools.cli import _lines
from trio_tools.cli._lines import Line, Lines


async def all_lines(lines: Lines) -> list[bytes | None]:
    found: list[bytes | None] = []
    with trio.fail_after(5):
        while (line := await lines.next()) is not None:
            found.append(line.content)
            assert line.number == len(found)
    return found


def descriptor(path: Path, content: bytes) -> int:
    path.write_bytes(content)
    return os.open(path, os.O_RDONLY)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):  # closed by the test
            os.close(end)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\n\na\n\n", [b"", b"", b"a", b""]),
        (b"a\r\nb\rc\n", [b"a\r", b"b\rc"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [b"a", b"\xef\xbb\xbfb"]),
        (b"\xef\xbb\xbf", [b""]),
        (b"\xff\x00\n", [b"\xff\x00"]),
        (b"a" * 200_000 + b"\n" + b"b" * 70_000, [b"a" * 200_000, b"b" * 70_000]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("chunk", [1, 7, 64 * 1024])
async def test_lines_are_cut_however_they_arrive(
    content: bytes, found: list[bytes], chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_lines, "CHUNK", chunk if len(content) < 100 else max(chunk, 10_000))
    file = descriptor(tmp_path / "x", content)
    lines = Lines(file)
    assert lines.is_regular
    assert await all_lines(lines) == found
    os.close(file)


@pytest.mark.parametrize("chunk", [1, 3, 1000])
async def test_a_line_beyond_the_bound_is_known_and_not_kept(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_lines, "CHUNK", chunk)
    monkeypatch.setattr(_lines, "MAX_LINE_BYTES", 10)
    file = descriptor(tmp_path / "x", b"a" * 10 + b"\n" + b"b" * 11 + b"\n" + b"c" * 500 + b"\nd\n" + b"e" * 50)
    assert await all_lines(Lines(file)) == [b"a" * 10, None, None, b"d", None]
    os.close(file)


async def test_a_line_is_there_before_the_next_is_written(pipe: tuple[int, int]) -> None:
    lines = Lines(pipe[0])
    assert not lines.is_regular
    with trio.fail_after(5):
        for number in range(1, 4):
            os.write(pipe[1], b"x\n")
            assert await lines.next() == Line(number, b"x")
    assert lines.taken() is None


async def test_what_has_been_read_already_needs_no_reading(pipe: tuple[int, int]) -> None:
    lines = Lines(pipe[0])
    os.write(pipe[1], b"a\nb\nc")
    with trio.fail_after(5):
        assert await lines.next() == Line(1, b"a")
    assert lines.taken() == Line(2, b"b")
    assert lines.taken() is None  # c has no end yet


async def test_waiting_for_a_line_can_be_cancelled_at_once(pipe: tuple[int, int]) -> None:
    """D19: Ctrl-C while nothing comes. The thread is left behind, until the pipe is closed."""
    lines = Lines(pipe[0])
    with trio.fail_after(5), trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lines.next)
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
    assert scope.cancelled_caught
    os.close(pipe[1])


async def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(IsADirectoryError):
        await Lines(folder).next()
    os.close(folder)
