"""Case B32 on a file: what stands there of a call that was stopped at its irreversible step, and what a model reads."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
import trio
from kept_tools import SESSION, calls_of, kept, kinds, on_disk, read_again, run
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import Deny, EffectState, ErrorCode, Registry, Tool, ToolCall, ToolContext, ToolResult, tool
from trio_tools.journal import open_journal

DENIED = "Error: sending needs a yes"
WENT = 'Went through, do not repeat: mail.send (receipt "sent id=1")'
RAN, TIMEOUT = ErrorCode.ABORTED, ErrorCode.TOOL_TIMEOUT


@attrs.define
class Post:
    """Reads until it is let on, and then sends, until it is let go."""

    folder: Path
    reads: trio.Event = attrs.field(factory=trio.Event)
    let_on: trio.Event = attrs.field(factory=trio.Event)
    sends: trio.Event = attrs.field(factory=trio.Event)
    let_go: trio.Event = attrs.field(factory=trio.Event)
    kept_before: list[str] = attrs.field(factory=list[str])  # what was on disk when the mail went out

    @property
    def journal(self) -> Path:
        return self.folder / "calls.journal"

    @property
    def sent(self) -> list[str]:
        outbox = self.folder / "outbox"
        return outbox.read_text().splitlines() if outbox.exists() else []

    def tool(self, timeout: float | None = None) -> Tool:
        async def send() -> str:
            self.kept_before = kinds(self.journal)
            with (self.folder / "outbox").open("a") as outbox:
                outbox.write("sent 1\n")
            self.sends.set()
            await self.let_go.wait()
            return "sent id=1"

        @tool(timeout=timeout)
        async def send_mail(ctx: ToolContext) -> str:
            self.reads.set()
            await self.let_on.wait()
            return str(await ctx.irreversible("mail.send", send))

        return send_mail


@attrs.define
class Stopped:
    """Who ends the call, and how."""

    by: str
    clock: MockClock
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    around: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    def stop(self, registry: Registry) -> None:
        match self.by:
            case "caller":
                self.scope.cancel()
            case "enclosing":
                self.around.cancel()
            case "operator":
                registry.cancel("1")
            case _:
                self.clock.jump(2)  # past the budget, and well within recorder_grace


async def stopped(post: Post, who: Stopped, at: str) -> ToolResult:
    """The result of a call that is ended while it reads or sends, as it is on disk when the call has come back."""
    timeout = 1.0 if who.by == "budget" else None
    async with kept(post.journal, post.tool(timeout)) as registry, trio.open_nursery() as nursery:

        async def stop() -> None:
            await post.reads.wait()
            if at == "sends":
                post.let_on.set()
                await post.sends.wait()
            who.stop(registry)
            if at == "sends":
                await wait_all_tasks_blocked()
                assert on_disk(post.journal) == [], "its end is recorded when the step has finished"
                post.let_go.set()

        nursery.start_soon(stop)
        result = None
        with who.around:
            result = await run(registry, ToolCall("send_mail", id="1"), who.scope)
        assert (result is None) == (who.by == "enclosing")
        (there,) = await calls_of(registry)
        assert there is not None
        assert result in (there, None)
        assert on_disk(post.journal) == [("1", there.code)]
    return there


WHO = ["caller", "enclosing", "operator", "budget"]


@pytest.mark.parametrize("by", WHO)
async def test_case_b32_a_nothing_is_kept_of_what_was_not_sent(by: str, tmp_path: Path, mock_clock: MockClock) -> None:
    """Case B32 (a), M020: it was stopped while it read."""
    post = Post(tmp_path)
    result = await stopped(post, Stopped(by, mock_clock), "reads")
    assert (result.code, result.effects, post.sent) == (TIMEOUT if by == "budget" else RAN, (), [])
    assert "do not repeat" not in result.text
    assert "effectbegun" not in kinds(post.journal)
    (record,) = await read_again(post.journal)
    assert (record.result, record.effects) == (result, ())


@pytest.mark.parametrize("by", WHO)
async def test_case_b32_b_what_was_sent_is_kept_with_its_receipt(
    by: str, tmp_path: Path, mock_clock: MockClock
) -> None:
    """Case B32 (b), M021, M022: it was on disk that it begins before it did; one line; and the model reads of it."""
    post = Post(tmp_path)
    result = await stopped(post, Stopped(by, mock_clock), "sends")
    assert post.sent == ["sent 1"]
    assert post.kept_before[-1] == "effectbegun"
    assert kinds(post.journal)[-2:] == ["effectended", "settled"]
    assert (result.code, result.dispatched) == (TIMEOUT if by == "budget" else RAN, True)
    assert WENT in result.text
    (record,) = await read_again(post.journal)
    assert (record.result, [one.effect for one in record.effects]) == (result, [*result.effects])
    assert [(one.state, one.receipt) for one in result.effects] == [(EffectState.COMMITTED, "sent id=1")]
    async with open_journal(post.journal) as books:
        for form in ("plain", "openai", "anthropic"):
            assert json.dumps(WENT)[1:-1] in json.dumps(await books.history(SESSION, form=form))


async def test_case_b32_c_a_denied_call_is_kept_as_denied(tmp_path: Path) -> None:
    """Case B32 (c): nothing was written but that."""
    post = Post(tmp_path)
    async with kept(post.journal, post.tool()) as registry:
        registry.add_pre_policy(lambda call: Deny("sending needs a yes"))
        result = await run(registry, ToolCall("send_mail", id="1"))
    assert (result.text, result.code, result.dispatched, post.sent) == (DENIED, ErrorCode.DENIED, False, [])
    assert kinds(post.journal) == ["accepted", "decided", "settled"]
    (record,) = await read_again(post.journal)
    assert (record.result, record.allowed, record.reason) == (result, False, "sending needs a yes")


async def test_case_b32_the_texts_on_disk_differ(tmp_path: Path, mock_clock: MockClock) -> None:
    """Case B32: denied, stopped before and behind the step, and never started: a model can tell them apart."""
    texts = [DENIED]
    for at in ("reads", "sends"):
        folder = tmp_path / at
        folder.mkdir()
        await stopped(Post(folder), Stopped("caller", mock_clock), at)
        texts += [one.result.text for one in await read_again(folder / "calls.journal") if one.result]
    never = Post(tmp_path)
    async with kept(never.journal, never.tool()) as registry:
        await run(registry, ToolCall("send_mail", id="1"), trio.CancelScope(deadline=-1))
    texts += [one.result.text for one in await read_again(never.journal) if one.result]
    assert len(set(texts)) == 4
