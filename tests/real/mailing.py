"""A mail sent by the tool of docs/examples/mail.py, and what must hold of it whatever happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from mail import MailConfig, mail
from post_office import Mail

from trio_tools import EffectState, Registry, Session, ToolCall, ToolResult, open_registry
from trio_tools.journal import JournalConfig, journal
from trio_tools.registry import AnyPlugin

LETTER: dict[str, str] = {"to": "ada@example.org", "subject": "Tickets", "body": "Two for Rome.\n"}
CALL = ToolCall("send_mail", LETTER, id="c1")
SESSION = Session("monday")
# Seconds that the tool waits for a word that never comes, where a test waits for it.
SHORT = 0.1
# Seconds that it would wait elsewhere: no test comes near that.
LONG = 30.0


def mailing(port: int, *, patience: float = LONG) -> AnyPlugin:
    """The tool's plugin, on the server at this port."""
    return mail(MailConfig(host="127.0.0.1", port=port, sender="bot@example.com", tls="none", patience=patience))


async def sent(
    port: int, call: ToolCall = CALL, *, patience: float = LONG, scope: trio.CancelScope | None = None
) -> ToolResult:
    """What one call comes to."""
    async with open_registry(plugins=[mailing(port, patience=patience)]) as registry:
        return await registry.execute(call, scope=scope or trio.CancelScope(), session=SESSION)


@asynccontextmanager
async def registry_with(path: Path | str, port: int) -> AsyncGenerator[Registry]:
    """A registry that sends mails, with the journal at this path."""
    async with open_registry(plugins=[journal(JournalConfig(path=Path(path))), mailing(port)]) as registry:
        yield registry


async def make(registry: Registry) -> ToolResult:
    """What the call comes to."""
    return await registry.execute(CALL, scope=trio.CancelScope(), session=SESSION)


def count(results: Collection[ToolResult], state: EffectState) -> int:
    """How many effects of these results are in this state."""
    return sum(effect.state is state and not effect.earlier for one in results for effect in one.effects)


def assert_books_balance(results: Collection[ToolResult], mails: Collection[Mail]) -> None:
    """All mails at the server are named by a result as sent or unknown, and all that are named as sent are there."""
    committed, unknown = count(results, EffectState.COMMITTED), count(results, EffectState.UNKNOWN)
    assert committed <= len(mails) <= committed + unknown
