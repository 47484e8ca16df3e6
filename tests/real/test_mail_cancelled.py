"""The mail tool cancelled in each of its zones, against a real server that holds it there."""

from __future__ import annotations

import pytest
import trio
from mailing import CALL, LETTER, LONG, SHORT, assert_books_balance, mailing, sent
from post_office import PostOffice
from trio.testing import wait_all_tasks_blocked

from trio_tools import Cause, Deny, EffectState, ToolCall, ToolResult, open_registry

# Characters of a text that does not fit into what lies between the tool and a server which does not read.
MUCH = 500_000
# One whose sending takes until the server reads it.
LONG_LETTER = ToolCall("send_mail", {**LETTER, "body": "é" * MUCH})


async def cancelled(post: PostOffice, place: str, call: ToolCall = CALL, *, patience: float = LONG) -> ToolResult:
    """What a call comes to that is cancelled while the server holds it at this place. At the `end` it comes to nothing
    before the server lets it go, unless its patience is short."""
    scope, results = trio.CancelScope(), list[ToolResult]()

    async def make() -> None:
        results.append(await sent(post.port, call, patience=patience, scope=scope))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(make)
        await post.held(place)
        scope.cancel()
        if place == "end" and patience == LONG:
            await wait_all_tasks_blocked()
            assert results == []
            post.release()
    post.release()  # so that a server which does not read hears that its client has gone
    return results[0]


@pytest.mark.parametrize("place", ["connection", "EHLO", "MAIL", "RCPT", "DATA", "text"])
async def test_a_cancel_before_the_door_ends_the_wait_and_no_mail_is_there(post: PostOffice, place: str) -> None:
    """B32 a, M020: even in the middle of the text, the server throws away what it has."""
    post.plan(**{place: "hold"})
    result = await cancelled(post, place, LONG_LETTER if place == "text" else CALL)
    assert (result.code, result.cause, result.effects) == ("ABORTED", Cause.CALLER, ())
    assert result.text == "Error: tool call aborted"
    assert post.taken() == []


@pytest.mark.parametrize("plan", ["hold", "take and hold"])
async def test_a_cancel_past_the_door_waits_for_the_servers_word_and_names_the_mail(
    post: PostOffice, plan: str
) -> None:
    """B32 b, M022."""
    post.plan(end=plan)
    result = await cancelled(post, "end")
    (mail,) = post.taken()
    assert (result.code, result.cause) == ("ABORTED", Cause.CALLER)
    (effect,) = result.effects
    assert effect.state is EffectState.COMMITTED
    receipt = f'{{"message_id":"{mail.message["Message-ID"]}","answer":"250 OK number 1"}}'
    assert result.text.splitlines() == [
        "Error: tool call aborted",
        f"Went through, do not repeat: mail.send (receipt {receipt})",
    ]


@pytest.mark.parametrize("plan", ["hold", "take and hold"])
async def test_a_cancel_past_the_door_waits_no_longer_than_the_bound(post: PostOffice, plan: str) -> None:
    """And what nobody knows then is unknown, whoever has cancelled."""
    post.plan(end=plan)
    result = await cancelled(post, "end", patience=SHORT)
    mails = post.taken()
    assert len(mails) == (plan == "take and hold")
    assert [effect.state for effect in result.effects] == [EffectState.UNKNOWN]
    assert "May have gone through, check before you repeat: mail.send" in result.text.splitlines()
    assert_books_balance([result], mails)


async def test_a_cancel_at_the_farewell_names_the_mail(post: PostOffice) -> None:
    post.plan(QUIT="hold")
    result = await cancelled(post, "QUIT")
    assert (result.code, [effect.state for effect in result.effects]) == ("ABORTED", [EffectState.COMMITTED])
    assert result.text.splitlines()[-1].startswith("Went through, do not repeat: mail.send ")
    assert len(post.taken()) == 1


async def test_a_mail_that_a_policy_denies_is_never_begun(post: PostOffice) -> None:
    """B32 c: and its text is none of those of a cancel."""
    async with open_registry(plugins=[mailing(post.port)]) as registry:
        registry.add_pre_policy(lambda call: Deny("no mails today"))
        result = await registry.execute(CALL, scope=trio.CancelScope())
    assert (result.code, result.dispatched, result.effects) == ("DENIED", False, ())
    assert "no mails today" in result.text
    assert "abort" not in result.text
    assert post.taken() == []
