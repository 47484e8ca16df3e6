"""The mail tool's key: one mail is sent once, whichever call asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import trio
from mail import written
from mailing import CALL, LETTER, SESSION, SHORT, assert_books_balance, mailing
from post_office import PostOffice

from trio_tools import EffectState, Registry, Session, ToolCall, ToolResult, open_registry


@pytest.fixture
async def registry(post: PostOffice) -> AsyncIterator[Registry]:
    async with open_registry(plugins=[mailing(post.port, patience=SHORT)]) as opened:
        yield opened


async def make(registry: Registry, call: ToolCall = CALL, session: Session | None = SESSION) -> ToolResult:
    return await registry.execute(call, scope=trio.CancelScope(), session=session)


async def test_the_same_mail_is_sent_once_and_the_second_call_says_so(registry: Registry, post: PostOffice) -> None:
    first, second = await make(registry), await make(registry, ToolCall("send_mail", LETTER, id="c2"))
    (mail,) = post.taken()
    message_id = mail.message["Message-ID"]
    assert second.text == f"not sent again: this mail to ada@example.org was sent before, as {message_id}"
    assert second.code is None
    (effect,) = second.effects
    assert (effect.state, effect.receipt, effect.earlier) == (EffectState.COMMITTED, first.effects[0].receipt, True)


@pytest.mark.parametrize("changed", [{"to": "eve@example.org"}, {"subject": "Tickets!"}, {"body": "Two for Rome"}])
async def test_a_mail_that_differs_is_another_mail(
    registry: Registry, post: PostOffice, changed: dict[str, str]
) -> None:
    await make(registry)
    assert (await make(registry, ToolCall("send_mail", {**LETTER, **changed}))).text.startswith("sent to ")
    assert len({mail.message["Message-ID"] for mail in post.taken()}) == 2


@pytest.mark.parametrize("session", [Session("s2"), None])
async def test_a_mail_of_another_conversation_is_another_mail(
    registry: Registry, post: PostOffice, session: Session | None
) -> None:
    await make(registry)
    assert (await make(registry, session=session)).text.startswith("sent to ")
    assert len({mail.message["Message-ID"] for mail in post.taken()}) == 2


def test_where_one_field_ends_and_the_next_begins_is_part_of_the_key() -> None:
    ids = {
        written(("bot@example.com", "ada@example.org", *words), session)["Message-ID"]
        for words, session in [(("a", "b"), "s"), (("ab", ""), "s"), (("a", "b"), None), (("a", "b"), "null")]
    }
    assert len(ids) == 4


@pytest.mark.parametrize("plan", ["take and hold", "hold"])
async def test_a_mail_that_is_unknown_is_not_sent_again_by_itself(
    registry: Registry, post: PostOffice, plan: str
) -> None:
    """M023: a person has to look."""
    post.plan(end=plan)
    first = await make(registry)
    mails = post.taken()
    post.plan()
    second = await make(registry)
    assert (first.code, second.code) == ("EFFECT_UNKNOWN", "EFFECT_UNKNOWN")
    assert second.text.splitlines()[-1] == "May have gone through, check before you repeat: mail.send"
    assert post.taken() == []
    assert_books_balance([first, second], mails)


async def test_a_mail_that_was_refused_may_be_sent_again(registry: Registry, post: PostOffice) -> None:
    post.plan(end="452 4.3.1 no room")
    first = await make(registry)
    post.plan()
    second = await make(registry)
    assert (first.code, second.code) == ("MAIL_REFUSED", None)
    assert second.text.startswith("sent to ")
    assert len(post.taken()) == 1


async def test_of_two_calls_at_once_one_sends_and_the_other_waits_for_it(post: PostOffice) -> None:
    post.plan(end="hold")
    results: list[ToolResult] = []

    async def both(registry: Registry) -> None:
        results.append(await make(registry))

    async with open_registry(plugins=[mailing(post.port)]) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(both, registry)
        nursery.start_soon(both, registry)
        await post.held("end")
        post.release()
    assert sorted(result.text.partition(":")[0] for result in results)[0] == "not sent again"
    mails = post.taken()
    assert len(mails) == 1
    assert_books_balance(results, mails)
