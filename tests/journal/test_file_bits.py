"""A bit that has flipped, in each part of the file: what is lost is told, and nothing untrue is read."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
import trio
from file_parts import body_in, cut_off, free_some, parts_of, read, turn_over, written

from trio_tools.journal import Damage, Entry

PARTS = ["the head", "the schema", "the pointer map", "an interior page", "a leaf", "an index", "an overflow page"]
# Bits that are turned over in each part, one at a time.
BITS = 6


@attrs.frozen
class Whole:
    """A file before anything has happened to it."""

    path: Path
    entries: dict[int, Entry]

    def broken(self, name: str, part: range, *, ends: tuple[str, ...] = ("",)) -> Iterator[Path]:
        """Copies of it, each in a folder of its own, with one bit of that part turned over: of the last of its files
        by their `ends`."""
        places = random.Random(name)
        for _ in range(BITS):
            bit = places.randrange(part.start * 8, part.stop * 8)
            folder = self.path.parent / f"{name} {bit // 8}.{bit % 8}"
            folder.mkdir(exist_ok=True)
            for end in ends:
                shutil.copyfile(f"{self.path}{end}", folder / f"calls.journal{end}")
            turn_over(folder / f"calls.journal{ends[-1]}", bit)
            yield folder / "calls.journal"

    def lost(self, found: dict[int, Entry], damage: list[Damage]) -> set[int]:
        """What is not there any more. All that is there is as it was, and all that is lost is spoken of."""
        assert {seq: entry for seq, entry in found.items() if self.entries.get(seq) != entry} == {}
        lost = set(self.entries) - set(found)
        assert not lost or damage
        return lost


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    path = tmp_path_factory.mktemp("whole") / "calls.journal"
    return Whole(path, trio.run(written, path))


@pytest.mark.parametrize("name", PARTS)
async def test_a_flipped_bit_costs_one_entry_at_most(name: str, whole: Whole) -> None:
    """B36: also where SQLite gives up, the file is kept as it was found, and opening again adds nothing."""
    for path in whole.broken(name, parts_of(whole.path)[name]):
        before = path.read_bytes()
        found, damage = await read(path)
        assert len(whole.lost(found, damage)) <= 1, path
        kept = path.with_name("calls.journal.damaged-1")
        if any(str(kept) in one.problem for one in damage):
            assert kept.read_bytes() == before
            assert kept.stat().st_mode & 0o777 == path.stat().st_mode & 0o777 == 0o600
        assert await read(path) == (found, damage)


async def test_an_entry_with_a_flipped_bit_is_told_and_set_aside_and_no_other(whole: Whole) -> None:
    """B36: with its place, and what was written later is read."""
    body = body_in(whole.path, parts_of(whole.path)["a leaf"], b'{"attempt":1,"read_only":')
    for path in whole.broken("a row", body):
        found, damage = await read(path)
        (lost,) = whole.lost(found, damage)
        assert [one.place for one in damage] == [f"entry {lost}"]
        assert max(found) == max(whole.entries)


async def test_a_flipped_bit_among_free_pages_costs_nothing(whole: Whole, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole.path, tmp_path))
    free_some(path)
    some = Whole(path, {seq: entry for seq, entry in whole.entries.items() if seq > 60})
    for broken in some.broken("free", parts_of(path)["the free list"]):
        assert some.lost(*await read(broken)) == set()


@pytest.mark.parametrize(("name", "part"), [("its head", range(32)), ("its frames", range(32, 1 << 19))])
async def test_a_flipped_bit_in_the_log_costs_one_entry_at_most(name: str, part: range, whole: Whole) -> None:
    """B36: SQLite takes no notice of what is behind it. We do, and keep the log."""
    killed = attrs.evolve(whole, path=whole.path.with_name("calls.journal.killed"))
    log = whole.path.with_name("calls.journal.killed-wal").read_bytes()
    for path in killed.broken(name, part, ends=("", "-wal")):
        found, damage = await read(path)
        assert len(whole.lost(found, damage)) <= 1, path
        assert damage
        kept = path.with_name("calls.journal.damaged-1-wal").read_bytes()
        assert len(kept) == len(log)
        assert (int.from_bytes(kept) ^ int.from_bytes(log)).bit_count() == 1
        assert await read(path) == (found, damage)


async def test_what_is_left_of_a_file_that_was_cut_off_is_read(whole: Whole, tmp_path: Path) -> None:
    """Its later half is gone, and with it most of the tables: it says which entries."""
    path = Path(shutil.copy(whole.path, tmp_path))
    cut_off(path)
    found, damage = await read(path)
    assert len(found) > len(whole.entries) // 4
    assert whole.lost(found, damage)
    assert f"{len(found)} entries were read" in damage[0].problem
