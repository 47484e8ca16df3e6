"""A turn: what overlaps, what is a barrier, the cap, and the order of starts and of results."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Log, begin, nap, naps

from trio_tools import CallView, Deny, ErrorCode, ToolCall, open_registry, tool


async def test_neighbours_that_are_parallel_overlap_and_an_exclusive_call_is_a_barrier(
    autojump_clock: MockClock,
) -> None:
    """L002: both ways."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        calls = [*naps("ab"), *naps("cd", alone=True), *naps("ef")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert bodies.entered == {"a": 0, "b": 0, "c": 1, "d": 2, "e": 3, "f": 3}
    assert [result.text for result in results] == [*"abcdef"]


async def test_a_barrier_waits_for_the_slowest_before_it(autojump_clock: MockClock) -> None:
    """L002"""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        calls = [nap("a", 1), nap("b", 5), nap("c", 1, alone=True), nap("d", 1)]
        await registry.execute_turn(calls, scope=trio.CancelScope())
    assert bodies.entered == {"a": 0, "b": 0, "c": 5, "d": 6}


async def test_exclusive_means_within_its_turn(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L002: two turns do not wait for each other."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        for label in "ab":
            begin(nursery, registry, [nap(label, alone=True)])
        await trio.sleep(5)
    assert bodies.entered == {"a": 0, "b": 0}


async def test_a_barrier_holds_until_its_call_is_published(autojump_clock: MockClock) -> None:
    """L002: through review and observers."""

    async def linger(call: CallView, result: object) -> None:
        await trio.sleep(2)

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_post_policy(linger)
        registry.add_observer(linger)
        await registry.execute_turn([nap("a", alone=True), nap("b")], scope=trio.CancelScope())
    assert bodies.entered == {"a": 0, "b": 5}


async def test_the_cap_is_rolling(autojump_clock: MockClock) -> None:
    """L004, LT6: one starts as one settles."""
    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        calls = [nap("a", 3), nap("b", 1), nap("c", 1), nap("d", 1), nap("e", 1)]
        await registry.execute_turn(calls, scope=trio.CancelScope())
    assert bodies.entered == {"a": 0, "b": 0, "c": 1, "d": 2, "e": 3}
    assert bodies.most == 2


@pytest.mark.parametrize(("cap", "most"), [(None, 10), (1, 1), (3, 3), (100, 15)])
async def test_how_many_run_at_once(cap: int | None, most: int, autojump_clock: MockClock) -> None:
    """L004: ten by default, and one is serial."""
    async with open_registry() if cap is None else open_registry(max_parallel_calls=cap) as registry:
        bodies = Bodies(registry)
        await registry.execute_turn(naps("abcdefghijklmno"), scope=trio.CancelScope())
    assert bodies.most == most


@pytest.mark.parametrize("cap", [0, -1, 1.0, 2.5, True, "3", ()])
def test_a_cap_is_a_positive_integer(cap: object) -> None:
    """L004"""
    with pytest.raises(ValueError, match="max_parallel_calls must be a positive integer"):
        open_registry(max_parallel_calls=cap)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["policy_grace", "observer_grace", "recorder_grace"])
def test_a_grace_is_positive_and_finite(name: str, seconds: float) -> None:
    """No shield without a bound."""
    with pytest.raises(ValueError, match=f"{name} must be a positive finite number of seconds"):
        open_registry(**{name: seconds})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("slow", [False, True])
async def test_gates_are_passed_in_call_order_one_after_the_other(slow: bool, autojump_clock: MockClock) -> None:
    """L005, LT1: Trio starts its children in any order."""
    story: list[str] = []

    async def ponder(call: CallView) -> None:
        story.append(f"in {call.id}")
        if slow:
            await trio.sleep(1)
        story.append(f"out {call.id}")

    labels = "abcdefghijklmnopqrst"
    async with open_registry(max_parallel_calls=20) as registry:
        bodies = Bodies(registry)
        registry.add_pre_policy(ponder)
        await registry.execute_turn(naps(labels, 100), scope=trio.CancelScope())
    assert story == [f"{way} {label}" for label in labels for way in ("in", "out")]
    assert bodies.most == 20


async def test_the_order_of_starts_and_settlements_with_a_cap(autojump_clock: MockClock) -> None:
    """L007, D23, B31: the record of four calls, two at once, the first one done first. All of them are there before
    anything runs: a crash leaves none that nobody knows of."""
    log = Log()
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        calls = [nap("c1", 1), nap("c2", 4), nap("c3", 1), nap("c4", 9)]
        await registry.execute_turn(calls, scope=trio.CancelScope())
    story = [line for line in log.story if line.split()[0] in ("accepted", "settled")]
    assert story == [
        *("accepted c1", "accepted c2", "accepted c3", "accepted c4"),
        *("settled c1", "settled c3", "settled c2", "settled c4"),
    ]


async def test_results_come_in_call_order_whichever_ends_first(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """L006, D23: denied and failed ones in their place; each settles as it ends."""
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_pre_policy(lambda call: Deny("no") if call.id == "b" else None)
        calls = [nap("a", 4), nap("b"), nap("c", 1), ToolCall("nap", {}, id="d"), nap("e", 1)]
        run = begin(nursery, registry, calls)
        await trio.sleep(10)
    assert run.codes == [None, ErrorCode.DENIED, None, ErrorCode.INVALID_ARGS, None]
    assert run.results is not None
    assert [result.call_id for result in run.results] == [*"abcde"]
    assert run.settled == {1: 0, 2: 1, 0: 4, 3: 4, 4: 5}


async def test_a_turn_without_calls_has_no_results() -> None:
    """L014"""
    async with open_registry() as registry:
        assert await registry.execute_turn([], scope=trio.CancelScope()) == ()


async def test_tools_are_advertised_in_one_order() -> None:
    """L023: by name, however they were registered."""
    async with open_registry() as registry:
        for name in ("write", "Read", "glob", "a-b", "a_b"):
            registry.register(tool(name=name)(Bodies.sleep.__get__(object())))
        assert [schema["name"] for schema in registry.schemas()] == sorted(("write", "Read", "glob", "a-b", "a_b"))
