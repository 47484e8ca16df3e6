"""Where the parts of a journal's file lie, and one bit of one of them turned over."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from pathlib import Path

from journal_contract import call, in_file, keep

from trio_tools import EffectState
from trio_tools.journal import Damage, Entry
from trio_tools.journal._file import open_file

PAGE = 4096
# Calls in the file. Enough that its table has a page above its leaves.
CALLS = 40
# What a long argument is made of: three pages of it, of which two are nothing else.
LONG = "~" * 3 * PAGE

_INTERIOR, _LEAF, _INDEX_LEAF = 0x05, 0x0D, 0x0A
# Where the file's head says which of its pages is the first that is free.
_FREE = slice(32, 36)


async def written(path: Path) -> dict[int, Entry]:
    """A journal of some calls at that path, and the same beside it with the end of its log, as if its process had been
    killed; and the entries of both, by number."""
    async with in_file(path.parent)() as store:
        for number in range(CALLS):
            one, key = call(f"t{number}/0"), f"k{number}"
            long = LONG if number % 10 == 0 else "short"
            begun = (one.accepted(long), one.dispatching(), one.begun(key=key))
            await keep(store, *begun, one.ended(EffectState.COMMITTED, key=key), one.settled())
        entries = {entry.seq: entry for entry in await store.session("s")}
        for end in ("", "-wal"):
            shutil.copyfile(f"{path}{end}", f"{path}.killed{end}")
    return entries


async def read(path: Path) -> tuple[dict[int, Entry], list[Damage]]:
    """What a journal holds when it is opened, and what it says is lost."""
    async with open_file(path, durability="normal", max_age=None, max_bytes=None) as store:
        return {entry.seq: entry for entry in await store.session("s")}, list(store.damage)


def free_some(path: Path) -> None:
    """Leave pages in the file that nothing is in, as a process does that is killed in the middle of its retention."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM entries WHERE seq <= 60")
    database.close()


def parts_of(path: Path) -> dict[str, range]:
    """Bytes of each part of a database file."""
    file = path.read_bytes()
    pages = [file[start : start + PAGE] for start in range(0, len(file), PAGE)]
    (free,) = struct.unpack(">I", file[_FREE])
    tilde = next(number for number, page in enumerate(pages) if page[4:] == b"~" * (PAGE - 4))
    parts = {
        "the head": range(100),
        "the schema": range(100, PAGE),
        "the pointer map": _page(1),
        "an interior page": _page(_first(pages, _INTERIOR)),
        "a leaf": _page(max(range(1, len(pages)), key=lambda number: _rows(pages[number]))),
        "an index": _page(_first(pages, _INDEX_LEAF)),
        "an overflow page": _page(tilde),
    }
    return parts | ({"the free list": _page(free - 1)} if free else {})


def body_in(path: Path, part: range, body: bytes) -> range:
    """The bytes of the first such body in a part of the file."""
    place = path.read_bytes().index(body, part.start, part.stop)
    return range(place, place + len(body))


def cut_off(path: Path) -> None:
    """Leave half of a file."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _page(number: int) -> range:
    return range(number * PAGE, (number + 1) * PAGE)


def _rows(page: bytes) -> int:
    return int.from_bytes(page[3:5], "big") if page[0] == _LEAF else 0


def _first(pages: list[bytes], kind: int) -> int:
    return next(number for number, page in enumerate(pages) if page[0] == kind)


def turn_over(path: Path, bit: int) -> None:
    """Flip that bit of a file."""
    with path.open("r+b") as file:
        file.seek(bit // 8)
        (byte,) = file.read(1)
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))
