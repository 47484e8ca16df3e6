"""Case B32: what is said of a call that is stopped at its irreversible step. A model decides from it about a retry."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
import trio
from around_tools import execute, opened, shield
from trio.testing import MockClock
from turn_tools import Heard, Log, kind

from trio_tools import Ask, Deny, Effect, EffectState, ErrorCode, Tool, ToolContext, ToolResult, tool

DENIED = "Error: sending needs a yes"
WENT = 'Went through, do not repeat: mail.send (receipt "sent id=1")'


@attrs.frozen
class Outbox:
    """A file, with a line for everything that was sent."""

    path: Path

    def append(self, line: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{line}\n")

    def text(self) -> str:
        return self.path.read_text()


def sender(outbox: Outbox, timeout: float | None = None) -> Tool:
    """Reads for 0.2 seconds, and then sends for 0.2."""

    @tool(timeout=timeout)
    async def send_mail(ctx: ToolContext) -> str:
        await trio.sleep(0.2)

        async def send() -> str:
            await trio.sleep(0.1)
            outbox.append("sent 1")
            await trio.sleep(0.1)
            return "sent id=1"

        return str(await ctx.irreversible("mail.send", send))

    return send_mail


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    path = tmp_path / "outbox"
    path.touch()
    return Outbox(path)


async def stopped(outbox: Outbox, at: float, log: Log | None = None) -> ToolResult:
    async with opened(sender(outbox)) as registry:
        if log is not None:
            registry.add_recorder(log)
        return await execute(registry, "send_mail", cancel_at=at)


async def test_case_b32_a_cancel_while_it_reads(outbox: Outbox, autojump_clock: MockClock) -> None:
    """Case B32 (a), M020, M026: nothing was sent, and nothing is said of it; and it is an error."""
    result = await stopped(outbox, 0.1)
    assert (outbox.text(), result.code, result.effects) == ("", ErrorCode.ABORTED, ())
    assert (result.is_error, result.value) == (True, None)
    assert (result.text, round(trio.current_time(), 3)) == ("Error: tool call aborted", 0.1)


async def test_case_b32_b_cancel_while_it_sends(outbox: Outbox, autojump_clock: MockClock) -> None:
    """Case B32 (b), M022: one line; the end is recorded when the step is done; an abort that carries the receipt."""
    log = Log()
    result = await stopped(outbox, 0.3, log)
    assert outbox.text() == "sent 1\n"
    assert [(kind(event), round(event.at, 3)) for event in log.events[-3:]] == [
        ("effectbegun", 0.2),
        ("effectended", 0.4),
        ("settled", 0.4),
    ]
    assert (result.code, result.dispatched) == (ErrorCode.ABORTED, True)
    assert result.effects == (Effect("mail.send", EffectState.COMMITTED, "sent id=1"),)
    assert result.text.startswith("Error: tool call aborted\n")
    assert result.text.endswith(f"\n{WENT}")


@pytest.mark.parametrize("answer", [Ask("sending needs a yes"), Deny("sending needs a yes")])
async def test_case_b32_c_approval_denied(answer: Ask | Deny, outbox: Outbox, autojump_clock: MockClock) -> None:
    """Case B32 (c): the denial's text, nothing written."""
    async with opened(sender(outbox)) as registry:
        registry.add_pre_policy(lambda call: answer)
        result = await execute(registry, "send_mail")
    assert (result.code, result.text, result.effects) == (ErrorCode.DENIED, DENIED, ())
    assert (result.dispatched, outbox.text()) == (False, "")


async def test_case_b32_the_three_texts_differ(outbox: Outbox, autojump_clock: MockClock) -> None:
    texts = {DENIED, (await stopped(outbox, 0.1)).text, (await stopped(outbox, 0.3)).text}
    assert len(texts) == 3


@pytest.mark.parametrize("at", [0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5])
@pytest.mark.parametrize("by", ["caller", "budget", "enclosing", "caller, behind a wrapper's shield"])
async def test_case_b32_at_any_time_the_text_says_what_the_file_says(
    by: str, at: float, outbox: Outbox, autojump_clock: MockClock
) -> None:
    """Case B32, M021: by whoever it is stopped, and whenever."""
    heard = Heard()
    one = sender(outbox, timeout=at + 0.001 if by == "budget" else None)
    async with opened(one, wrappers=[shield] if "shield" in by else []) as registry:
        registry.add_observer(heard)
        with trio.move_on_after(at + 0.001 if by == "enclosing" else 9):
            await execute(registry, "send_mail", cancel_at=at + 0.001 if "caller" in by else 9)
    (result,) = heard.results
    sent = outbox.text()
    assert sent == ("sent 1\n" if at >= 0.2 else "")
    assert [effect.state for effect in result.effects] == (["committed"] if sent else [])
    if result.is_error:
        assert result.text.endswith(WENT) == bool(sent)
    else:
        assert (result.text, at >= 0.4) == ("sent id=1", True)


async def test_case_b32_a_tool_that_is_stopped_before_it_began(outbox: Outbox, autojump_clock: MockClock) -> None:
    """Case B32: and this is a fourth text."""
    result = await stopped(outbox, 0)
    async with opened(sender(outbox)) as registry:
        never = await execute(registry, "send_mail", deadline=0)
    assert (never.code, never.text) == (
        ErrorCode.ABORTED_BEFORE_DISPATCH,
        "Error: tool call aborted before dispatch",
    )
    assert (result.effects, never.effects, outbox.text()) == ((), (), "")
