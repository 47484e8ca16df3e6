"""A tool that sends mail over SMTP, in the three zones of work that cannot be taken back.

1. Before: the server hears all of the mail but its end. A cancel ends every wait, a refusal is a plain failure, and a
   server that is not told of the end throws the mail away.
2. The door, `ctx.irreversible`: a last look at whether the call was given up, or the mail was sent before.
3. Past it: a line with a dot, and the server's word on it. Nothing cuts that but its own bound. If no word comes,
   nobody knows whether the mail arrives, and that is what the result says.
"""

from __future__ import annotations

import json
import re
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from hashlib import sha256
from typing import Literal

import attrs
import trio
from smtp import RefusedError, Smtp

from trio_tools import EffectUnknownError, Registry, ToolContext, ToolError, option, plugin, tool

# A header's spelling of what is not ASCII. Who writes it himself could hide another header in it.
ENCODED = "=?"
# One address, and nothing that could make it two, or end a command: no blanks, controls, brackets, quotes or lists.
ADDRESS = re.compile(r'(?!.*=\?)[^\s\x00-\x1f\x7f()<>@,;:\\"\[\]]+@[^\s\x00-\x1f\x7f()<>@,;:\\"\[\]]+')
# Seconds for zone 1. A server that is at work takes a few.
BEFORE = 60.0
# Seconds for a farewell: the server has taken the mail, and owes nothing any more.
FAREWELL = 1.0


@attrs.frozen(kw_only=True)
class MailConfig:
    """Which server takes the mails, and whom they are from.

    Attributes:
        host: The server's name.
        port: Where it listens; as a rule 587 for `starttls` and 465 for `implicit`.
        sender: The address that they are from.
        tls: How the conversation is made private: `starttls`, `implicit` (from the first byte), or `none`.
        user: Who logs in; nobody if it is empty.
        password: What the server wants to hear then.
        patience: How long it may take to say that it has the mail. The standard advises ten minutes.
    """

    host: str
    port: int = attrs.field(default=587, validator=[attrs.validators.ge(1), attrs.validators.le(65535)])
    sender: str = attrs.field(validator=attrs.validators.matches_re(ADDRESS))
    tls: Literal["starttls", "implicit", "none"] = "starttls"
    user: str = ""
    password: str = attrs.field(default="", repr=False, metadata=option(environment=True))
    patience: float = attrs.field(default=120.0, validator=attrs.validators.gt(0), metadata=option(unit="seconds"))

    def __attrs_post_init__(self) -> None:
        if self.user and self.tls == "none":
            raise ValueError("user must be empty without tls: a password is not said in the clear")


def written(mail: tuple[str, str, str, str], session: str | None) -> EmailMessage:
    """A mail of `(sender, to, subject, body)`.

    Its Message-ID, which is also the effect's key, is made of all that makes it this mail and no other: whichever call
    sends it, in one session the same words to the same address are one mail. Raises `ToolError` for what is no address
    or no subject.
    """
    sender, to, subject, body = mail
    if not (ADDRESS.fullmatch(to) and to.isprintable()):
        raise ToolError(f"nothing was sent: {to!r} is no address such as ada@example.org", code="MAIL_INVALID")
    if ENCODED in subject or not subject.isprintable():
        what = f"a subject is one line, without control characters and {ENCODED}"
        raise ToolError(f"nothing was sent: {what}", code="MAIL_INVALID")
    digest = sha256(json.dumps([session, *mail]).encode()).hexdigest()[:32]
    message = EmailMessage(policy.SMTP if (sender + to).isascii() else policy.SMTPUTF8)
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = f"<{digest}@{sender.partition('@')[2]}>"
    message.set_content(body, cte="quoted-printable")  # whatever is in it, its lines are short and ASCII
    return message


@contextmanager
def unsent() -> Generator[None]:
    """What goes wrong with the server in here is a plain failure."""
    try:
        yield
    except RefusedError as refused:
        raise ToolError(f"nothing was sent: {refused}", code="MAIL_REFUSED") from refused
    except (OSError, trio.BrokenResourceError) as broken:
        why = str(broken) or str(broken.__cause__)
        raise ToolError(f"nothing was sent: no conversation with the server: {why}", code="MAIL_NO_SERVER") from broken


@asynccontextmanager
async def conversation(config: MailConfig, context: ssl.SSLContext | None) -> AsyncGenerator[Smtp]:
    """Zone 1: find the server, and be let in. Whatever ends the block, the connection is closed at once."""
    with unsent():
        stream = await trio.open_tcp_stream(config.host, config.port)
    server = Smtp(stream)
    address = stream.socket.getsockname()[0]
    hello = f"EHLO [{'IPv6:' if ':' in address else ''}{address}]"
    try:
        with unsent():
            if context and config.tls == "implicit":
                await server.secure(config.host, context)
            await server.expect(2, "the connection")
            await server.ask(hello)
            if context and config.tls == "starttls":
                await server.ask("STARTTLS")
                await server.secure(config.host, context)
                await server.ask(hello)
            if config.user:
                secret = b64encode(f"\0{config.user}\0{config.password}".encode()).decode()
                await server.ask(f"AUTH PLAIN {secret}")
        yield server
    finally:
        await trio.aclose_forcefully(server.stream)


async def offer(server: Smtp, message: EmailMessage) -> None:
    """Zone 1: the envelope, and the mail but for its end."""
    sender, to = str(message["From"]), str(message["To"])
    parameters = "" if (sender + to).isascii() else " SMTPUTF8 BODY=8BITMIME"
    with unsent():
        await server.ask(f"MAIL FROM:<{sender}>{parameters}")
        await server.ask(f"RCPT TO:<{to}>")
        await server.ask("DATA", 3)
        await server.text(message.as_bytes())


async def finish(server: Smtp) -> str:
    """Zone 3: say that it is at its end, and hear the server's word on it."""
    try:
        reply = await server.end()
    except (OSError, trio.BrokenResourceError) as broken:
        why = str(broken) or str(broken.__cause__)
        raise EffectUnknownError(f"the mail was sent, and the server has not said that it took it: {why}") from broken
    if reply.kind in (4, 5):
        raise ToolError(f"the server has not taken the mail: {reply}", code="MAIL_REFUSED")
    if reply.kind != 2:
        raise EffectUnknownError(f"the mail was sent, and the server's answer is neither yes nor no: {reply}")
    return str(reply)


@plugin("mail", config=MailConfig)
@asynccontextmanager
async def mail(registry: Registry, config: MailConfig) -> AsyncGenerator[None]:
    """Offer `send_mail`, over one server."""
    context = None if config.tls == "none" else ssl.create_default_context()

    @tool(timeout=BEFORE + config.patience, destructive=True)
    async def send_mail(to: str, subject: str, body: str, ctx: ToolContext) -> str:
        """Send a mail. The same mail is sent once only: to send it again on purpose, change its words.

        Args:
            to: the address of whom it is for, such as ada@example.org
            subject: one line
            body: plain text
        """
        session = None if ctx.session is None else ctx.session.id
        message = written((config.sender, to, subject, body), session)
        answer = ""

        async def send() -> dict[str, str]:
            nonlocal answer
            answer = await finish(server)
            return {"message_id": message["Message-ID"], "answer": answer}

        async with conversation(config, context) as server:  # zone 1
            await offer(server, message)
            # zone 2 is its door, and zone 3 is `send`
            await ctx.irreversible("mail.send", send, key=message["Message-ID"], timeout=config.patience)
            if not answer:
                return f"not sent again: this mail to {to} was sent before, as {message['Message-ID']}"
            with trio.move_on_after(FAREWELL), suppress(OSError, trio.BrokenResourceError, RefusedError):
                await server.ask("QUIT")
        return f"sent to {to} as {message['Message-ID']}: {answer}"

    with registry.register(send_mail):
        yield
