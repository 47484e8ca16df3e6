"""Case B36: a history out of balance after a cancel. Exactly one result per call, in call order, in the record."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Log, Run, at_rest_while_waiting, begin, kind, nap, naps

from trio_tools import CallEvent, CallView, ErrorCode, Registry, ToolCall, ToolResult, open_registry, tool

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


def recorded(log: Log) -> list[str]:
    """The codes of the results in the record, by the place of their calls; each call has exactly one."""
    places = [event.ref.position for event in log.settled]
    assert sorted(places) == [*range(len(places))]
    return [str(event.result.code) for event in sorted(log.settled, key=lambda event: event.ref.position)]


async def follows(registry: Registry, log: Log) -> bool:
    """Whether a fresh turn can follow at once, in a record that is in balance."""
    assert log.unbalanced(range(3)) == []
    before = len(log.settled)
    (result,) = await registry.execute_turn([nap("fresh", 0)], scope=trio.CancelScope())
    return result.code is None and len(log.settled) == before + 1


@pytest.mark.parametrize(
    ("at", "codes"),
    [
        (None, [NEVER_RAN, NEVER_RAN, NEVER_RAN]),
        (0.0, [NEVER_RAN, NEVER_RAN, NEVER_RAN]),
        (0.5, [ABORTED, NEVER_RAN, NEVER_RAN]),
        (1.5, ["None", ABORTED, NEVER_RAN]),
        (9.0, ["None", "None", "None"]),
    ],
)
@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
async def test_case_b36_cancelled_before_or_during_a_call(
    at: float | None, codes: list[str], whose: str, autojump_clock: MockClock
) -> None:
    """Case B36 (a), (b), L010, L012, D4: `None` is before the turn begins."""
    log = Log()
    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        mine, other = trio.CancelScope(), trio.CancelScope()
        given_up = mine if whose == "handed over" else other
        with other:
            if at is None:
                given_up.cancel()
            else:
                given_up.deadline = trio.current_time() + at
            await registry.execute_turn(naps("abc"), scope=mine)
        assert recorded(log) == codes
        assert await follows(registry, log)


@pytest.mark.parametrize("when", ["observer", "on_settled", "recorder", "gate"])
async def test_case_b36_cancelled_between_two_calls(when: str, autojump_clock: MockClock) -> None:
    """Case B36 (c): as the first has ended, before the second begins."""
    scope = trio.CancelScope()

    def cancel(*_: object) -> None:
        scope.cancel()

    async def note(event: CallEvent) -> None:
        if (kind(event), when) == ("settled", "recorder"):
            cancel()

    def gate(call: CallView) -> None:
        if (call.id, when) == ("b", "gate"):
            cancel()

    log = Log(note)
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_pre_policy(gate)
        if when == "observer":
            registry.add_observer(cancel)
        results = await registry.execute_turn(
            naps("abc"), scope=scope, on_settled=cancel if when == "on_settled" else None
        )
        assert [str(result.code) for result in results] == ["None", NEVER_RAN, NEVER_RAN] == recorded(log)
        assert [*bodies.entered] == ["a"]
        assert await follows(registry, log)


@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
async def test_case_b36_cancelled_while_a_result_is_being_written(whose: str, autojump_clock: MockClock) -> None:
    """Case B36 (d), D4: a slow disk; what the second came to was decided before. Nothing is busy meanwhile."""

    async def slowly(event: CallEvent) -> None:
        if kind(event) == "settled":
            await trio.sleep(2)

    log = Log(slowly)
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        mine, other = trio.CancelScope(), trio.CancelScope()
        # a: 0 to 1, written until 3; b: 3 to 4, written until 6
        (mine if whose == "handed over" else other).deadline = trio.current_time() + 5
        with at_rest_while_waiting(autojump_clock), other:
            await registry.execute_turn(naps("abc"), scope=mine)
        assert trio.current_time() in (7, 8)  # c may be written beside b or after it
        assert (recorded(log), [*bodies.entered]) == (["None", "None", NEVER_RAN], ["a", "b"])
        assert await follows(registry, log)


async def test_case_b36_cancelled_while_a_start_is_being_written(autojump_clock: MockClock) -> None:
    """Case B36 (d): the pair of a call whose start is half written is completed, and its body never runs."""

    async def slowly(event: CallEvent) -> None:
        if kind(event) in ("accepted", "dispatching"):
            await trio.sleep(1)

    for at in (0.5, 1.5):
        log = Log(slowly)
        async with open_registry(max_parallel_calls=1) as registry:
            bodies = Bodies(registry)
            registry.add_recorder(log)
            with at_rest_while_waiting(autojump_clock):
                scope = trio.CancelScope(deadline=trio.current_time() + at)
                await registry.execute_turn(naps("abc"), scope=scope)
            assert (recorded(log), bodies.entered) == ([NEVER_RAN] * 3, {})
            assert await follows(registry, log)


async def _cancelled_twice(registry: Registry) -> None:
    async with trio.open_nursery() as around:
        run = begin(around, registry, [nap(f"{label} at {trio.current_time()}", 9) for label in "abc"])
        await trio.sleep(3)
        run.scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.sleep(0.3)
        run.scope.cancel()
        around.cancel_scope.cancel()


async def test_case_b36_cancelled_twice_in_a_row(autojump_clock: MockClock) -> None:
    """Case B36 (e), D19: twice the same scope, the enclosing one on top, and the next turn cancelled as well."""

    async def slowly(event: CallEvent) -> None:
        await trio.sleep(0.5)

    log = Log(slowly)
    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        for _ in range(2):
            log.events.clear()
            with at_rest_while_waiting(autojump_clock):
                await _cancelled_twice(registry)
            assert recorded(log) == [ABORTED, NEVER_RAN, NEVER_RAN]
            assert log.unbalanced(range(3)) == []
        log.events.clear()
        assert await _fresh(registry, log)


async def _fresh(registry: Registry, log: Log) -> bool:
    run = Run(registry, naps("xyz", 0))
    await run.go()
    return run.codes == [None, None, None] and log.unbalanced(range(3)) == []


async def test_case_b36_operators_and_callers_at_once(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B36: whoever gives up whichever call, each has one result and all are in call order."""
    log = Log()
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, naps("abcdef", 3))
        await trio.sleep(1)
        registry.cancel("e")
        registry.cancel("a")
        await trio.sleep(1)
        run.scope.cancel()
        registry.cancel("b")
        await trio.sleep(1)
    assert recorded(log) == [ABORTED, ABORTED, ABORTED, NEVER_RAN, NEVER_RAN, NEVER_RAN]
    assert [event.cause for event in sorted(log.settled, key=lambda event: event.ref.position)] == [
        *("operator", "caller", "caller", "caller", "operator", "caller"),
    ]
    assert run.results is not None
    assert [result.call_id for result in run.results] == [*"abcdef"]
    assert log.unbalanced(range(6)) == []


async def test_case_b36_a_cancelled_turn_with_calls_that_cannot_run(autojump_clock: MockClock) -> None:
    """Case B36, D3: one that is unknown and one that cannot be read are in the record like all others."""
    log = Log()
    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        calls = [nap("a", 9), ToolCall("nothing", id="b"), ToolCall("nap", '{"label": ', id="c")]
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        await registry.execute_turn(calls, scope=scope)
        assert recorded(log) == [ABORTED, "UNKNOWN_TOOL", "INVALID_ARGS"]
        assert await follows(registry, log)


async def test_case_b36_a_nested_turn_is_balanced_too(autojump_clock: MockClock) -> None:
    """Case B36: cancelled from further out."""
    log = Log()

    @tool
    async def outer() -> str:
        results = await registry.execute_turn(naps("xyz", 9), scope=trio.CancelScope())
        return str(len(results))

    async with open_registry(max_parallel_calls=1) as registry:
        registry.register(outer)
        Bodies(registry)
        registry.add_recorder(log)
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        await registry.execute(ToolCall("outer", id="o"), scope=scope)
    story = [line for line in log.story if line.split()[0] in ("accepted", "settled")]
    assert sorted(story) == sorted(f"{what} {label}" for label in "oxyz" for what in ("accepted", "settled"))


async def test_case_b36_what_the_caller_holds_is_what_the_record_holds(autojump_clock: MockClock) -> None:
    """Case B36, R093: the same results, in the same order."""
    log, told = Log(), dict[int, ToolResult]()
    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        scope = trio.CancelScope(deadline=trio.current_time() + 1.5)
        results = await registry.execute_turn(naps("abcde"), scope=scope, on_settled=told.__setitem__)
    assert [told[place] for place in range(5)] == [*results]
    assert {event.ref.position: event.result for event in log.settled} == told
