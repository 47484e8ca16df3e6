"""The mail tool ended at every step in every way, against a real server; and wrong versions of it, which that finds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from mail import MailConfig, conversation, finish, offer, written
from mailing import CALL, LETTER, LONG, SHORT, assert_books_balance, mailing
from post_office import PostOffice
from smtp import Smtp

from trio_tools import EffectUnknownError, Registry, ToolContext, ToolError, plugin, tool
from trio_tools.registry import AnyPlugin
from trio_tools.testing import BrokenPromiseError, Run, explore_cancellation, explore_turn

# Seconds after which an exploration begins no more runs: many times what it takes on a quiet machine.
AT_MOST = 300
# Cases that are drawn for a server which misbehaves: each waits for the bound.
DRAWN = 8


def balanced(post: PostOffice) -> Callable[[Run], None]:
    """A check of the books after every run, against what the server has then."""

    def check(run: Run) -> None:
        assert_books_balance(run.results, post.taken())

    return check


def test_ended_at_every_step_in_every_way_its_books_balance(post: PostOffice) -> None:
    """M020-M024: committed <= mails at the server <= committed + unknown, and none that its result does not name."""
    checked: list[int] = []

    def check(run: Run) -> None:
        mails = post.taken()
        checked.append(len(mails))
        assert_books_balance(run.results, mails)

    report = explore_cancellation("send_mail", LETTER, plugins=[mailing(post.port)], check=check, seconds=AT_MOST)
    assert (report.virtual, report.untried, report.failures) == (False, 0, ())
    assert len(checked) >= report.cases
    assert set(checked) == {0, 1}  # it was ended before the door, and past it


PLANS = [
    {"end": "take and hold"},
    {"end": "take and drop"},
    {"end": "take and garbage"},
    {"end": "drop"},
    {"end": "554 5.7.1 spam"},
    {"text": "drop"},
    {"RCPT": "550 5.1.1 nobody here"},
]


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_its_books_balance_whatever_the_server_does(post: PostOffice, plan: dict[str, str]) -> None:
    post.plan(**plan)
    plugins = [mailing(post.port, patience=SHORT)]
    # what has been said of the text when the server drops it, and so how far the tool gets, differs from run to run
    allow = ["truth"] if "text" in plan else []
    report = explore_turn([], [CALL], plugins=plugins, check=balanced(post), runs=DRAWN, seeds=1, allow=allow)
    assert (report.cases, report.untried, report.failures) == (DRAWN, 0, ())


# --- wrong versions ---


def wrong(post: PostOffice, send: Callable[[Smtp, ToolContext], Awaitable[str]]) -> AnyPlugin:
    """The tool, but that it sends in this way."""

    @plugin("mail", config=MailConfig)
    @asynccontextmanager
    async def mail(registry: Registry, config: MailConfig) -> AsyncGenerator[None]:
        @tool(timeout=LONG)
        async def send_mail(to: str, subject: str, body: str, ctx: ToolContext) -> str:
            async with conversation(config, None) as server:
                await offer(server, written((config.sender, to, subject, body), None))
                return await send(server, ctx)

        with registry.register(send_mail):
            yield

    return mail(MailConfig(host="127.0.0.1", port=post.port, sender="bot@example.com", tls="none"))


async def tells_of_it_afterwards(server: Smtp, ctx: ToolContext) -> str:
    """The door comes when it is done, and by then a cancel may have come first."""
    answer = await finish(server)

    async def told() -> str:
        return answer

    await ctx.irreversible("mail.send", told)
    return answer


async def says_that_it_failed(server: Smtp, ctx: ToolContext) -> str:
    """That no word came does not mean that the server has not taken it."""

    async def send() -> str:
        try:
            return await finish(server)
        except EffectUnknownError as unknown:
            raise ToolError(unknown.message) from None

    await ctx.irreversible("mail.send", send)
    return "sent"


async def does_not_wait_for_the_answer(server: Smtp, ctx: ToolContext) -> str:
    """What it has said the server need not have taken."""

    async def send() -> None:
        await server.stream.send_all(b".\r\n")

    await ctx.irreversible("mail.send", send)
    return "sent"


async def takes_no_answer_for_a_yes(server: Smtp, ctx: ToolContext) -> str:
    """It has a bound of its own, and says nothing when it is up."""

    async def send() -> None:
        with trio.move_on_after(SHORT):
            await finish(server)

    await ctx.irreversible("mail.send", send)
    return "sent"


async def is_cut_in_the_middle(server: Smtp, ctx: ToolContext) -> str:
    """It is past the point of no return without a word to anybody."""
    return await finish(server)


@pytest.mark.parametrize(
    ("send", "plan"),
    [
        (tells_of_it_afterwards, {}),
        (says_that_it_failed, {"end": "take and drop"}),
        (does_not_wait_for_the_answer, {"end": "554 5.7.1 spam"}),
        (takes_no_answer_for_a_yes, {"end": "hold"}),
        (is_cut_in_the_middle, {}),
    ],
)
def test_a_wrong_version_is_found_by_the_same_check(
    post: PostOffice, send: Callable[[Smtp, ToolContext], Awaitable[str]], plan: dict[str, str]
) -> None:
    """M030."""
    post.plan(**plan)
    with pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation("send_mail", LETTER, plugins=[wrong(post, send)], check=balanced(post), seconds=AT_MOST)
    found = {finding.check for failure in caught.value.report.failures for finding in failure.findings}
    assert found == {"check"}
