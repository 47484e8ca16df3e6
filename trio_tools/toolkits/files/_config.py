"""What the files toolkit can be told."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import attrs

TOOLS = ("read", "glob", "grep")
# Seconds that a search may take (T031). It is what the source gives; a tree that takes longer wants a narrower search.
SEARCH_SECONDS = 30.0


def _names(tools: Iterable[str]) -> tuple[str, ...]:
    if isinstance(tools, str):
        raise TypeError(f'files: tools must be a list of names, such as ["{tools}"], not the string "{tools}"')
    return tuple(tools)


def _path(root: str | Path) -> Path:
    if not isinstance(root, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - a config file's value
        raise TypeError(f"files: root must be the path of a directory, not {type(root).__name__}")
    return Path(root)


@attrs.frozen(kw_only=True)
class FilesConfig:
    """The config of the files toolkit.

    `root` is the directory that the tools are confined to, relative to the working directory; `tools` are the ones to
    register, any of `read`, `glob` and `grep`; `search_timeout` is the budget of `glob` and of `grep` in seconds
    (`read` has none). Raises `ValueError` for a tool that is unknown, named twice, or none at all, and for a budget
    that is not a positive finite number; `TypeError` for a root that is no path and tools that are not a list.
    """

    root: Path = attrs.field(converter=_path)
    tools: tuple[str, ...] = attrs.field(default=TOOLS, converter=_names)
    search_timeout: float = SEARCH_SECONDS

    def __attrs_post_init__(self) -> None:
        unknown = [name for name in self.tools if name not in TOOLS]
        if unknown:
            raise ValueError(f"files: there is no tool {unknown[0]!r}; tools may be {', '.join(TOOLS)}")
        if len(set(self.tools)) < len(self.tools):
            raise ValueError(f"files: each tool can be named once, not as in {', '.join(self.tools)}")
        if not self.tools:
            raise ValueError(f"files: tools names none; leave it out for all of {', '.join(TOOLS)}")
        if not 0 < self.search_timeout < math.inf:
            raise ValueError(f"files: search_timeout must be a positive number of seconds, not {self.search_timeout!r}")
