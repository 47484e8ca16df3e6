"""What starts `trio-tools` warm: a process that has imported all that the commands import, also late, and forks one for
each order.

A forked command leaves `serve`, and from there on is what `python -m trio_tools.cli` is: the same code in a process of
its own, with its own arguments, variables, folder, standard streams and session, signals treated as an interpreter
treats them, and the end of a script as its end, so that threads are joined and exit handlers run. Only the imports have
been done before, and what was drawn at random then, such as the seed of hashes, is the same for all. So what a test
says of such a command it says of any, unless it is about starting: imports, what the interpreter itself reads of the
variables, standard streams that are closed, signals in the first tenth of a second, and the memory of the process. Such
tests start it anew; tests/real/test_warm.py compares the two.
"""

from __future__ import annotations

import fcntl
import gc
import io
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import trio_tools.cli
from benchmarks.warm import NUMBER, Order

# Descriptors that come with an order: the three standard streams, and the channel for all that is said about it.
DESCRIPTORS = 4
# What is imported late besides the modules of the command line itself.
LATE = (
    "trio_tools.journal",
    "trio_tools.toolkits.files",
    "trio_tools.toolkits.shell",
    "cattrs.gen.typeddicts",
    "cyclopts.core",
    "docstring_parser",
    "rich.filesize",
    "rich.live",
    "rich.progress_bar",
    "rich.table",
)


def import_all() -> None:
    """Import what any command imports, except what is named in a config or an argument."""
    for one in pkgutil.walk_packages(trio_tools.cli.__path__, "trio_tools.cli."):
        if not one.name.endswith(".__main__"):
            import_module(one.name)
    for name in LATE:
        import_module(name)
    gc.collect()
    gc.freeze()  # or each command copies, page by page, what its collector only looks at


def serve(control: socket.socket) -> Order | None:
    """Fork a command for each order, and tell of its end. Returns in a command, which then has nothing of what is
    between this process and others; and here when nobody is left who gives orders, which is None."""
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of the process: its id, and its channel
    while True:
        ready, _, _ = select.select([control.fileno(), *running], [], [])
        for ended in running.keys() & set(ready):
            pid, channel = running.pop(ended)
            os.close(ended)
            _, status = os.waitpid(pid, 0)
            with channel, suppress(BrokenPipeError):
                channel.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
        if control.fileno() not in ready:
            continue
        received, descriptors, _, _ = socket.recv_fds(control, 1, DESCRIPTORS)
        if not received:
            return None
        *streams, of_channel = descriptors
        channel = socket.socket(fileno=of_channel)
        with channel.makefile("rb") as lines:
            order = Order(**json.loads(lines.readline()))
        pid = os.fork()
        if pid == 0:
            for ended, (_, of_another) in running.items():
                os.close(ended)
                of_another.close()
            channel.close()
            control.close()
            become(order, streams)
            return order
        for one in streams:
            os.close(one)
        ended = os.pidfd_open(pid)
        running[ended] = pid, channel
        with suppress(BrokenPipeError):
            socket.send_fds(channel, [NUMBER.pack(pid)], [ended])


def become(order: Order, streams: Sequence[int]) -> None:
    """Make this process what an interpreter is that has just been started like that."""
    for number, one in enumerate(streams):
        os.dup2(one, number)
        os.close(one)
    if order.leads:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    sys.argv[:] = [str(Path(trio_tools.cli.__file__).with_name("__main__.py")), *order.arguments]
    named = order.environment.get("PYTHONPATH")
    searched = map(os.path.abspath, named.split(os.pathsep) if named else ())
    sys.path[:] = [os.getcwd(), *dict.fromkeys([*searched, *sys.path[1:]])]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = standard(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def standard(number: int, before: io.TextIOWrapper) -> io.TextIOWrapper:
    """A standard stream as the interpreter makes it. What it finds out from the variables is as `before`."""
    unbuffered = before.write_through
    buffer = os.fdopen(number, "wb" if number else "rb", 0 if number and unbuffered else -1, closefd=False)
    return io.TextIOWrapper(
        buffer,
        before.encoding,
        before.errors,
        newline="\n",
        line_buffering=not unbuffered and (number == 2 or buffer.isatty()),
        write_through=unbuffered,
    )


if __name__ == "__main__":
    import_all()
    # a Ctrl-C is for the commands, and waits until one is ready for it
    signals = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    asked = serve(socket.socket(fileno=int(sys.argv.pop())))
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    sys.exit(None if asked is None else trio_tools.cli.main())
