"""Commands that write more than anybody can keep: what it takes, and whether the end and the count are right."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
import time
from itertools import repeat
from random import Random

import attrs

from benchmarks._hostile_child import MOST_MEMORY, Measured, Orders, measured
from benchmarks._hostile_findings import Findings
from trio_tools.toolkits.shell import ShellConfig

# What is kept of a stream: nothing in here changes the default.
KEPT = ShellConfig().max_output_bytes
# Bytes at the very end that an answer must hold, whatever else was cut.
END = 1_000
# Bytes that a character takes at most: so many less than KEPT may be shown, since a cut leaves whole ones only.
CHARACTER = 4
# Bytes of noise that are written again and again: longer than what is kept, and no whole number of reads.
NOISE = 100_003
# Megabytes that each kind writes, in the order of a share of 1.
GIGABYTE, LONG_LINE, NOISY, EACH = 1_000_000_000, 300_000_000, 200_000_000, 250_000_000

# Writes `unit` again and again until there are so many bytes, then `end`, to the descriptor named.
WRITER = """
import sys
fd, unit, count, end = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3]), bytes.fromhex(sys.argv[4])
block = unit * (1_000_000 // len(unit) + 1)
with open(fd, "wb", closefd=False) as out:
    for _ in range(count // len(block)):
        out.write(block)
    out.write(block[:count % len(block)])
    out.write(end)
"""
# The same, when the unit itself is drawn there from a seed: arguments cannot be that long.
NOISE_WRITER = f"import random, sys\nsys.argv[2] = random.Random(sys.argv[2]).randbytes({NOISE}).hex()\n" + WRITER

_DROPPED = re.compile(r"\[(\d+) bytes dropped\]\n")


@attrs.frozen
class Written:
    """What one stream of a command gets: `unit` again and again until there are `count` bytes, then `end`."""

    unit: bytes
    count: int
    end: bytes

    @property
    def total(self) -> int:
        return self.count + len(self.end)

    def last(self, length: int) -> bytes:
        """The last bytes of it."""
        block = self.unit * (1_000_000 // len(self.unit) + 1)
        cut = block[: self.count % len(block)]
        return (block + cut + self.end)[-length:]


@attrs.frozen
class Kind:
    """A kind of output: the command, and what it writes to stdout and to stderr."""

    name: str
    command: str
    stdout: Written
    stderr: Written | None = None

    @property
    def total(self) -> int:
        return self.stdout.total + (0 if self.stderr is None else self.stderr.total)


def hostile_output(share: float, seed: int) -> Findings:
    """Run each kind of command, with this share of its output; say what was found."""
    began = time.perf_counter()
    kinds = _kinds(share, Random(seed))
    calls = [("bash", {"command": kind.command, "description": kind.name}) for kind in kinds]
    warm = ("bash", {"command": "seq 100000", "description": "warm"})
    with tempfile.TemporaryDirectory() as folder:
        all_found = measured(Orders(folder, warm, calls))
    faults: list[str] = []
    for kind, found in zip(kinds, all_found, strict=True):
        faults += [f"{kind.name}: {fault}" for fault in output_faults(found, kind)]
    did = (f"{kind.name} {found.over:.0f} MiB" for kind, found in zip(kinds, all_found, strict=True))
    written = sum(kind.total for kind in kinds) / 1e6
    what = f"{written:,.0f} MB; over idle: {', '.join(did)}"
    return Findings("output", what, tuple(faults), time.perf_counter() - began)


def output_faults(found: Measured, kind: Kind) -> list[str]:
    """The promises that were broken for one command, in words."""
    faults = [f"took {found.over:.1f} MiB over idle"] if found.over > MOST_MEMORY else []
    if found.code is not None:
        faults.append(f"came to {found.code}: {found.text[-200:]!a}")
    rest = found.text
    for stream, written in (("stdout", kind.stdout), ("stderr", kind.stderr)):
        if written is None:
            continue
        if stream == "stderr":
            before, mark, rest = rest.partition("\n[stderr]\n")
            faults += [] if mark else [f"no mark of stderr after {before[-100:]!a}"]
        match = _DROPPED.match(rest)
        if match is None:
            faults.append(f"does not say how much was dropped: {rest[:100]!a}")
            continue
        shown = written.total - int(match[1])
        if not KEPT - CHARACTER < shown <= KEPT:
            faults.append(f"says that {match[1]} bytes of {written.total} were dropped, which leaves {shown}")
            continue
        end = as_text(written.last(shown))
        if as_text(written.end) not in end or not rest.startswith(end, match.end()):
            faults.append(f"its end is not what was written: {rest[match.end() :][-END:]!a:.300}")
        rest = rest[match.end() + len(end) :]
        if not rest.startswith("\n[output truncated; full output: "):
            faults.append(f"has no mark of the cut: {rest[:100]!a}")
    return faults


def as_text(data: bytes) -> str:
    """Bytes as a model may be shown them."""
    return data.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _kinds(share: float, draw: Random) -> list[Kind]:
    def end() -> bytes:
        return b"".join(map(b"%09d\n".__mod__, (draw.randrange(10**9) for _ in repeat(None, END // 10))))

    def python(script: str, *arguments: object) -> str:
        return shlex.join([sys.executable, "-I", "-S", "-c", script, *map(str, arguments)])

    def writer(fd: int, what: Written) -> str:
        return python(WRITER, fd, what.unit.hex(), what.count, what.end.hex())

    noise_seed = f"{draw.randrange(10**9)}"
    lines = Written("a line like any other, of text: 你好\n".encode(), int(GIGABYTE * share), end())
    line = Written(b"x", int(LONG_LINE * share), end())
    noise = Written(Random(noise_seed).randbytes(NOISE), int(NOISY * share), draw.randbytes(END))
    out, err = (Written(word, int(EACH * share), end()) for word in (b"out\r", b"err\n"))
    noisy = python(NOISE_WRITER, 1, noise_seed, noise.count, noise.end.hex())
    return [
        Kind("lines", writer(1, lines), lines),
        Kind("one line", writer(1, line), line),
        Kind("noise", noisy, noise),
        Kind("both at once", f"{writer(1, out)} & {writer(2, err)} & wait", out, err),
    ]
