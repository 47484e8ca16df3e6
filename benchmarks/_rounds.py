"""Fair comparison: the sides take turns, and each pair of neighbours in time is compared with itself."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

# Rounds per figure. Odd, so that the median is a measured one; enough that a few disturbed ones do not move it.
ROUNDS = 15

Once: TypeAlias = Callable[[], Awaitable[object]]  # does one unit of the work and gives its answer
Sample: TypeAlias = Callable[[], Awaitable[float]]  # takes one sample: seconds per unit


def interleaved(sides: Sequence[str], rounds: int = ROUNDS) -> Iterator[str]:
    """Whose turn it is: all sides in each round, every other round backwards, so that neither gains by its place."""
    for round_number in range(rounds):
        yield from sides if round_number % 2 == 0 else reversed(sides)


async def take(samples: Mapping[str, Sample], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """A sample of every side in each round, by side. Seconds per unit."""
    taken: dict[str, list[float]] = {side: [] for side in samples}
    for side in interleaved(list(samples), rounds):
        taken[side].append(await samples[side]())
    return taken


async def timed(once: Once, count: int, answer: object) -> float:
    """Seconds per unit of `count` units one after another. Garbage collection stays on, as users have it; what
    earlier sides left is collected first. Raises `RuntimeError` for a wrong answer: fast and wrong is no figure."""
    gc.collect()
    last: object = None
    start = time.perf_counter()
    for _ in range(count):
        last = await once()
    elapsed = time.perf_counter() - start
    if last != answer:
        raise RuntimeError(f"expected {answer!r}, got {last!r}")
    return elapsed / count


def sampler(once: Once, count: int, answer: object) -> Sample:
    """`timed`, ready to be taken in rounds."""

    async def sample() -> float:
        return await timed(once, count, answer)

    return sample


def ratio(ours: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the rounds' own ratios: a machine that slows down for a while slows both sides of a round."""
    return statistics.median(mine / theirs for mine, theirs in zip(ours, floor, strict=True))
