"""Keys of effects: `ctx.irreversible(name, action, key=key)` does a thing once."""

from __future__ import annotations

import attrs
import pytest
import trio
from around_tools import opened
from effect_tools import BEFORE, CHECK, KEYED, Outbox, doing, post_call, post_once, posting, slow_to_record, states
from trio.testing import MockClock
from turn_tools import Log, codes, once

from trio_tools import (
    EffectBegun,
    EffectEnded,
    EffectUnknownError,
    ErrorCode,
    ToolCall,
    ToolContext,
    event_from_json,
    to_json,
)


async def test_a_key_is_done_once_and_its_receipt_comes_back(autojump_clock: MockClock) -> None:
    """M022: the second call is given the first one's receipt; its result says that it was done earlier."""
    outbox, log = Outbox(), Log()
    async with opened(posting(outbox.send)) as registry:
        registry.add_recorder(log)
        first, second = await post_once(registry), await post_once(registry)
    assert (first.value, second.value, len(outbox.begun)) == ({"id": 1}, {"id": 1}, 1)
    assert (first.effects, second.effects) == ((KEYED,), (attrs.evolve(KEYED, earlier=True),))
    begun, ended = (event for event in log.events if isinstance(event, EffectBegun | EffectEnded))
    assert isinstance(begun, EffectBegun)
    assert isinstance(ended, EffectEnded)
    assert (begun.name, begun.key, ended.effect) == ("mail.send", "m1", KEYED)
    assert [event_from_json(to_json(event)) for event in (begun, ended)] == [begun, ended]


async def test_a_failure_of_the_later_call_names_what_went_through_earlier(autojump_clock: MockClock) -> None:
    outbox = Outbox()
    async with opened(posting(outbox.send)) as registry:
        await post_once(registry)
        result = await post_once(registry, fail=True)
    assert result.text.endswith('\nWent through, do not repeat: mail.send (receipt {"id":1})')


async def test_keys_are_of_one_name_and_without_one_nothing_is_the_same(autojump_clock: MockClock) -> None:
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        for name, key in (("mail.send", "a"), ("mail.send", "b"), ("fax.send", "a"), ("mail.send", "a")):
            await ctx.irreversible(name, outbox.send, key=key)
        for _ in range(2):
            await ctx.irreversible("mail.send", outbox.send)

    async with opened(doing(body)) as registry:
        result = await once(registry, "mail")
    assert [effect.earlier for effect in result.effects] == [False, False, False, True, False, False]
    assert [effect.key for effect in result.effects] == ["a", "b", "a", "a", None, None]


async def test_what_failed_may_be_done_again(autojump_clock: MockClock) -> None:
    outbox = Outbox()

    async def send() -> object:
        return await (outbox.send() if outbox.begun else outbox.bounce())

    async with opened(posting(send)) as registry:
        results = [await post_once(registry) for _ in range(3)]
    assert codes(results) == [ErrorCode.TOOL_FAILED, None, None]
    assert [result.effects[0].earlier for result in results] == [False, False, True]
    assert len(outbox.begun) == 2


async def test_what_is_unknown_is_not_done_again(autojump_clock: MockClock) -> None:
    """Until somebody decides: not by this registry, for as long as it is open; another key is another mail."""
    begun: list[float] = []

    async def send() -> None:
        begun.append(trio.current_time())
        raise EffectUnknownError("no answer after DATA")

    async with opened(posting(send)) as registry:
        first, second, other = [await post_once(registry, key) for key in ("m1", "m1", "m2")]
    assert codes([first, second, other]) == [ErrorCode.EFFECT_UNKNOWN] * 3
    assert (states(second), second.effects[0].earlier, len(begun)) == (["mail.send unknown"], True, 2)
    assert second.text.startswith(BEFORE)
    assert second.text.endswith(CHECK)
    assert second.effects[0].error == "it was begun before, under this key: no answer after DATA"


# --- two at once ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recording", [0, 2])
async def test_of_two_calls_at_once_the_second_waits_for_the_first(recording: float, autojump_clock: MockClock) -> None:
    """Never both: not before the end of the first is recorded."""
    outbox = Outbox(seconds=3)
    async with opened(posting(outbox.send)) as registry:
        registry.add_recorder(slow_to_record(recording, EffectEnded))
        calls = [post_call(), post_call("m2"), post_call()]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert trio.current_time() == 3 + recording
    assert sorted(result.effects[0].earlier for result in results) == [False, False, True]
    assert (results[0].value, outbox.begun) == (results[2].value, [0, 0])


async def test_two_tasks_of_one_body_too(autojump_clock: MockClock) -> None:
    outbox = Outbox(seconds=3)
    got: list[object] = []

    async def body(ctx: ToolContext) -> None:
        async def send() -> None:
            got.append(await ctx.irreversible("mail.send", outbox.send, key="m1"))

        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(send)

    async with opened(doing(body)) as registry:
        result = await once(registry, "mail")
    assert (got, len(outbox.sent)) == ([{"id": 1}] * 5, 1)
    assert [effect.earlier for effect in result.effects] == [False, True, True, True, True]


async def test_if_the_first_fails_the_second_does_it(autojump_clock: MockClock) -> None:
    outbox = Outbox()

    async def send() -> object:
        await trio.sleep(1)
        return await (outbox.send() if outbox.begun else outbox.bounce())

    async with opened(posting(send)) as registry:
        results = await registry.execute_turn([post_call(), post_call(), post_call()], scope=trio.CancelScope())
    assert sorted(states(result)[0] for result in results) == [*["mail.send committed"] * 2, "mail.send failed"]
    assert len(outbox.begun) == 2


async def test_the_wait_for_another_can_be_cut(autojump_clock: MockClock) -> None:
    """Nothing has happened then, and the first one goes on."""
    outbox = Outbox(seconds=10)
    async with opened(posting(outbox.send)) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(post_once, registry)
        await trio.sleep(1)
        result = await registry.execute(post_call(), scope=trio.CancelScope(deadline=4))
        assert trio.current_time() == 4
    assert (result.code, result.effects, outbox.begun) == (ErrorCode.ABORTED, (), [0])


async def test_the_look_comes_after_the_wait(autojump_clock: MockClock) -> None:
    """M021: a call that was given up meanwhile, behind a shield of its own, begins nothing."""
    outbox = Outbox(seconds=10)

    async def bounce_late() -> None:
        await trio.sleep(5)
        await outbox.bounce()

    async def body(ctx: ToolContext) -> None:
        with trio.CancelScope(shield=True):
            await ctx.irreversible("mail.send", outbox.send, key="m1")

    async with opened(posting(bounce_late), doing(body)) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(post_once, registry)
        await trio.sleep(1)
        result = await registry.execute(ToolCall("mail"), scope=trio.CancelScope(deadline=4))
        assert trio.current_time() == 5
    assert (result.code, result.effects, outbox.begun) == (ErrorCode.TOOL_FAILED, (), [5])
    assert "behind a shield of the tool's own" in result.text


async def test_a_key_whose_effect_could_not_be_recorded_is_free_again(autojump_clock: MockClock) -> None:
    outbox = Outbox()

    async def full(event: object) -> None:
        if isinstance(event, EffectBegun):
            raise OSError("disk full")

    async with opened(posting(outbox.send)) as registry:
        registration = registry.add_recorder(Log(full))
        refused = await post_once(registry)
        registration.remove()
        result = await post_once(registry)
    assert codes([refused, result]) == [ErrorCode.RECORD_FAILED, None]
    assert (len(outbox.sent), result.effects[0].earlier) == (1, False)


# --- what is no key ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "kind", "words"),
    [
        (7, TypeError, "must be a string, not int"),
        ("", ValueError, "is empty"),
        ("m\ud83d", ValueError, "cannot be kept"),
    ],
)
async def test_what_is_no_key_is_refused(key: str, kind: type[Exception], words: str) -> None:
    outbox = Outbox()

    async def body(ctx: ToolContext) -> None:
        with pytest.raises(kind, match=words):
            await ctx.irreversible("mail.send", outbox.send, key=key)

    async with opened(doing(body)) as registry:
        result = await once(registry, "mail")
    assert (result.error, result.effects, outbox.begun) == (None, (), [])
