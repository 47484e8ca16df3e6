"""Commands that do not want to end, drawn by a seed: mixtures of what programs, and models, have been seen to do.

Whatever is started ends by itself after `LIFE` seconds, so that a broken promise costs nobody their machine.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import attrs

# Seconds that anything in here lives: far longer than any stop may take.
LIFE = 45
# The descriptor on which each process of a command holds the judge's pipe open. Bash keeps 10 and up to itself.
HELD = 9
# Fragments that one command is mixed of, at most.
MOST = 3

# Forks itself into session after session, every two milliseconds, each parent gone: by the time that one is found its
# child is already another. `argv` carries the mark.
RESPAWN = f"""
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + {LIFE}
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
    time.sleep(0.002)
"""

# What goes on beside the shell. SLEEP is a sleep that carries the command's mark in its arguments.
BESIDE = {
    "fork": "SLEEP & (SLEEP & SLEEP) & bash -c 'SLEEP & SLEEP' &",
    "many": "for i in {1..12}; do SLEEP & done",
    "session": "setsid SLEEP &",
    "daemon": "(setsid bash -c 'SLEEP & SLEEP' </dev/null >/dev/null 2>&1 &)",
    "holder": "(setsid bash -c 'setsid SLEEP & exec setsid SLEEP' &)",
    "deaf": "(trap '' TERM HUP INT; SLEEP & SLEEP) &",
    "deaf daemon": "(setsid bash -c \"trap '' TERM HUP; SLEEP\" &)",
    "stopped": "(kill -STOP $BASHPID; SLEEP) &",
}
# The same, out of reach of whoever looks for processes by their environment (`env -i` takes every variable away), or
# looks for them at all. PYTHON is an interpreter.
BEYOND_REACH = {
    "wiped": "env -i bash -c 'SLEEP & SLEEP' &",
    "wiped daemon": "(env -i setsid bash -c \"trap '' TERM; SLEEP & SLEEP\" </dev/null >/dev/null 2>&1 &)",
    "wiped holder": "(env -i setsid setsid bash -c 'SLEEP' &)",
    "without the pipes": "(env -i setsid SLEEP <&- >&- 2>&- 9>&- &)",
    "respawn": "(PYTHON &)",
    "wiped respawn": "(env -i setsid PYTHON </dev/null >/dev/null 2>&1 &)",
}
# How the shell itself goes on, until it is stopped.
GOING_ON = {
    "wait": "wait; SLEEP",
    "exec": "exec SLEEP",
    "ignores": f"trap '' TERM; while ((SECONDS < {LIFE})); do SHORT; done",
    "answers": "trap 'echo bye; exit 0' TERM; SLEEP & wait",
    "starts another": "trap '(setsid SLEEP &); exit 3' TERM; SLEEP & wait",
    "stops itself": "(SLEEP; kill -KILL $$) & kill -STOP $$",
    "writes": f"while ((SECONDS < {LIFE})); do echo more; SHORT; done",
}


@attrs.frozen
class Hostile:
    """A command: its `text`, the names of what it is mixed of, and the `mark` in the arguments of all its processes."""

    text: str
    names: tuple[str, ...]
    mark: str


def hostile_command(draw: Random, fifo: Path, beside: Mapping[str, str]) -> Hostile:
    """Draw a command, of things beside the shell, whose processes hold `fifo` open for writing.

    It writes CRITICAL when all is under way.
    """
    names = draw.sample(sorted(beside), draw.randint(1, min(MOST, len(beside))))
    going_on = draw.choice(sorted(GOING_ON))
    # digits behind the point, so that a sleep takes them as a part of its seconds; and the pid, so that two runs of
    # the benchmark at once do not take each other's processes for their own
    mark = f"{os.getpid():07d}{draw.randrange(10**9):09d}"
    python = shlex.join([sys.executable, "-I", "-S", "-c", RESPAWN, mark])
    parts = [beside[name] for name in names]
    text = "\n".join((f"exec {HELD}>{shlex.quote(str(fifo))}", *parts, "echo CRITICAL", GOING_ON[going_on]))
    for word, meaning in (("SLEEP", f"sleep {LIFE}.{mark}"), ("SHORT", f"sleep 0.05{mark}"), ("PYTHON", python)):
        text = text.replace(word, meaning)
    return Hostile(text, (*names, going_on), mark)
