"""What the files and shell toolkits cost, each beside the plainest way to have the same: through a whole registry.

`grep` and `glob` on the interpreter's library folder, with everything that is installed in it; `read` of 10 MB; `bash`
of a command that does nothing. With ripgrep the floor is `rg` itself, without it a loop in Python that does the same to
the same files. A tool that starts a program of ours first is granted that start, measured alongside and taken away.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import attrs
import trio

from benchmarks import _rounds, _table
from trio_tools import Registry, ToolCall, open_registry
from trio_tools.registry import AnyPlugin
from trio_tools.toolkits.files import FilesConfig, _sandbox, files
from trio_tools.toolkits.files._engine import SearchEngine, choose_engine
from trio_tools.toolkits.shell import ShellConfig, shell
from trio_tools.toolkits.shell._supervised import SUPERVISOR

# Ratio to the floor, once the start of our own program is taken away where there is one.
BOUND = 2.0
# Rounds per figure. Odd, and few: a round of a loop over the library folder takes seconds.
ROUNDS = 3
# What is searched for: rare, with a text in it to look for; anywhere in a line; without any text.
EXPRESSIONS = {"rare": r"def \w+_all\(", "common": r"^\s*import \w+", "no literal": r"(?i)\bdeprecat(ed|ion)\b"}
# Bytes of the file that is read (the issue's), and of its lines, the line end included.
READ_BYTES = 10_000_000
_LINE = b"x" * 49 + b"\n"
# Directories that no search of ours enters, for the plain loops too.
_LEFT_OUT = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", ".sl", "_darcs", "CVS"})

LIBRARY = sysconfig.get_path("stdlib")


@attrs.frozen(kw_only=True)
class Figure:
    """One figure: `ours`, beside `floor` and, if a program of ours is started, its `start`. Units in a sample: `count`.

    Each checks what it got.
    """

    ours: _rounds.Once
    floor: Callable[[], object]
    start: Callable[[], object] | None = None
    count: int = 1

    async def row(self, name: str) -> _table.Row:
        sides = {"ours": _rounds.sampler(self.ours, self.count, None), "floor": self._plain(self.floor)}
        if self.start is not None:
            sides["start"] = self._plain(self.start)
        for sample in sides.values():  # fills the caches of the disk and starts the threads: nobody's figure
            await sample()
        taken = await _rounds.take(sides, ROUNDS)
        starts = taken.get("start", [0.0] * ROUNDS)
        ours = [one - start for one, start in zip(taken["ours"], starts, strict=True)]
        return _table.row(name, "ms", taken["floor"], ours, bound=BOUND)

    def _plain(self, function: Callable[[], object]) -> _rounds.Sample:
        async def once() -> None:
            function()

        return _rounds.sampler(once, self.count, None)


def asked(registry: Registry, name: str, begins: str, **arguments: object) -> _rounds.Once:
    """A tool of a registry, called as an agent calls it, whose answer has to begin so."""

    async def once() -> None:
        result = await registry.execute(ToolCall(name, arguments), scope=trio.CancelScope())
        if result.is_error or not result.text.startswith(begins):
            raise RuntimeError(f"{name} answered {result.text[:200]!a}, not {begins!a}")

    return once


def paths() -> list[str]:
    """Every file below the library folder, by a plain walk."""
    found: list[str] = []
    for folder, folders, names in os.walk(LIBRARY):
        folders[:] = [one for one in folders if one not in _LEFT_OUT]
        found.extend(os.path.join(folder, name) for name in names)
    return found


def newest(found: list[str]) -> list[str]:
    dated = sorted(((os.lstat(path).st_mtime_ns, path) for path in found), reverse=True)
    return [path for _, path in dated[:100]]


def plain_glob() -> list[str]:
    return newest(paths())


def rg_glob(rg: str) -> list[str]:
    done = subprocess.run(
        [rg, "--no-config", "--no-ignore", "--hidden", "--files", "--null", LIBRARY], check=True, stdout=subprocess.PIPE
    )
    return newest([os.fsdecode(path) for path in done.stdout.split(b"\0") if path])


def plain_grep(pattern: str) -> int:
    expression = re.compile(pattern, re.ASCII)
    total = 0
    for path in paths():
        if os.path.islink(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        if b"\0" not in data:
            total += sum(expression.search(line) is not None for line in data.decode(errors="replace").split("\n"))
    return total


def rg_grep(rg: str, pattern: str) -> int:
    command = [rg, "--no-config", "--no-ignore", "--hidden", "--count", "--no-filename", "--regexp", pattern, LIBRARY]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    return sum(map(int, done.stdout.split()))


def bare_start(folder: Path, module: str) -> None:
    """The start of a program of ours: the interpreter without `site`, and the module with all that it imports."""
    program = f"import sys; sys.path.append({str(folder)!r}); import {module}"
    subprocess.run([sys.executable, "-I", "-S", "-X", "utf8", "-c", program], check=True)


def bare_true() -> None:
    subprocess.run(["bash", "-c", "true"], check=True, capture_output=True)


def bare_read(path: Path) -> None:
    with open(path, encoding="utf-8") as file:
        if len(file.read()) != READ_BYTES:
            raise RuntimeError("the file is not whole")


def searches(registry: Registry, rg: str | None) -> dict[str, Figure]:
    """Both searches, with ripgrep or without."""
    figures: dict[str, Figure] = {}
    for name, pattern in EXPRESSIONS.items():
        plain = functools.partial(plain_grep, pattern) if rg is None else functools.partial(rg_grep, rg, pattern)
        figures[f"grep, {name}"] = Figure(
            ours=asked(registry, "grep", "Found", pattern=pattern, path="."),
            floor=plain,
            start=None if rg is None else functools.partial(bare_start, Path(_sandbox.__file__).parent, "_sandbox"),
        )
    figures["glob"] = Figure(
        ours=asked(registry, "glob", "", pattern="**/*"),
        floor=plain_glob if rg is None else functools.partial(rg_glob, rg),
    )
    return figures


def others(registry: Registry, path: Path) -> dict[str, Figure]:
    """Reading, and a command. 100 lines are shown, so that the file is read to its end to tell how many there are."""
    whole = functools.partial(bare_read, path)
    last = READ_BYTES // len(_LINE) - 50
    first = asked(registry, "read", "<path>", file_path=path.name, limit=100)
    end = asked(registry, "read", "<path>", file_path=path.name, offset=last)
    command = asked(registry, "bash", "", command="true", description="Do nothing")
    supervisor = functools.partial(bare_start, SUPERVISOR.parent, SUPERVISOR.stem)
    return {
        "read, the beginning of 10 MB": Figure(ours=first, floor=whole, count=5),
        "read, the end of 10 MB": Figure(ours=end, floor=whole, count=5),
        "bash true": Figure(ours=command, floor=bare_true, start=supervisor, count=5),
    }


async def _rows() -> list[_table.Row]:
    rg = choose_engine("ripgrep")
    if rg is None:
        raise RuntimeError("ripgrep was not chosen")
    return [
        *await _other_rows(),  # before the searches, which leave room for 10 MB that open() then need not ask for
        *await _search_rows("ripgrep", rg.path, "rg"),
        *await _search_rows("python", None, "a plain loop"),
    ]


async def _search_rows(engine: SearchEngine, rg: str | None, beside: str) -> list[_table.Row]:
    config = FilesConfig(root=Path(LIBRARY), search_engine=engine, search_timeout=600)
    async with open_registry(plugins=[files(config)]) as registry:
        figures = searches(registry, rg)
        return [await figure.row(f"{name} ({engine} beside {beside})") for name, figure in figures.items()]


async def _other_rows() -> list[_table.Row]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "ten.txt")
        await trio.Path(path).write_bytes(_LINE * (READ_BYTES // len(_LINE)))
        plugins: list[AnyPlugin] = [files(FilesConfig(root=path.parent)), shell(ShellConfig(root=path.parent))]
        async with open_registry(plugins=plugins) as registry:
            return [await figure.row(title) for title, figure in others(registry, path).items()]


def main() -> int:
    rows = trio.run(_rows)
    count = len(paths())
    title = (
        f"toolkits: {count:,} files in the library folder; medians of {ROUNDS} rounds; "
        "ours: without the start of our own program"
    )
    return _table.report(title, rows)
