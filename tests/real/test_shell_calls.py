"""`bash` as a tool of a registry: codes, what is kept of a cancelled call, budgets, and the plugin's own life."""

import os
import tempfile
from pathlib import Path

import attrs
import pytest
import trio
from test_shell_probe import GRACE, content, files_in, living, mode, rest, shell_tool

from trio_tools import Cause, Plugin, Progress, ToolCall, ToolResult, from_json, open_registry, to_json
from trio_tools.pipeline import CallView
from trio_tools.toolkits.shell import ShellConfig, shell

__all__ = ["rest"]  # fixtures

PARAMETERS = ["command", "description", "timeoutMs", "workdir", "run_in_background"]
DEAF = "trap '' TERM; echo CRITICAL; while :; do sleep 0.1; done"


@pytest.fixture
def here(tmp_path: Path) -> Plugin[ShellConfig]:
    """The plugin, with small limits, its root in the test's folder."""
    return shell(ShellConfig(root=tmp_path, grace=GRACE))


async def execute(
    plugin: Plugin[ShellConfig],
    arguments: dict[str, object] | str,
    *,
    cancel_after: float = 600,
    cancel_at_output: bool = False,
) -> ToolResult:
    """One call, in a registry that is opened for it; its scope is cancelled after so many seconds, or at its first
    output."""
    async with open_registry(plugins=[plugin]) as registry:
        scope = trio.CancelScope(relative_deadline=cancel_after)

        def observe(_: CallView, progress: Progress) -> None:
            if cancel_at_output:
                scope.cancel()

        registry.add_progress_observer(observe)
        result = await registry.execute(ToolCall("bash", arguments), scope=scope)
    assert from_json(ToolResult, to_json(result)) == result  # each result can be written down and read again
    return result


async def test_a_command_is_a_call(here: Plugin[ShellConfig], rest: str) -> None:
    """B001, B008."""
    result = await execute(here, {"command": "echo hi; exit 2", "description": "greet"})
    assert (result.text, result.code) == ("hi\n[exit code: 2]", None)


async def test_a_model_is_shown_what_it_may_give_and_no_more(here: Plugin[ShellConfig], rest: str) -> None:
    """B001, B003, B012."""
    async with open_registry(plugins=[here]) as registry:
        tool = registry.tools["bash"]
        assert list(tool.signature.schema["properties"] or ()) == PARAMETERS  # type: ignore[arg-type]
        assert tool.parameters["required"] == ["command", "description"]
        assert (tool.timeout, tool.idle_timeout, tool.parallel, tool.destructive) == (None, None, False, True)
        assert "[exit code: n]" in tool.description
    result = await execute(here, {"command": "echo $A", "description": "d", "env": {"A": "1"}})
    assert result.code == "INVALID_ARGS"


@pytest.mark.parametrize(
    "arguments",
    [
        '{"command": "echo a\\u0000b", "description": "d"}',
        '{"command": "echo \\ud800", "description": "d"}',
        '{"command": "echo", "description": "d", "workdir": "\\u0000"}',
        '{"command": "  ", "description": "d"}',
        '{"command": "echo", "description": "d", "timeoutMs": 0}',
    ],
)
async def test_what_cannot_be_run_is_an_error_and_the_next_call_works(
    here: Plugin[ShellConfig], rest: str, arguments: str
) -> None:
    """Case B14 (e), B002."""
    result = await execute(here, arguments)
    assert result.code in {"INVALID_ARGS", "TOOL_FAILED"}
    assert (await execute(here, {"command": "echo on", "description": "d"})).text == "on\n"


@pytest.mark.parametrize("command", ["echo CRITICAL; sleep 300 & sleep 300 & wait", DEAF])
async def test_its_own_timeout_is_its_own_code(here: Plugin[ShellConfig], rest: str, command: str) -> None:
    """Case B25 (a), (b), B011: with what it had printed."""
    result = await execute(here, {"command": command, "description": "d", "timeoutMs": 500})
    assert result.code == "BASH_TIMEOUT"
    assert result.text.startswith("Error: CRITICAL\n[timed out after 500ms]")
    assert living(rest) == []


@pytest.mark.parametrize("command", ["echo CRITICAL; sleep 300 & sleep 300 & wait", DEAF])
async def test_a_cancelled_call_keeps_the_output(here: Plugin[ShellConfig], rest: str, command: str) -> None:
    """D11, B010, case B25 (a), (b): in the text, and in what was superseded."""
    result = await execute(here, {"command": command, "description": "d"}, cancel_at_output=True)
    assert (result.code, result.cause, result.dispatched) == ("ABORTED", Cause.CALLER, True)
    assert result.superseded is not None
    assert result.superseded.text.startswith("CRITICAL\n[killed by signal: ")
    assert "CRITICAL" in result.text
    assert living(rest) == []


async def test_a_budget_of_the_call_is_not_the_timeout_of_the_command(tmp_path: Path, rest: str) -> None:
    """B011: the two codes never mix; what was printed is kept under either."""
    async with open_registry() as registry:
        registry.register(attrs.evolve(shell_tool(tmp_path), timeout=1))
        call = ToolCall("bash", {"command": DEAF, "description": "d", "timeoutMs": 1500})
        result = await registry.execute(call, scope=trio.CancelScope())
    assert (result.code, result.cause) == ("TOOL_TIMEOUT", Cause.DEADLINE)
    assert result.superseded is not None
    assert result.superseded.text == "CRITICAL\n[killed by signal: SIGKILL]"
    assert living(rest) == []


async def test_a_second_cancel_from_further_out_loses_nothing(here: Plugin[ShellConfig], rest: str) -> None:
    """Case B25 (c): observers see the result, also when the caller's surroundings are cancelled meanwhile."""
    seen: list[ToolResult] = []

    def observe(_: CallView, result: ToolResult) -> None:
        seen.append(result)

    async with open_registry(plugins=[here]) as registry:
        registry.add_observer(observe)
        with trio.CancelScope(relative_deadline=0.3) as enclosing:
            scope = trio.CancelScope(relative_deadline=0.2)
            await registry.execute(ToolCall("bash", {"command": DEAF, "description": "d"}), scope=scope)
        assert enclosing.cancelled_caught
    assert [result.code for result in seen] == ["ABORTED"]
    assert "CRITICAL" in seen[0].text
    assert living(rest) == []


async def test_a_call_that_was_cancelled_before_starts_nothing(
    here: Plugin[ShellConfig], tmp_path: Path, rest: str
) -> None:
    """B010."""
    result = await execute(here, {"command": "touch started", "description": "d"}, cancel_after=0)
    assert (result.code, result.dispatched) == ("ABORTED_BEFORE_DISPATCH", False)
    assert files_in(tmp_path) == []


async def test_long_output_of_a_timed_out_command_still_ends_with_its_markers(
    here: Plugin[ShellConfig], rest: str
) -> None:
    """Case B28 (d), B007: the end of the text is what a model needs most, also at the default limit."""
    result = await execute(here, {"command": "yes", "description": "d", "timeoutMs": 200})
    assert result.code == "BASH_TIMEOUT"
    assert result.text.endswith("\n[timed out after 200ms]\n[killed by signal: SIGTERM]")


async def test_progress_reaches_who_listens(here: Plugin[ShellConfig], rest: str) -> None:
    """So that an idle budget sees a command that writes."""
    told: list[float] = []

    def listen(_: CallView, progress: Progress) -> None:
        told.append(progress.done)

    async with open_registry(plugins=[here]) as registry:
        registry.add_progress_observer(listen)
        call = ToolCall("bash", {"command": "printf 12345", "description": "d"})
        await registry.execute(call, scope=trio.CancelScope())
    assert told == [5]


async def test_files_of_long_output_live_as_long_as_the_plugin(tmp_path: Path, rest: str) -> None:
    """B026: in a folder that is nobody else's."""
    plugin = shell(ShellConfig(root=tmp_path, max_output_bytes=100))
    async with open_registry(plugins=[plugin]) as registry:
        call = ToolCall("bash", {"command": "seq 1000", "description": "d"})
        result = await registry.execute(call, scope=trio.CancelScope())
        path = Path(result.text.rpartition("full output: ")[2].removesuffix("]"))
        assert content(path) == "".join(f"{number}\n" for number in range(1, 1001))
        assert mode(path.parent) == 0o700
    assert path.parent not in files_in(path.parents[1])


async def test_the_files_are_removed_also_when_the_plugin_is_left_by_a_cancel(
    here: Plugin[ShellConfig], tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B026, B029."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with open_registry() as registry:
        with trio.CancelScope() as scope:
            async with here.open(registry):
                assert len(files_in(tmp_path)) == 1
                scope.cancel()
        assert files_in(tmp_path) == []


async def test_no_folder_for_long_output_is_no_reason_not_to_open(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B026: long output is then only cut."""

    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    plugin = shell(ShellConfig(root=tmp_path, max_output_bytes=100))
    result = await execute(plugin, {"command": "seq 1000", "description": "d"})
    assert result.text.endswith("[output truncated; full output: (unavailable)]")


async def test_closing_the_registry_by_a_cancel_stops_what_runs(here: Plugin[ShellConfig], rest: str) -> None:
    """B029."""
    with trio.move_on_after(0.2) as enclosing:
        async with open_registry(plugins=[here]) as registry, trio.open_nursery() as nursery:
            for _ in range(3):
                call = ToolCall("bash", {"command": DEAF, "description": "d"})
                nursery.start_soon(lambda call: registry.execute(call, scope=trio.CancelScope()), call)
    assert enclosing.cancelled_caught
    assert living(rest) == []


@pytest.mark.parametrize(
    ("name", "word"),
    [("pidfd", "only on Linux"), ("proc", "only on Linux"), ("bash", "no bash"), ("root", "is not a folder")],
)
async def test_where_it_cannot_work_it_does_not_open(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch, name: str, word: str
) -> None:
    """A clear refusal, before any call."""
    root = tmp_path
    if name == "pidfd":
        monkeypatch.delattr(os, "pidfd_open")
    elif name == "proc":
        monkeypatch.setattr(Path, "read_bytes", Path("missing").read_bytes)
    elif name == "bash":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        root = tmp_path / "missing"
    with pytest.raises((RuntimeError, NotADirectoryError), match=word):
        async with open_registry(plugins=[shell(ShellConfig(root=root))]):
            pass
