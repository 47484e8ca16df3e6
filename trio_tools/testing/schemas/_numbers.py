"""The numbers that a way allows, as bounds that hold exactly."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction

import attrs

from trio_tools.testing.schemas._ways import Way

# Whole numbers up to 2^53 are floats too, each of them. Beyond it a reader of JSON may get a neighbour.
_EXACT = 2**53


@attrs.frozen
class Number:
    """A number from `low` to `high`, without these where they are `open`; a multiple of `step`, if there is one; a
    `whole` one of any size, or else one that a float holds."""

    whole: bool
    low: float | None
    high: float | None
    low_open: bool
    high_open: bool
    step: Fraction | None

    def is_possible(self) -> bool:
        """Whether there is one."""
        least, most = self.steps()
        return least is None or most is None or least <= most or self.floats() is not None

    def steps(self) -> tuple[int | None, int | None]:
        """The least and the greatest count of steps that are within the bounds; steps of 1, if none is asked for."""
        step = self.step or Fraction(1)
        least = most = None
        if self.low is not None:
            low = _written(self.low) / step
            least = math.floor(low) + 1 if self.low_open else math.ceil(low)
        if self.high is not None:
            high = _written(self.high) / step
            most = math.ceil(high) - 1 if self.high_open else math.floor(high)
        if self.whole:
            return least, most
        limit = math.floor(_EXACT / step)
        return (-limit if least is None else max(least, -limit)), (limit if most is None else min(most, limit))

    def floats(self) -> tuple[float, float] | None:
        """The least and the greatest float within the bounds; None if there is none, or it is not any float."""
        largest = sys.float_info.max
        low = -largest if self.low is None else max(self.low, -largest)
        high = largest if self.high is None else min(self.high, largest)
        if self.whole or self.step is not None or low > high:
            return None
        least, most = float(low), float(high)
        if least < low or (self.low_open and least == self.low):
            least = math.nextafter(least, math.inf)
        if most > high or (self.high_open and most == self.high):
            most = math.nextafter(most, -math.inf)
        return (least, most) if least <= most else None


def number_in(way: Way, *, whole: bool) -> Number:
    """The numbers that all schemas of a way allow; whole ones only, if so."""
    lows = [(one, False) for one in _said(way, "minimum")] + [(one, True) for one in _said(way, "exclusiveMinimum")]
    highs = [(one, True) for one in _said(way, "maximum")] + [(one, False) for one in _said(way, "exclusiveMaximum")]
    low, low_open = max(lows, default=(None, False))
    high, high_closed = min(highs, default=(None, True))
    steps = [_written(one) for one in _said(way, "multipleOf") if one > 0]
    return Number(whole, low, high, low_open, not high_closed, _common([*steps, Fraction(1)] if whole else steps))


def _said(way: Way, keyword: str) -> list[float]:
    said = [schema.get(keyword) for schema in way]
    return [one for one in said if isinstance(one, (int, float)) and not isinstance(one, bool)]


def _written(number: float) -> Fraction:
    """A number as it is written, so that 0.3 is a multiple of 0.1."""
    return Fraction(Decimal(str(number)))


def _common(steps: list[Fraction]) -> Fraction | None:
    """The least number that is a multiple of all."""
    if not steps:
        return None
    scale = math.lcm(*(one.denominator for one in steps))
    return Fraction(math.lcm(*(int(one * scale) for one in steps)), scale)
