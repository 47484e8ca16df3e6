"""An effect with a key is made once: in a process, across processes, and after a crash only when somebody says so."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
from journal_contract import Place, call, every_store, in_file, keep
from journal_contract import journal_at as opened_at

from trio_tools import (
    EffectLedger,
    EffectState,
    EffectUnknownError,
    ErrorCode,
    Registry,
    Session,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.journal import Entry, Journal, JournalError
from trio_tools.journal._memory import MemoryStore

Make = Callable[[Path], Place]
UNKNOWN = EffectState.UNKNOWN


@attrs.define
class Bank:
    """What pays: `happens` is what an attempt comes to, the last one for all that follow."""

    happens: list[str] = attrs.field(factory=lambda: ["paid"])
    paid: list[str] = attrs.field(factory=list[str])

    async def __call__(self, invoice: str) -> str:
        what = self.happens.pop(0) if len(self.happens) > 1 else self.happens[0]
        if what == "refused":
            raise ConnectionError("no route to the bank")
        self.paid.append(invoice)
        if what == "lost sight":
            raise EffectUnknownError("the bank does not answer")
        return f"p-{len(self.paid)}"


@asynccontextmanager
async def shop(place: Place, bank: Bank) -> AsyncGenerator[tuple[Registry, Journal]]:
    """A registry whose tool `pay` pays by this bank, with the journal of that place."""

    @tool
    async def pay(context: ToolContext, invoice: str) -> str:
        return str(await context.irreversible("pay", lambda: bank(invoice), key=invoice))

    async with opened_at(place) as books, open_registry() as registry:
        registry.register(pay)
        registry.add_recorder(books.record)
        registry.provide(EffectLedger, books)  # type: ignore[type-abstract]  # a protocol stands for its services
        yield registry, books


async def pay(registry: Registry, invoice: str = "17") -> ToolResult:
    arguments = {"invoice": invoice}
    return await registry.execute(ToolCall("pay", arguments), scope=trio.CancelScope(), session=Session("s"))


@every_store
async def test_what_an_earlier_process_has_done_is_not_done_again(make: Make, tmp_path: Path) -> None:
    bank, place = Bank(), make(tmp_path)
    results: list[ToolResult] = []
    for _ in range(2):
        async with shop(place, bank) as (registry, books):
            results += [await pay(registry), await pay(registry)]
    assert [one.value for one in results] == ["p-1"] * 4
    assert bank.paid == ["17"]
    assert [effect.earlier for one in results for effect in one.effects] == [False, True, True, True]
    async with opened_at(place) as books:
        assert [len(one.effects) for one in await books.calls("s")] == [1, 0, 0, 0], "each did what it did itself"


@every_store
async def test_calls_at_once_do_it_once(make: Make, tmp_path: Path) -> None:
    bank = Bank()
    results: list[ToolResult] = []
    async with shop(make(tmp_path), bank) as (registry, _):

        async def one() -> None:
            results.append(await pay(registry))

        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(one)
    assert ([result.value for result in results], bank.paid) == (["p-1"] * 5, ["17"])


@every_store
async def test_what_failed_may_be_done_again_and_another_key_at_any_time(make: Make, tmp_path: Path) -> None:
    bank, place = Bank(["refused", "paid"]), make(tmp_path)
    async with shop(place, bank) as (registry, _):
        assert (await pay(registry)).code == ErrorCode.TOOL_FAILED
    async with shop(place, bank) as (registry, _):
        assert [(await pay(registry)).value, (await pay(registry, "18")).value] == ["p-1", "p-2"]


@every_store
@pytest.mark.parametrize("committed", [True, False])
async def test_what_nobody_saw_end_is_not_done_until_it_is_decided_on(
    make: Make, tmp_path: Path, committed: bool
) -> None:
    """M023: and then what was decided holds, here and in later processes."""
    bank, place = Bank(["lost sight", "paid"]), make(tmp_path)
    async with shop(place, bank) as (registry, books):
        first, second = await pay(registry), await pay(registry)
        assert [first.code, second.code] == [ErrorCode.EFFECT_UNKNOWN] * 2
        assert [one.state for result in (first, second) for one in result.effects] == [UNKNOWN, UNKNOWN]
        (waits,) = await books.unknown()
        assert (waits.name, waits.key, waits.error) == ("pay", "17", "the bank does not answer")
    async with shop(place, bank) as (registry, books):
        assert (await pay(registry)).code == ErrorCode.EFFECT_UNKNOWN
        await books.resolve("pay", "17", committed=committed, receipt="p-by hand" if committed else None)
        assert (await pay(registry)).value == ("p-by hand" if committed else "p-2")
    async with shop(place, bank) as (registry, _):
        assert (await pay(registry)).value == ("p-by hand" if committed else "p-2")
    assert bank.paid == (["17"] if committed else ["17", "17"])


@every_store
async def test_after_a_crash_in_the_middle_it_is_not_done_again_case_b31(make: Make, tmp_path: Path) -> None:
    """Case B31, M023"""
    place, bank, killed = make(tmp_path), Bank(), call("t/0", tool="pay")
    async with place() as store:
        await keep(store, killed.accepted(), killed.dispatching(), killed.begun("pay", "17"))
    async with shop(place, bank) as (registry, books):
        refused = await pay(registry)
        assert refused.code == ErrorCode.EFFECT_UNKNOWN
        assert "not done again until somebody has looked" in refused.text
        assert bank.paid == []
        assert [one.result.code for one in await books.calls("s") if one.result is not None] == [
            ErrorCode.ABORTED,
            ErrorCode.EFFECT_UNKNOWN,
        ]


@every_store
async def test_a_key_of_a_purged_session_is_forgotten(make: Make, tmp_path: Path) -> None:
    bank = Bank()
    async with shop(make(tmp_path), bank) as (registry, books):
        await pay(registry)
        assert await books.purge("s") == 1
        assert (await pay(registry)).value == "p-2"


@every_store
async def test_a_session_is_not_purged_while_its_calls_run(make: Make, tmp_path: Path) -> None:
    running, let_go = trio.Event(), trio.Event()

    @tool
    async def hold() -> None:
        running.set()
        await let_go.wait()

    async with shop(make(tmp_path), Bank()) as (registry, books), trio.open_nursery() as nursery:
        registry.register(hold)
        held = ToolCall("hold")
        nursery.start_soon(lambda: registry.execute(held, scope=trio.CancelScope(), session=Session("s")))
        await running.wait()
        with pytest.raises(JournalError, match="1 call of this session is under way"):
            await books.purge("s")
        assert await books.purge("another") == 0
        let_go.set()


class Unreadable(MemoryStore):
    async def keyed(self, name: str, key: str) -> list[Entry]:
        raise JournalError("calls.db cannot be read: is the disk still there?")


async def test_what_cannot_be_looked_up_is_not_done() -> None:
    bank = Bank()

    def broken() -> AbstractAsyncContextManager[MemoryStore]:
        return _there(Unreadable())

    async with shop(broken, bank) as (registry, _):
        result = await pay(registry)
    assert result.code == ErrorCode.TOOL_FAILED
    assert "calls.db cannot be read: is the disk still there?" in result.text
    assert (bank.paid, result.effects) == ([], ())


@asynccontextmanager
async def _there(store: MemoryStore) -> AsyncGenerator[MemoryStore]:
    yield store


def _receipts_held() -> int:
    gc.collect()
    # by its type: `isinstance` asks objects for their class as well, and some take their time to make one up
    return sum(issubclass(type(one), dict) and "paid for" in one for one in gc.get_objects())


async def test_receipts_of_a_journal_in_a_file_are_not_held_in_memory_as_well(tmp_path: Path) -> None:
    """An agent runs for weeks, and a receipt may have a megabyte."""

    @tool
    async def pay(context: ToolContext, invoice: str) -> None:
        async def charge() -> object:
            return {"paid for": [invoice]}

        await context.irreversible("pay", charge, key=invoice)

    async with opened_at(in_file(tmp_path)) as books, open_registry() as registry:
        registry.register(pay)
        registry.add_recorder(books.record)
        registry.provide(EffectLedger, books)  # type: ignore[type-abstract]  # a protocol stands for its services
        for number in range(10):
            arguments = {"invoice": f"{number}"}
            result = await registry.execute(ToolCall("pay", arguments), scope=trio.CancelScope(), session=Session("s"))
            assert not result.is_error
            del result
        assert _receipts_held() < 5
