"""One row of the table of messages, and how it is run: `main` in a folder of its own, with real streams, real metadata
of real distributions, and nothing replaced but the process's own descriptors."""

from __future__ import annotations

import io
import os
import shlex
import sys
import textwrap
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stderr
from pathlib import Path
from types import MappingProxyType

import attrs
import pytest

from trio_tools.cli import main

# What this project's own distribution offers, so that the tests run on any installation of it.
OURS = {
    "files": "trio_tools.toolkits.files:files",
    "journal": "trio_tools.journal:journal",
    "logging": "trio_tools.policies:logging_plugin",
    "read_before_write": "trio_tools.toolkits.files:read_before_write",
    "retry": "trio_tools.policies:retry",
    "shell": "trio_tools.toolkits.shell:shell",
    "spill": "trio_tools.policies:spill",
    "timeout": "trio_tools.policies:timeout",
    "todo": "trio_tools.toolkits.todo:todo",
}
NOTHING: Mapping[str, str] = MappingProxyType({})
NOWHERE = nullcontext()


@attrs.frozen
class Row:
    """What is given, and every line that comes of it; `out` is None where that is no message.

    `plugins` are sources by name: the plugin is `it` in there, and a distribution offers it. `stdout` may be `closed`
    or `full`; `stdin` is None if it is closed.
    """

    arguments: tuple[str, ...]
    err: tuple[str, ...]
    out: tuple[str, ...] | None
    status: int
    stdin: bytes | None
    stdout: str
    files: Mapping[str, str | bytes]
    environment: Mapping[str, str]
    plugins: Mapping[str, str]


def row(
    command: str | tuple[str, ...],
    *err: str,
    out: tuple[str, ...] | None = (),
    status: int = 2,
    stdin: bytes | None = b"",
    stdout: str = "file",
    files: Mapping[str, str | bytes] = NOTHING,
    environment: Mapping[str, str] = NOTHING,
    plugins: Mapping[str, str] = NOTHING,
) -> Row:
    """A row, its arguments as a shell would split them, its lines on stderr without the name of the program."""
    return Row(
        arguments=tuple(shlex.split(command)) if isinstance(command, str) else command,
        err=tuple(f"trio-tools: {line}" for line in err),
        out=out,
        status=status,
        stdin=stdin,
        stdout=stdout,
        files=files,
        environment=environment,
        plugins=plugins,
    )


@attrs.frozen
class Told:
    """What a row came to."""

    out: tuple[str, ...]
    err: tuple[str, ...]
    status: int


def install(site: Path, distribution: str, entry_points: str) -> None:
    """Metadata of a distribution, as an installer writes it."""
    metadata = site / f"{distribution.replace('-', '_')}-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(f"[trio_tools.plugins]\n{entry_points}")


def told(row: Row, folder: Path, *, noted: AbstractContextManager[None] = NOWHERE) -> Told:
    """Run the row in this folder, which must be empty; `main` itself within `noted`."""
    site = folder / "site"
    install(site, "trio-tools", "".join(f"{name} = {place}\n" for name, place in OURS.items()))
    for number, (name, source) in enumerate(row.plugins.items(), 1):
        install(site, f"acme-{number}", f"{name} = acme_{number}:it\n")
        (site / f"acme_{number}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    for name, content in row.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    err = io.StringIO()
    with ExitStack() as stack:
        stack.enter_context(_process(folder, site, row.environment))
        out = stack.enter_context(_streams(row, folder))
        stack.enter_context(redirect_stderr(err))
        with noted:
            status = main(list(row.arguments))
    return Told(_lines(out.read_text("utf-8"), folder), _lines(err.getvalue(), folder), status)


def _lines(text: str, folder: Path) -> tuple[str, ...]:
    return tuple(text.replace(str(folder), "FOLDER").split("\n")[:-1])


@contextmanager
def _process(folder: Path, site: Path, environment: Mapping[str, str]) -> Generator[None]:
    """The working folder, what is installed, and the environment; modules from the folder are forgotten in the end."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        for name in [one for one in os.environ if one.startswith("TRIO_TOOLS_")]:
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(sys, "path", [str(site), *sys.path])
        patch.chdir(folder)
        yield
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@contextmanager
def _streams(row: Row, folder: Path) -> Generator[Path]:
    """Descriptors 0 and 1, and Python's streams on them, as a shell would set them up; gives where output goes."""
    given, out = folder.with_suffix(".in"), folder.with_suffix(".out")
    given.write_bytes(row.stdin or b"")
    out.touch()
    kept = os.dup(0), os.dup(1)
    opened = (
        os.open(given, os.O_RDONLY),
        os.open("/dev/full" if row.stdout == "full" else out, os.O_WRONLY),
    )
    for number, descriptor in enumerate(opened):
        os.dup2(descriptor, number)
        os.close(descriptor)
    with pytest.MonkeyPatch.context() as patch:
        reads = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
        writes = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8")
        patch.setattr(sys, "stdin", None if row.stdin is None else reads)
        patch.setattr(sys, "stdout", None if row.stdout == "closed" else writes)
        try:
            yield out
        finally:
            for number, descriptor in enumerate(kept):
                os.dup2(descriptor, number)
                os.close(descriptor)
