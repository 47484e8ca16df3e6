"""Explorations of tools with sockets: whoever is at the other end is not left waiting by a run that was given up."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest
import trio

from trio_tools.testing import explore_cancellation

# Seconds that an end of a connection may take to be heard of before a test gives up.
BOUND = 120
# Connections that may wait to be accepted: more than an exploration of two steps makes.
BACKLOG = 100


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as listening:
        yield listening


def test_every_connection_of_an_exploration_is_hung_up_those_of_runs_that_were_given_up_too(
    listener: socket.socket,
) -> None:
    port = listener.getsockname()[1]

    async def knock() -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(b"knock")
            with trio.move_on_after(0.001):
                await stream.receive_some()

    report = explore_cancellation(knock)
    assert not report.virtual  # the first run was made on the virtual clock, and given up as it waited for the socket
    listener.settimeout(0)  # all that have come are there already
    heard: list[bytes] = []
    with suppress(BlockingIOError):
        while True:
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(BOUND)
                heard.append(b"".join(iter(partial(accepted.recv, 100), b"")))
    assert heard[0] == b""  # from the run that was given up, as it waited for its connection
    assert b"knock" in heard
