"""The client's side of SMTP, word for word."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable

import pytest
from smtp import MOST_BYTES, RefusedError, Reply, Smtp
from trio.testing import memory_stream_pair


async def reply_to(*pieces: bytes) -> Reply:
    """What a client makes of an answer that comes in these pieces, and then nothing."""
    ours, theirs = memory_stream_pair()
    for piece in pieces:
        await theirs.send_all(piece)
    await theirs.send_eof()
    return await Smtp(ours).reply()


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        (b"250 OK\r\n", 250, "OK"),
        (b"250\r\n", 250, ""),
        (b"250-post.test\r\n250-SIZE 100\r\n250 HELP\r\n", 250, "post.test SIZE 100 HELP"),
        (b"550-no\r\n550\r\n", 550, "no"),
        (b"250 OK\n", 250, "OK"),
        ("250 gut, Grüße\r\n".encode(), 250, "gut, Grüße"),
        (b"250 \xff\r\n", 250, "\ufffd"),
    ],
)
async def test_an_answer_is_read_however_it_comes(said: bytes, code: int, words: str) -> None:
    assert await reply_to(said) == Reply(code, words)
    assert await reply_to(*(said[place : place + 1] for place in range(len(said)))) == Reply(code, words)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "it hung up"),
        (b"250-first\r\n", "it hung up"),
        (b"250 in the mid", "it hung up"),
        (b"HTTP/1.1 400 Bad Request\r\n", "which is no SMTP"),
        (b"150 one\r\n", "which is no SMTP"),
        (b"650 six\r\n", "which is no SMTP"),
        (b"2500\r\n", "which is no SMTP"),
        (b"\r\n", "which is no SMTP"),
        (b"250 " + b"x" * (2 * MOST_BYTES) + b"\r\n", "its answer does not end"),
        (b"250-" + b"x" * (2 * MOST_BYTES), "its answer does not end"),
        (b"250-and\r\n" * MOST_BYTES, "its answer does not end"),
    ],
)
async def test_what_is_no_answer_breaks_it_off(said: bytes, why: str) -> None:
    with pytest.raises(ConnectionError, match=why):
        await reply_to(said)


async def heard(say: Callable[[Smtp], Awaitable[object]]) -> bytes:
    """What a server hears that says yes to everything."""
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"250 OK\r\n")
    await say(Smtp(ours))
    await ours.send_eof()
    return b"".join([piece async for piece in theirs])


async def test_a_dot_at_the_beginning_of_a_line_is_said_twice_and_the_end_is_one_alone() -> None:
    async def say(client: Smtp) -> None:
        await client.text(b".\r\n..\r\na.b\r\n.c\r\n")
        await client.end()

    assert await heard(say) == b"..\r\n...\r\na.b\r\n..c\r\n.\r\n"


async def test_a_command_is_one_line() -> None:
    assert await heard(lambda client: client.ask("QUIT")) == b"QUIT\r\n"


async def test_a_refusal_tells_the_command_and_not_what_is_behind_it() -> None:
    with pytest.raises(RefusedError, match=r"^to AUTH the server said 250 OK$"):
        await heard(lambda client: client.ask("AUTH PLAIN c2VjcmV0", 3))


async def test_whoever_says_more_than_he_was_asked_is_not_believed_any_more() -> None:
    """An answer to nothing would be taken for the answer to what comes next; before TLS, anybody may have put it in."""
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"250 OK\r\n250 and the rest too\r\n")
    await theirs.send_eof()
    client = Smtp(ours)
    await client.ask("STARTTLS")
    for go_on in (client.secure("post.test", ssl.create_default_context()), client.ask("DATA"), client.end()):
        with pytest.raises(ConnectionError, match="more than it was asked"):
            await go_on
