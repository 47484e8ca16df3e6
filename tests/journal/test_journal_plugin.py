"""A registry that keeps a journal: what is told of calls can be read back."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from trio_tools import Registry, Session, ToolCall, ToolContext, open_registry, tool
from trio_tools.journal import Journal, journal_in_memory
from trio_tools.values import EffectState


@tool
async def send(context: ToolContext, to: str) -> str:
    async def post() -> str:
        await trio.sleep(2)
        return f"sent to {to}"

    await trio.sleep(1)
    await context.irreversible("mail.send", post)
    return "done"


@tool
async def twice(context: ToolContext) -> str:
    for name in "ab":
        await context.execute(ToolCall("send", {"to": name}, id=name), scope=trio.CancelScope())
    return "both"


async def _turn(registry: Registry, *calls: ToolCall, session: str | None = "s") -> None:
    scope = trio.CancelScope()
    await registry.execute_turn(calls, scope=scope, session=None if session is None else Session(session))


async def test_what_a_call_did_is_read_back_with_its_times(autojump_clock: MockClock) -> None:
    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(send)
        journal = registry.require(Journal)
        began = journal.now()
        await _turn(registry, ToolCall("send", {"to": "ada"}, id="1", metadata={"step": 3}))
        (record,) = await journal.calls("s")
    assert (record.ref.tool, record.ref.call_id, record.ref.session) == ("send", "1", Session("s"))
    assert (record.arguments, record.metadata) == ({"to": "ada"}, {"step": 3})
    times = (record.accepted, record.decided, record.dispatched, record.settled)
    assert times == (began, began, (began,), began + 3)
    (effect,) = record.effects
    assert (effect.begun, effect.ended, effect.effect.state) == (began + 1, began + 3, EffectState.COMMITTED)
    assert record.result is not None
    assert record.result.effects == (effect.effect,)
    assert (record.cancelled, record.cause, record.allowed) == (None, None, True)


async def test_calls_come_in_call_order_and_behind_each_those_that_it_made(autojump_clock: MockClock) -> None:
    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(send)
        registry.register(twice)
        journal = registry.require(Journal)
        await _turn(registry, ToolCall("twice", id="1"), ToolCall("send", {"to": "c"}, id="2"))
        await _turn(registry, ToolCall("send", {"to": "d"}, id="3"))
        await _turn(registry, ToolCall("send", {"to": "e"}, id="4"), session=None)
        ids = [one.ref.call_id for one in await journal.calls("s")]
        of_nobody = [one.ref.call_id for one in await journal.calls(None)]
        summaries = await journal.sessions()
    assert (ids, of_nobody) == (["1", "a", "b", "2", "3"], ["4"])
    assert [(one.session, one.turns, one.calls, one.unsettled) for one in summaries] == [
        (Session("s"), 2, 3, 0),
        (None, 1, 1, 0),
    ]
