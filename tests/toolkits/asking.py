"""What the tests of writing share: a registry on a folder, and what lies beside it, which nobody may touch."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from trio_tools import CallEvent, EffectBegun, Registry, Session, ToolCall, ToolResult, open_registry
from trio_tools.toolkits.files import FilesConfig, ReadBeforeWriteConfig, files, read_before_write

ALL = ("read", "write", "edit", "glob", "grep")


@attrs.frozen
class Asked:
    """A registry with all tools of the files toolkit."""

    registry: Registry

    session: Session | None = None

    async def __call__(self, tool: str, **arguments: object) -> ToolResult:
        """Call a tool."""
        return await self.registry.execute(ToolCall(tool, arguments), scope=trio.CancelScope(), session=self.session)

    async def code(self, tool: str, **arguments: object) -> str | None:
        """The code of what comes of a call; None for a success."""
        return (await self(tool, **arguments)).code

    def of(self, session: str | None) -> Asked:
        """The same, on behalf of another session, or of none."""
        return Asked(self.registry, None if session is None else Session(session))

    def meanwhile(self, happening: Callable[[], object]) -> None:
        """Do this, a function without arguments, when an effect is about to happen: past the last look at the file that
        comes before it."""

        def record(event: CallEvent) -> None:
            if isinstance(event, EffectBegun):
                happening()

        self.registry.add_recorder(record)


@asynccontextmanager
async def asking(root: Path, *, guarded: bool = False) -> AsyncGenerator[Asked, None]:
    """All tools on this folder; `guarded`, with the policy that what is replaced must have been read."""
    policy = [read_before_write(ReadBeforeWriteConfig())] if guarded else []
    before = sorted(os.listdir("/proc/self/fd"))
    async with open_registry(plugins=[*policy, files(FilesConfig(root=root, tools=ALL))]) as registry:
        inside = sorted(os.listdir("/proc/self/fd"))
        yield Asked(registry, Session("s"))
        assert len(os.listdir("/proc/self/fd")) == len(inside), "a call has left a descriptor open"
    assert sorted(os.listdir("/proc/self/fd")) == before


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for what threads bring about, of which nobody is told."""
    while not is_so():
        await trio.lowlevel.checkpoint()


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder: what links say, hashes of files with their modes, and folders."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            found[name] = f"{path.lstat().st_mode:o}"
    return found
