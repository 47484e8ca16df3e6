"""The environment of a command: the parent's without secrets, quiet tools, and the mark that finds escapees."""

from __future__ import annotations

from collections.abc import Mapping

# Set in every command. Its value is the marks of all calls that the process belongs to, separated by commas: a command
# may itself be a program that runs tool calls, and what its commands leave behind is ours to find too.
MARK_VARIABLE = "TRIO_TOOLS_CALL"

# A variable whose name contains one of these, in any case, stays with us.
SECRET_WORDS = ("KEY", "SECRET", "TOKEN", "PASSWORD")

# No colours and no pager: nobody sits at a terminal, and a pager would wait for one.
QUIET = {"NO_COLOR": "1", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"}


def command_environment(parent: Mapping[str, str], *, mark: str) -> dict[str, str]:
    """The environment of one command: `parent` is usually `os.environ`, `mark` is unique to the call."""
    kept = {name: value for name, value in parent.items() if not _is_secret(name)}
    outer = parent.get(MARK_VARIABLE)
    return {**kept, **QUIET, MARK_VARIABLE: f"{outer},{mark}" if outer else mark}


def carries(environ: bytes, mark: str) -> bool:
    """Whether the bytes of a `/proc/<pid>/environ` belong to a process of the call that `mark` stands for."""
    prefix = f"{MARK_VARIABLE}=".encode()
    entries = (entry for entry in environ.split(b"\0") if entry.startswith(prefix))
    return any(mark.encode() in entry[len(prefix) :].split(b",") for entry in entries)


def _is_secret(name: str) -> bool:
    upper = name.upper()
    return any(word in upper for word in SECRET_WORDS)
