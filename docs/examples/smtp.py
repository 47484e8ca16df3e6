"""The client's side of SMTP (RFC 5321), for one mail: each wait in it ends when it is cancelled."""

from __future__ import annotations

import re
import ssl

import attrs
import trio

# A line of an answer: its code, whether another line follows, its words.
ANSWER = re.compile(rb"([2-5]\d\d)(?:([ -])(.*))?")
# Bytes of one answer, all its lines together: the standard has 512 a line, and help texts have some lines.
MOST_BYTES = 64 * 1024
# Bytes of a line that is shown because it is no answer: enough to tell what has answered instead.
SHOWN = 100


@attrs.frozen
class Reply:
    """What a server answers: a `code`, and `words`."""

    code: int
    words: str

    @property
    def kind(self) -> int:
        """What the answer is: 2 for yes, 3 for go on, 4 for not now, 5 for no."""
        return self.code // 100

    def __str__(self) -> str:
        return f"{self.code} {self.words}".strip()


class RefusedError(Exception):
    """The server has said something else than yes."""


class Smtp:
    """A conversation with a server, from its greeting on. Whoever opened `stream` closes it.

    All methods raise `OSError` or `trio.BrokenResourceError` if it breaks off.

    **Cancellation**: every wait ends at once. What was being said may be said in part: close the stream.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._unread = bytearray()

    async def reply(self) -> Reply:
        """The server's next answer, of one line or several."""
        lines: list[bytes] = []
        size = 0
        while True:
            line = await self._line()
            size += len(line)
            if size > MOST_BYTES:
                raise ConnectionError("its answer does not end")
            answer = ANSWER.fullmatch(line)
            if answer is None:
                raise ConnectionError(f"it said {line[:SHOWN]!r}, which is no SMTP")
            lines.append(answer[3] or b"")
            if answer[2] != b"-":
                return Reply(int(answer[1]), b" ".join(lines).decode("utf-8", "replace").strip())

    async def expect(self, kind: int, to: str) -> Reply:
        """The next answer, `to` what was said. Raises `RefusedError` if it is of another kind."""
        reply = await self.reply()
        if reply.kind != kind:
            raise RefusedError(f"to {to} the server said {reply}")
        return reply

    async def ask(self, command: str, kind: int = 2) -> Reply:
        """Say a command. Raises `RefusedError` if the answer is of another kind."""
        await self._say(command.encode() + b"\r\n")
        return await self.expect(kind, command.partition(" ")[0])  # what follows may be a password

    async def secure(self, host: str, context: ssl.SSLContext) -> None:
        """Go on in private."""
        self._check_in_step()  # what was said in the clear, anybody may have put in
        private = trio.SSLStream(self.stream, context, server_hostname=host)
        await private.do_handshake()
        self.stream = private

    async def text(self, mail: bytes) -> None:
        """Send a whole mail, in lines that end with CRLF, after `DATA`. It is not at its end before `end`."""
        await self._say(re.sub(rb"(?m)^\.", b"..", mail))  # a dot alone on a line would be the end

    async def end(self) -> Reply:
        """Say that the mail is at its end, and wait for what the server says to that: whether it has taken it."""
        await self._say(b".\r\n")
        return await self.reply()

    async def _say(self, data: bytes) -> None:
        self._check_in_step()
        await self.stream.send_all(data)

    def _check_in_step(self) -> None:
        if self._unread:  # or an answer to one thing would be taken for the answer to another
            raise ConnectionError("it said more than it was asked")

    async def _line(self) -> bytes:
        while b"\n" not in self._unread:
            if len(self._unread) > MOST_BYTES:
                raise ConnectionError("its answer does not end")
            received = await self.stream.receive_some()
            if not received:
                raise ConnectionError("it hung up")
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return bytes(line).rstrip(b"\r")
