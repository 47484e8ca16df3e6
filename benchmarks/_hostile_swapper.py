"""A process that swaps folders and files for links to the outside, and back, as fast as it can.

`python -m benchmarks._hostile_swapper ROOT OUTSIDE` goes on until its stdin ends, and then says how often it swapped.
What it swaps is made anew wherever a tool has removed or replaced it meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from contextlib import suppress
from pathlib import Path

# Of <fcntl.h> and <linux/fs.h>: paths count from the working directory; two names change places in one step.
AT_FDCWD, RENAME_EXCHANGE = -100, 2
# What is swapped below the root, and where the link beside it leads below the outside; a link's name has its own end.
PAIRS = (("d", ""), ("d/e", "d"), ("d/f", "d/f"), ("f", "f"), ("d/e/f", "d/f"), ("deep/d", "d"), ("deep/d/f", "f"))
LINK = ".link"
# Rounds between two looks at whether to go on.
ROUNDS = 50


def exchange(one: str, other: str) -> None:
    """Let two names change places, at once for whoever looks. Raises `OSError`."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), "renameat2", one)


def plant(root: Path, outside: Path) -> None:
    """Make what is to be swapped, as far as it is not there."""
    for name, target in PAIRS:
        path = root / name
        with suppress(OSError):
            if is_inside(path):
                path.parent.mkdir(exist_ok=True)
                if not os.path.lexists(path):
                    path.write_text("inside\n") if path.name == "f" else path.mkdir()
                if not path.is_symlink() and not os.path.islink(f"{path}{LINK}"):
                    with suppress(FileNotFoundError):  # a file was put in the link's place
                        os.rename(f"{path}{LINK}", f"{path}{time.monotonic_ns()}")
                    os.symlink(outside / target, f"{path}{LINK}")


def swap(root: Path) -> int:
    """Swap each pair once. Returns how many could be: a name may lie behind a link just now."""
    swapped = 0
    for name, _ in PAIRS:
        path = root / name
        with suppress(OSError):
            if is_inside(path):
                exchange(str(path), f"{path}{LINK}")
                swapped += 1
    return swapped


def is_inside(path: Path) -> bool:
    """Whether no link stands on the way to it. Nobody else makes links here, so it stays so: nothing outside is
    touched by this process."""
    return os.path.realpath(path.parent) == str(path.parent)


def main(root: Path, outside: Path) -> int:
    swaps = 0
    while not select.select([0], [], [], 0)[0]:
        plant(root, outside)
        for _ in range(ROUNDS):
            swaps += swap(root)
    return swaps


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
