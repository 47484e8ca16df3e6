"""`python -m benchmarks NAME...` runs the named benchmarks; without names, all of them.

Exit status: 0 if every bound was kept, 1 if one was exceeded, 2 for a name that does not exist.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

# Each is a module of this folder with a `main() -> int`, in the order of a run without names: quick and telling first.
NAMES = (
    "call_overhead",
    "turn_fanout",
    "cancel_latency",
    "growth",
    "import_time",
    "intake",
    "exploration",
    "journal",
    "properties",
    "schema",
    "toolkits",
    "hostile",
    "crash",
)


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no such benchmark: {unknown[0]!a}; there are: {' '.join(NAMES)}", file=sys.stderr)
        return 2
    status = 0
    for name in names or NAMES:
        # imported only when asked for, so that one that cannot be imported leaves the others usable
        status |= importlib.import_module(f"benchmarks.{name}").main()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
