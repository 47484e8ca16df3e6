"""Results on their way out: none held back, none lost, and quiet when nobody reads."""

import json
import os
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import pytest
import trio
import trio.testing

from trio_tools import JSONValue
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._screen import Screen


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):  # closed by the test
            os.close(end)


@asynccontextmanager
async def opened(descriptor: int, failures: list[OSError]) -> AsyncGenerator[Outlet]:
    outlet = Outlet(descriptor, Screen(), failures.append)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outlet.run)
            yield outlet
            nursery.cancel_scope.cancel()


def document(number: int) -> dict[str, JSONValue]:
    return {"n": number}


async def test_a_line_is_written_before_the_next_is_put(pipe: tuple[int, int]) -> None:
    async with opened(pipe[1], []) as outlet:
        await outlet.flushed()
        for number in range(3):
            outlet.put(document(number))
            await outlet.flushed()
            assert json.loads(os.read(pipe[0], 1000)) == document(number)
            assert outlet.waiting == 0


async def test_a_slow_reader_holds_up_nothing_and_gets_all(pipe: tuple[int, int]) -> None:
    """L014: more than a pipe holds, in more writes than one."""
    received = bytearray()
    async with opened(pipe[1], []) as outlet:
        for number in range(50_000):
            outlet.put(document(number))
        await trio.testing.wait_all_tasks_blocked()
        assert outlet.waiting == 50_000

        async with trio.open_nursery() as nursery:
            nursery.start_soon(outlet.flushed)
            while received.count(b"\n") < 50_000:
                received += await trio.to_thread.run_sync(os.read, pipe[0], 1_000_000)
        assert outlet.waiting == 0
    assert [json.loads(line)["n"] for line in received.splitlines()] == list(range(50_000))


async def test_a_reader_that_has_gone_is_told_of_once_and_the_rest_is_dropped(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    failures: list[OSError] = []
    async with opened(pipe[1], failures) as outlet:
        for _ in range(3):
            outlet.put(document(1))
            outlet.put(document(2))
            await outlet.flushed()
            assert outlet.waiting == 0
    assert [type(one) for one in failures] == [BrokenPipeError]


async def test_other_things_out_of_the_way_while_it_writes(pipe: tuple[int, int]) -> None:
    seen: list[str] = []

    class Told(Screen):
        @contextmanager
        def aside(self) -> Generator[None]:
            seen.append("aside")
            yield
            seen.append(os.read(pipe[0], 1000).decode())

    failures: list[OSError] = []
    outlet = Outlet(pipe[1], Told(), failures.append)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outlet.run)
            outlet.put(document(1))
            await outlet.flushed()
            nursery.cancel_scope.cancel()
    assert seen == ["aside", '{"n": 1}\n']
