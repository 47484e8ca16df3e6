"""The command line as a process of its own, for tests that need real signals, pipes and terminals."""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from benchmarks.warm import Process, Start, fresh

Document: TypeAlias = dict[str, Any]

ROOT = Path(__file__).parents[2]
# Seconds that anything may take before a test gives up. Far more than it does, on a machine that does other things too.
BOUND = 120.0


def call(name: str, own_id: str | None = None, /, **arguments: object) -> Document:
    return {"id": own_id, "name": name, "arguments": arguments}


def bash(command: str, own_id: str | None = None, **more: object) -> Document:
    return call("bash", own_id, command=command, description="for a test", **more)


def turn(*calls: Document) -> str:
    return json.dumps({"calls": calls}) + "\n"


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "trio_tools.cli", *arguments]


@attrs.define
class Cli:
    """A run under way."""

    process: Process
    received: bytes = b""

    def write(self, text: str | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())
        self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None  # or communicate() flushes it

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def line(self) -> Document:
        """The next line of its output."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + BOUND
        while b"\n" not in self.received:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            assert ready, "no line came"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the output ended"
            self.received += data
        line, _, self.received = self.received.partition(b"\n")
        document: Document = json.loads(line)
        return document

    def error_line(self) -> str:
        """The next line of its complaints."""
        assert self.process.stderr is not None
        ready, _, _ = select.select([self.process.stderr], [], [], BOUND)
        assert ready, "no complaint came"
        return self.process.stderr.readline().decode()

    def end(self) -> tuple[int, list[Document], str]:
        """Wait for its end: the status, the lines that are left, and its complaints."""
        out, err = self.process.communicate(timeout=BOUND)
        return self.process.wait(), [json.loads(line) for line in (self.received + out).splitlines()], err.decode()


@contextmanager
def started(*arguments: str, start: Start = fresh, **options: Any) -> Generator[Cli]:
    """`trio-tools` with these arguments, anew or by the fixture `warm`; killed if the test leaves it running."""
    given: dict[str, Any] = {"environment": environment(), **options}
    process = start(arguments, **given)
    try:
        yield Cli(process)
    finally:
        process.kill()
        process.wait(BOUND)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def ran(*arguments: str, given: str | bytes = "", **options: Any) -> tuple[int, list[Document], str]:
    """Run to the end with all of this on standard input."""
    with started(*arguments, **options) as cli:
        data = given.encode() if isinstance(given, str) else given
        out, err = cli.process.communicate(data, timeout=BOUND)
        return cli.process.wait(), [json.loads(line) for line in out.splitlines()], err.decode()


def wait_for(path: Path) -> str:
    """Wait until a command of the test has made this file, with a line in it; the line."""
    deadline = time.monotonic() + BOUND
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):
            text = path.read_text()
            if text.endswith("\n"):
                return text.strip()
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that is a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def codes(documents: list[Document]) -> list[object]:
    return [one.get("code", one.get("error")) for one in documents]
