"""What the tests of the files toolkit share: a fake context, and tools opened on a folder that must not leak."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

from trio_tools.tool import Tool
from trio_tools.toolkits.files import FilesConfig, GuardedFiles
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._tools import tools_of
from trio_tools.values import ToolError


class GivenUp(BaseException):
    """Stands for `trio.Cancelled`, which only Trio can make."""


@attrs.define
class FakeContext:
    """Counts the looks at whether the call was given up, and gives it up at one of them."""

    give_up_at: int | None = None
    looks: int = 0
    reports: list[float] = attrs.field(factory=list[float])

    def check_cancelled(self) -> None:
        self.looks += 1
        if self.looks == self.give_up_at:
            raise GivenUp

    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        self.reports.append(done)


@attrs.frozen
class Files:
    """The toolkit's bodies, called as the framework calls them."""

    root: Root
    tools: dict[str, Tool]

    def run(self, tool: str, **arguments: object) -> str:
        text = self.tools[tool].body(**{"ctx": FakeContext(), **arguments})
        assert isinstance(text, str)
        text.encode()  # no lone surrogate in it
        return text

    def read(self, file_path: str, **arguments: object) -> str:
        return self.run("read", file_path=file_path, **arguments)

    def glob(self, pattern: str, **arguments: object) -> list[str]:
        return self.run("glob", pattern=pattern, **arguments).splitlines()

    def grep(self, pattern: str, **arguments: object) -> str:
        return self.run("grep", pattern=pattern, **arguments)

    def failure(self, tool: str, **arguments: object) -> ToolError:
        with pytest.raises(ToolError) as caught:
            self.run(tool, **arguments)
        caught.value.message.encode()
        return caught.value

    def code(self, tool: str, **arguments: object) -> str | None:
        return self.failure(tool, **arguments).code


@contextmanager
def opened(root: Path) -> Generator[Files, None, None]:
    """The tools on a folder. Fails if a descriptor is left open at the end."""
    before = os.listdir("/proc/self/fd")
    with Root(root) as boundary:
        tools = {one.name: one for one in tools_of(boundary, FilesConfig(root=root), GuardedFiles())}
        yield Files(boundary, tools)
    assert os.listdir("/proc/self/fd") == before


def folder(parent: Path, name: str, files: dict[str, str]) -> Path:
    """A folder with these files in it."""
    made = parent / name
    made.mkdir()
    for path, text in files.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(text.encode())
    return made


def test_the_leak_check_finds_a_leak(tmp_path: Path) -> None:
    leaked: list[int] = []
    with pytest.raises(AssertionError), opened(tmp_path) as files:
        leaked.append(files.root.enter())
    os.close(leaked[0])


def test_the_tools_declare_what_they_are(tmp_path: Path) -> None:
    """T031, F001, F007, D20: searches have 30 seconds, reading has no budget; all only read and may overlap."""
    with opened(tmp_path) as files:
        assert {name: one.timeout for name, one in files.tools.items()} == {"read": None, "glob": 30, "grep": 30}
        assert all(one.read_only and one.parallel and not one.destructive for one in files.tools.values())
        properties: dict[str, Any] = {name: one.parameters["properties"] for name, one in files.tools.items()}
        assert {name: list(one) for name, one in properties.items()} == {
            "read": ["file_path", "offset", "limit"],
            "glob": ["pattern", "path"],
            "grep": ["pattern", "path", "include"],
        }
