"""A module for `trio-tools schema` that tells what the process is like, and leaves something to do at its end."""

import atexit
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

# Lines of /proc/self/status: signals that are blocked, ignored and caught, the mask of new files, and threads.
SHOWN = ("SigBlk", "SigIgn", "SigCgt", "Umask", "Threads")


def stream(one: Any) -> list[object]:
    kind = type(one.buffer).__name__
    return [one.encoding, one.errors, one.newlines, one.line_buffering, one.write_through, one.isatty(), kind]


def view() -> dict[str, object]:
    status = Path("/proc/self/status").read_text().splitlines()
    terminal = os.isatty(0)
    return {
        "arguments": sys.argv,
        "folder": os.getcwd(),
        "variables": dict(os.environ),
        "searched": sys.path,
        "flags": list(sys.flags),
        "streams": [stream(one) for one in (sys.stdin, sys.stdout, sys.stderr, sys.__stdout__)],
        "descriptors": sorted(map(int, os.listdir("/proc/self/fd"))),
        "handlers": {int(one): getattr(signal.getsignal(one), "__name__", "none") for one in signal.valid_signals()},
        "status": [line for line in status if line.startswith(SHOWN)],
        "limits": [resource.getrlimit(one) for name, one in vars(resource).items() if name.startswith("RLIMIT_")],
        "niceness": os.nice(0),
        "threads": [one.name for one in threading.enumerate()],
        "leads": os.getpid() == os.getsid(0),
        "group": None if terminal else os.getpgrp(),
        "foreground": os.tcgetpgrp(0) == os.getpgrp() if terminal else None,
    }


def linger() -> None:
    time.sleep(0.2)
    print("a thread that was left has ended")


def nothing() -> None:
    """What is described."""


print(json.dumps(view()), file=sys.stderr)
atexit.register(print, "the last words")
threading.Thread(target=linger).start()
