"""What is killed: an agent that writes and edits files, over and over, until it is.

Run as a program, this is a warm process: it has imported everything, and forks an agent for each line that it reads.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from random import Random
from unittest.mock import patch

import attrs
import trio

from trio_tools import ToolCall, open_registry
from trio_tools.toolkits.files import FilesConfig, files

# Files that are written at once, some in folders that are made.
PATHS = ("a.txt", "b.txt", "made/c.txt", "made/deep/d.txt")
# Lines of a file, at most; each is some 30 bytes. Enough for a write to take several steps.
LINES = 5_000


@attrs.frozen
class Orders:
    """What an agent is told, as JSON on one line: the root, the seed of all that it does, and the mark that its first
    file has. `fatal` is the number of its renames by which it kills itself: where a file has its name for a moment, and
    is not yet published. 0: it lives on."""

    root: str
    seed: int
    mark: int
    fatal: int = 0


def content(mark: int, lines: int) -> str:
    """A file that can be told to be whole: each line has its mark, and the last says how many there are."""
    return f"{mark:012d} is the mark of this line\n" * lines + f"{mark:012d} is of {lines} lines\n"


def mark_of(text: str) -> int | None:
    """The mark of a file that `content` has made, or an edit of one; None if it is not whole."""
    words = text[text.rstrip("\n").rfind("\n") + 1 :].split()
    if len(words) != 5 or not (words[0].isdecimal() and words[3].isdecimal()):
        return None
    mark, lines = int(words[0]), int(words[3])
    return mark if text == content(mark, lines) else None


def say(line: str) -> None:
    """Tell of something in one step, which a kill leaves whole or undone."""
    os.write(1, line.encode() + b"\n")


def kill_at(number: int) -> None:
    """Have this process killed in place of its `number`-th rename."""
    rename, left = os.rename, [number]

    def fatal(source: str, target: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    patch.object(os, "rename", fatal).start()


async def agent(orders: Orders) -> None:
    """Write and edit for ever, all files at once. Each change has a mark of its own, one more than the one before."""
    draw = Random(orders.seed)
    config = files(FilesConfig(root=Path(orders.root), tools=("write", "edit")))
    async with open_registry(plugins=[config], defaults=False) as registry, trio.open_nursery() as nursery:

        async def change(tool: str, arguments: dict[str, object], path: str, mark: int) -> None:
            call = ToolCall(tool, {"file_path": path, **arguments})
            result = await registry.execute(call, scope=trio.CancelScope())
            say(f"failed {result.text}" if result.is_error else f"done {path} {mark}")

        async def work(path: str) -> None:
            mark = orders.mark
            while True:
                await change("write", {"content": content(mark, draw.randrange(LINES))}, path, mark)
                pieces: dict[str, object] = {
                    "old_string": f"{mark:012d}",
                    "new_string": f"{mark + 1:012d}",
                    "replace_all": True,
                }
                await change("edit", pieces, path, mark + 1)
                mark += 2

        say("open")
        for path in PATHS:
            nursery.start_soon(work, path)


def main() -> None:
    """Fork an agent for each line on stdin and say its process id. Then wait until it has ended, and say how."""
    for line in sys.stdin:
        orders = Orders(**json.loads(line))
        child = os.fork()
        if child == 0:
            if orders.fatal:
                kill_at(orders.fatal)
            trio.run(agent, orders)
            os._exit(1)  # it has no end of its own
        say(f"agent {child}")
        _, status = os.waitpid(child, 0)
        say(f"ended {status}")


if __name__ == "__main__":
    main()
