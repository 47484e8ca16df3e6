"""Words that were given on the command line, as they are taken by every command."""

from __future__ import annotations

from pathlib import Path

from trio_tools.cli._printable import named
from trio_tools.cli._status import Refused

FILE_TOOLS = ("read", "write", "edit", "glob", "grep")
TOOLS = (*FILE_TOOLS, "bash")
# What `-` stands for. It is read as the descriptor 0 that it is, and not opened anew.
STDIN = "/dev/stdin"


def tools_in(text: str) -> tuple[str, ...]:
    """The tools of a list such as `read,grep`. Raises `Refused` for one that there is not, or that stands twice."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in TOOLS:
            raise Refused(f'--tools: there is no tool "{named(name)}"; there are {", ".join(TOOLS)}')
        if names.count(name) > 1:
            raise Refused(f'--tools: "{name}" stands more than once')
    return names


def bare(word: str) -> str:
    """A hyphen where it stands for no input is a hyphen."""
    return "-" if word == STDIN else word


def form_in(text: str | None) -> str | None:
    """The form that was asked for, if one was. Raises `Refused` for one that there is not."""
    if text is None:
        return None
    from trio_tools.formats import TURN_FORMS

    if text not in TURN_FORMS:
        raise Refused(f'--format: there is no form "{named(text)}"; there are {", ".join(TURN_FORMS)}')
    return text


def whole_number(option: str, text: str) -> int:
    """The whole number that was given with an option. Raises `Refused` for anything else."""
    try:
        return int(text)
    except ValueError:
        raise Refused(f'{option} must be a whole number, not "{named(text)}"') from None


def path_in(option: str, text: str) -> Path:
    """The path that was given with an option, or by its variable. Raises `Refused` for an empty one: as a rule it comes
    of a shell's variable that was never set, and is not to mean the working folder."""
    if not text:
        raise Refused(f"{option} must be a path, and is empty")
    return Path(text)
