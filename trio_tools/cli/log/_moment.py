"""Moments in the words of a person, the same on every machine."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(seconds: float) -> str:
    """Unix seconds as `2026-11-30 17:05:12 UTC`. What is no date of the calendar is given as the number it is."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s"
