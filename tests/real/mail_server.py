"""A mail server in a process of its own, which keeps what it takes, and misbehaves as it is told.

A plan says what it does at a place of the conversation, once it has heard what comes there: at the `connection`, at
`EHLO`, `MAIL`, `RCPT` and `DATA`, in the middle of the `text`, at its `end`, and at `QUIT`.

`hold` answers nothing, until it is released or the client has gone; `drop` hangs up; `garbage` answers what is no SMTP;
anything else is the answer itself. At the `end`, `take and ...` keeps the mail first.

It is told in lines of JSON on a second port, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import Mapping
from itertools import count
from typing import Any, AnyStr

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

# What it says that is no SMTP.
GARBAGE = "SSH-2.0-OpenSSH_9.9"
TAKE = "take and "
# Lines of the text that it hears before it misbehaves in the middle of it: some of the headers.
MIDDLE = 3


class Conversation(SMTP):
    """One with a client."""

    def __init__(self, post: Post, **options: Any) -> None:
        self._post = post
        self._greeted = False
        super().__init__(post, hostname="post.test", enable_SMTPUTF8=True, **options)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._post.open.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._post.open.discard(self)
        self._post.news.set()

    def eof_received(self) -> bool:
        super().eof_received()
        return False  # who has hung up is gone, whatever the library was doing for him

    async def push(self, status: AnyStr) -> None:
        answer = None
        if not self._greeted:
            self._greeted = True
            answer = await self._post.answer("connection", self)
        await (super().push(status) if answer is None else super().push(answer))

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - the library's own name for it
        refusal = await self._post.answer("DATA", self)
        if refusal is not None:
            await self.push(refusal)
            return
        read, lines = self._reader.readuntil, count()

        async def read_on(separator: Any = b"\n") -> bytes:
            if next(lines) == MIDDLE:
                await self._post.answer("text", self)
            return await read(separator)

        self._reader.readuntil = read_on  # type: ignore[method-assign] # pyright: ignore[reportAttributeAccessIssue]
        await super().smtp_DATA(arg)

    async def hang_up(self) -> None:
        """Say nothing more, at once: what is unread makes it a reset."""
        assert isinstance(self.transport, asyncio.Transport)
        self.transport.abort()
        await asyncio.Event().wait()  # until the library cancels this, as the connection is lost


class Post:
    """The mails that it took, its plan, and who is held where. The library calls it for each command."""

    def __init__(self) -> None:
        self.plan: Mapping[str, str] = {}
        self.mails: list[dict[str, object]] = []
        self.open: set[Conversation] = set()
        self.held: list[str] = []
        self.news = asyncio.Event()
        self.released = asyncio.Event()

    async def answer(self, place: str, of: Conversation) -> str | None:
        """What the plan has for this place; None: what is usual there."""
        what = self.plan.get(place, "").removeprefix(TAKE)
        if what == "hold":
            self.held.append(place)
            self.news.set()
            try:
                await self.released.wait()
            finally:
                self.held.remove(place)
            return None
        if what == "drop":
            await of.hang_up()
        return GARBAGE if what == "garbage" else what or None

    async def handle_EHLO(  # noqa: N802 - the library's own names, here and below
        self, server: Conversation, session: Session, envelope: Envelope, name: str, answers: list[str]
    ) -> list[str]:
        answer = await self.answer("EHLO", server)
        session.host_name = name
        return answers if answer is None else [answer]

    async def handle_MAIL(  # noqa: N802
        self, server: Conversation, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = await self.answer("MAIL", server)
        if answer is None:
            envelope.mail_from, envelope.mail_options = address, options
        return answer or "250 sender OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Conversation, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = await self.answer("RCPT", server)
        if answer is None:
            envelope.rcpt_tos.append(address)
        return answer or "250 recipient OK"

    async def handle_DATA(self, server: Conversation, session: Session, envelope: Envelope) -> str:  # noqa: N802
        plan = self.plan.get("end", "")
        if plan.startswith(TAKE):
            self._take(server, envelope)
        answer = await self.answer("end", server)
        if answer is None and not plan.startswith(TAKE):
            self._take(server, envelope)
        return answer or f"250 OK number {len(self.mails)}"

    async def handle_QUIT(self, server: Conversation, session: Session, envelope: Envelope) -> str:  # noqa: N802
        return await self.answer("QUIT", server) or "221 Bye"

    def _take(self, server: Conversation, envelope: Envelope) -> None:
        content = envelope.original_content
        assert content is not None
        assert server.transport is not None
        assert server.session is not None
        self.mails.append(
            {
                "sender": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "options": envelope.mail_options,
                "content": content.decode("latin-1"),
                "private": server.transport.get_extra_info("sslcontext") is not None,
                "hello": server.session.host_name,
            }
        )

    async def control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer whoever gives orders, in the order of the lines."""
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._done(**json.loads(line))).encode() + b"\n")
        finally:
            writer.close()

    async def _done(self, order: str, plan: Mapping[str, str] | None = None, place: str = "") -> object:
        if order == "plan":
            await self._quiet()
            self.plan, self.mails = plan or {}, []
        elif order == "release":
            self.released.set()
            self.released = asyncio.Event()
        elif order == "held":
            while place not in self.held:
                await self._next()
        elif order == "taken":
            await self._quiet()
            mails, self.mails = self.mails, []
            return mails
        return None

    async def _quiet(self) -> None:
        while self.open:
            await self._next()

    async def _next(self) -> None:
        self.news.clear()
        await self.news.wait()


def let_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: LoginPassword) -> AuthResult:
    """Whether this is Ada."""
    # not handled: the library is to say no itself
    return AuthResult(success=(given.login, given.password) == (b"ada", b"analytical"), handled=False)


async def main(certificate: str, implicit: str) -> None:
    loop = asyncio.get_running_loop()
    post, options, private = Post(), dict[str, Any](), None
    if certificate:
        private = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        private.load_cert_chain(certificate)
        # behind the first byte the library is told of no encryption
        options = {"authenticator": let_in, "auth_require_tls": not implicit}
        if not implicit:
            options |= {"tls_context": private, "require_starttls": True}
    mail = await loop.create_server(
        lambda: Conversation(post, loop=loop, **options), "127.0.0.1", 0, ssl=private if implicit else None
    )
    control = await asyncio.start_server(post.control, "127.0.0.1", 0)
    async with mail, control:
        print(json.dumps([one.sockets[0].getsockname()[1] for one in (mail, control)]), flush=True)
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
