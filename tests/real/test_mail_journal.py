"""The mail tool with a journal: what is sent once is sent once across processes, and after a crash somebody decides."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest
import trio
from mailing import assert_books_balance, make, registry_with
from post_office import PostOffice

from trio_tools import EffectState, ToolResult
from trio_tools.journal import Journal

# A process that sends the mail, with the journal that it is told of.
SENDER = """
import sys, trio
from mailing import make, registry_with
async def main(path, port):
    async with registry_with(path, port) as registry:
        await make(registry)
trio.run(main, sys.argv[1], int(sys.argv[2]))
"""


async def test_the_next_process_does_not_send_what_an_earlier_one_sent(post: PostOffice, tmp_path: Path) -> None:
    results: list[ToolResult] = []
    for _ in range(2):
        async with registry_with(tmp_path / "agent.db", post.port) as registry:
            results.append(await make(registry))
    (mail,) = post.taken()
    message_id = mail.message["Message-ID"]
    assert results[1].text == f"not sent again: this mail to ada@example.org was sent before, as {message_id}"
    assert results[1].effects[0].receipt == {"message_id": message_id, "answer": "250 OK number 1"}


SENT_AGAIN: list[tuple[bool, str]] = [(True, "not sent again: "), (False, "sent to ")]


@pytest.mark.parametrize(("committed", "begins"), SENT_AGAIN)
async def test_a_process_that_is_killed_in_the_middle_leaves_a_mail_for_somebody_to_look_for(
    post: PostOffice, tmp_path: Path, committed: bool, begins: str
) -> None:
    """And neither is it sent again by itself, nor is it given up."""
    post.plan(end="take and hold" if committed else "hold")
    path = tmp_path / "agent.db"
    command = [sys.executable, "-c", SENDER, str(path), str(post.port)]
    async with trio.open_nursery() as nursery:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = partial(trio.run_process, command, env=environment, check=False)
        sender = await nursery.start(run)
        await post.held("end")
        sender.kill()
    post.plan()
    async with registry_with(path, post.port) as registry:
        first = await make(registry)
        books = registry.require(Journal)
        (waits,) = await books.unknown()
        await books.resolve(waits.name, waits.key, committed=committed)
        second = await make(registry)
    assert (first.code, [effect.state for effect in first.effects]) == ("EFFECT_UNKNOWN", [EffectState.UNKNOWN])
    assert second.text.startswith(begins)
    assert_books_balance([second], post.taken() if not committed else [])
