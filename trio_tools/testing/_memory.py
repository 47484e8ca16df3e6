"""Servers in memory: what a tool talks to, without a port, a socket or a time that passes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

import trio

if TYPE_CHECKING:
    from trio.testing import MemoryReceiveStream, MemorySendStream

MemoryStream: TypeAlias = trio.StapledStream["MemorySendStream", "MemoryReceiveStream"]
Handler: TypeAlias = Callable[[MemoryStream], Awaitable[object]]


@asynccontextmanager
async def memory_server(handler: Handler) -> AsyncGenerator[Callable[[], MemoryStream]]:
    """Serve connections in memory while the block lasts: `async with memory_server(handler) as connect:`.

    `connect()` gives the client's end of a new connection, whose other end `handler(stream)` is called with, in a task
    of its own; when it returns that end is closed, and the client reads the end of the stream. Both ends are those of
    `trio.testing.memory_stream_pair`, unbounded in bytes, with its hooks (`stream.send_stream.send_all_hook`) for what
    is to happen as something is sent. The client's end is closed by whoever connected.

    What a handler raises cancels the block and comes out of it, as from a nursery: in a group. After the block
    `connect` raises `RuntimeError`.

    **Cancellation**: leaving, in whatever way, cancels the handlers, waits for them and closes their ends.
    """
    from trio.testing import memory_stream_pair

    async def serve(stream: MemoryStream) -> None:
        try:
            await handler(stream)
        finally:
            await trio.aclose_forcefully(stream)

    def connect() -> MemoryStream:
        client, server = memory_stream_pair()
        nursery.start_soon(serve, server, name=getattr(handler, "__qualname__", repr(handler)))
        return client

    async with trio.open_nursery() as nursery:
        try:
            yield connect
        finally:
            nursery.cancel_scope.cancel("the block of memory_server is over")
