"""Rows of the table for what JSON carries as a string of a certain spelling."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from declared import read, refusal, schema_of

from trio_tools.values import to_plain

PLUS_TWO = timezone(timedelta(hours=2))
SOME_UUID = "12345678-1234-5678-1234-567812345678"


@pytest.mark.parametrize(
    ("annotation", "value", "seen"),
    [
        (datetime, "2026-11-30T08:00:00Z", datetime(2026, 11, 30, 8, tzinfo=UTC)),
        (datetime, "2026-11-30t08:00:00.25+02:00", datetime(2026, 11, 30, 8, 0, 0, 250_000, PLUS_TWO)),
        (datetime, "2026-11-30T08:00:00.1200000Z", datetime(2026, 11, 30, 8, 0, 0, 120_000, UTC)),
        (date, "2024-02-29", date(2024, 2, 29)),
        (time, "08:30", time(8, 30)),
        (time, "23:59:59.999999Z", time(23, 59, 59, 999_999, UTC)),
        (UUID, SOME_UUID.upper(), UUID(SOME_UUID)),
        (Decimal, "-0.10", Decimal("-0.10")),
        (Decimal, "100000", Decimal(100_000)),
        (Path, "a/b", Path("a/b")),
        (PurePosixPath, "/", PurePosixPath("/")),
        (bytes, "", b""),
        (bytes, "/w==", b"\xff"),
        (bytes, "AAEC", b"\0\1\2"),
    ],
)
def test_each_spelling_is_read_to_its_type(annotation: Any, value: str, seen: object) -> None:
    """R117, case B26: exactly, to the digit and the offset."""
    got = read(annotation, value)
    assert (got, type(got), str(got)) == (seen, type(seen), str(seen))
    assert read(annotation, to_plain(got)) == got  # what is written down is read back


@pytest.mark.parametrize(
    ("annotation", "wrong"),
    [
        (datetime, ["2026-11-30", "2026-11-30T08:00:00", "2026-11-30 08:00:00Z", "2026-02-30T08:00:00Z", 5]),
        (datetime, ["2026-11-30T08:00:60Z", "2026-11-30T08:00:00.1234567Z", "0000-01-01T00:00:00Z"]),
        (
            datetime,
            ["2026-11-30T08:00:00+24:00", "\uff12026-11-30T08:00:00Z", "2026-11-30T08:00:00Z\n", "20261130T080000Z"],
        ),
        (date, ["2026-02-30", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "0000-01-01", "", None]),
        (time, ["24:00", "8:30", "08:60", "08:30:60", "08:30+24:00", "T08:30"]),
        (UUID, [SOME_UUID.replace("-", ""), "{" + SOME_UUID + "}", "urn:uuid:" + SOME_UUID, ""]),
        (Decimal, ["NaN", "Infinity", "1.", ".5", "1_0", "1e5", " 1", "", 1, 1.5, "\uff11"]),
        (Path, ["", "a\0b", 5]),
        (bytes, ["/w", "/w=", "/x==", "A", "AA=A", "AAEC\n", "-w==", 5]),
    ],
)
def test_other_spellings_are_refused_whatever_the_constructors_take(annotation: Any, wrong: list[object]) -> None:
    """R117, case B15, case B14: a NUL in a path too."""
    for value in wrong:
        assert refusal(annotation, value).startswith(('"x" must be ', "missing required")), value


def test_the_schema_says_the_spelling() -> None:
    """R117, case B26."""
    assert schema_of(datetime) == {"type": "string", "format": "date-time"}
    assert schema_of(date) == {"type": "string", "format": "date"}
    assert schema_of(UUID) == {"type": "string", "format": "uuid"}
    assert schema_of(Path) == {"type": "string", "minLength": 1}
    assert schema_of(bytes).keys() == {"type", "contentEncoding", "pattern"}
    assert schema_of(time).keys() == schema_of(Decimal).keys() == {"type", "pattern"}
