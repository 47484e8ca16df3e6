"""The types whose JSON form is a text of one spelling: dates, times, ids, decimals, paths, bytes."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks._kinds import REFUSED, Dice, Kind, Verdict, foreign, looser, taken
from trio_tools.values import JSONValue

_OFFSET = r"(?:Z|[+-](?P<oh>[01][0-9]|2[0-3]):(?P<om>[0-5][0-9]))"
_DATE = re.compile(r"(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-9]{2})")
_CLOCK = r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
_SECONDS = r":(?P<second>[0-5][0-9]|60)(?:\.(?P<part>[0-9]+))?"
_DATETIME = re.compile(rf"{_DATE.pattern}[Tt]{_CLOCK}{_SECONDS}(?P<offset>z|{_OFFSET})")
_TIME = re.compile(rf"{_CLOCK}(?:{_SECONDS})?(?P<offset>{_OFFSET})?")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def _days(year: int, month: int) -> int:
    """How long a month is; the year 0, which Python has not, is a leap year."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _is_day(found: re.Match[str]) -> bool:
    return 1 <= int(found["day"]) <= _days(int(found["year"]), int(found["month"]))


def read_date(text: str) -> Verdict:
    found = _DATE.fullmatch(text)
    if found is None or not _is_day(found):
        return REFUSED
    year = int(found["year"])
    return taken(date(year, int(found["month"]), int(found["day"]))) if year else looser("dates")


def _offset(found: re.Match[str]) -> timedelta | None:
    text = found["offset"]
    if text is None:
        return None
    if text in "Zz":
        return timedelta(0)
    span = timedelta(hours=int(found["oh"]), minutes=int(found["om"]))
    return -span if text.startswith("-") else span


def read_datetime(text: str) -> Verdict:
    found = _DATETIME.fullmatch(text)
    if found is None or not _is_day(found):
        return REFUSED
    offset = _offset(found)
    assert offset is not None
    hour, minute, second = (int(found[name]) for name in ("hour", "minute", "second"))
    part = (found["part"] or "").rstrip("0")
    if second == 60:  # leap seconds are inserted at midnight in Greenwich, nowhere else
        there = timedelta(hours=hour, minutes=minute) - offset
        return looser("dates") if there % timedelta(days=1) == timedelta(hours=23, minutes=59) else REFUSED
    if len(part) > 6 or found["year"] == "0000":
        return looser("dates")
    day = (int(found["year"]), int(found["month"]), int(found["day"]))
    return taken(datetime(*day, hour, minute, second, int(part.ljust(6, "0")), tzinfo=timezone(offset)))


def read_time(text: str) -> Verdict:
    found = _TIME.fullmatch(text)
    if found is None:
        return REFUSED
    second, part, offset = int(found["second"] or 0), (found["part"] or "").rstrip("0"), _offset(found)
    if second == 60 or len(part) > 6:
        return REFUSED
    zone = None if offset is None else timezone(offset)
    return taken(time(int(found["hour"]), int(found["minute"]), second, int(part.ljust(6, "0")), tzinfo=zone))


def read_uuid(text: str) -> Verdict:
    return taken(UUID(text)) if _UUID.fullmatch(text) else REFUSED


def read_decimal(text: str) -> Verdict:
    return taken(Decimal(text)) if _DECIMAL.fullmatch(text) else REFUSED


def read_path(text: str) -> Verdict:
    if not text:
        return REFUSED
    return looser("path") if "\0" in text else taken(Path(text))


def read_bytes(text: str) -> Verdict:
    if not _BASE64.fullmatch(text):
        return REFUSED
    found = b64decode(text)
    return taken(found) if b64encode(found).decode() == text else REFUSED  # bits that say nothing are zero


class Spelt(Kind):
    """A type whose values are spelt as texts: some that are right, some that are nearly so, and how one is read."""

    def __init__(
        self, annotation: Any, right: tuple[str, ...], wrong: tuple[str, ...], read: Callable[[str], Verdict]
    ) -> None:
        self.annotation, self.right, self.wrong, self.read = annotation, right, wrong, read
        self.bindable = frozenset({"length"} if annotation is bytes else {"size"} if annotation in _ORDERED else ())

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice(self.right) if dice.randrange(6) else self.near(dice)

    def near(self, dice: Dice) -> JSONValue:
        match dice.randrange(4):
            case 0:
                return misspelt(dice.choice(self.right), dice)
            case 1:
                return foreign(dice)
            case _:
                return dice.choice(self.wrong)

    def judge(self, value: JSONValue) -> Verdict:
        return self.read(value) if type(value) is str else REFUSED


_ORDERED = (date, datetime, Decimal)


def misspelt(text: str, dice: Dice) -> str:
    """The text with one thing done to it that careless readers overlook."""
    at = dice.randrange(len(text) + 1)
    match dice.randrange(9):
        case 0:
            return text + dice.choice(("\n", " ", "\0", "Z", "=", "0"))
        case 1:
            return dice.choice(("\n", " ", "+", "-", "0", "{", "urn:uuid:")) + text
        case 2:
            return text.swapcase()
        case 3:
            return text.replace("T", " ")
        case 4:
            return text.replace("-", "")
        case 5:
            return text.translate({ord("0") + digit: chr(0x660 + digit) for digit in (0, 1, 2)})
        case 6:
            return text[:at] + dice.choice("_:-.0 9") + text[at:]
        case 7:
            return text[:at] + text[at + 1 :]
        case _:
            return text[:at] + dice.choice("0159afzT") + text[at + 1 :]


_MIDNIGHT = "2016-12-31T23:59:60"
_NOON = "2026-11-30T08:30:00"
_ID = "12345678-1234-1234-1234-123456789abc"

DATE = Spelt(
    date,
    ("2026-11-30", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "1970-01-01"),
    (
        *("0000-01-01", "0000-02-29", "0000-02-30", "2026-02-29", "1900-02-29", "2026-11-31", "20261130", "2026-W48-1"),
        *("2026-1-1", "2026-00-10", "2026-13-01", "-2026-11-30", "2026-334", "2026-11-30T00:00:00Z"),
    ),
    read_date,
)
DATETIME = Spelt(
    datetime,
    (
        *(
            f"{_NOON}Z",
            f"{_NOON}+02:00",
            "2026-11-30T06:30:00Z",
            f"{_NOON}.5Z",
            f"{_NOON}.123456-23:59",
            f"{_NOON}-00:00",
        ),
        *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999-23:59", "2026-11-30t08:30:00z", f"{_NOON}.1230000Z"),
    ),
    (
        *(f"{_MIDNIGHT}Z", f"{_MIDNIGHT}.5Z", "2016-12-31T15:59:60-08:00", f"{_NOON}.1234567Z", "0000-01-01T00:00:00Z"),
        *(_NOON, f"{_NOON}+0200", f"{_NOON}+02", f"{_NOON}+24:00", f"{_NOON}+23:60", f"{_NOON},5Z", f"{_NOON}.Z"),
        *("2026-11-30T08:30Z", "2026-11-30T08:30:60Z", "2026-11-30T24:00:00Z", "2026-02-30T00:00:00Z", "2026-11-30"),
        *("20261130T083000Z", f"{_NOON} Z", f"{_NOON}\u221202:00", "2026-11-30 08:30:00Z", f"{_NOON}+02:00:00"),
    ),
    read_datetime,
)
TIME = Spelt(
    time,
    ("08:30", "08:30:00", "08:30:00.5Z", "23:59:59.999999+02:00", "00:00Z", "06:30Z", "08:30+02:00", "08:30-00:00"),
    (
        *("24:00", "08:60", "8:30", "0830", "08", "08:30:60", "23:59:60Z", "08:30:00.1234567", "08:30:00.", "08:30 Z"),
        *("08:30z", "T08:30", "08:30+24:00", "08:30+0200", "08:30:00,5", "08:30.5", "08:30:00.1234560", "08:30+02"),
    ),
    read_time,
)
IDENTIFIER = Spelt(
    UUID,
    (_ID, _ID.upper(), "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    (
        _ID.replace("-", ""),
        f"{{{_ID}}}",
        f"urn:uuid:{_ID}",
        _ID[:-1],
        f"{_ID}0",
        "123456781-234-1234-1234-123456789abc",
    ),
    read_uuid,
)
DECIMAL = Spelt(
    Decimal,
    (
        "19.90",
        "19.9",
        "0",
        "-0",
        "-1.5",
        "100",
        "1e3",
        "1E+2",
        "0.00",
        "12345678901234567890.123456789",
        "1e-9",
        "007",
        "12345e9999",
    ),
    (
        "NaN",
        "Infinity",
        "-Infinity",
        "sNaN",
        "+1",
        ".5",
        "1.",
        "1_000",
        "1,5",
        " 1",
        "0x1",
        "1e",
        "--1",
        "٣",
        "1e99999",
    ),
    read_decimal,
)
PATH = Spelt(
    Path,
    (".", "a", "/a/b", "./a", "a/", "a//b", "../x", " ", "größe", "a\nb", "~"),
    ("", "a\0b", "\0", "/\0"),
    read_path,
)
BYTES = Spelt(
    bytes,
    ("", "YQ==", "YWI=", "YWJj", "AAAA", "+/+/", "AA=="),
    ("YQ", "YQ=", "YQ===", "YR==", "YWJ=", "Y===", "====", "-_-_", "YQ== ", "YQ==\n", "YQ==YQ==", "Y Q==", "é==="),
    read_bytes,
)
SPELT = (DATE, DATETIME, TIME, IDENTIFIER, DECIMAL, PATH, BYTES)
