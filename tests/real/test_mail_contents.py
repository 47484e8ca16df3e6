"""What is in a mail arrives as it was written, whatever it is."""

from __future__ import annotations

import pytest
from mailing import LETTER, sent
from post_office import PostOffice

from trio_tools import ToolCall

# The most bytes of a line without its end (RFC 5321, 4.5.3.1.6).
LINE = 998


def letter(**changed: str) -> ToolCall:
    return ToolCall("send_mail", {**LETTER, **changed})


@pytest.mark.parametrize(
    "body",
    [
        "",
        ".\n",
        "..\n.\n\n.hidden\n",
        "the end\r\n.\r\nMAIL FROM:<eve@example.org>\r\n",
        "From here\n",
        "without an end of line",
        "é, 🚂 and = and =3D\n",
        "x" * 5_000 + "\n",
        "é" * 5_000 + "\n",
        "trailing blanks \t \n\n\n",
        "a\x00b\x07\x1b[2J\n",
    ],
)
async def test_a_body_arrives_as_it_is(post: PostOffice, body: str) -> None:
    assert (await sent(post.port, letter(body=body))).code is None
    (mail,) = post.taken()
    assert mail.body.removesuffix("\n") == body.replace("\r\n", "\n").removesuffix("\n")
    lines = mail.content.encode("latin-1").split(b"\r\n")
    assert max(map(len, lines)) <= LINE
    assert mail.content.isascii()
    assert not any(b"\n" in line or b"\r" in line for line in lines)


@pytest.mark.parametrize("subject", ["", "Zwei Plätze 🚂", "? = ?=", "word " * 100 + "end", "x" * 300])
async def test_a_subject_arrives_as_it_is(post: PostOffice, subject: str) -> None:
    assert (await sent(post.port, letter(subject=subject))).code is None
    (mail,) = post.taken()
    assert mail.message["Subject"] == subject
    assert mail.content.isascii()


async def test_an_address_that_is_not_ascii_is_sent_as_such_to_a_server_that_knows_how(post: PostOffice) -> None:
    result = await sent(post.port, letter(to="adà@例え.example"))
    assert result.code is None
    (mail,) = post.taken()
    assert mail.to == ["adà@例え.example"]
    assert "SMTPUTF8" in mail.options
    assert mail.message["To"] == "adà@例え.example"


async def test_two_mails_have_headers_of_their_own(post: PostOffice) -> None:
    for subject in ("one", "two"):
        await sent(post.port, letter(subject=subject))
    mails = post.taken()
    assert [mail.message["Subject"] for mail in mails] == ["one", "two"]
    for mail in mails:
        for header in ("From", "To", "Date", "Message-ID", "Subject", "MIME-Version", "Content-Type"):
            assert len(mail.message.get_all(header, [])) == 1
