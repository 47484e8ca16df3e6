"""A recorder that fails or overruns: before the body the call is refused, after it new calls are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, Log, begin, codes, kind, nap, naps, once

from trio_tools import (
    CallEvent,
    CallNext,
    Deny,
    Dispatch,
    ErrorCode,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

Before: TypeAlias = Callable[[CallEvent], Awaitable[None]]


async def _raise(event: CallEvent) -> None:
    raise OSError("disk full")


async def _exit(event: CallEvent) -> None:
    raise SystemExit(1)


async def _hang(event: CallEvent) -> None:
    await trio.sleep_forever()


async def _outstay(event: CallEvent) -> None:
    with trio.CancelScope(shield=True):
        await trio.sleep(60)


async def _swallow(event: CallEvent) -> None:
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        return


def failing_at(what: str, how: Before, *, id: str | None = None) -> Log:  # noqa: A002
    """A recorder that fails at one kind of event, of one call if an id is given."""

    async def before(event: CallEvent) -> None:
        if kind(event) == what and (id is None or event.ref.call_id == id):
            await how(event)

    return Log(before)


@tool
async def echo(text: str) -> str:
    return text


@pytest.mark.parametrize("how", [_raise, _exit, _hang, _outstay, _swallow])
@pytest.mark.parametrize("what", ["accepted", "decided", "dispatching"])
async def test_a_call_whose_way_to_the_body_is_not_recorded_is_refused(
    what: str, how: Before, autojump_clock: MockClock
) -> None:
    """R094, L016: RECORD_FAILED, the body never runs, and it is published once. An overrun counts as a failure."""
    heard = Heard()
    async with open_registry(recorder_grace=2) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(failing_at(what, how))
        registry.add_observer(heard)
        result = await registry.execute(nap("a"), scope=trio.CancelScope())
        assert registry.pending() == []
    assert (result.code, result.dispatched, bodies.entered) == (ErrorCode.RECORD_FAILED, False, {})
    assert heard.results == [result]


@pytest.mark.parametrize("what", ["accepted", "decided", "dispatching"])
async def test_a_refused_call_refuses_no_later_one(what: str) -> None:
    """The record has no hole: what was not recorded did not happen."""
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(failing_at(what, _raise, id="first"))
        first = await once(registry, "echo", "first", text="a")
        second = await once(registry, "echo", "second", text="b")
    assert codes([first, second]) == [ErrorCode.RECORD_FAILED, None]


@pytest.mark.parametrize("how", [_raise, _exit, _hang, _outstay, _swallow])
async def test_when_a_result_is_not_recorded_it_stands_and_new_calls_are_refused(
    how: Before, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """R094: until that recorder is removed; the failure is logged."""
    heard = Heard()
    async with open_registry(recorder_grace=2) as registry:
        bodies = Bodies(registry)
        registry.add_observer(heard)
        registration = registry.add_recorder(failing_at("settled", how, id="a"))
        results = [await registry.execute(nap(label), scope=trio.CancelScope()) for label in "abc"]
        registration.remove()
        results.append(await registry.execute(nap("d"), scope=trio.CancelScope()))
    assert codes(results) == [None, ErrorCode.RECORD_FAILED, ErrorCode.RECORD_FAILED, None]
    assert ([*bodies.entered], heard.results) == (["a", "d"], results)
    assert "ERROR" in [record.levelname for record in caplog.records]


async def test_new_calls_are_refused_wherever_they_come_from(autojump_clock: MockClock) -> None:
    """Calls that wait in the same turn and calls that a running body makes are new; what runs, runs on."""
    nested: list[ToolResult] = []

    @tool(parallel=True)
    async def outer() -> str:
        await trio.sleep(2)
        nested.append(await once(registry, "nap", "nested", label="nested"))
        return "done"

    async with open_registry(max_parallel_calls=2) as registry:
        registry.register(outer)
        bodies = Bodies(registry)
        registry.add_recorder(failing_at("settled", _raise, id="a"))
        results = await registry.execute_turn([nap("a"), ToolCall("outer"), nap("b")], scope=trio.CancelScope())
    assert codes([*results, *nested]) == [None, None, ErrorCode.RECORD_FAILED, ErrorCode.RECORD_FAILED]
    assert [*bodies.entered] == ["a"]


async def test_a_refused_call_does_not_make_up_for_a_result_that_was_lost(autojump_clock: MockClock) -> None:
    """New calls stay refused, whatever else the recorder fails at meanwhile."""

    async def before(event: CallEvent) -> None:
        if (kind(event), event.ref.call_id) in {("settled", "a"), ("dispatching", "b")}:
            raise OSError("disk full")

    async def late(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await trio.sleep(5 if dispatch.id == "b" else 0)
        return await call_next()

    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(Log(before))
        registry.add_wrapper(late)
        results = await registry.execute_turn(naps("ab"), scope=trio.CancelScope())
        later = await registry.execute(nap("c"), scope=trio.CancelScope())
    assert codes([*results, later]) == [None, ErrorCode.RECORD_FAILED, ErrorCode.RECORD_FAILED]


@pytest.mark.parametrize("what", ["accepted", "decided", "dispatching"])
@pytest.mark.parametrize("order", ["sound one first", "broken one first"])
async def test_the_record_of_a_sound_recorder_stays_balanced_when_another_fails(what: str, order: str) -> None:
    """L014: a call that it was told of has a result there as well."""
    sound, broken = Log(), failing_at(what, _raise)
    async with open_registry() as registry:
        registry.register(echo)
        for recorder in (sound, broken) if order == "sound one first" else (broken, sound):
            registry.add_recorder(recorder)
        result = await once(registry, "echo", "a", text="a")
    assert result.code == ErrorCode.RECORD_FAILED
    assert sound.story.count("accepted a") == sound.story.count("settled a")


async def test_a_denial_stands_when_its_record_fails() -> None:
    """R021: nothing is going to happen that would need a record."""
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_pre_policy(lambda call: Deny("not here"))
        registry.add_recorder(failing_at("decided", _raise))
        result = await once(registry, "echo", text="a")
    assert (result.code, result.text) == (ErrorCode.DENIED, "Error: not here")


async def test_a_later_attempt_that_cannot_be_recorded_is_not_made() -> None:
    """R047, D9: that the body ran before is not forgotten."""
    runs: list[str] = []

    @tool
    async def count() -> str:
        runs.append("run")
        return "a"

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        log.before = _raise_at_dispatching
        return await call_next()

    async def _raise_at_dispatching(event: CallEvent) -> None:
        if kind(event) == "dispatching":
            raise OSError("disk full")

    log = Log()
    async with open_registry() as registry:
        registry.register(count)
        registry.add_wrapper(twice)
        registry.add_recorder(log)
        result = await once(registry, "count")
    assert (result.code, result.dispatched, runs) == (ErrorCode.RECORD_FAILED, True, ["run"])


@dataclass
class Unhashable:
    """A recorder that compares by value, as a dataclass does, and so cannot be put in a set."""

    path: str

    async def __call__(self, event: CallEvent) -> None:
        if kind(event) == "settled":
            raise OSError("disk full")


async def test_a_recorder_may_be_any_callable() -> None:
    """R094: also one that cannot be hashed; it fails as others do."""
    heard = Heard()
    async with open_registry() as registry:
        registry.register(echo)
        registry.add_recorder(Unhashable("a"))
        registry.add_observer(heard)
        results = [await once(registry, "echo", text="a"), await once(registry, "echo", text="b")]
    assert (codes(results), heard.results) == ([None, ErrorCode.RECORD_FAILED], results)


async def test_of_two_recorders_that_are_equal_the_broken_one_is_meant() -> None:
    """Removing the sound one does not make up for the record that the other lost."""

    @dataclass(eq=True, frozen=True)
    class Equal:
        path: str

        async def __call__(self, event: CallEvent) -> None:
            if kind(event) == "settled" and self is broken:
                raise OSError("disk full")

    broken, sound = Equal("a"), Equal("a")
    async with open_registry() as registry:
        registry.register(echo)
        broken_one, sound_one = registry.add_recorder(broken), registry.add_recorder(sound)
        results = [await once(registry, "echo", text="a")]
        sound_one.remove()
        results.append(await once(registry, "echo", text="b"))
        broken_one.remove()
        results.append(await once(registry, "echo", text="c"))
    assert codes(results) == [None, ErrorCode.RECORD_FAILED, None]


async def test_a_recorder_that_is_cut_holds_nobody_up(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """All recording is bounded: by default five seconds for each event."""
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(failing_at("settled", _hang))
        run = begin(nursery, registry, naps("ab"))
        await trio.sleep(20)
    assert (run.codes, run.settled) == ([None, None], {0: 6, 1: 6})
