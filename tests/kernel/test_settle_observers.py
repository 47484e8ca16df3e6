"""Observers and `on_settled`: who hears of a result, how often, and what a failing listener changes: nothing."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, Log, begin, nap, naps, once

from trio_tools import CallView, ErrorCode, ToolCall, ToolResult, open_registry, tool


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Nameless:
    """An observer that fails, and cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("not even this")

    def __call__(self, call: CallView, result: ToolResult) -> None:
        raise OSError("no terminal")


@tool
async def echo(text: str) -> str:
    return text


async def test_everybody_gets_the_very_object_that_the_caller_gets() -> None:
    """R093, R090"""
    heard, log, told = Heard(), Log(), list[ToolResult]()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(heard)
        registry.add_recorder(log)
        (result,) = await registry.execute_turn(
            [ToolCall("echo", {"text": "a"})],
            scope=trio.CancelScope(),
            on_settled=lambda position, result: told.append(result),
        )
    assert [one is result for one in (*heard.results, *told, *(event.result for event in log.settled))] == [True] * 3


@pytest.mark.parametrize(
    ("thrown", "logged"),
    [
        (OSError("no terminal"), "no terminal"),
        (SystemExit(3), "SystemExit"),
        (BaseExceptionGroup("two", [OSError("no terminal"), SystemExit(3)]), "two"),
        (UnprintableError(), "<unprintable thrown value>"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
async def test_one_that_fails_is_logged_and_the_others_still_run(
    thrown: BaseException, logged: str, is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """R093, R095, D18: in order, each guarded; the result stands."""
    order: list[str] = []

    def fail(call: CallView, result: ToolResult) -> None:
        order.append("failing")
        raise thrown

    async def fail_later(call: CallView, result: ToolResult) -> None:
        await trio.lowlevel.checkpoint()
        fail(call, result)

    async def last(call: CallView, result: ToolResult) -> None:
        await trio.lowlevel.checkpoint()
        order.append("last")

    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(lambda call, result: order.append("first"))
        registry.add_observer(fail_later if is_async else fail)
        registry.add_observer(last)
        result = await once(registry, "echo", text="a")
    assert (result.text, result.code) == ("a", None)
    assert order == ["first", "failing", "last"]
    assert [record.levelname for record in caplog.records if logged in record.message] == ["WARNING"]


async def test_one_that_fails_and_cannot_be_shown_changes_nothing() -> None:
    """R093"""
    heard = Heard()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(Nameless())
        registry.add_observer(heard)
        result = await once(registry, "echo", text="a")
        assert registry.pending() == []
    assert heard.results == [result]


async def test_one_that_hangs_is_cut_at_the_grace_and_the_others_still_run(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """D18: one bounded shield for all observers of a call."""
    cut_at: list[float] = []

    async def hang(call: CallView, result: ToolResult) -> None:
        try:
            await trio.sleep_forever()
        finally:
            cut_at.append(trio.current_time())

    heard = Heard()
    async with open_registry(observer_grace=2) as registry:
        registry.register(echo)
        for observer in (hang, hang, heard):
            registry.add_observer(observer)
        result = await once(registry, "echo", text="a")
    assert (result.text, cut_at, trio.current_time()) == ("a", [2, 2], 2)
    assert heard.results == [result]
    assert len(caplog.records) == 2


async def test_an_observer_may_be_slow_within_its_grace(autojump_clock: MockClock) -> None:
    """D18: by default five seconds; the call waits for it."""
    ended: list[float] = []

    async def linger(call: CallView, result: ToolResult) -> None:
        await trio.sleep(4)
        ended.append(trio.current_time())

    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(linger)
        await once(registry, "echo", text="a")
    assert (ended, trio.current_time()) == ([4], 4)


@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
async def test_observers_of_a_cancelled_call_come_to_their_end(whose: str, autojump_clock: MockClock) -> None:
    """RT9, D4, D18: between a result and its publication nothing is lost."""
    ended: list[str | None] = []

    async def linger(call: CallView, result: ToolResult) -> None:
        await trio.sleep(3)
        ended.append(result.code)

    async with open_registry() as registry:
        Bodies(registry)
        registry.add_observer(linger)
        with trio.CancelScope(deadline=trio.current_time() + (1 if whose == "enclosing" else 60)):
            scope = trio.CancelScope(deadline=trio.current_time() + (60 if whose == "enclosing" else 1))
            await registry.execute(nap("a", 30), scope=scope)
        assert (ended, trio.current_time()) == ([ErrorCode.ABORTED], 4)


async def test_what_an_observer_cancels_is_too_late() -> None:
    """R094: the result was made before, and there is no second one."""
    scope, heard = trio.CancelScope(), Heard()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(lambda call, result: scope.cancel())
        registry.add_observer(heard)
        result = await registry.execute(ToolCall("echo", {"text": "a"}, id="c"), scope=scope)
    assert (result.code, heard.ids) == (None, ["c"])


async def test_each_call_is_published_once_nested_ones_too() -> None:
    """R094"""
    heard = Heard()

    @tool
    async def outer() -> str:
        return (await once(registry, "echo", "inner", text="a")).text

    async with open_registry() as registry:
        registry.register(outer)
        registry.register(echo)
        registry.add_observer(heard)
        calls = [ToolCall("outer", id="outer"), ToolCall("nothing", id="unknown"), ToolCall("echo", "[", id="bad")]
        await registry.execute_turn(calls, scope=trio.CancelScope())
    assert heard.ids == ["inner", "outer", "unknown", "bad"]


async def test_what_an_observer_may_see_of_the_call() -> None:
    """R093, R005: also where there is no tool and no arguments."""
    heard = Heard()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(heard)
        await once(registry, "echo", "good", text="a")
        await registry.execute(ToolCall("nothing", "{"), scope=trio.CancelScope())
    good, bad = heard.views
    assert (good.id, good.name, good.tool, good.stage) == ("good", "echo", echo, "settle")
    assert good.arguments == {"text": "a"}
    assert (bad.id, bad.name, bad.tool, bad.arguments, bad.stage) == (None, "nothing", None, None, "settle")
    assert good.token is not bad.token


async def test_observers_that_come_or_go_concern_later_results() -> None:
    early, late = Heard(), Heard()
    async with open_registry() as registry:
        registry.register(echo)
        with registry.add_observer(early):
            await once(registry, "echo", "a", text="a")
        registry.add_observer(late)
        await once(registry, "echo", "b", text="b")
    assert (early.ids, late.ids) == (["a"], ["b"])


async def test_on_settled_is_called_once_per_call_as_each_settles(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """R094, D23: with the position, in the order of settling, whatever becomes of the call."""
    async with open_registry() as registry:
        Bodies(registry)
        calls = [nap("a", 3), nap("b", 1), ToolCall("nothing"), nap("c", 1)]
        run = begin(nursery, registry, calls)
        await trio.sleep(10)
    assert [position for position, _ in run.told] == [1, 0, 2, 3]
    assert run.settled == {1: 1, 0: 3, 2: 3, 3: 4}
    assert run.results == tuple(result for _, result in sorted(run.told, key=lambda one: one[0]))


async def test_on_settled_is_called_while_the_turn_is_being_cancelled(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """R094, D10, D23"""
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        run = begin(nursery, registry, naps("abcd"))
        await trio.sleep(0.5)
        run.scope.cancel()
        await trio.sleep(1)
    assert sorted(position for position, _ in run.told) == [0, 1, 2, 3]
    assert set(run.settled.values()) == {0.5}


@pytest.mark.parametrize(
    "thrown", [OSError("no terminal"), SystemExit(3), UnprintableError(), ExceptionGroup("g", [OSError()])]
)
async def test_an_on_settled_that_fails_is_harmless(thrown: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    """R093: it is called for each call all the same, and observers hear of all."""
    told: list[int] = []
    heard = Heard()

    def fail(position: int, result: ToolResult) -> None:
        told.append(position)
        raise thrown

    async with open_registry() as registry:
        registry.register(echo)
        registry.add_observer(heard)
        calls = [ToolCall("echo", {"text": text}) for text in "ab"]
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), on_settled=fail)
    assert (told, [result.text for result in results]) == ([0, 1], ["a", "b"])
    assert heard.results == [*results]
    assert len(caplog.records) == 2
