"""One call's failure is its own; a bug of ours stops the starting, drains what runs, and goes on."""

from __future__ import annotations

import attrs
import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, begin, codes, let_go, nap, naps

from trio_tools import CallNext, Dispatch, ErrorCode, Registry, Tool, ToolCall, ToolResult, open_registry, tool
from trio_tools.tool._signature import TypedSignature
from trio_tools.values import FrozenDict


class BugError(Exception):
    """Stands for a bug of the scheduler."""


@attrs.frozen
class BrokenSignature(TypedSignature):
    """What a bug at the start of a call looks like: reading the arguments, which never raises, does."""

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        raise BugError(arguments.get("label"))


def broken(one: Tool, name: str = "broken") -> Tool:
    """The tool, with a bug in the way to its start."""
    assert isinstance(one.signature, TypedSignature)
    fields = attrs.asdict(one.signature, recurse=False)
    return attrs.evolve(one, name=name, signature=BrokenSignature(**fields))


@pytest.mark.parametrize(
    "thrown", [ValueError("a"), SystemExit(1), BaseExceptionGroup("g", [KeyError("k"), SystemExit()])]
)
@pytest.mark.parametrize("where", ["body", "wrapper", "gate"])
async def test_a_failing_call_cancels_no_sibling(where: str, thrown: BaseException, autojump_clock: MockClock) -> None:
    """L008, LT2: whatever it raises, and wherever."""

    @tool(parallel=True)
    async def boom() -> None:
        await trio.sleep(0.5)
        if where == "body":
            raise thrown

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        if (where, dispatch.name) == ("wrapper", "boom"):
            raise thrown
        return result

    async def gate(call: object) -> None:
        if (where, getattr(call, "name", None)) == ("gate", "boom"):
            raise thrown

    async with open_registry() as registry:
        registry.register(boom)
        bodies = Bodies(registry)
        registry.add_wrapper(wrap)
        registry.add_pre_policy(gate)
        results = await registry.execute_turn([nap("a"), ToolCall("boom"), nap("b")], scope=trio.CancelScope())
    assert [result.is_error for result in results] == [False, True, False]
    assert bodies.left == {"a": 1, "b": 1}


async def test_a_failing_nursery_of_a_body_is_its_own() -> None:
    """L008, LT2"""

    @tool(parallel=True)
    async def boom() -> None:
        async with trio.open_nursery() as nursery:
            for one in (ValueError("a"), KeyError("b")):
                nursery.start_soon(_raise, one)

    async with open_registry() as registry:
        registry.register(boom)
        Bodies(registry)
        results = await registry.execute_turn([ToolCall("boom"), nap("a", 0)], scope=trio.CancelScope())
    assert codes(results) == [ErrorCode.TOOL_FAILED, None]
    assert "ValueError: a" in results[0].text


async def _raise(thrown: BaseException) -> None:
    raise thrown


async def executed(
    registry: Registry, calls: list[ToolCall], nursery: trio.Nursery
) -> tuple[BaseException | None, int]:
    """What a turn with a bug in it raises, and how many calls it leaves unsettled; those are forgotten, or the
    registry, which waits for them, would never close."""
    run = begin(nursery, registry, calls)
    await trio.sleep(60)
    assert run.results is None
    return run.raised, let_go(registry)


async def test_a_bug_at_a_start_drains_what_runs_and_goes_on(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L015: nothing more starts, nothing is cancelled, no results are invented, and the very failure is raised."""
    heard = Heard()
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        registry.add_observer(heard)
        calls = [nap("a", 3), nap("b", 1), ToolCall("broken", {"label": "bug"}), nap("c")]
        raised, _ = await executed(registry, calls, nursery)
    assert (type(raised), str(raised)) == (BugError, "bug")
    assert (bodies.left, sorted(bodies.entered)) == ({"a": 3, "b": 1}, ["a", "b"])
    assert [(result.call_id, result.code) for result in heard.results] == [("b", None), ("a", None)]


async def test_a_bug_leaves_no_call_pending(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L015: calls that will never start are not waited for when the registry closes."""
    async with open_registry() as registry:
        Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        calls = [nap("a"), ToolCall("broken", {"label": "bug"}), nap("b"), nap("c")]
        raised, left = await executed(registry, calls, nursery)
    assert (type(raised), left) == (BugError, 0)


async def test_a_bug_at_the_very_first_start_leaves_no_call_pending(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """L015"""
    async with open_registry() as registry:
        Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        raised, left = await executed(registry, [ToolCall("broken", {"label": "bug"}), nap("a")], nursery)
    assert (type(raised), left) == (BugError, 0)


async def test_a_bug_that_shows_late_starts_nothing_more(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L015: of two bugs the first is raised."""
    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        calls = [nap("a", 1), nap("b", 5), *(ToolCall("broken", {"label": label}) for label in "xy"), nap("c")]
        raised, _ = await executed(registry, calls, nursery)
    assert (str(raised), bodies.left) == ("x", {"a": 1, "b": 5})


async def test_a_cancel_while_a_bug_is_drained_is_noted_all_the_same(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """L015: the bug is what goes on, and what ran is stopped."""
    heard = Heard()
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        registry.add_observer(heard)
        run = begin(nursery, registry, [nap("a", 30), ToolCall("broken", {"label": "bug"})])
        await trio.sleep(1)
        run.scope.cancel()
        await trio.sleep(1)
        let_go(registry)
    assert (type(run.raised), bodies.left) == (BugError, {"a": 1})
    assert codes(heard.results) == [ErrorCode.ABORTED]


async def test_another_turn_knows_nothing_of_a_bug(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L015"""
    async with open_registry() as registry:
        Bodies(registry)
        registry.register(broken(registry.tools["nap"]))
        other = begin(nursery, registry, naps("ab", 5))
        bad = begin(nursery, registry, [ToolCall("broken", {"label": "bug"})])
        await trio.sleep(9)
        let_go(registry)
    assert (type(bad.raised), other.codes) == (BugError, [None, None])
