"""What is removed by age and by size, what never is, and that what is purged is gone."""

from __future__ import annotations

import time
from pathlib import Path
from unittest.mock import patch

import pytest
import trio
from file_parts import LONG, PAGE
from journal_contract import Place, call, in_file, keep

from trio_tools import CallEvent, Effect, EffectState
from trio_tools.journal import EffectResolved, JournalError
from trio_tools.journal._connect import connect_to_read
from trio_tools.journal._disk import Disk
from trio_tools.journal._families import Families
from trio_tools.journal._file import open_file
from trio_tools.journal._retention import Retention
from trio_tools.journal._rows import columns_of
from trio_tools.journal._store import Store

# Seconds and bytes that are kept here. Entries of `keep` are of the year 1970.
AGE, BYTES = 3_600.0, 40 * PAGE
OLD = time.time() - 2 * AGE


def keeping(path: Path, *, max_age: float | None = None, max_bytes: int | None = None) -> Place:
    return lambda: open_file(path, durability="normal", max_age=max_age, max_bytes=max_bytes)


async def turns_in(store: Store) -> list[str]:
    """The turns of a session, by their first entries."""
    events = [entry.event for entry in await store.session("s")]
    return list(dict.fromkeys(event.ref.turn for event in events if not isinstance(event, EffectResolved)))


async def test_by_age_whole_turns_go_but_what_is_open_or_unknown_stays(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    settled, nested = call("settled/0"), call("nested/0", parent="settled/0")
    half, sibling, within = call("half/0"), call("half/1"), call("within/0", parent="half/0")
    unknown, known = call("unknown/0"), call("known/0")
    events: list[CallEvent] = [settled.accepted(), nested.accepted(), nested.settled(), settled.settled()]
    events += [half.accepted(), sibling.accepted(), within.accepted(), within.settled(), half.settled()]
    events += [unknown.accepted(), unknown.begun(key="u"), unknown.settled()]
    events += [known.accepted(), known.begun(key="k"), known.ended(EffectState.COMMITTED, key="k"), known.settled()]
    async with keeping(path)() as store:
        await keep(store, *events)
        store.add(time.time(), call("new/0").accepted())
        store.add(time.time(), call("new/0").settled())
    async with keeping(path, max_age=AGE)() as store:
        assert await turns_in(store) == ["half", "within", "unknown", "new"]
        kept = [entry.event for entry in await store.session("s")]
        assert kept[:-2] == events[4:12]
        assert await store.keyed("mail", "k") == []
        assert len(await store.unknown()) == 1
        await keep(store, sibling.settled())
        store.add(OLD, EffectResolved(effect=Effect("mail", EffectState.FAILED, error="no", key="u")))
    async with keeping(path, max_age=AGE)() as store:
        assert await turns_in(store) == ["new"]


def test_a_clock_that_is_set_anew_makes_nothing_older(tmp_path: Path) -> None:
    """As one that was wrong until the network was there, or a computer that slept: the times of entries go by the clock
    as it was when the journal was opened, and a key that is forgotten is an effect that is made twice."""
    disk = Disk(str(tmp_path / "calls.journal"), "normal", Retention(max_age=AGE, max_bytes=None))
    try:
        now, families = time.time(), Families()
        for seq, turn in enumerate(("t", "u"), 1):
            columns = columns_of(now, call(f"{turn}/0").settled(), None)
            disk.write([columns.as_entry(seq, families.family_of(seq, call(f"{turn}/0").settled()))])
        with patch("time.time", lambda: now + 10 * AGE):
            assert not disk.retain(families.kept())
        later = time.monotonic() + 10 * AGE
        with patch("time.monotonic", lambda: later):
            assert disk.retain(families.kept())
    finally:
        disk.close()


async def test_by_size_the_oldest_go_at_opening_and_the_file_is_shorter(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    async with keeping(path)() as store:
        for number in range(40):
            one = call(f"t{number}/0")
            await keep(store, one.accepted(LONG), one.settled())
    before = path.stat().st_size
    async with keeping(path, max_bytes=BYTES)() as store:
        left = await turns_in(store)
    assert left == [f"t{number}" for number in range(40 - len(left), 40)]
    assert len(left) > BYTES // len(LONG) // 2
    assert path.stat().st_size <= BYTES < before


async def test_by_size_the_oldest_go_while_it_is_open(tmp_path: Path) -> None:
    """Not by less than what comes, however much comes at once; the log has its own bound."""
    path = tmp_path / "calls.journal"
    async with keeping(path, max_bytes=BYTES)() as store:
        for number in range(2_500):
            one = call(f"t{number}/0")
            store.add(OLD, one.accepted("x" * 100))
            added = store.add(OLD, one.settled())
            if number % 250 == 249:
                await store.written(added)
        left = await turns_in(store)
        assert left == [f"t{number}" for number in range(2_500 - len(left), 2_500)]
        assert len(left) < 1_000
    assert path.stat().st_size < 1_000_000


def bytes_in(folder: Path) -> bytes:
    """All that is in any file of a folder."""
    return b"".join(one.read_bytes() for one in sorted(folder.iterdir()))


async def test_of_a_purged_session_no_byte_is_left_in_any_file(tmp_path: Path) -> None:
    """Of other sessions all is there. Also of what was set aside for its damage."""
    secret, other = call("t/0"), call("u/0", session="other")
    async with in_file(tmp_path)() as store:
        for number in range(20):
            await keep(store, call(f"t{number}/0").accepted("hunter2 " * 1_000), call(f"t{number}/0").settled())
            await keep(store, call(f"u{number}/0", session="other").accepted("public"), other.settled())
        await keep(store, secret.accepted("hunter2"), secret.settled())
        assert b"hunter2" in bytes_in(tmp_path)
        assert await store.purge("s") == 21
        assert b"hunter2" not in bytes_in(tmp_path)
        assert len(await store.session("other")) == 40
        assert await store.session("s") == []
    assert b"hunter2" not in bytes_in(tmp_path)


async def test_a_purge_says_if_bytes_are_left_because_somebody_reads(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    with patch("trio_tools.journal._connect.BUSY_SECONDS", 0.05):
        async with in_file(tmp_path)() as store:
            await keep(store, call("t/0").accepted("hunter2"), call("t/0").settled())
            reader = connect_to_read(str(path))
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchall()
            with pytest.raises(JournalError, match=r"is purged, but its bytes are still in .*-wal.*purge again"):
                await store.purge("s")
            reader.close()
            assert await store.purge("s") == 0
            assert b"hunter2" not in bytes_in(tmp_path)


async def test_what_is_decided_after_such_a_purge_is_nobodys(tmp_path: Path) -> None:
    with patch("trio_tools.journal._connect.BUSY_SECONDS", 0.05):
        async with in_file(tmp_path)() as store:
            one = call("t/0")
            await keep(store, one.accepted(), one.begun(key="k"), one.settled())
            reader = connect_to_read(str(tmp_path / "calls.journal"))
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchall()
            with pytest.raises(JournalError, match="purge again"):
                await store.purge("s")
            reader.close()
            store.add(time.time(), EffectResolved(effect=Effect("mail", EffectState.FAILED, error="no", key="k")))
            assert await store.session("s") == []
            assert await store.unknown() == []


async def test_a_purge_that_is_cancelled_is_over_when_it_says_so(tmp_path: Path) -> None:
    async with in_file(tmp_path)() as store:
        await keep(store, call("t/0").accepted("hunter2"), call("t/0").settled())
        with trio.CancelScope() as scope:
            scope.cancel()
            await store.purge("s")
        gone = await store.session("s") == []
        assert (b"hunter2" in bytes_in(tmp_path)) is not gone
