"""The files toolkit in a real registry: real threads, real cancels."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import trio
from test_files_fakes import folder

from trio_tools import CallView, ErrorCode, Progress, Registry, ToolCall, ToolResult, open_registry
from trio_tools.toolkits.files import FilesConfig, files


async def ask(registry: Registry, name: str, **arguments: object) -> ToolResult:
    return await registry.execute(ToolCall(name, arguments), scope=trio.CancelScope())


async def test_the_tools_work_through_a_registry(tmp_path: Path) -> None:
    """F001, F008: arguments as JSON in, text out."""
    root = folder(tmp_path, "root", {"src/a.py": "x = 1\n"})
    async with open_registry(plugins=[files(FilesConfig(root=root))]) as registry:
        assert list(registry.tools) == ["read", "glob", "grep"]
        assert (await ask(registry, "glob", pattern="**/*.py")).text == "src/a.py"
        assert (
            await ask(registry, "grep", pattern="x", include=None)
        ).text == "Found 1 matches\n\nsrc/a.py\nLine 1: x = 1"
        assert "1: x = 1\n" in (await ask(registry, "read", file_path="src/a.py", limit=1)).text
        refused = await ask(registry, "read", file_path="../secret")
        assert (refused.code, refused.dispatched) == ("FS_OUTSIDE_ROOT", True)
        assert refused.text.startswith("Error: ../secret leads outside the root directory")
        assert (await ask(registry, "read", path="src/a.py")).code == ErrorCode.INVALID_ARGS


async def test_only_the_tools_that_were_asked_for_are_there(tmp_path: Path) -> None:
    async with open_registry(plugins=[files(FilesConfig(root=tmp_path, tools=("grep",)))]) as registry:
        assert list(registry.tools) == ["grep"]


async def test_what_it_joined_is_undone(tmp_path: Path) -> None:
    """The tools are gone and the root's descriptor is closed when the registry has left."""
    held = {os.readlink(f"/proc/self/fd/{one}") for one in _descriptors()}
    assert str(tmp_path) not in held
    async with open_registry(plugins=[files(FilesConfig(root=tmp_path))]) as registry:
        assert str(tmp_path) in {os.readlink(f"/proc/self/fd/{one}") for one in _descriptors()}
    assert registry.tools == {}
    assert str(tmp_path) not in {os.readlink(f"/proc/self/fd/{one}") for one in _descriptors()}


def _descriptors() -> list[str]:
    return [one for one in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{one}")]


async def test_a_root_that_is_missing_keeps_the_registry_from_opening(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="root of the files toolkit"):
        async with open_registry(plugins=[files(FilesConfig(root=tmp_path / "missing"))]):
            pytest.fail("it opened")


async def test_a_cancelled_search_comes_to_rest(tmp_path: Path) -> None:
    """F009, T031: given up in the middle of a walk it stops at the next file, and is ABORTED."""
    for number in range(1_200):
        (tmp_path / str(number)).touch()
    scope = trio.CancelScope()

    def give_up(call: CallView, progress: Progress) -> None:
        scope.cancel()

    async with open_registry(plugins=[files(FilesConfig(root=tmp_path, search_engine="python"))]) as registry:
        registry.add_progress_observer(give_up)
        result = await registry.execute(ToolCall("grep", {"pattern": "x"}), scope=scope)
        assert (result.code, result.dispatched) == (ErrorCode.ABORTED, True)
        assert registry.pending() == []


async def test_a_search_has_the_budget_of_the_config(tmp_path: Path) -> None:
    """T031: the timeout policy ends it, and says TOOL_TIMEOUT."""
    for number in range(300):
        (tmp_path / str(number)).write_text("x" * 1_000)
    config = FilesConfig(root=tmp_path, search_timeout=0.01)
    async with open_registry(plugins=[files(config)]) as registry:
        result = await ask(registry, "grep", pattern="x*y")
        assert (result.code, result.text) == (ErrorCode.TOOL_TIMEOUT, "Error: tool call timed out after 10ms")


async def test_searches_of_one_turn_overlap(tmp_path: Path) -> None:
    """D20: ten at once, each with its own descriptors."""
    root = folder(tmp_path, "root", {f"d{number}/f": "x" for number in range(50)})
    async with open_registry(plugins=[files(FilesConfig(root=root))]) as registry:
        calls = [ToolCall("glob", {"pattern": "**"}), ToolCall("grep", {"pattern": "x"})] * 10
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
        assert len({result.text for result in results}) == 2
        assert not any(result.is_error for result in results)


def test_schemas_can_be_sent_to_a_provider() -> None:
    """F001, F008: each parameter is described to the model."""

    async def schemas() -> list[object]:
        async with open_registry(plugins=[files(FilesConfig(root=Path(".")))]) as registry:
            return [*registry.schemas()]

    text = json.dumps(trio.run(schemas))
    assert text.count('"description"') == 3 + 3 + 2 + 3
