"""Case B23: what was approved is what runs, and what the log has. A pre-policy stands in the approver's place."""

from __future__ import annotations

import copy
import json
import operator
import pickle
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypedDict

import attrs
import pytest
import trio
from intake_tools import Trail, call
from trio.testing import MockClock

from trio_tools import (
    CallAccepted,
    CallEvent,
    CallNext,
    CallView,
    Dispatch,
    ErrorCode,
    Tool,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

ASKED: dict[str, Any] = {"path": "/data/a", "opts": {"tags": ["x"]}}
TEXT = json.dumps(ASKED)
SCHEMA: dict[str, object] = {"properties": {"path": {"type": "string"}, "opts": {"type": "object"}}}


CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda it: operator.setitem(it, "path", "/data/b"),
    "or in place": lambda it: it.__ior__({"path": "/data/b"}),
    "setdefault": lambda it: it["opts"].setdefault("more", 1),
    "append": lambda it: it["opts"]["tags"].append("y"),
    "sort": lambda it: it["opts"]["tags"].sort(),
    "add in place": lambda it: it["opts"]["tags"].__iadd__(["y"]),
    "of a copy": lambda it: copy.copy(it).update(path="/data/b"),
    "of a deep copy": lambda it: copy.deepcopy(it)["opts"]["tags"].append("y"),
    "of a pickle": lambda it: pickle.loads(pickle.dumps(it))["opts"]["tags"].append("y"),
    "below a shallow copy": lambda it: it.copy()["opts"]["tags"].append("y"),
}


class Opts(TypedDict):
    tags: list[str]


@attrs.define
class OptsClass:
    tags: list[str]


@attrs.define
class Witness:
    """What each stage was told of the arguments, as JSON text of that moment, in order."""

    told: list[tuple[str, str]] = attrs.field(factory=list[tuple[str, str]])

    def note(self, who: str, arguments: object) -> None:
        self.told.append((who, json.dumps(arguments)))

    def approve(self, view: CallView) -> None:
        self.note("approver", view.arguments)

    def observe(self, view: CallView, result: ToolResult) -> None:
        self.note("observer", view.arguments)

    async def record(self, event: CallEvent) -> None:
        if isinstance(event, CallAccepted):
            self.note("log", json.loads(event.arguments) if isinstance(event.arguments, str) else event.arguments)

    @property
    def stages(self) -> list[str]:
        return [who for who, _ in self.told]

    @property
    def accounts(self) -> set[str]:
        return {arguments for _, arguments in self.told}


async def carry(
    one: Tool,
    witness: Witness,
    *policies: Callable[[CallView], object],
    arguments: Mapping[str, object] | str = TEXT,
    wrapper: Callable[[Dispatch, CallNext], Awaitable[ToolResult]] | None = None,
) -> ToolResult:
    """A call whose approver is asked after these policies."""
    async with open_registry() as registry:
        registry.register(one)
        for policy in (*policies, witness.approve):
            registry.add_pre_policy(policy)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        if wrapper is not None:
            registry.add_wrapper(wrapper)
        registry.add_observer(witness.observe)
        registry.add_recorder(witness.record)
        return await call(registry, one.name, arguments)


def writing(witness: Witness) -> Tool:
    @tool
    async def write(path: str, opts: dict[str, list[str]]) -> str:
        witness.note("body", {"path": path, "opts": opts})
        return path

    return write


async def test_nobody_changes_arguments_while_an_approval_is_pending(autojump_clock: MockClock) -> None:
    """Case B23 (a): the reference is kept, and used while the approver thinks; it raises each time."""
    witness = Witness()
    refused: list[str] = []
    kept: list[Any] = []

    def keep(view: CallView) -> None:
        kept.append(view.arguments)

    def rewrite() -> None:
        for change in (CHANGES["set"], CHANGES["append"]):
            try:
                change(kept[0])
            except TypeError as error:
                refused.append(str(error))

    async def slow(view: CallView) -> None:
        witness.approve(view)
        await trio.sleep(1)
        rewrite()
        await trio.sleep(4)
        rewrite()

    result = await carry(writing(witness), witness, keep, slow)
    assert result.value == "/data/a"
    assert witness.stages == ["log", "approver", "approver", "body", "observer"]
    assert witness.accounts == {TEXT}
    assert (
        refused
        == [f"a Frozen{kind} cannot be changed: arguments and results are snapshots" for kind in ("Dict", "List")] * 2
    )


def spoilt(kind: object, spoil: Callable[[Any], object]) -> Callable[[Witness], Tool]:
    """A typed body that spoils what it got."""

    def make(witness: Witness) -> Tool:
        async def greedy(path: str, opts: Any) -> None:
            witness.note("body", {"path": path, "opts": attrs.asdict(opts) if kind is OptsClass else opts})
            spoil(opts)

        greedy.__annotations__["opts"] = kind
        return tool(greedy)

    return make


def _keywords(witness: Witness) -> Tool:
    async def greedy(**given: Any) -> None:
        witness.note("body", given)
        given.pop("path")
        with pytest.raises(TypeError, match="a FrozenList cannot be changed"):
            given["opts"]["tags"].append("y")

    return Tool(name="greedy", parameters=SCHEMA, body=greedy)


def _whole(witness: Witness) -> Tool:
    async def greedy(arguments: Any, ctx: ToolContext) -> None:
        witness.note("body", arguments)
        with pytest.raises(TypeError, match="a FrozenDict cannot be changed"):
            arguments.pop("path")
        with pytest.raises(TypeError, match="a FrozenList cannot be changed"):
            arguments["opts"]["tags"].append("y")
        given: Any = ctx.call.arguments
        with pytest.raises((TypeError, AttributeError)):
            given.clear()

    return Tool(name="greedy", parameters=SCHEMA, body=greedy)


TYPED = {
    "dict": spoilt(dict[str, list[str]], lambda opts: (opts["tags"].append("y"), opts.pop("tags"))),
    "class": spoilt(OptsClass, lambda opts: (opts.tags.append("y"), opts.tags.sort(reverse=True))),
    "TypedDict": spoilt(Opts, lambda opts: (opts["tags"].clear(), opts.update(tags=["z"]))),
}
GREEDY = {**TYPED, "keywords": _keywords, "whole": _whole}


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "mapping"])
@pytest.mark.parametrize("greedy", GREEDY.values(), ids=GREEDY.keys())
async def test_what_a_body_does_to_what_it_got_stays_with_the_body(
    greedy: Callable[[Witness], Tool], as_text: bool
) -> None:
    """Case B23 (b): pop and append go to its own values, or raise; the caller's own object stays as it was too."""
    witness, mine = Witness(), copy.deepcopy(ASKED)
    result = await carry(greedy(witness), witness, arguments=TEXT if as_text else mine)
    assert result.code is None
    assert witness.stages == ["log", "approver", "body", "observer"]
    assert witness.accounts == {TEXT}
    assert mine == ASKED


@pytest.mark.parametrize("greedy", TYPED.values(), ids=TYPED.keys())
async def test_each_attempt_starts_with_what_was_approved(greedy: Callable[[Witness], Tool]) -> None:
    """Case B23: a wrapper tries again after the body has spoilt its values; the second attempt has them whole."""

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        witness.note("wrapper", dispatch.arguments)
        return await call_next()

    witness = Witness()
    result = await carry(greedy(witness), witness, wrapper=twice)
    assert result.code is None
    assert witness.stages == ["log", "approver", "body", "wrapper", "body", "observer"]
    assert witness.accounts == {TEXT}


async def test_calls_that_share_one_object_share_no_values() -> None:
    """Case B23: the same `ToolCall` twice in a turn, and its arguments handed on to a call of one's own."""
    witness = Witness()
    asked = ToolCall("greedy", {"path": "/data/a", "opts": {"tags": ["x"]}})
    async with open_registry() as registry:
        registry.register(TYPED["dict"](witness))

        @tool
        async def handed_on(path: str, opts: object, ctx: ToolContext) -> None:
            await registry.execute(ToolCall("greedy", ctx.call.arguments), scope=trio.CancelScope())

        registry.register(handed_on)
        registry.add_observer(witness.observe)
        results = await registry.execute_turn([asked, asked, ToolCall("handed_on", TEXT)], scope=trio.CancelScope())
    assert [result.code for result in results] == [None] * 3
    assert (witness.stages.count("body"), witness.accounts) == (3, {TEXT})


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_every_way_to_change_them_raises(change: Callable[[Any], object]) -> None:
    """Case B23 (a): before the approver is asked, on the way to the body, and after it."""
    witness, refused = Witness(), 0

    def policy(view: CallView) -> None:
        nonlocal refused
        for arguments in (view.arguments, view.call.arguments):
            with pytest.raises((TypeError, AttributeError)):
                change(arguments)
            refused += 1

    async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        policy(dispatch)
        result = await call_next()
        policy(dispatch)
        return result

    result = await carry(writing(witness), witness, policy, arguments=copy.deepcopy(ASKED), wrapper=wrapper)
    assert (result.value, refused) == ("/data/a", 6)
    assert witness.accounts == {TEXT}


async def test_a_second_init_changes_nothing() -> None:
    """Case B23: `dict` and `list` would take new members by it."""
    witness = Witness()

    def policy(view: CallView) -> None:
        arguments: Any = view.arguments
        arguments.__init__({"path": "/data/b"})
        arguments["opts"]["tags"].__init__(["y"])

    result = await carry(writing(witness), witness, policy)
    assert (result.value, witness.accounts) == ("/data/a", {TEXT})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"path":"/data/a","path":"/etc/passwd"}', "path"),
        ('{"path":"/data/a","p\\u0061th":"/etc/passwd"}', "path"),
        ('{"path":"/data/a","opts":{"tags":["x"],"tags":["y"]}}', "tags"),
    ],
    ids=["letter", "escaped", "further in"],
)
async def test_a_key_that_stands_twice_is_no_question_for_an_approver(text: str, key: str) -> None:
    """Case B23 (c): nobody is asked, nothing runs, and the log has what the model wrote."""
    witness, events = Witness(), Trail()
    async with open_registry() as registry:
        registry.register(writing(witness))
        registry.add_pre_policy(witness.approve)
        registry.add_recorder(events.record)
        result = await call(registry, "write", text)
    assert result.code == ErrorCode.INVALID_ARGS
    assert result.text == f'Error: invalid arguments: not a JSON object: $: the key "{key}" stands more than once'
    assert witness.told == []
    assert [event.arguments for event in events.events if isinstance(event, CallAccepted)] == [text]
