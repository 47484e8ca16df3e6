"""A tenth of what `python -m benchmarks hostile` does with paths, and what finds it out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random, SystemRandom

import attrs

from benchmarks._hostile_outside import Outside, notes_readings
from benchmarks._hostile_paths import hostile_paths
from trio_tools import Registry, ToolError, plugin, tool
from trio_tools.registry import AnyPlugin

CALLS = 2_000


def test_no_path_leads_out_while_links_are_swapped() -> None:
    """F001, F003, F008: 2,000 calls, and nothing outside is read, listed, changed or told of."""
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    found = hostile_paths(CALLS, seed)
    assert found.faults == (), found.told()


@attrs.frozen
class Below:
    """A root."""

    root: Path = Path()


@plugin("careless_files", config=Below)
@asynccontextmanager
async def careless_files(registry: Registry, config: Below) -> AsyncGenerator[None]:
    """Tools that look where a path leads, and then open it."""

    def checked(path: str) -> Path:
        place = config.root / path
        if not place.resolve().is_relative_to(config.root):
            raise ToolError("outside", code="FS_OUTSIDE_ROOT")
        return place

    @tool(read_only=True)
    def read(file_path: str) -> str:
        place = checked(file_path)
        try:
            return place.read_text()
        except (OSError, ValueError) as error:
            raise ToolError(str(error), code="FS_FAILED") from None

    @tool(read_only=True)
    def glob(pattern: str, path: str) -> str:
        return "\n".join(str(one) for one in sorted(checked(path).rglob("*")))

    @tool(read_only=True)
    def grep(pattern: str, path: str, include: str) -> str:
        return "".join(one.read_text() for one in sorted(checked(path).rglob("*")) if one.is_file())

    with registry.register(read), registry.register(glob), registry.register(grep):
        yield


def careless_below(root: Path) -> AnyPlugin:
    return careless_files(Below(root))


def test_tools_that_look_first_and_open_then_are_found_out() -> None:
    """The control: between the look and the opening there is time for a link."""
    for seed in range(10):
        found = hostile_paths(CALLS, seed, toolkit=careless_below)
        if any("canary" in fault for fault in found.faults):
            return
    raise AssertionError("never found")


def test_what_was_read_listed_or_changed_outside_is_seen(tmp_path: Path) -> None:
    """The control."""
    outside = Outside.make(tmp_path / "outside", Random(0))
    before = outside.digest()
    assert outside.read() == []
    assert outside.digest() == before
    if notes_readings(tmp_path):
        (tmp_path / "outside/d/f").read_bytes()
        assert len([*(tmp_path / "outside/e").iterdir()]) == 1
        assert outside.read() == [str(tmp_path / "outside/d/f"), str(tmp_path / "outside/e")]
    (tmp_path / "outside/f").touch()
    assert outside.digest() != before
