"""What the tests of entry, gate, registration and values share: a call in one line, and a trail through the stages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any, get_args

import attrs
import trio

from trio_tools import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallNext,
    CallRef,
    CallSettled,
    CallToken,
    CallView,
    Cause,
    Dispatch,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    ErrorInfo,
    Image,
    Json,
    Outcome,
    Registry,
    Session,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    from_json,
    open_registry,
    to_json,
)
from trio_tools.values import FrozenDict, freeze


async def call(
    registry: Registry,
    name: str,
    arguments: Mapping[str, object] | str = "",
    *,
    scope: trio.CancelScope | None = None,
    id: str | None = None,  # noqa: A002 - as the field of ToolCall
    session: Session | None = None,
) -> ToolResult:
    """One call, in a scope of its own unless one is given."""
    made = ToolCall(name, arguments, id=id)
    return await registry.execute(made, scope=trio.CancelScope() if scope is None else scope, session=session)


@attrs.frozen
class Look:
    """What a stage saw of a call, as it was then."""

    stage: str
    id: str | None
    token: CallToken
    name: str
    tool: Tool | None
    arguments: Mapping[str, object] | None
    session: Session | None
    parent: CallToken | None
    cancel_requested: bool


@attrs.define
class Trail:
    """Joins every seam of a registry, decides nothing, and notes what came past."""

    looks: list[Look] = attrs.field(factory=list[Look])
    marks: list[str] = attrs.field(factory=list[str])
    results: list[ToolResult] = attrs.field(factory=list[ToolResult])
    events: list[CallEvent] = attrs.field(factory=list["CallEvent"])

    @property
    def stages(self) -> list[str]:
        """Stages in the order in which calls came through, bodies that called `mark` among them."""
        return self.marks

    def at(self, stage: str) -> Look:
        """The one look from this stage."""
        (found,) = [look for look in self.looks if look.stage == stage]
        return found

    def mark(self, stage: str) -> None:
        self.marks.append(stage)

    def look(self, stage: str, view: CallView) -> None:
        self.marks.append(stage)
        self.looks.append(
            Look(
                stage,
                view.id,
                view.token,
                view.name,
                view.tool,
                view.arguments,
                view.session,
                view.parent,
                view.cancel_requested,
            )
        )

    async def around(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        self.look("wrapper", dispatch)
        return await call_next()

    def observe(self, view: CallView, result: ToolResult) -> None:
        self.look("observer", view)
        self.results.append(result)

    async def record(self, event: CallEvent) -> None:
        self.events.append(event)

    def join(self, registry: Registry) -> None:
        registry.add_pre_policy(lambda view: self.look("policy", view))
        registry.add_wrapper(self.around)
        registry.add_post_policy(lambda view, _: self.look("post-policy", view))
        registry.add_observer(self.observe)


@asynccontextmanager
async def trailed(*tools: Tool, defaults: bool = True) -> AsyncGenerator[tuple[Registry, Trail]]:
    """A registry with these tools, and a trail that has joined it."""
    async with open_registry(defaults=defaults) as registry:
        for one in tools:
            registry.register(one)
        trail = Trail()
        trail.join(registry)
        yield registry, trail


@attrs.define
class Asked:
    """Policies that answer what they are told to, and the names of those that were asked."""

    names: list[str] = attrs.field(factory=list[str])

    def answers(self, name: str, decision: object, *, later: bool = False) -> Any:
        def at_once(view: CallView) -> object:
            self.names.append(name)
            return decision

        async def in_time(view: CallView) -> object:
            await trio.lowlevel.checkpoint()
            return at_once(view)

        return in_time if later else at_once


class Shifty(Mapping[str, object]):
    """A mapping that answers otherwise at each read, and counts the reads."""

    def __init__(self, *keys: str) -> None:
        self.keys_ = keys
        self.reads = Counter[str]()

    def __getitem__(self, key: str) -> str:
        if key not in self.keys_:
            raise KeyError(key)
        self.reads[key] += 1
        return f"{key}, read {self.reads[key]}"

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys_)

    def __len__(self) -> int:
        return len(self.keys_)


class Throwing(Shifty):
    """A mapping whose members raise."""

    def __init__(self, key: str, thrown: BaseException) -> None:
        super().__init__(key)
        self.thrown = thrown

    def __getitem__(self, key: str) -> str:
        super().__getitem__(key)
        raise self.thrown


def cancelled_scope() -> trio.CancelScope:
    """A scope that was cancelled before it is handed over."""
    scope = trio.CancelScope()
    scope.cancel("given up before")
    return scope


def nested(levels: int) -> dict[str, object]:
    """An object under the key `value` of which lists are nested, so many levels in all."""
    inner: object = []
    for _ in range(levels - 2):
        inner = [inner]
    return {"value": inner}


# --- calls, results and events of every kind, for the tests of their written form

ANY_EVENT: Any = CallEvent

SUCCESS = ToolResult(
    "c1",
    "work",
    (Text("see"), Json(freeze({"a": [1, 2.5, None, True]})), Image("aGk=", "image/png")),
    freeze({"a": [1, {"b": "\u4f60"}]}),
    dispatched=True,
    effects=(Effect("mail.send", EffectState.COMMITTED, freeze({"id": 7}), key="k"),),
    contexts=(freeze({"note": ["x"]}), "plain", None),
    concludes_turn=True,
)
FAILURE = ToolResult(
    None,
    "work",
    (Text("Error: tool call aborted"),),
    error=ErrorInfo("AbortError", ErrorCode.ABORTED, "tool call aborted"),
    dispatched=True,
    cause=Cause.CALLER,
    effects=(Effect("mail.send", EffectState.UNKNOWN, error="lost"),),
    superseded=Outcome((Text("[1]"),), freeze([1])),
)
EMPTY = ToolResult("", "work", ())
REF = CallRef(turn="t1", position=2, call_id="c1", tool="work", session=Session("s", "ada"), parent="t0/1")
BARE = CallRef(turn="t1", position=0, call_id=None, tool="work")
EVENTS: list[Any] = [
    CallAccepted(ref=REF, at=1.5, arguments=freeze({"a": [1]}), metadata=freeze({"m": {}})),
    CallAccepted(ref=BARE, at=0.0, arguments='{"a": ', metadata=FrozenDict()),
    CallAccepted(ref=BARE, at=0.0, arguments=None, metadata=FrozenDict()),
    CallDecided(ref=REF, at=1.5, allowed=False, reason="no"),
    CallDecided(ref=BARE, at=1.5, allowed=True),
    CallDispatching(ref=REF, at=1.5, attempt=2),
    EffectBegun(ref=REF, at=1.5, name="mail.send", key="k"),
    EffectEnded(ref=REF, at=1.5, effect=Effect("mail.send", EffectState.FAILED, error="full")),
    CallSettled(ref=REF, at=1.5, result=SUCCESS),
    CallSettled(ref=BARE, at=1.5, result=FAILURE, cancelled_at=1.25, cause=Cause.SHUTDOWN),
]
ARGUMENTS: dict[str, object] = {"a": [1, {"b": None}]}
CALLS = [
    ToolCall("work", ARGUMENTS, id="c1", metadata={"trace": ["x"]}),
    ToolCall("work", '{"a": '),
    ToolCall("work"),
    ToolCall("work", MappingProxyType(ARGUMENTS)),
]
DATA: list[Any] = [*CALLS, SUCCESS, FAILURE, EMPTY]


def document(data: Any) -> dict[str, Any]:
    """What a store reads back after it has written the data as text."""
    read: dict[str, Any] = json.loads(json.dumps(to_json(data), allow_nan=False))
    return read


def reading(kind: Any, written: object) -> object:
    """What comes back, or the text with which it is refused."""
    try:
        return from_json(kind, written)
    except ValueError as error:
        return str(error)


def kind_of(data: object) -> Any:
    """What `from_json` is asked for to get such data back."""
    return ANY_EVENT if isinstance(data, get_args(CallEvent)) else data.__class__
