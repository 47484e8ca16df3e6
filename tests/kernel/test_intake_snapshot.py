"""Entry: every input is read once and kept as a frozen copy that all stages share."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import attrs
import pytest
import trio
from intake_tools import Shifty, Throwing, Trail, call, cancelled_scope, nested, trailed

from trio_tools import (
    Allow,
    CallToken,
    CallView,
    ErrorCode,
    Session,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)


@tool
async def echo(a: str, b: str) -> list[str]:
    return [a, b]


@tool
async def keep(value: object) -> int:
    return len(json.dumps(value))


async def test_each_argument_is_read_once_although_it_changes() -> None:
    """R001: the mapping answers otherwise at each read; all stages, the body and the record have its first answer."""
    arguments = Shifty("a", "b")
    async with trailed(echo) as (registry, trail):
        registry.add_recorder(trail.record)
        result = await call(registry, "echo", arguments)
    assert arguments.reads == {"a": 1, "b": 1}
    assert result.value == ["a, read 1", "b, read 1"]
    assert [look.arguments for look in trail.looks] == [{"a": "a, read 1", "b": "b, read 1"}] * 4


@pytest.mark.parametrize("field", ["name", "arguments", "id", "metadata"])
def test_a_call_cannot_change_under_its_reader(field: str) -> None:
    """R001: what is no mapping is fixed when the call is made."""
    made = ToolCall("echo", {}, id="1")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(made, field, "other")


async def test_a_session_reaches_every_stage_as_it_was_handed_over() -> None:
    """R001: on whose behalf, and under which id."""
    session = Session("s-1", owner="ada")
    async with trailed(echo) as (registry, trail):
        await call(registry, "echo", {"a": "", "b": ""}, id="call-7", session=session)
    assert [look.session is session for look in trail.looks] == [True] * 4
    assert {look.id for look in trail.looks} == {"call-7"}


async def test_all_stages_see_one_token_and_no_two_calls_share_it() -> None:
    """R002: also when the model repeats an id."""
    one = ToolCall("echo", {"a": "", "b": ""}, id="same")
    async with trailed(echo) as (registry, trail):
        await registry.execute_turn([one, one], scope=trio.CancelScope())
    assert trail.stages == ["policy", "wrapper", "post-policy", "observer"] * 2
    tokens = [look.token for look in trail.looks]
    first, second = tokens[0], tokens[4]
    assert [token is first for token in tokens] == [True] * 4 + [False] * 4
    assert all(token is second for token in tokens[4:])
    assert first != second


def test_a_token_says_nothing_of_itself() -> None:
    """R002: compared by identity only; what is logged of it tells no two apart."""
    one, other = CallToken(), CallToken()
    assert one == one  # noqa: PLR0124 - identity is the point
    assert one != other
    assert repr(one) == repr(other) == str(one)


async def test_an_outermost_call_has_no_parent_and_a_nested_one_its_parents_token() -> None:
    """R003, R103: followed upwards, parents lead to the outermost call's token."""
    trail = Trail()
    async with open_registry() as registry:

        @tool
        async def down(levels: int) -> int:
            if levels:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(call, registry, "down", {"levels": levels - 1})
            return levels

        registry.register(down)
        registry.add_observer(trail.observe)
        await call(registry, "down", {"levels": 2})
        await call(registry, "down", {"levels": 0})
    inner, middle, outer, later = trail.looks
    assert outer.parent is None
    assert later.parent is None
    assert middle.parent is outer.token
    assert inner.parent is middle.token


async def test_the_callers_object_stays_its_own() -> None:
    """R004: neither changed nor frozen, and a change of it is seen by nobody, down to the innermost list."""
    tags = ["x"]
    arguments: dict[str, object] = {"value": {"tags": tags, "n": 1}}

    @tool
    async def late(value: object) -> object:
        tags.append("y")
        arguments["other"] = 1
        await trio.lowlevel.checkpoint()
        return value

    async with trailed(late) as (registry, trail):
        result = await call(registry, "late", arguments)
    assert result.value == {"tags": ["x"], "n": 1}
    assert arguments == {"value": {"tags": ["x", "y"], "n": 1}, "other": 1}
    assert [look.arguments for look in trail.looks] == [{"value": {"tags": ["x"], "n": 1}}] * 4


def _set(view: CallView) -> None:
    assert view.arguments is not None
    view.arguments["path"] = "/data/b"  # type: ignore[index] # pyright: ignore[reportIndexIssue]


def _append(view: CallView) -> None:
    assert view.arguments is not None
    opts = view.arguments["opts"]
    assert isinstance(opts, dict)
    tags = opts["tags"]
    assert isinstance(tags, list)
    tags.append("y")


def _rebind(view: CallView) -> None:
    view.arguments = {"path": "/data/b"}  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("rewrite", [_set, _append, _rebind])
async def test_no_policy_can_rewrite_arguments(rewrite: Callable[[CallView], None]) -> None:
    """R004, R032, R040, case B23: a change raises, and what was asked for is what runs."""
    ran: list[object] = []

    @tool
    async def write(path: str, opts: dict[str, list[str]]) -> None:
        ran.append((path, opts))

    def policy(view: CallView) -> Allow:
        with pytest.raises((TypeError, AttributeError)):
            rewrite(view)
        return Allow()

    async with trailed(write) as (registry, trail):
        registry.add_pre_policy(policy)
        result = await call(registry, "write", {"path": "/data/a", "opts": {"tags": ["x"]}})
    assert not result.is_error
    assert ran == [("/data/a", {"tags": ["x"]})]
    assert trail.at("observer").arguments == {"path": "/data/a", "opts": {"tags": ["x"]}}


async def test_a_stage_meets_the_callers_object_by_no_door() -> None:
    """R004: `view.call.arguments` too is the copy that the body gets, not what its caller still changes."""
    arguments: dict[str, object] = {"value": 1}
    seen: list[object] = []

    def policy(view: CallView) -> None:
        arguments["value"] = 2
        seen.append(view.call.arguments)

    async with trailed(keep) as (registry, _):
        registry.add_pre_policy(policy)
        await call(registry, "keep", arguments)
    assert seen == [{"value": 1}]


async def test_what_a_body_does_to_its_arguments_changes_no_record() -> None:
    """R004, case B23: pop and append in the body; observers and recorders have what was asked for."""

    @tool
    async def greedy(opts: dict[str, list[str]]) -> None:
        opts.pop("tags").append("y")

    async with trailed(greedy) as (registry, trail):
        registry.add_recorder(trail.record)
        result = await call(registry, "greedy", {"opts": {"tags": ["x"]}})
    assert not result.is_error
    assert trail.at("observer").arguments == {"opts": {"tags": ["x"]}}
    assert getattr(trail.events[0], "arguments", None) == {"opts": {"tags": ["x"]}}


async def _deep(frames: int, then: Callable[[], Awaitable[ToolResult]]) -> ToolResult:
    return await (_deep(frames - 1, then) if frames else then())


async def test_the_deepest_arguments_fit_under_a_caller_that_is_deep_itself() -> None:
    """R004: 200 levels, found and copied without the interpreter's stack, as an agent 600 frames down needs it."""
    async with trailed(keep) as (registry, _):
        result = await _deep(600, lambda: call(registry, "keep", nested(200)))
    assert result.text == str(len(json.dumps(nested(200)["value"])))


async def test_a_turn_reads_all_arguments_at_its_entry() -> None:
    """D25: the second call's mapping changes while the first one runs; its body gets what it was."""
    later: dict[str, object] = {"value": [1]}

    @tool
    async def first() -> None:
        later["value"] = [1, 2, 3]
        await trio.lowlevel.checkpoint()

    async with trailed(first, keep) as (registry, _):
        calls = [ToolCall("first", {}), ToolCall("keep", later)]
        _, second = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert second.value == len("[1]")


@pytest.mark.parametrize("cancelled", [False, True])
async def test_the_finalizer_is_found_before_the_arguments_are_read(cancelled: bool) -> None:
    """R008: reading the arguments replaces the tool and then fails; the first tool's finalizer has the word, once."""
    finalized: list[str] = []

    def finalizer(name: str) -> Callable[[ToolResult], str]:
        def finalize(result: ToolResult) -> str:
            finalized.append(f"{name}: {result.code}")
            return f"{name} says so"

        return finalize

    async with open_registry() as registry:

        class Replacing(Throwing):
            def __getitem__(self, key: str) -> str:
                registry.unregister("keep")
                registry.register(tool(name="keep", finalize_content=finalizer("second"))(keep.body))
                return super().__getitem__(key)

        registry.register(tool(name="keep", finalize_content=finalizer("first"))(keep.body))
        arguments = Replacing("value", ValueError("no value"))
        result = await call(registry, "keep", arguments, scope=cancelled_scope() if cancelled else None)
    assert finalized == [f"first: {ErrorCode.INVALID_ARGS}"]
    assert result.text == "first says so"
    assert result.code == ErrorCode.INVALID_ARGS
