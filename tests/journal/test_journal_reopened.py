"""A session that goes on over many openings, journals that are shared or closed, and cancels at every step."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from journal_contract import FORMS, Place, call, every_store, unbalanced
from journal_contract import journal_at as opened_at

from trio_tools import (
    EffectLedger,
    EffectState,
    Registry,
    Session,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.journal import CallRecord, Journal, JournalError, open_journal

Make = Callable[[Path], Place]


@tool
async def post(context: ToolContext, text: str) -> str:
    async def send() -> str:
        return f"receipt of {text}"

    await context.irreversible("post", send)
    return text


@tool
async def twice(context: ToolContext, text: str) -> str:
    inner = await context.execute(ToolCall("post", {"text": f"{text}, inside"}, id="c0"), scope=trio.CancelScope())
    return inner.text


@asynccontextmanager
async def recorded(journal: Journal) -> AsyncGenerator[Registry]:
    """A registry of its own on that journal."""
    async with open_registry() as registry:
        registry.register(post)
        registry.register(twice)
        registry.add_recorder(journal.record)
        registry.provide(EffectLedger, journal)  # type: ignore[type-abstract]  # a protocol stands for its services
        yield registry


async def turn(registry: Registry, label: str, tools: tuple[str, ...] = ("post", "twice")) -> list[ToolResult]:
    """A turn as a model makes it that gives the same ids in each."""
    calls = [ToolCall(name, {"text": f"{label}.{place}"}, id=f"c{place}") for place, name in enumerate(tools)]
    return list(await registry.execute_turn(calls, scope=trio.CancelScope(), session=Session("s")))


def text_of(record: CallRecord) -> str:
    """What its call was given."""
    assert isinstance(record.arguments, dict)
    return str(record.arguments["text"])


async def check_is_all_of(journal: Journal, results: list[ToolResult]) -> None:
    """Calls of models and histories are these, in this order; each nested call is right behind the call that made it,
    and what it did is told as that one's."""
    records = await journal.calls("s")
    assert [one.result for one in records if one.ref.parent is None] == results
    for before, one in itertools.pairwise(records):
        if one.ref.parent is not None:
            assert (before.ref.tool, f"{before.ref.turn}/{before.ref.position}") == ("twice", one.ref.parent)
            assert before.result is not None
            assert [effect.call for effect in before.result.effects] == [f"{one.ref.turn}/{one.ref.position}"]
            assert before.result.text == text_of(one) == f"{text_of(before)}, inside"
    assert len({one.ref.turn for one in records if one.ref.parent is None}) == len(results) / 2
    for form in FORMS:
        messages: Any = await journal.history("s", form=form)
        assert unbalanced(messages, form) == []
    texts = [one["text"] for one in await journal.history("s") if isinstance(one, dict) and "text" in one]
    assert texts == [one.text for one in results]


@every_store
async def test_turns_of_later_processes_follow_those_of_earlier_ones_unmixed(make: Make, tmp_path: Path) -> None:
    """L014: the first turn of each is its own, also where a model gives the same ids again."""
    place, results = make(tmp_path), list[ToolResult]()
    for process in range(3):
        async with opened_at(place) as journal, recorded(journal) as registry:
            results += [*await turn(registry, f"{process}.0"), *await turn(registry, f"{process}.1")]
            await check_is_all_of(journal, results)


@every_store
async def test_registries_one_after_another_share_a_journal(make: Make, tmp_path: Path) -> None:
    results = list[ToolResult]()
    async with opened_at(make(tmp_path)) as journal:
        for number in range(3):
            async with recorded(journal) as registry:
                results += await turn(registry, str(number))
        await check_is_all_of(journal, results)


@every_store
async def test_registries_at_once_share_a_journal(make: Make, tmp_path: Path) -> None:
    """Their turns are not mixed, though their events are."""
    results: dict[str, list[ToolResult]] = {}
    async with opened_at(make(tmp_path)) as journal, AsyncExitStack() as stack:
        registries = [await stack.enter_async_context(recorded(journal)) for _ in range(3)]

        async def go(number: int) -> None:
            for again in range(2):
                results[f"{number}.{again}"] = await turn(registries[number], f"{number}.{again}")

        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(go, number)
        labels = list(dict.fromkeys(text_of(one)[:3] for one in await journal.calls("s")))
        await check_is_all_of(journal, [result for label in labels for result in results[label]])
    assert len(labels) == 6


@every_store
async def test_an_effect_is_made_once_by_registries_that_share_a_journal(make: Make, tmp_path: Path) -> None:
    """M023: whoever comes while it is under way is refused, and afterwards given its receipt."""
    done, results = list[str](), list[ToolResult]()

    @tool
    async def pay(context: ToolContext) -> str:
        async def charge() -> str:
            done.append("paid")
            await trio.lowlevel.checkpoint()
            return "p-1"

        return str(await context.irreversible("pay", charge, key="17"))

    async with opened_at(make(tmp_path)) as journal, recorded(journal) as one, recorded(journal) as other:
        for registry in (one, other):
            registry.register(pay)

        async def go(registry: Registry) -> None:
            results.append(await registry.execute(ToolCall("pay"), scope=trio.CancelScope()))

        async with trio.open_nursery() as nursery:
            for registry in (one, other, one, other):
                nursery.start_soon(go, registry)
        await go(one)
        await go(other)
        assert await journal.unknown() == ()
    assert done == ["paid"]
    assert [one.value for one in results[-2:]] == ["p-1", "p-1"]
    assert {str(one.code) for one in results} <= {"None", "EFFECT_UNKNOWN", "RECORD_FAILED"}


async def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "calls.db") as journal:
        assert await journal.calls("s") == ()
    for question in (
        lambda: journal.calls("s"),
        journal.sessions,
        journal.unknown,
        lambda: journal.effect("mail", "k"),
        lambda: journal.resolve("mail", "k", committed=True),
        lambda: journal.record(call("t/0").accepted()),
    ):
        with pytest.raises(JournalError, match=r"calls.db is closed"):
            await question()


async def test_a_call_that_outlives_its_journal_is_refused_its_effect(tmp_path: Path) -> None:
    """And the next opening closes its books."""
    running, go_on, done = trio.Event(), trio.Event(), list[str]()

    @tool
    async def pay(context: ToolContext) -> None:
        async def charge() -> None:
            done.append("paid")

        running.set()
        await go_on.wait()
        await context.irreversible("pay", charge, key="k")

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(pay)
        results: list[ToolResult] = []

        async def execute() -> None:
            results.append(await registry.execute(ToolCall("pay"), scope=trio.CancelScope(), session=Session("s")))

        async with open_journal(tmp_path / "calls.db") as journal:
            registry.add_recorder(journal.record)
            nursery.start_soon(execute)
            await running.wait()
        go_on.set()
    assert (results[0].code, done) == ("RECORD_FAILED", [])
    assert [one.state for one in results[0].effects] == [EffectState.FAILED]
    async with open_journal(tmp_path / "calls.db") as journal:
        (record,) = await journal.calls("s")
        assert (record.result and record.result.code, record.effects) == ("ABORTED", ())


class Stepping(trio.abc.Instrument):
    """Cancels a scope before the `at`-th step of this task."""

    def __init__(self, scope: trio.CancelScope, at: int) -> None:
        self._scope, self._at, self.steps = scope, at, 0
        self._task = trio.lowlevel.current_task()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """Count."""
        if task is self._task:
            self.steps += 1
            if self.steps == self._at:
                self._scope.cancel()


# More steps than opening, or leaving, a journal takes.
MANY = 40


@pytest.mark.parametrize("leaving", [False, True])
async def test_a_cancel_at_any_step_leaves_a_journal_that_opens_at_once_case_b36(leaving: bool, tmp_path: Path) -> None:
    """Case B36: while it opens, with books to close, and while it is left, with entries to write."""
    path, at, is_cut = tmp_path / "calls.db", 0, True
    while is_cut:
        at += 1
        assert at < MANY
        told, scope = call(f"t{at}/0"), trio.CancelScope()
        stepping = Stepping(scope, at)
        with scope:
            if not leaving:
                trio.lowlevel.add_instrument(stepping)
            async with open_journal(path) as journal:
                await journal.record(told.accepted())
                if leaving:
                    trio.lowlevel.add_instrument(stepping)
        trio.lowlevel.remove_instrument(stepping)
        is_cut = stepping.steps >= at
        async with open_journal(path) as journal:
            records = await journal.calls("s")
            assert all(one.result is not None for one in records)
            assert len(records) == at or not leaving, "what was told before it was left is written"
    assert at > 3
