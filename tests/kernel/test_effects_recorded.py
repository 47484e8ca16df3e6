"""What recorders are told of effects, and what it means if they cannot keep it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

import pytest
import trio
from around_tools import opened, retry_once
from effect_tools import SENT, WENT, Outbox, doing, sends, slow_to_record, states
from trio.testing import MockClock
from turn_tools import Heard, Log, codes, kind, once

from trio_tools import (
    CallEvent,
    CallNext,
    Dispatch,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    ToolContext,
    ToolError,
    ToolResult,
    event_from_json,
    to_json,
)

How: TypeAlias = Callable[[], Awaitable[None]]


async def disk_full() -> None:
    raise OSError("disk full")


async def hang() -> None:
    await trio.sleep_forever()


async def leave() -> None:
    raise SystemExit(1)


async def overrun() -> None:
    with trio.CancelScope(shield=True):
        await trio.sleep(60)


def failing(at: type[CallEvent], how: How = disk_full, *, call_id: str | None = None) -> Log:
    """A recorder that fails at one kind of event, of one call if its id is given."""

    async def before(event: CallEvent) -> None:
        if isinstance(event, at) and (call_id is None or event.ref.call_id == call_id):
            await how()

    return Log(before)


async def test_an_effect_is_recorded_before_it_begins_and_after_it_ended(autojump_clock: MockClock) -> None:
    """M022, M023, L016: in order with the other events of its call, and as it stands in the result."""
    outbox = Outbox(seconds=2)
    log = Log()
    async with opened(sends(outbox, before=1, after=5)) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail", "c")
    told = ["accepted", "decided", "dispatching", "effectbegun", "effectended", "settled"]
    assert [kind(event) for event in log.events] == told
    assert {event.ref for event in log.events} == {log.events[0].ref}
    begun, ended = log.events[3:5]
    assert isinstance(begun, EffectBegun)
    assert isinstance(ended, EffectEnded)
    assert (begun.name, begun.at, ended.effect, ended.at) == ("mail.send", 1, SENT, 3)
    assert (log.settled[0].result, result.effects) == (result, (SENT,))
    assert [event_from_json(to_json(event)) for event in log.events] == log.events


async def test_the_action_waits_for_the_record_of_its_beginning(autojump_clock: MockClock) -> None:
    """M023: what a journal does not know of has not begun; and the call goes on when its end is kept."""
    outbox = Outbox(seconds=1)
    log = slow_to_record(2, EffectBegun, EffectEnded)
    async with opened(sends(outbox)) as registry:
        registry.add_recorder(log)
        await once(registry, "mail")
    assert (outbox.begun, outbox.sent, trio.current_time()) == ([2], [3], 5)


async def no_json() -> object:
    return object()


async def forgets_to_await() -> object:
    return no_json()


@pytest.mark.parametrize(
    ("action", "state", "error"),
    [
        (Outbox().bounce, EffectState.FAILED, "ConnectionError: no such host"),
        (no_json, EffectState.COMMITTED, "its receipt cannot be kept: NotJSON: $: a value of type object"),
        (forgets_to_await, EffectState.UNKNOWN, "its action returned what is yet to be awaited"),
    ],
)
async def test_other_ends_are_recorded_too(
    action: Callable[[], Awaitable[object]], state: EffectState, error: str
) -> None:
    log = Log()
    async with opened(doing(lambda ctx: ctx.irreversible("mail.send", action))) as registry:
        registry.add_recorder(log)
        result = await once(registry, "mail")
    (ended,) = (event.effect for event in log.events if isinstance(event, EffectEnded))
    assert (result.effects, ended.state, ended.receipt) == ((ended,), state, None)
    assert (ended.error or "").startswith(error)


async def let_out(send: How) -> object:
    await send()
    return "not reached"


async def swallow(send: How) -> object:
    with pytest.raises(ToolError, match="the call could not be recorded: "):
        await send()
    return "all is well"


async def complain(send: How) -> object:
    with pytest.raises(ToolError):
        await send()
    raise LookupError("no post office")


async def be_cancelled(send: How) -> object:
    with pytest.raises(ToolError):
        await send()
    await trio.sleep(1_000)
    return "all is well"


@pytest.mark.parametrize("how", [disk_full, hang, leave, overrun])
@pytest.mark.parametrize("made_of_it", [let_out, swallow, complain, be_cancelled])
@pytest.mark.parametrize("order", ["sound one first", "broken one first"])
async def test_an_effect_that_cannot_be_recorded_is_not_begun(
    how: How, made_of_it: Callable[[How], Awaitable[object]], order: str, autojump_clock: MockClock
) -> None:
    """M023: RECORD_FAILED, whatever the body makes of it; and the books of a sound recorder balance."""
    outbox, sound, broken = Outbox(), Log(), failing(EffectBegun, how)
    raised: list[str] = []

    async def body(ctx: ToolContext) -> object:
        async def send() -> None:
            await ctx.irreversible("mail.send", outbox.send)

        return await made_of_it(send)

    async with opened(doing(body, timeout=100)) as registry:
        for recorder in (sound, broken) if order == "sound one first" else (broken, sound):
            registry.add_recorder(recorder)
        registry.add_observer(lambda call, result: raised.append(type(call.exception).__name__))
        result = await once(registry, "mail")
        again = await once(registry, "mail")
    expected = ErrorCode.TOOL_TIMEOUT if made_of_it is be_cancelled else ErrorCode.RECORD_FAILED
    assert (result.code, again.code, outbox.begun) == (expected, expected, [])
    kinds: dict[object, str] = {let_out: "ToolError", complain: "LookupError"}
    assert raised == [kinds.get(made_of_it, "NoneType")] * 2
    assert states(result) == ["mail.send failed"]
    ended = [event.effect for event in sound.events if isinstance(event, EffectEnded)]
    assert [*ended] == [*result.effects, *again.effects]
    assert (ended[0].error or "").startswith("it never began: the call could not be recorded: ")


async def test_what_a_body_came_to_without_its_effect_is_kept() -> None:
    """M023: the model reads that the tool has run, and what of it there is."""

    async def body(ctx: ToolContext) -> object:
        async def send() -> None:
            await ctx.irreversible("mail.send", Outbox().send)

        return await swallow(send)

    async with opened(doing(body)) as registry:
        registry.add_recorder(failing(EffectBegun))
        result = await once(registry, "mail")
    assert result.superseded is not None
    assert (result.superseded.value, result.text.splitlines()[-1]) == ("all is well", "all is well")
    assert result.text.startswith("Error: the call could not be recorded: OSError: disk full\n")


async def test_a_call_whose_effect_was_not_recorded_makes_no_further_attempt(autojump_clock: MockClock) -> None:
    """M023: refused is refused: neither its body nor another effect of it runs."""
    outbox = Outbox()
    runs: list[ToolContext] = []
    later: list[str] = []

    async def body(ctx: ToolContext) -> None:
        runs.append(ctx)
        try:
            await ctx.irreversible("mail.send", outbox.send)
        finally:
            with pytest.raises(ToolError):
                await ctx.irreversible("mail.recall", partial(trio.sleep, 0))
            later.append("refused")

    async with opened(doing(body), wrappers=[retry_once]) as registry:
        registry.add_recorder(log := failing(EffectBegun))
        result = await once(registry, "mail")
    assert (result.code, len(runs), later, outbox.begun) == (ErrorCode.RECORD_FAILED, 1, ["refused"], [])
    assert len(log.settled) == 1


@pytest.mark.parametrize("how", [disk_full, hang, leave, overrun])
async def test_when_the_end_of_an_effect_is_not_recorded_the_result_stands_and_new_calls_are_refused(
    how: How, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """M022: until that recorder is removed. What runs runs on, its further effects among it."""
    outbox, heard = Outbox(), Heard()

    async def body(ctx: ToolContext) -> object:
        await ctx.irreversible("mail.send", outbox.send)
        return await ctx.irreversible("mail.send", outbox.send)

    async with opened(doing(body)) as registry:
        registration = registry.add_recorder(failing(EffectEnded, how, call_id="a"))
        registry.add_observer(heard)
        results = [await once(registry, "mail", "a"), await once(registry, "mail", "b")]
        registration.remove()
        results.append(await once(registry, "mail", "c"))
    assert codes(results) == [None, ErrorCode.RECORD_FAILED, None]
    assert [states(result) for result in results] == [["mail.send committed"] * 2, [], ["mail.send committed"] * 2]
    assert (results[0].value, heard.results, len(outbox.sent)) == ({"id": 2}, results, 4)
    assert "recording EffectEnded" in caplog.text


async def test_a_further_attempt_is_made_although_the_end_of_an_effect_was_lost(autojump_clock: MockClock) -> None:
    """The result stands as if it had been kept; only new calls are refused."""
    outbox = Outbox()

    async def body(ctx: ToolContext) -> object:
        await ctx.irreversible("mail.send", outbox.send)
        if len(outbox.sent) == 1:
            raise ConnectionError("hung up")
        return "sent twice"

    async def retry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        assert result.code == ErrorCode.TOOL_FAILED
        return await call_next()

    async with opened(doing(body), wrappers=[retry]) as registry:
        registry.add_recorder(failing(EffectEnded))
        result = await once(registry, "mail")
    assert (result.text, states(result)) == ("sent twice", ["mail.send committed"] * 2)


async def test_the_end_of_an_effect_is_recorded_although_all_around_is_cancelled(autojump_clock: MockClock) -> None:
    """M022, RT8: a journal that waits is not cut."""
    outbox = Outbox(seconds=2)
    log = slow_to_record(1, EffectEnded)
    async with opened(sends(outbox, after=1)) as registry:
        registry.add_recorder(log)
        registry.add_observer(heard := Heard())
        with trio.move_on_after(1):
            await once(registry, "mail")
    assert [event.effect for event in log.events if isinstance(event, EffectEnded)] == [SENT]
    assert (heard.results[0].text, trio.current_time()) == (f"Error: tool call aborted\n{WENT}", 3)
