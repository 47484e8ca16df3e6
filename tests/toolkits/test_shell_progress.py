"""The progress of a command: its bytes and its last line, now and then, and the last one in any case."""

import math
import os
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from trio_tools.toolkits.shell._output import Kept, SpillFile, SpillFolder, Tail
from trio_tools.toolkits.shell._progress import MAX_LINE_BYTES, PROGRESS_INTERVAL, ShellProgress
from trio_tools.toolkits.shell._stream import Stream


class Told:
    """Keeps what is reported, and when."""

    def __init__(self) -> None:
        self.lines: list[str | None] = []
        self.bytes: list[float] = []
        self.at: list[float] = []

    def __call__(self, done: float, total: float | None, message: str | None) -> None:
        assert total is None
        self.lines.append(message)
        self.bytes.append(done)
        self.at.append(trio.current_time())


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (b"one\ntwo\n", "two"),
        (b"one\ntwo\nthr", "thr"),
        (b"one\r\ntwo\r\n\r\n \n", "two"),
        (b" 10%\r 20%\r 30%\r", "30%"),
        (b"\n \n", None),
        (b"\xff\xe4\xbd\xa0\n", "\ufffd\u4f60"),
        (b"\x1b[31mred\n", "\x1b[31mred"),
        (b"x" * 10_000_000, "x" * MAX_LINE_BYTES),
        (b"x" * 10_000_000 + b"\nend\n", "end"),
    ],
)
async def test_the_last_line_is_told(written: bytes, line: str | None) -> None:
    told = Told()
    ShellProgress(told).add(written)
    assert (told.lines, told.bytes) == ([line], [len(written)])


async def test_a_line_that_reads_split_is_put_together(mock_clock: MockClock) -> None:
    told = Told()
    progress = ShellProgress(told)
    for piece in (b"one\ntw", b"\xc3", b"\xb6 ", b"three"):
        progress.add(piece)
        mock_clock.jump(PROGRESS_INTERVAL)
    assert told.lines == ["tw", "tw\ufffd", "tw\xf6", "tw\xf6 three"]


async def test_a_line_stays_while_only_blank_ones_follow(mock_clock: MockClock) -> None:
    told = Told()
    progress = ShellProgress(told)
    for piece in (b"word\n", b"\n" * MAX_LINE_BYTES):
        progress.add(piece)
        mock_clock.jump(PROGRESS_INTERVAL)
    assert told.lines == ["word", "word"]


async def test_what_came_too_soon_is_told_when_it_is_due(mock_clock: MockClock) -> None:
    told = Told()
    progress = ShellProgress(told)
    assert progress.due == math.inf
    start = trio.current_time()
    for piece in (b"a\n", b"b\n", b"c\n"):
        progress.add(piece)
    assert (told.lines, progress.due) == (["a"], start + PROGRESS_INTERVAL)
    mock_clock.jump(PROGRESS_INTERVAL)
    progress.tell()
    progress.tell()
    assert (told.lines, told.bytes, progress.due) == (["a", "c"], [2, 6], math.inf)


async def test_the_last_line_is_told_although_nothing_follows_it(tmp_path: Path, autojump_clock: MockClock) -> None:
    """A command that says what it does and then does it for an hour."""
    told = Told()
    read, write = os.pipe()
    os.set_blocking(read, False)
    stream = Stream(
        read,
        kept=Kept(Tail(10), SpillFile(SpillFolder(tmp_path, 1000), 10)),
        longest=3600,
        progress=ShellProgress(told),
    )
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stream.drain)
        for line in (b"a\n", b"b\n"):
            os.write(write, line)
            await trio.lowlevel.wait_writable(write)
            await trio.sleep(0.01)
        await trio.sleep(10)
        stream.stop()
    os.close(read)
    os.close(write)
    assert told.lines == ["a", "b"]
    assert [at - start for at in told.at] == [0, pytest.approx(PROGRESS_INTERVAL)]
