"""Servers in memory: each connection has a handler of its own, and none outlives the block."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from trio_tools import ToolCall, ToolContext, open_registry
from trio_tools.testing import Gate, MemoryStream, memory_server


async def shout(stream: MemoryStream) -> None:
    """Say everything back, louder."""
    async for heard in stream:
        await stream.send_all(bytes(heard).upper())


async def test_a_tool_talks_to_a_server_in_memory() -> None:
    async with memory_server(shout) as connect, open_registry() as registry:

        async def ask(question: str) -> str:
            async with connect() as stream:
                await stream.send_all(question.encode())
                return bytes(await stream.receive_some()).decode()

        registry.register(ask)
        calls = [ToolCall("ask", {"question": word}) for word in ("one", "two")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.value for result in results] == ["ONE", "TWO"]


async def test_each_connection_is_handled_by_itself() -> None:
    gate = Gate()

    async def park(stream: MemoryStream) -> None:
        await stream.send_all(b"hello")
        await gate.wait()

    async with memory_server(park) as connect:
        streams = [connect(), connect()]
        assert [bytes(await stream.receive_some()) for stream in streams] == [b"hello"] * 2
        await gate.reached(2)
        gate.let_one_through()
        await wait_all_tasks_blocked()
        assert gate.waiting == 1


async def test_a_handler_that_returns_closes_its_end() -> None:
    async def greet(stream: MemoryStream) -> None:
        await stream.send_all(b"hello")

    async with memory_server(greet) as connect:
        stream = connect()
        assert [bytes(part) async for part in stream] == [b"hello"]
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_all(b"are you there?")


@pytest.mark.parametrize("how", ["at its end", "by an error", "by a cancel"])
async def test_leaving_cancels_the_handlers_and_closes_their_ends(how: str) -> None:
    gate = Gate()
    streams: list[MemoryStream] = []

    async def park(stream: MemoryStream) -> None:
        await gate.wait()

    async def serve() -> None:
        async with memory_server(park) as connect:
            streams.append(connect())
            await gate.reached()
            if how == "by an error":
                raise KeyError("of the block")
            if how == "by a cancel":
                scope.cancel()
                await trio.sleep_forever()

    with trio.CancelScope() as scope:
        if how == "by an error":
            with pytest.RaisesGroup(pytest.RaisesExc(KeyError, match="of the block")):
                await serve()
        else:
            await serve()
    assert (gate.cut, gate.waiting, scope.cancelled_caught) == (1, 0, how == "by a cancel")
    assert await streams[0].receive_some() == b""


async def test_what_a_handler_raises_comes_out_of_the_block() -> None:
    async def fail(stream: MemoryStream) -> None:
        raise ValueError("a bad request")

    with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="a bad request")):
        async with memory_server(fail) as connect:
            connect()
            await trio.sleep_forever()


async def test_after_the_block_nobody_connects() -> None:
    async with memory_server(shout) as connect:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        connect()


async def test_a_call_that_is_cancelled_lets_go_of_its_connection() -> None:
    """The handler sees the end of the stream: the tool closed its end on the way out."""
    gate, over = Gate(), trio.Event()

    async def listen(stream: MemoryStream) -> None:
        async for _ in stream:
            await gate.wait()
        over.set()

    async with memory_server(listen) as connect, open_registry() as registry:

        async def ask(ctx: ToolContext) -> bytes | bytearray:
            async with connect() as stream:
                await stream.send_all(b"a question")
                return await stream.receive_some()

        registry.register(ask)
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope()

            async def call() -> None:
                await registry.execute(ToolCall("ask"), scope=scope)

            nursery.start_soon(call)
            await gate.reached()
            scope.cancel()
            gate.open()
            await over.wait()
