"""Reading one pipe: nothing that was written is lost, whoever holds the other end, and nobody can keep us reading."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
import trio

from trio_tools.toolkits.shell import _stream
from trio_tools.toolkits.shell._output import Kept, SpillFile, SpillFolder, Tail
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._stream import Stream


@pytest.fixture
def pipe() -> Generator[tuple[int, int]]:
    """Our end, which does not block, and theirs, which stays open."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    yield read, write
    os.close(read)
    os.close(write)


def stream_of(read: int, folder: Path, told: list[float], *, limit: int = 10, longest: float = 600) -> Stream:
    progress = ShellProgress(lambda done, total, message: told.append(done))
    return Stream(
        read, kept=Kept(Tail(limit), SpillFile(SpillFolder(folder, 1000), 1000)), longest=longest, progress=progress
    )


async def test_what_is_in_the_pipe_when_reading_is_stopped_is_read(tmp_path: Path, pipe: tuple[int, int]) -> None:
    """Case B19: also when the reading task had no turn in time, and into the file too."""
    read, write = pipe
    told: list[float] = []
    stream = stream_of(read, tmp_path, told)
    os.write(write, b"0123456789abcde")
    stream.stop()
    await stream.drain()
    captured = await stream.captured()
    assert (captured.kept, captured.total, captured.spilled) == (b"56789abcde", 15, 15)
    assert captured.path is not None
    assert await trio.Path(captured.path).read_bytes() == b"0123456789abcde"
    assert not stream.at_end
    assert told == [15]


async def test_a_survivor_that_goes_on_writing_does_not_keep_us(
    tmp_path: Path, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B28: at most so many bytes are read at the end."""
    read, write = pipe
    stream = stream_of(read, tmp_path, [])
    monkeypatch.setattr(_stream, "READ_BYTES", 10)
    monkeypatch.setattr(_stream, "LAST_BYTES", 25)
    os.write(write, b"x" * 1000)
    assert (await stream.captured()).total == 30  # the read that reaches the bound is the last


async def test_a_cancel_loses_nothing_and_reading_goes_on(tmp_path: Path, pipe: tuple[int, int]) -> None:
    """Case B25: it ends when it is told to."""
    read, write = pipe
    stream = stream_of(read, tmp_path, [])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stream.drain)
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.testing.wait_all_tasks_blocked()
            os.write(write, b"late")
            await trio.testing.wait_all_tasks_blocked()
            assert stream_total(stream) == 4
            stream.stop()
    assert (await stream.captured()).kept == b"late"


def stream_total(stream: Stream) -> int:
    return stream._tail.total


async def test_reading_ends_in_any_case(
    tmp_path: Path, pipe: tuple[int, int], autojump_clock: trio.testing.MockClock
) -> None:
    """The shield of the reading has a bound of its own, whatever becomes of the call."""
    stream = stream_of(pipe[0], tmp_path, [], longest=700)
    await stream.drain()
    assert trio.current_time() == 700
    await stream.wait_end()
