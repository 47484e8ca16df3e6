"""Rows read out of the bytes of a database, without SQLite: where it gives up, each page still stands for itself.

Only what the entries' table needs: leaves of a table, and the chains that long rows overflow into.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

from trio_tools.journal._connect import PAGE_BYTES, Value
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import COLUMNS

# The first byte of a page that holds rows.
_LEAF = 0x0D
# Bytes before the cells' places in such a page.
_HEAD = 8
# Bytes of a row that stay in its page whatever its length, and that may: the file format's own numbers.
_LEAST = (PAGE_BYTES - 12) * 32 // 255 - 23
_MOST = PAGE_BYTES - 35
# Serial types: below this they are numbers or null, from here on odd ones are texts.
_TEXTS = 12
_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
_FLOAT, _ONE = 7, 9
_FLOATS = (COLUMNS.index("time"), COLUMNS.index("at"))


class UnreadableError(Exception):
    """These bytes are no row."""


class Pages:
    """The pages of a file by number, from 1; those that were written later than the file go before its own."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 - closed by `close`, whoever asks meanwhile
        self._later: dict[int, bytes] = {}
        self.count = -(-os.fstat(self._file.fileno()).st_size // PAGE_BYTES)

    def later(self, number: int, content: bytes) -> None:
        """This page has been written anew."""
        self._later[number] = content

    def page(self, number: int) -> bytes:
        """A page as it is now; empty if there is none."""
        if number in self._later:
            return self._later[number]
        return self.in_file(number)

    def in_file(self, number: int) -> bytes:
        """A page as the file has it; empty if there is none."""
        self._file.seek((number - 1) * PAGE_BYTES)
        return self._file.read(PAGE_BYTES)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


def rows_in(page: bytes, pages: Pages, *, behind: int = -1) -> Iterator[tuple[Row, bytes]]:
    """What looks like entries in a page, whole or not, and the bytes of each: those of higher numbers than
    `behind`. `pages` are looked up for what does not fit in."""
    if len(page) != PAGE_BYTES or page[0] != _LEAF:
        return
    (cells,) = struct.unpack_from(">H", page, 3)
    for number in range(min(cells, (PAGE_BYTES - _HEAD) // 2)):
        (place,) = struct.unpack_from(">H", page, _HEAD + 2 * number)
        try:
            size, start = _varint(page, place)
            seq, start = _varint(page, start)
            if seq <= behind:
                continue
            payload = _payload(page, start, size, pages)
            row = _row(seq, payload)
        except (UnreadableError, IndexError, struct.error):
            continue
        yield row, payload


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place behind it."""
    value = 0
    for count in range(8):
        byte = data[place + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + count + 1
    return value << 8 | data[place + 8], place + 9


def _payload(page: bytes, place: int, size: int, pages: Pages) -> bytes:
    if size <= _MOST:
        return _exactly(page[place : place + size], size)
    here = _LEAST + (size - _LEAST) % (PAGE_BYTES - 4)
    here = here if here <= _MOST else _LEAST
    (more,) = struct.unpack_from(">I", page, place + here)
    return page[place : place + here] + _overflow(more, size - here, pages)


def _overflow(number: int, size: int, pages: Pages) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        page = pages.page(number) if number else b""
        part = page[4 : 4 + size]
        if not part:
            raise UnreadableError
        (number,) = struct.unpack_from(">I", page)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _exactly(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise UnreadableError
    return data


def _row(seq: int, payload: bytes) -> Row:
    head, place = _varint(payload, 0)
    values: list[Value] = []
    body = head
    while place < head:
        kind, place = _varint(payload, place)
        value, body = _value(kind, payload, body)
        values.append(value)
    if len(values) != len(COLUMNS):
        raise UnreadableError
    values[0] = seq  # the column that is the row's own number is not written again
    for column in _FLOATS:  # of which whole ones are written as integers
        value = values[column]
        values[column] = float(value) if isinstance(value, int) else value
    return tuple(values)


def _value(kind: int, payload: bytes, place: int) -> tuple[Value, int]:
    size = _SIZES[kind] if kind < len(_SIZES) else (kind - _TEXTS) // 2
    data = _exactly(payload[place : place + size], size)
    behind = place + size
    if kind >= _TEXTS + 1 and kind % 2:
        return data.decode(errors="surrogateescape"), behind
    if kind >= len(_SIZES):
        raise UnreadableError  # there are no blobs among the columns
    if kind == 0:
        return None, behind
    if kind == _FLOAT:
        (number,) = struct.unpack(">d", data)
        return float(number), behind
    if not size:
        return int(kind == _ONE), behind
    return int.from_bytes(data, "big", signed=True), behind
