"""Paths that lead out of the root, or nearly, while another process swaps folders for links to the outside.

Nothing outside is read, listed, changed or told of; and each call is answered, with text or with an error that has a
code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import attrs
import trio

from benchmarks._hostile_findings import Findings
from benchmarks._hostile_outside import Outside, notes_readings
from benchmarks._hostile_writes import OWN
from trio_tools import Registry, ToolCall, ToolResult, open_registry, to_json
from trio_tools.registry import AnyPlugin
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.values import JSONValue

# Names on a path, at most: more than the folders are deep.
STEPS = 5
# Calls at once.
TURN = 20
# Turns between two new drawings of what lies in the folder of random links.
REDRAWN = 10
# Links in there.
LINKS = 12

# Paths that there are, while nothing is swapped; links with a number lie in `s`.
REAL = ("d", "d/e", "f", "d/f", "d/e/f", "deep", "deep/d", "deep/d/f", "s", ".", "d/../f", "s/0", "s/1", "s/2", "s/3")
# What other paths are made of: what there is, ways up, and what nobody would write: names of the kernel's own links,
# escapes of other languages, a NUL, half a character.
NAMES: tuple[str, ...] = (
    "d",
    "e",
    "f",
    "deep",
    "s",
    "d.link",
    "f.link",
    "e.link",
    "..",
    "..",
    ".",
    "",
    "0",
    "5",
    "11",
    "root",
    "outside",
)
ODD = ("...", "..\\", "%2e%2e", "\u2025", "\uff0e\uff0e", "~", "$HOME", "\0", "..\0", "\udc2e", "a" * 300, "-", "*")
STARTS = ("", "", "", "s/", "d/", "/", "//", "{root}/", "{root}/../", "{root}let/", "{root}/../outside/", "{outside}/")
KERNELS = ("/proc/self/root{outside}/", "/proc/self/cwd/", "/dev/fd/", "file://{outside}/", "{outside}")
# Patterns of glob, and of what grep includes: those of a search, and those that lead up, or out.
PATTERNS = ("**", "**/*", "*", "**/f", "**/d/*", "s/*/*", "*.link/**")
UPWARD = ("../**", "{outside}/**", "{root}/../**", "{{..,d}}/**", "../outside/*")
# One in so many: a path from one of the kernel's own links, an odd name on a path, a pattern that leads up.
SELDOM = 10


@attrs.define
class World:
    """A root and its outside, in one folder, and what came of the calls so far."""

    root: Path
    outside: Outside
    draw: Random
    codes: Counter[str] = attrs.field(factory=Counter[str])
    swaps: int = 0
    faults: list[str] = attrs.field(factory=list[str])

    def path(self) -> str:
        """Any path; every second one is as people write them."""
        if self.draw.randrange(2):
            return self.draw.choice(REAL)
        start = self._filled(self.draw.choice(KERNELS if self._seldom() else STARTS))
        steps = self.draw.choices(NAMES, k=self.draw.randint(1, STEPS))
        if self._seldom():
            steps[self.draw.randrange(len(steps))] = self.draw.choice(ODD)
        return start + "/".join(steps)

    def pattern(self) -> str:
        """Any pattern."""
        return self._filled(self.draw.choice(UPWARD if self._seldom() else PATTERNS))

    def _seldom(self) -> bool:
        return self.draw.randrange(SELDOM) == 0

    def _filled(self, text: str) -> str:
        return text.format(root=self.root, outside=self.outside.folder)

    def call(self) -> ToolCall:
        """Any call of any tool there is."""
        tool = self.draw.choice(sorted(CALLS))
        return ToolCall(tool, CALLS[tool](self))

    def draw_links(self) -> None:
        """Put other links into the folder of random ones. Absolute and relative, whole and broken, out and in."""
        folder = self.root / "s"
        folder.mkdir(exist_ok=True)
        for number in range(LINKS):
            target = self.path().encode(errors="replace").decode().replace("\0", "")
            link = folder / str(number)
            with suppress(IsADirectoryError):  # a folder that was made for what was written
                link.unlink(missing_ok=True)
                link.symlink_to(target[:1000] or ".")

    def judge(self, call: ToolCall, result: ToolResult) -> None:
        """Look at what one call came to."""
        self.codes[f"{call.name} {result.code or 'text'}"] += 1
        told = to_json(result)
        faults = [f"tells of the outside: {result.text[:300]!a}"] if self.outside.word in told else []
        if result.code in {"TOOL_FAILED", "INVALID_TOOL_OUTPUT"} or "Traceback" in result.text:
            faults.append(f"fails, and does not say why in a code of its own: {result.text[:300]!a}")
        self.faults += [f"{call.name} {call.arguments!a:.300} {fault}" for fault in faults]


CALLS: dict[str, Callable[[World], dict[str, JSONValue]]] = {
    "read": lambda world: {"file_path": world.path()},
    "write": lambda world: {"file_path": world.path(), "content": "inside\n"},
    "edit": lambda world: {
        "file_path": world.path(),
        "old_string": "inside",
        "new_string": "within",
        "replace_all": True,
    },
    "glob": lambda world: {"pattern": world.pattern(), "path": world.path()},
    "grep": lambda world: {"pattern": "i|canary", "path": world.path(), "include": world.pattern()},
}


def our_files(root: Path) -> AnyPlugin:
    """The toolkit, on this root."""
    return files(FilesConfig(root=root, tools=tuple(CALLS)))


def hostile_paths(calls: int, seed: int, *, toolkit: Callable[[Path], AnyPlugin] = our_files) -> Findings:
    """Make so many calls, drawn by `seed`, while links are swapped; say what was found. `toolkit` brings the tools."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        above = Path(folder).resolve()
        (above / "root").mkdir()
        (above / "rootlet").symlink_to("outside")
        draw = Random(seed)
        world = World(above / "root", Outside.make(above / "outside", draw), draw)
        before, noted = world.outside.digest(), notes_readings(above)
        with swapping(world):
            trio.run(_calls, world, toolkit(world.root), calls)
        if noted:
            world.faults += [f"somebody has read {path}" for path in world.outside.read()]
        if world.outside.digest() != before:
            world.faults.append("the outside was changed")
        world.faults += [f"left of a write: {path}" for path in world.root.rglob(f"{OWN}*")]
        world.faults += [f"a text of the outside is in {path}" for path in texts_below(world.root, world.outside.word)]
    readings = "" if noted else ", in a file system that notes no readings"
    told = sum(count for code, count in world.codes.items() if code.endswith(" text"))
    what = f"{calls:,} calls ({told:,} answered with text), {world.swaps:,} swaps meanwhile{readings}"
    return Findings("paths", what, tuple(world.faults), time.perf_counter() - began)


def texts_below(root: Path, word: str) -> list[Path]:
    """The files below a folder that have this word in them. No link is followed."""
    paths = (Path(folder) / name for folder, _, names in os.walk(root) for name in names)
    return [path for path in paths if not path.is_symlink() and word.encode() in path.read_bytes()]


@contextmanager
def swapping(world: World) -> Generator[None]:
    """Swap folders for links and back, in another process, during the block."""
    command = [sys.executable, "-m", "benchmarks._hostile_swapper", str(world.root), str(world.outside.folder)]
    folder = Path(__file__).parents[1]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as swapper:
        try:
            yield
        finally:
            world.swaps = int(swapper.communicate()[0])


async def _calls(world: World, toolkit: AnyPlugin, calls: int) -> None:
    async with open_registry(plugins=[toolkit]) as registry:
        for turn in range(-(-calls // TURN)):
            if turn % REDRAWN == 0:
                world.draw_links()
            await _turn(registry, world, [world.call() for _ in range(TURN)])


async def _turn(registry: Registry, world: World, calls: list[ToolCall]) -> None:
    results = await registry.execute_turn(calls, scope=trio.CancelScope())
    for call, result in zip(calls, results, strict=True):
        world.judge(call, result)
