"""What the files toolkit can be told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs

from trio_tools.registry import option, positive_seconds
from trio_tools.toolkits.files._engine import ENGINES, SearchEngine

TOOLS = ("read", "write", "edit", "glob", "grep")
# Those that only look. What writes has to be asked for: nobody's files are changed because a config was left as it was.
READING = ("read", "glob", "grep")
WRITING = frozenset(TOOLS) - frozenset(READING)
# Seconds that a search may take (T031). It is what the source gives; a tree that takes longer wants a narrower search.
SEARCH_SECONDS = 30.0


def _names(tools: Iterable[str]) -> tuple[str, ...]:
    if isinstance(tools, str):
        raise TypeError(f'tools must be a list of names, such as ["{tools}"], not the string "{tools}"')
    return tuple(tools)


def _path(root: str | Path) -> Path:
    if not isinstance(root, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - a config file's value
        raise TypeError(f"root must be the path of a directory, not {type(root).__name__}")
    if root == "":
        raise ValueError('root must be the path of a directory, and is empty; the working directory is "."')
    return Path(root)


def _check_tools(_: object, __: attrs.Attribute[tuple[str, ...]], tools: tuple[str, ...]) -> None:
    unknown = [name for name in tools if name not in TOOLS]
    if unknown:
        raise ValueError(f"tools must be any of {', '.join(TOOLS)}: there is no {unknown[0]!r}")
    if len(set(tools)) < len(tools):
        raise ValueError(f"tools must name each once, not as in {', '.join(tools)}")
    if not tools:
        raise ValueError(f"tools must name one at least; leave it out for {', '.join(READING)}")


def _check_engine(_: object, __: attrs.Attribute[SearchEngine], engine: object) -> None:
    if engine not in ENGINES:
        raise ValueError(f"search_engine must be one of {', '.join(ENGINES)}, not {engine!r}")


@attrs.frozen(kw_only=True)
class FilesConfig:
    """What is shown of the disk, what may be changed there, and by which tools.

    Raises `ValueError` for a tool that is unknown, named twice, or none at all, and for a budget that is not a positive
    finite number of seconds, or an engine that is unknown; `TypeError` for a root that is no path and tools that are
    not a list.

    Attributes:
        root: The directory that the tools are confined to; a relative one counts from the working directory.
        tools: The tools to register, any of read, write, edit, glob and grep. By default those that change nothing.
        search_timeout: The budget of glob and of grep; the others have none.
        search_engine: What finds the files in which grep's lines are: ripgrep, Python, or (auto) ripgrep where it is
            there and the kernel can shut it into the root. The answers are the same.
    """

    root: Path = attrs.field(converter=_path)
    tools: tuple[str, ...] = attrs.field(default=READING, converter=_names, validator=_check_tools)
    search_timeout: float = attrs.field(
        default=SEARCH_SECONDS, validator=positive_seconds, metadata=option(unit="seconds")
    )
    search_engine: SearchEngine = attrs.field(default="auto", validator=_check_engine)
