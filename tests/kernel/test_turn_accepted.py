"""All calls of a turn are recorded as accepted, in call order, before anything of it begins: after a crash a journal
knows of those that waited too (B31, L014)."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, Heard, Log, at_rest_while_waiting, begin, codes, kind, nap, naps

from trio_tools import CallEvent, CallView, Cause, ErrorCode, ToolCall, ToolResult, open_registry, tool
from trio_tools.testing import Gate

NEVER_RAN, REFUSED = str(ErrorCode.ABORTED_BEFORE_DISPATCH), str(ErrorCode.RECORD_FAILED)


def when(what: str, act: Callable[[], Awaitable[None]], *, label: str | None = None) -> Log:
    """A recorder that does something before it keeps one kind of event, of one call if its label is given."""

    async def before(event: CallEvent) -> None:
        if kind(event) == what and label in (None, event.ref.call_id):
            await act()

    return Log(before)


async def a_second() -> None:
    await trio.sleep(1)


async def disk_full() -> None:
    raise OSError("disk full")


def accepted(labels: str) -> list[str]:
    return [f"accepted {label}" for label in labels]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("cap", [10, 1])
async def test_nothing_begins_before_all_are_recorded(alone: bool, cap: int, autojump_clock: MockClock) -> None:
    """B31: neither a gate nor a body, however few may run at once."""
    log, gates = when("accepted", a_second), list[float]()
    async with open_registry(max_parallel_calls=cap) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_pre_policy(lambda call: gates.append(trio.current_time()))
        await registry.execute_turn(naps("abcd", alone=alone), scope=trio.CancelScope())
    assert log.story[:4] == accepted("abcd")
    assert (min(gates), min(bodies.entered.values())) == (4, 4)
    assert log.unbalanced(range(4)) == []
    assert {event.ref.turn for event in log.events} == {log.events[0].ref.turn}


@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
async def test_a_cancel_meanwhile_is_noted_in_time_and_nothing_begins(whose: str, autojump_clock: MockClock) -> None:
    """B36, L010: each start and each end is recorded, in call order."""
    log, heard = when("accepted", a_second), Heard()
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_observer(heard)
        mine, other = trio.CancelScope(), trio.CancelScope()
        (mine if whose == "handed over" else other).deadline = 1.5
        with at_rest_while_waiting(autojump_clock), other:
            await registry.execute_turn(naps("abc"), scope=mine)
    assert (codes(heard.results), bodies.entered) == ([NEVER_RAN] * 3, {})
    assert log.story == [*accepted("abc"), *(f"settled {label}" for label in "abc")]
    assert [(event.cancelled_at, event.cause) for event in log.settled] == [(1.5, Cause.CALLER)] * 3


@pytest.mark.parametrize("label", ["a", "c"])
async def test_a_call_that_an_operator_ends_meanwhile_settles_when_all_are_recorded(
    label: str, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """B35: ahead of those that wait for a place, and it alone."""
    log = when("accepted", a_second)
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, naps("abc"))
        await trio.sleep(0.5)
        assert registry.cancel(label) == 1
        await trio.sleep(10)
    assert run.codes == [NEVER_RAN if one == label else None for one in "abc"]
    assert (log.story[:3], label in bodies.entered) == (accepted("abc"), False)
    assert run.settled["abc".index(label)] == 3


async def test_a_registry_that_drains_meanwhile_starts_nothing(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    log = when("accepted", a_second)
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, naps("abc"))
        await trio.sleep(0.5)
        await registry.drain()
    assert bodies.entered.keys() <= {"a"}
    assert (run.codes[1:], log.story[:3]) == ([NEVER_RAN] * 2, accepted("abc"))
    assert log.unbalanced(range(3)) == []


async def test_calls_that_come_while_a_registry_drains_are_recorded_so(autojump_clock: MockClock) -> None:
    log = Log()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(log)
        await registry.drain()
        results = await registry.execute_turn(naps("abc"), scope=trio.CancelScope())
    assert codes(results) == [NEVER_RAN] * 3
    assert log.story == [*accepted("abc"), *(f"settled {label}" for label in "abc")]


# --- recorders that fail ----------------------------------------------------------------------------------------------


async def test_who_fails_at_one_is_not_asked_about_later_ones_and_they_are_refused(autojump_clock: MockClock) -> None:
    """L014: the earlier ones run, and the books of both recorders balance."""
    broken, sound = when("accepted", disk_full, label="b"), Log()
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(broken)
        registry.add_recorder(sound)
        results = await registry.execute_turn(naps("abcd"), scope=trio.CancelScope())
        later = await registry.execute_turn(naps("ef"), scope=trio.CancelScope())
    assert codes(results) == [None, REFUSED, REFUSED, REFUSED]
    assert codes(later) == [None, None]
    assert {result.text for result in results[1:]} == {"Error: the call could not be recorded: OSError: disk full"}
    assert ([*bodies.entered], sound.story[:4]) == ([*"aef"], accepted("abcd"))
    assert {line for line in broken.story if line[-1] in "bcd"} == set()
    assert sorted(line for line in sound.story if "settled" in line) == [f"settled {label}" for label in "abcdef"]


async def test_one_that_hangs_costs_one_grace_and_not_one_for_each_call(autojump_clock: MockClock) -> None:
    log = when("accepted", trio.sleep_forever)
    async with open_registry(recorder_grace=2) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        results = await registry.execute_turn(naps("abcdefgh"), scope=trio.CancelScope())
        assert trio.current_time() == 2
    assert (codes(results), log.events) == ([REFUSED] * 8, [])


async def test_what_fails_intake_is_told_so_though_it_could_not_be_recorded() -> None:
    """D29: the model needs to know what was wrong."""
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(when("accepted", disk_full))
        calls = [nap("a"), ToolCall("nowhere"), ToolCall("nap", "{")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert codes(results) == [REFUSED, ErrorCode.UNKNOWN_TOOL, ErrorCode.INVALID_ARGS]


async def test_a_turn_that_is_refused_has_its_calls_recorded_as_soon_as_they_may_be(autojump_clock: MockClock) -> None:
    """A recorder that has lost a call's end is removed midway: from there on all that wait are recorded, and run."""
    sound, broken = Log(), when("settled", disk_full, label="a")
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registration = registry.add_recorder(broken)
        registry.add_recorder(sound)
        await registry.execute(nap("a"), scope=trio.CancelScope())
        sound.events.clear()

        def lift(position: int, result: ToolResult) -> None:
            if position == 0:
                registration.remove()

        calls = naps("bcd", alone=True)
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), on_settled=lift)
    assert (codes(results), [*bodies.entered]) == ([REFUSED, None, None], [*"acd"])
    assert sound.story[:2] == accepted("cd")
    assert sound.unbalanced([1, 2]) == []


def test_ctrl_c_in_a_recorder_loses_no_later_start_or_end() -> None:
    """D17: it did not fail by itself, and is asked on."""
    heard = Heard()

    async def strike() -> None:
        signal.raise_signal(signal.SIGINT)

    log = when("accepted", strike, label="a")

    async def main() -> None:
        async with open_registry() as registry:
            Bodies(registry)
            registry.add_recorder(log)
            registry.add_observer(heard)
            await registry.execute_turn(naps("abc"), scope=trio.CancelScope())

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert codes(heard.results) == [REFUSED, NEVER_RAN, NEVER_RAN]
    assert log.story == [*accepted("bc"), "settled b", "settled c"]


# --- what stays as it was ---------------------------------------------------------------------------------------------


async def test_a_tool_is_still_looked_up_when_its_call_starts(autojump_clock: MockClock) -> None:
    """D25: though its call was accepted long before."""

    async def two() -> str:
        return "two"

    async def replace() -> None:
        if "nap" in registry.tools:
            registry.unregister("nap")
            registry.register(tool(name="nap")(two))

    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(when("settled", replace, label="a"))
        calls = [nap("a", alone=True), ToolCall("nap"), ToolCall("alone")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.text for result in results][:2] == ["a", "two"]
    assert results[2].code == ErrorCode.INVALID_ARGS


async def test_a_recorder_that_joins_midway_hears_of_later_turns(autojump_clock: MockClock) -> None:
    """L014: who did not hear of a start hears of no end."""
    late = Log()

    def join(call: CallView, result: ToolResult) -> None:
        if call.id == "a":
            registry.add_recorder(late)

    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_recorder(Log())
        registry.add_observer(join)
        await registry.execute_turn(naps("ab"), scope=trio.CancelScope())
        assert late.events == []
        await registry.execute_turn(naps("c"), scope=trio.CancelScope())
    assert late.unbalanced([0]) == []


@pytest.mark.parametrize("label", ["a", "b"])
async def test_those_that_wait_meanwhile_say_for_whom(
    label: str, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """The first one too, which is recorded already when the second one is."""
    gate = Gate()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(when("accepted", gate.wait, label=label))
        begin(nursery, registry, naps("abc"))
        await wait_all_tasks_blocked()
        assert [call.waits_for for call in registry.pending()] == ["a recorder"] * 3
        gate.open()
