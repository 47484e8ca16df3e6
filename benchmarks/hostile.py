"""Hostile texts, commands, output, folders and paths: `python -m benchmarks hostile` tries them all, part by part.

`python -m benchmarks.hostile PART... --seed N` runs some parts, or repeats what a seed drew. Exit status: 0 if every
promise was kept, 1 if one was broken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from random import SystemRandom

from benchmarks._hostile_arguments import arguments
from benchmarks._hostile_commands import hostile_commands
from benchmarks._hostile_findings import Findings
from benchmarks._hostile_host import hostile_hosts
from benchmarks._hostile_output import hostile_output
from benchmarks._hostile_paths import hostile_paths
from benchmarks._hostile_tree import hostile_tree
from benchmarks._hostile_writes import hostile_writes

# How much each part does, which the issues on arguments, and on shell and files, ask for. The suite does a tenth, of
# texts a hundredth. `output` is a gigabyte of lines, and shares of the other kinds.
TEXTS = 1_000_000
CANCELS = TIMEOUTS = 200
OUTPUT = 1.0
FILES = 1_000_000
PATHS = 20_000
KILLED_WRITERS = 200
KILLED_HOSTS = 30

# Each is given the seed; quick ones first.
PARTS: dict[str, Callable[[int], Findings]] = {
    "output": lambda seed: hostile_output(OUTPUT, seed),
    "paths": lambda seed: hostile_paths(PATHS, seed),
    "hosts": lambda seed: hostile_hosts(KILLED_HOSTS, seed),
    "writes": lambda seed: hostile_writes(KILLED_WRITERS, seed),
    "commands": lambda seed: hostile_commands(CANCELS, TIMEOUTS, seed),
    "tree": lambda _: hostile_tree(FILES),
    "arguments": lambda _: arguments(TEXTS),
}


def main(options: Sequence[str] = ()) -> int:
    """Run the parts that are named, or all; print a row for each, and the promises that were broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all if none is named")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32))
    chosen = parser.parse_args(options)
    unknown = [part for part in chosen.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!a}; there are {', '.join(PARTS)}")
    print(f"hostile: seed {chosen.seed}", flush=True)
    broken = 0
    for part in chosen.parts or PARTS:
        findings = PARTS[part](chosen.seed)
        broken += len(findings.faults)
        print(findings.told(), flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
