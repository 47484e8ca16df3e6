"""The mail tool against a real server, and what its result says for whatever the server does."""

from __future__ import annotations

import re
import socket

import mail
import pytest
from mailing import LETTER, SHORT, assert_books_balance, sent
from post_office import PostOffice

from trio_tools import EffectState, ToolCall

BEFORE = ["connection", "EHLO", "MAIL", "RCPT", "DATA"]


async def test_a_mail_that_is_taken_is_a_success_with_its_receipt(post: PostOffice) -> None:
    result = await sent(post.port)
    (taken,) = post.taken()
    message_id = taken.message["Message-ID"]
    assert result.code is None
    assert result.text == f"sent to ada@example.org as {message_id}: 250 OK number 1"
    (effect,) = result.effects
    assert (effect.name, effect.state) == ("mail.send", EffectState.COMMITTED)
    assert effect.receipt == {"message_id": message_id, "answer": "250 OK number 1"}
    assert (taken.sender, taken.to) == ("bot@example.com", ["ada@example.org"])
    assert (taken.message["From"], taken.message["To"], taken.message["Subject"]) == (
        "bot@example.com",
        "ada@example.org",
        "Tickets",
    )
    assert taken.body == LETTER["body"]


@pytest.mark.parametrize("place", BEFORE)
async def test_a_refusal_before_the_door_is_a_plain_failure_and_nothing_was_sent(post: PostOffice, place: str) -> None:
    """M020."""
    post.plan(**{place: "550 5.7.1 no, thank you"})
    result = await sent(post.port)
    to = "the connection" if place == "connection" else place
    assert result.text == f"Error: nothing was sent: to {to} the server said 550 5.7.1 no, thank you"
    assert (result.code, result.cause, result.effects, post.taken()) == ("MAIL_REFUSED", None, (), [])


@pytest.mark.parametrize("place", BEFORE)
async def test_a_server_that_hangs_up_before_the_door_is_a_plain_failure(post: PostOffice, place: str) -> None:
    post.plan(**{place: "drop"})
    result = await sent(post.port)
    why = r"it hung up|socket connection broken: .*"
    assert re.fullmatch(rf"Error: nothing was sent: no conversation with the server: ({why})", result.text)
    assert (result.code, result.cause, result.effects, post.taken()) == ("MAIL_NO_SERVER", None, (), [])


@pytest.mark.parametrize("place", BEFORE)
async def test_what_is_no_smtp_before_the_door_is_a_plain_failure(post: PostOffice, place: str) -> None:
    post.plan(**{place: "garbage"})
    result = await sent(post.port)
    said = "it said b'SSH-2.0-OpenSSH_9.9', which is no SMTP"
    assert result.text == f"Error: nothing was sent: no conversation with the server: {said}"
    assert (result.code, result.cause, result.effects, post.taken()) == ("MAIL_NO_SERVER", None, (), [])


async def test_a_server_that_is_not_there_is_a_plain_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    result = await sent(port)
    why = f"all attempts to connect to 127.0.0.1:{port} failed"
    assert result.text == f"Error: nothing was sent: no conversation with the server: {why}"
    assert (result.code, result.cause, result.effects) == ("MAIL_NO_SERVER", None, ())


@pytest.mark.parametrize(
    "to",
    [
        "",
        "ada",
        "a b@example.org",
        "a@b@c.org",
        "ada@example.org>\r\nRCPT TO:<eve@example.org",
        "a=?utf-8?q?=0D=0ABcc:_eve?=@example.org",
        "a@b\u200b.org",
    ],
)
async def test_what_is_not_one_address_is_refused_before_anything_is_said(post: PostOffice, to: str) -> None:
    result = await sent(post.port, ToolCall("send_mail", {**LETTER, "to": to}))
    assert result.text == f"Error: nothing was sent: {to!r} is no address such as ada@example.org"
    assert (result.code, result.effects, post.taken()) == ("MAIL_INVALID", (), [])


@pytest.mark.parametrize(
    "subject",
    [
        "Hi\r\nBcc: eve@example.org",
        "=?utf-8?q?Hi=0D=0ABcc:_eve@example.org?=",  # Python before 3.11.10 and 3.12.5 would write it as that
        "Hi\n",
        "Hi\x0bBcc: eve",
        "\u2028",
        "a\x00b",
    ],
)
async def test_a_subject_that_could_be_another_header_is_refused(post: PostOffice, subject: str) -> None:
    result = await sent(post.port, ToolCall("send_mail", {**LETTER, "subject": subject}))
    assert result.text == "Error: nothing was sent: a subject is one line, without control characters and =?"
    assert (result.code, result.effects, post.taken()) == ("MAIL_INVALID", (), [])


async def test_a_server_that_hangs_up_in_the_middle_of_the_text_has_no_mail(post: PostOffice) -> None:
    """The text may be on its way by then, with the end behind it, which is not to be known from here."""
    post.plan(text="drop")
    result = await sent(post.port)
    assert result.code in ("MAIL_NO_SERVER", "EFFECT_UNKNOWN")
    assert post.taken() == []
    assert [effect.state for effect in result.effects] == [EffectState.UNKNOWN] * (result.code == "EFFECT_UNKNOWN")


@pytest.mark.parametrize("answer", ["554 5.7.1 spam", "452 4.3.1 no room", "421 4.3.2 going down"])
async def test_a_refusal_of_the_whole_mail_is_a_failed_effect(post: PostOffice, answer: str) -> None:
    """The server says that it did not take it, and that is known."""
    post.plan(end=answer)
    result = await sent(post.port)
    assert result.text == f"Error: the server has not taken the mail: {answer}"
    assert (result.code, result.cause, post.taken()) == ("MAIL_REFUSED", None, [])
    assert [(effect.state, effect.error) for effect in result.effects] == [
        (EffectState.FAILED, f"the server has not taken the mail: {answer}")
    ]


HUNG_UP = r"the server has not said that it took it: (it hung up|socket connection broken: .*)"
NO_SMTP = r"the server has not said that it took it: it said b'SSH-2.0-OpenSSH_9.9', which is no SMTP"
NEITHER = r"the server's answer is neither yes nor no: 354 go on"


@pytest.mark.parametrize("taken", [False, True])
@pytest.mark.parametrize(("what", "why"), [("drop", HUNG_UP), ("garbage", NO_SMTP), ("354 go on", NEITHER)])
async def test_a_mail_that_nobody_has_acknowledged_is_unknown_and_not_failed(
    post: PostOffice, what: str, why: str, taken: bool
) -> None:
    """M023: whether it arrives, or not, is not to be seen from here."""
    post.plan(end=f"take and {what}" if taken else what)
    result = await sent(post.port)
    first, last = result.text.splitlines()
    assert re.fullmatch(rf"Error: the mail was sent, and {why}", first)
    assert last == "May have gone through, check before you repeat: mail.send"
    assert (result.code, result.cause) == ("EFFECT_UNKNOWN", None)
    assert [effect.state for effect in result.effects] == [EffectState.UNKNOWN]
    mails = post.taken()
    assert len(mails) == taken
    assert_books_balance([result], mails)


@pytest.mark.parametrize("plan", ["hold", "take and hold"])
async def test_a_word_that_does_not_come_within_the_bound_is_unknown(post: PostOffice, plan: str) -> None:
    post.plan(end=plan)
    result = await sent(post.port, patience=SHORT)
    assert (result.code, result.cause) == ("EFFECT_UNKNOWN", None)
    assert result.text.splitlines()[-1] == "May have gone through, check before you repeat: mail.send"
    assert [effect.state for effect in result.effects] == [EffectState.UNKNOWN]
    assert len(post.taken()) == (plan == "take and hold")


@pytest.mark.parametrize("what", ["drop", "garbage", "500 what?", "hold"])
async def test_what_becomes_of_the_farewell_changes_nothing(
    post: PostOffice, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(mail, "FAREWELL", SHORT)
    post.plan(QUIT=what)
    result = await sent(post.port)
    assert (result.code, [effect.state for effect in result.effects]) == (None, [EffectState.COMMITTED])
    assert len(post.taken()) == 1
