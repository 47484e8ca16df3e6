"""What `trio-tools run` was asked to do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import attrs

from trio_tools import Plugin
from trio_tools.cli._status import Refused
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.toolkits.shell import ShellConfig, shell

FILE_TOOLS = ("read", "glob", "grep")
TOOLS = (*FILE_TOOLS, "bash")
# What `-` stands for. It is read as the descriptor 0 that it is, and not opened anew.
STDIN = "/dev/stdin"


@attrs.frozen(kw_only=True)
class Options:
    """A run: `file` to read turns from, perhaps `STDIN`; `tools` to offer below `root`; how many calls of a turn may be
    `parallel`; `timeout` of the whole run in seconds, or None.

    Raises `Refused` for what cannot be used.
    """

    file: str
    tools: tuple[str, ...]
    root: Path
    parallel: int
    timeout: float | None

    def __attrs_post_init__(self) -> None:
        if self.parallel < 1:
            raise Refused(f"--parallel must be a positive whole number, not {self.parallel}")
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise Refused(f"--timeout must be a positive number of seconds, not {self.timeout:g}")
        if not os.path.isdir(self.root):
            raise Refused(f'--root must be a folder, and "{self.root}" is none')

    def plugins(self) -> Iterator[Plugin[FilesConfig] | Plugin[ShellConfig]]:
        """The toolkits that bring the tools."""
        of_files = tuple(name for name in self.tools if name in FILE_TOOLS)
        if of_files:
            yield files(FilesConfig(root=self.root, tools=of_files))
        if "bash" in self.tools:
            yield shell(ShellConfig(root=self.root))


def tools_in(text: str) -> tuple[str, ...]:
    """The tools of a list such as `read,grep`. Raises `Refused` for one that there is not, or that stands twice."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in TOOLS:
            raise Refused(f'--tools: there is no tool "{name}"; there are {", ".join(TOOLS)}')
        if names.count(name) > 1:
            raise Refused(f'--tools: "{name}" stands more than once')
    return names


def whole_number(option: str, text: str) -> int:
    """The whole number that was given with an option. Raises `Refused` for anything else."""
    try:
        return int(text)
    except ValueError:
        raise Refused(f'{option} must be a whole number, not "{text}"') from None
