"""`write` and `edit` ended at every step in every way: the disk and the result agree, each time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from trio_tools import EffectState, Registry, ToolCall, ToolContext, ToolResult, plugin, tool
from trio_tools.registry import AnyPlugin
from trio_tools.testing import BrokenPromiseError, Run, explore_cancellation, explore_turn
from trio_tools.toolkits.files import FilesConfig, ReadBeforeWriteConfig, files, read_before_write

# Seconds after which an exploration begins no more runs: many times what it takes on a quiet machine.
AT_MOST = 300
# Samples of a turn of three.
DRAWN = 60

OLD = "one\ntwo\n"
EDIT = {"file_path": "f", "old_string": "one", "new_string": "1"}
WRITE = {"file_path": "f", "content": "new"}
MAKE = {"file_path": "d/e/f", "content": "new"}


def on(root: Path) -> list[AnyPlugin]:
    return [files(FilesConfig(root=root, tools=("read", "write", "edit")))]


def went_through(result: ToolResult) -> bool:
    """Whether the one effect of a call has; what is not committed must not have begun, or failed."""
    states = [effect.state for effect in result.effects]
    assert states in ([], [EffectState.COMMITTED], [EffectState.FAILED])
    return states == [EffectState.COMMITTED]


def agreeing(root: Path, became: Callable[[tuple[ToolResult, ...]], dict[str, str]]) -> Callable[[Run], None]:
    """A check that the root holds what it must hold by what the results say; then everything is as it was."""
    reset(root)

    def check(run: Run) -> None:
        found = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
        folders = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}
        expected = became(run.results)
        reset(root)
        assert found == expected
        assert folders == ({"d", "d/e"} if "d/e/f" in expected else set())

    return check


def reset(root: Path) -> None:
    (root / "f").write_text(OLD)
    for name in ("d/e/f", "d/e", "d"):
        if (root / name).is_dir():
            (root / name).rmdir()
        else:
            (root / name).unlink(missing_ok=True)


def after(name: str, content: str) -> Callable[[tuple[ToolResult, ...]], dict[str, str]]:
    """One call: the file has this content if the call's effect went through."""

    def became(results: tuple[ToolResult, ...]) -> dict[str, str]:
        return {"f": OLD} | ({name: content} if went_through(results[0]) else {})

    return became


@pytest.mark.parametrize(
    ("tool_name", "arguments", "path", "content"),
    [("write", WRITE, "f", "new"), ("write", MAKE, "d/e/f", "new"), ("edit", EDIT, "f", "1\ntwo\n")],
    ids=["replaces", "makes", "edits"],
)
def test_ended_at_every_step_in_every_way_the_disk_agrees(
    tmp_path: Path, tool_name: str, arguments: dict[str, object], path: str, content: str
) -> None:
    """F006, XT4, M020-M022: what went through is named, what is named went through, and nothing is left in between."""
    check = agreeing(tmp_path, after(path, content))
    seen: set[bool] = set()

    def both(run: Run) -> None:
        seen.add(went_through(run.results[0]))
        check(run)

    report = explore_cancellation(tool_name, arguments, plugins=on(tmp_path), check=both, seconds=AT_MOST)
    assert (report.virtual, report.untried, report.failures) == (False, 0, ())
    assert seen == {True, False}  # it was ended before the door, and past it


def test_a_turn_is_on_disk_as_its_results_say(tmp_path: Path) -> None:
    """F006: three writes of one file, in the order of the turn; with the policy, each knows what the one before did."""
    calls = [ToolCall("write", WRITE), ToolCall("edit", EDIT | {"old_string": "new"}), ToolCall("write", MAKE)]

    def became(results: tuple[ToolResult, ...]) -> dict[str, str]:
        written, edited, made = map(went_through, results)
        content = ("1" if edited else "new") if written else OLD
        return {"f": content} | ({"d/e/f": "new"} if made else {})

    check = agreeing(tmp_path, became)
    report = explore_turn([], calls, plugins=on(tmp_path), check=check, runs=DRAWN, seeds=1)
    assert (report.cases, report.untried, report.failures) == (DRAWN, 0, ())


def test_the_policy_changes_nothing_of_that(tmp_path: Path) -> None:
    """F005: what is not read is not replaced at any step, and what is created is told."""
    calls = [ToolCall("write", WRITE), ToolCall("write", MAKE)]

    def became(results: tuple[ToolResult, ...]) -> dict[str, str]:
        replaced, made = map(went_through, results)
        assert not replaced
        return {"f": OLD} | ({"d/e/f": "new"} if made else {})

    check = agreeing(tmp_path, became)
    plugins = [*on(tmp_path), read_before_write(ReadBeforeWriteConfig())]
    report = explore_turn([], calls, plugins=plugins, check=check, runs=DRAWN, seeds=1)
    assert (report.cases, report.untried, report.failures) == (DRAWN, 0, ())


@pytest.mark.parametrize("late", [True, False])
def test_a_wrong_version_is_found_by_the_same_check(tmp_path: Path, late: bool) -> None:
    """M030: one without an effect, and one that tells of it afterwards."""

    @plugin("wrong", config=FilesConfig)
    @asynccontextmanager
    async def wrong(registry: Registry, config: FilesConfig) -> AsyncGenerator[None]:
        @tool(destructive=True)
        async def write(file_path: str, content: str, ctx: ToolContext) -> str:
            await trio.to_thread.run_sync((config.root / file_path).write_text, content)
            await trio.lowlevel.checkpoint()

            async def told() -> None:
                return None

            if late:
                await ctx.irreversible("file.write", told)
            return "Updated file"

        with registry.register(write):
            yield

    check = agreeing(tmp_path, after("f", "new"))
    with pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation("write", WRITE, plugins=[wrong(FilesConfig(root=tmp_path))], check=check, seconds=AT_MOST)
    assert "check" in {finding.check for failure in caught.value.report.failures for finding in failure.findings}
