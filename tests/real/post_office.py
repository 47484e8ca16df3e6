"""The mail server of the tests, as they see it: what it is to do, and what it took."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from io import BufferedRWPair
from pathlib import Path

import attrs
import cattrs
import trio

SERVER = Path(__file__).with_name("mail_server.py")
# Seconds that any of its answers may take before a test gives up.
BOUND = 120


@attrs.frozen
class Mail:
    """One that it took: what its envelope said, and its content as it came."""

    sender: str
    to: list[str]
    options: list[str]
    content: str = attrs.field(repr=False)
    private: bool
    hello: str

    @property
    def body(self) -> str:
        """Its text, with the line ends of this side."""
        content: str = self.message.get_content()
        return content.replace("\r\n", "\n")

    @property
    def message(self) -> EmailMessage:
        """It, read."""
        return message_from_bytes(self.content.encode("latin-1"), policy=policy.default)


class PostOffice:
    """The server: `port` is where it takes mails."""

    def __init__(self, port: int, orders: BufferedRWPair) -> None:
        self.port = port
        self._orders = orders

    def plan(self, **places: str) -> None:
        """What it is to do at which places from now on, once it has no client any more; what it took is forgotten."""
        self._order("plan", plan=places)

    def taken(self) -> list[Mail]:
        """What it took since it was asked last, once it has no client any more."""
        return cattrs.structure(self._order("taken"), list[Mail])

    async def held(self, place: str) -> None:
        """Wait until it holds a client at this place."""
        await trio.to_thread.run_sync(partial(self._order, "held", place=place))

    def release(self) -> None:
        """Let whom it holds go on."""
        self._order("release")

    def _order(self, order: str, **more: object) -> object:
        self._orders.write(json.dumps({"order": order, **more}).encode() + b"\n")
        self._orders.flush()
        return json.loads(self._orders.readline())


@contextmanager
def post_office(certificate: Path | None = None, *, implicit: bool = False) -> Generator[PostOffice]:
    """A server with this certificate, if any; `implicit`: private from the first byte on."""
    arguments = ["" if certificate is None else str(certificate), "implicit" if implicit else ""]
    command = [sys.executable, "-W", "error", str(SERVER), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port, control = json.loads(server.stdout.readline())
        with socket.create_connection(("127.0.0.1", control), timeout=BOUND) as line, line.makefile("rwb") as orders:
            yield PostOffice(port, orders)
        server.stdin.close()
        assert server.wait(BOUND) == 0
