"""What the tests of the spill policy share: a registry with it, a tool that says what it is told to, and a look at the
files."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from trio_tools import Registry, ToolCall, ToolError, ToolResult, open_registry, plugin, tool
from trio_tools.pipeline import PostPolicy
from trio_tools.policies import SpillConfig, spill
from trio_tools.registry import AnyPlugin

# Bytes of a result that are shown as they are.
CAP = 2_000
LONG = "".join(f"line {number}\n" for number in range(1_000))


@tool(parallel=True)
async def say(text: str, fail: bool = False) -> str:
    """Say this."""
    if fail:
        raise ToolError(text, code="SAID_NO")
    return text


@attrs.frozen
class NoConfig:
    """Nothing to say."""


def reviewing(policy: PostPolicy) -> AnyPlugin:
    """A plugin that adds this post-policy."""

    @plugin("reviewing", config=NoConfig)
    @asynccontextmanager
    async def review(registry: Registry, _: NoConfig) -> AsyncGenerator[None]:
        with registry.add_post_policy(policy):
            yield

    return review


@asynccontextmanager
async def spilling(directory: Path, *beside: AnyPlugin, **options: int | tuple[str, ...]) -> AsyncGenerator[Registry]:
    """A registry with `say`, and with the policy behind other plugins."""
    config = SpillConfig(directory=directory, **{"max_inline_bytes": CAP, **options})  # type: ignore[arg-type]  # mixed
    async with open_registry(plugins=[*beside, spill(config)]) as registry:
        registry.register(say)
        yield registry


async def said(registry: Registry, text: str, *, fail: bool = False) -> ToolResult:
    return await registry.execute(ToolCall("say", {"text": text, "fail": fail}), scope=trio.CancelScope())


def place_in(text: str) -> Path:
    """Where a preview says that all of it is."""
    return Path(text.partition('is in "')[2].partition('" ...]')[0])


def files_in(directory: Path) -> list[Path]:
    """All files that were saved."""
    return sorted(directory.glob("*/*"))


def everything_in(folder: Path) -> list[Path]:
    """All that is there, at any depth."""
    return sorted(folder.rglob("*"))
