"""Effects: what an action came to, and what is no effect. `ctx.irreversible(name, action)`."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial

import pytest
import trio
from around_tools import opened, retry_once, run
from effect_tools import SENT, Outbox, doing, sends, states
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import Effect, EffectState, ErrorCode, NotJSON, ToolCall, ToolContext, ToolResult


async def test_an_effect_gives_its_receipt_and_stands_in_the_result(autojump_clock: MockClock) -> None:
    """M022: the receipt comes back as JSON, frozen; a success reads as ever."""
    outbox = Outbox()
    result = await run(sends(outbox))
    assert (result.value, result.text, result.effects) == ({"id": 1}, '{"id": 1}', (SENT,))
    assert outbox.sent == [1]


async def test_a_name_that_no_text_could_carry_is_made_one_that_it_can() -> None:
    result = await run(doing(lambda ctx: ctx.irreversible("mail\ud83d", partial(trio.sleep, 0))))
    assert states(result) == ["mail? committed"]


async def test_a_receipt_becomes_json_by_the_rules_of_results() -> None:
    async def body(ctx: ToolContext) -> object:
        async def pay() -> object:
            return {"amount": Decimal("1.50"), "parts": (1, 2)}

        assert await ctx.irreversible("pay", pay) == {"amount": "1.50", "parts": [1, 2]}
        return await ctx.irreversible("nothing to show", partial(trio.sleep, 0))

    result = await run(doing(body))
    assert (result.value, result.error) == (None, None)
    assert [effect.receipt for effect in result.effects] == [{"amount": "1.50", "parts": [1, 2]}, None]


async def test_an_action_that_fails_is_an_effect_that_failed() -> None:
    """M024: the very exception is raised, and a body that can do without goes on."""
    raised: list[BaseException] = []
    failure = ConnectionError("no such host")

    async def bounce() -> None:
        raise failure

    async def body(ctx: ToolContext) -> str:
        try:
            await ctx.irreversible("mail.send", bounce)
        except ConnectionError as thrown:
            raised.append(thrown)
        return "posted it by hand"

    result = await run(doing(body))
    assert (result.text, raised) == ("posted it by hand", [failure])
    assert result.effects == (Effect("mail.send", EffectState.FAILED, error="ConnectionError: no such host"),)


async def test_an_action_s_failure_that_nobody_takes_is_the_body_s() -> None:
    """M024: the text is as of any failure, since nothing went through."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> object:
        return await ctx.irreversible("mail.send", outbox.bounce)

    result = await run(doing(body))
    assert (result.code, result.text) == (ErrorCode.TOOL_FAILED, "Error: ConnectionError: no such host")
    assert states(result) == ["mail.send failed"]


async def test_a_timeout_of_the_action_s_own_is_a_failure(autojump_clock: MockClock) -> None:
    """M024, MT4: what counts is the call, never the type. A bound inside the action holds."""
    outbox = Outbox(seconds=60)

    async def in_time() -> object:
        with trio.fail_after(3):
            return await outbox.send()

    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", in_time)))
    assert (result.code, states(result), trio.current_time()) == (ErrorCode.TOOL_FAILED, ["mail.send failed"], 3)


async def test_a_stored_cancelled_leaves_the_effect_unknown(autojump_clock: MockClock) -> None:
    """M024: nobody can say how far it had got; on a live call it is no abort."""

    async def stored() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                await trio.sleep(1)
            except trio.Cancelled as cancelled:
                kept.append(cancelled)
                raise
        raise kept[0]

    kept: list[trio.Cancelled] = []
    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", stored)))
    assert (result.code, states(result)) == (ErrorCode.TOOL_FAILED, ["mail.send unknown"])
    assert result.text.endswith("\nMay have gone through, check before you repeat: mail.send")


@pytest.mark.parametrize("receipt", [object(), float("nan"), {1: 2}, "x" * 9_000_000])
async def test_a_receipt_that_is_no_json_is_told_and_the_effect_went_through(receipt: object) -> None:
    """M022: the action has returned, whatever can be kept of it."""
    raised: list[NotJSON] = []

    async def send() -> object:
        return receipt

    async def body(ctx: ToolContext) -> None:
        try:
            await ctx.irreversible("mail.send", send)
        except NotJSON as problem:
            raised.append(problem)
            raise

    result = await run(doing(body))
    (effect,) = result.effects
    assert (effect.state, effect.receipt) == (EffectState.COMMITTED, None)
    assert effect.error == f"its receipt cannot be kept: NotJSON: {raised[0]}"
    assert result.code == ErrorCode.TOOL_FAILED
    assert result.text.endswith("\nWent through, do not repeat: mail.send")


async def test_an_accessor_of_the_receipt_that_raises_is_told_as_it_is() -> None:
    class Receipt(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            raise LookupError("gone")

        def __iter__(self) -> Iterator[str]:
            yield "id"

        def __len__(self) -> int:
            return 1

    async def send() -> object:
        return Receipt()

    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", send)))
    (effect,) = result.effects
    assert (effect.state, effect.error) == (EffectState.COMMITTED, "its receipt cannot be kept: LookupError: gone")
    assert result.text == "Error: LookupError: gone\nWent through, do not repeat: mail.send"


def test_ctrl_c_while_the_receipt_is_read_goes_on_and_the_effect_went_through() -> None:
    """D17, M022: also if the body makes nothing of it."""
    results: list[ToolResult] = []

    class Receipt(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            signal.raise_signal(signal.SIGINT)
            return 1

        def __iter__(self) -> Iterator[str]:
            yield "id"

        def __len__(self) -> int:
            return 1

    async def send() -> object:
        return Receipt()

    async def body(ctx: ToolContext) -> None:
        with pytest.raises(KeyboardInterrupt):
            await ctx.irreversible("mail.send", send)

    async def main() -> None:
        async with opened(doing(body)) as registry:
            registry.add_observer(lambda call, result: results.append(result))
            await registry.execute(ToolCall("mail"), scope=trio.CancelScope())

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert [(result.code, states(result)) for result in results] == [(ErrorCode.ABORTED, ["mail.send committed"])]


async def test_an_action_that_returns_what_is_to_be_awaited_leaves_the_effect_unknown() -> None:
    """M023: a forgotten await: nobody can say what it has done. It does not warn either."""
    outbox = Outbox()

    async def send() -> object:
        return outbox.send()

    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", send)))
    assert (result.code, states(result), outbox.begun) == (ErrorCode.TOOL_FAILED, ["mail.send unknown"], [])
    assert "await it in there" in result.text


async def test_an_action_that_leaves_a_scope_open_has_gone_through_all_the_same(autojump_clock: MockClock) -> None:
    """Case B30, M022: Trio complains at the end of the zone, and the mail is out."""
    left_open: list[trio.CancelScope] = []
    outbox = Outbox()

    async def send() -> object:
        left_open.append(trio.CancelScope())
        left_open[-1].__enter__()
        return await outbox.send()

    async def body(ctx: ToolContext) -> object:
        return await ctx.irreversible("mail.send", send)

    async with opened(doing(body)) as registry:
        results = await registry.execute_turn([ToolCall("mail"), ToolCall("mail")], scope=trio.CancelScope())
    assert [states(result) for result in results] == [["mail.send committed"]] * 2
    assert [result.code for result in results] == [ErrorCode.TOOL_FAILED] * 2
    assert len(outbox.sent) == len(left_open) == 2


async def test_effects_stand_in_the_order_of_their_beginning(autojump_clock: MockClock) -> None:
    """One after the other, side by side in tasks of the body, and of all attempts."""

    async def wait(seconds: float) -> float:
        await trio.sleep(seconds)
        if seconds == 2:
            raise ValueError("two")
        return seconds

    async def body(ctx: ToolContext) -> None:
        await ctx.irreversible("first", partial(wait, 1))
        async with trio.open_nursery() as nursery:
            for seconds in (3, 2, 1):
                nursery.start_soon(partial(ctx.irreversible, f"{seconds}", partial(wait, seconds)))
                await wait_all_tasks_blocked()

    result = await run(doing(body), retry_once)
    attempt = ["first committed", "3 committed", "2 failed", "1 committed"]
    assert (result.code, states(result)) == (ErrorCode.TOOL_FAILED, attempt * 2)


@pytest.mark.parametrize(
    ("name", "action", "kind", "words"),
    [
        (7, trio.sleep_forever, TypeError, "name must be a string, not int"),
        (None, trio.sleep_forever, TypeError, "name must be a string, not NoneType"),
        ("", trio.sleep_forever, ValueError, "needs a name"),
        ("mail.send", None, TypeError, "function without arguments, not NoneType"),
        ("mail.send", 7, TypeError, "function without arguments, not int"),
    ],
)
async def test_what_is_no_effect_is_refused(name: str, action: object, kind: type[Exception], words: str) -> None:
    async def body(ctx: ToolContext) -> None:
        with pytest.raises(kind, match=words):
            await ctx.irreversible(name, action)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    result = await run(doing(body))
    assert (result.error, result.effects) == (None, ())


async def test_a_coroutine_in_place_of_the_action_is_refused_and_does_not_warn() -> None:
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with pytest.raises(TypeError, match="pass it as it is, uncalled"):
            await ctx.irreversible("mail.send", outbox.send())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    result = await run(doing(body))
    assert (result.error, result.effects, outbox.begun) == (None, (), [])
