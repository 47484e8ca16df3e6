"""A process that swaps folders and files for links to the outside, and back, thousands of times a second.

`python -m benchmarks._hostile_swapper ROOT OUTSIDE` goes on until its stdin ends, and then says how often it swapped.
What it swaps is made anew wherever a tool has removed or replaced it meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

# Of <fcntl.h> and <linux/fs.h>: paths count from the working directory; two names change places in one step.
AT_FDCWD, RENAME_EXCHANGE = -100, 2
# What is swapped below the root, and where the link beside it leads below the outside; a link's name has its own end.
PAIRS = (("d", ""), ("d/e", "d"), ("d/f", "d/f"), ("f", "f"), ("d/e/f", "d/f"), ("deep/d", "d"), ("deep/d/f", "f"))
LINK = ".link"
# Rounds between two looks at whether to go on.
ROUNDS = 50
# Seconds between two swaps: a fraction of what a call takes. Whoever swaps without a rest keeps the processor from the
# calls, and hits fewer of their windows.
PAUSE = 0.0001


class Pair(NamedTuple):
    """A name, the link that changes places with it, where that leads, and the folders between the root and both."""

    path: str
    link: str
    target: str
    above: tuple[str, ...]

    def is_inside(self) -> bool:
        """Whether no link stands on the way to it. Nobody else makes links here, so it stays so: nothing outside is
        touched by this process."""
        return not any(map(os.path.islink, self.above))


def pairs(root: Path, outside: Path) -> list[Pair]:
    """What is swapped below this root."""
    return [
        Pair(
            str(root / name),
            f"{root / name}{LINK}",
            str(outside / target),
            tuple(str(root / folder) for folder in Path(name).parents[:-1]),
        )
        for name, target in PAIRS
    ]


def exchanger() -> Callable[[str, str], None]:
    """What lets two names change places, at once for whoever looks, and raises `OSError`."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2

    def exchange(one: str, other: str) -> None:
        if renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
            raise OSError(ctypes.get_errno(), "renameat2", one)

    return exchange


def plant(pair: Pair) -> None:
    """Make what is to be swapped, as far as it is not there."""
    with suppress(OSError):
        if pair.is_inside():
            path = Path(pair.path)
            path.parent.mkdir(exist_ok=True)
            if not os.path.lexists(path):
                path.write_text("inside\n") if path.name == "f" else path.mkdir()
            if not path.is_symlink() and not os.path.islink(pair.link):
                with suppress(FileNotFoundError):  # a file was put in the link's place
                    os.rename(pair.link, f"{path}{time.monotonic_ns()}")
                os.symlink(pair.target, pair.link)


def main(root: Path, outside: Path) -> int:
    """Swap each pair in turn until stdin ends. Returns how many swaps there were: a name may lie behind a link."""
    swaps, exchange, below = 0, exchanger(), pairs(root, outside)
    while not select.select([0], [], [], 0)[0]:
        for pair in below:
            plant(pair)
        for pair in below * ROUNDS:
            with suppress(OSError):
                if pair.is_inside():
                    exchange(pair.path, pair.link)
                    swaps += 1
            time.sleep(PAUSE)
    return swaps


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
