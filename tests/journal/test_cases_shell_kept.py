"""Cases B19, B25 and B28 on a file: what was stopped, or too long, is in the journal as it came back."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from kept_tools import SESSION, kept, read_again, run

from trio_tools import CallView, Cause, Progress, Registry, ToolCall, ToolResult
from trio_tools.toolkits.shell import ShellConfig, shell

# Seconds of a timeout, in which a command has said what it has to also on a busy machine; and those of grace here.
LIMIT, GRACE = 1.5, 0.2
COMMANDS = {
    "tree": "echo CRITICAL; sleep 300 & sleep 300 & wait",
    "deaf": "trap '' TERM; echo CRITICAL; while :; do sleep 0.1; done",
    "daemon": "(setsid env -i bash -c \"trap '' TERM; sleep 300\" &); echo CRITICAL; exec sleep 300",
}


def bash(name: str, command: str, **options: float) -> ToolCall:
    return ToolCall("bash", {"command": command, "description": name, **options}, id=name)


def scope_until_output(registry: Registry, name: str, then: trio.CancelScope | None = None) -> trio.CancelScope:
    """A scope that is cancelled once the call of this name has written something; `then` so too, half a grace later."""
    scope = trio.CancelScope()

    def observe(call: CallView, _: Progress) -> None:
        if call.id == name:
            scope.cancel()
            if then is not None:
                then.deadline = trio.current_time() + GRACE / 2

    registry.add_progress_observer(observe)
    return scope


async def stopped_at_once(registry: Registry, *, by_timeout: bool) -> dict[str, ToolResult]:
    """All commands side by side, each stopped by its own time, or with its turn."""
    results: dict[str, ToolResult] = {}

    async def one(name: str, command: str) -> None:
        options = {"timeoutMs": LIMIT * 1000} if by_timeout else {}
        scope = trio.CancelScope() if by_timeout else scope_until_output(registry, name)
        results[name] = await run(registry, bash(name, command, **options), scope)

    async with trio.open_nursery() as nursery:
        for name, command in COMMANDS.items():
            nursery.start_soon(one, name, command)
    return results


@pytest.mark.parametrize("by_timeout", [True, False])
async def test_case_b25_what_was_stopped_is_kept_with_what_it_had_said(tmp_path: Path, by_timeout: bool) -> None:
    """Case B25 (a), (b): the code of who stopped it, and CRITICAL."""
    path = tmp_path / "calls.journal"
    async with kept(path, plugins=(shell(ShellConfig(root=tmp_path, grace=GRACE)),)) as registry:
        results = await stopped_at_once(registry, by_timeout=by_timeout)
    for result in results.values():
        assert result.code == ("BASH_TIMEOUT" if by_timeout else "ABORTED")
        assert "CRITICAL" in result.text
        assert "may still be running" not in result.text
    assert {one.ref.call_id: one.result for one in await read_again(path)} == results


async def test_case_b25_a_second_cancel_loses_nothing_of_it(tmp_path: Path) -> None:
    """Case B25 (c): an enclosing scope is cancelled while the clean-up is under way; the result is in the log."""
    path = tmp_path / "calls.journal"
    async with kept(path, plugins=(shell(ShellConfig(root=tmp_path, grace=GRACE)),)) as registry:
        with trio.CancelScope() as enclosing:
            scope = scope_until_output(registry, "deaf", then=enclosing)
            await run(registry, bash("deaf", COMMANDS["deaf"]), scope)
            await trio.lowlevel.checkpoint()
        assert enclosing.cancelled_caught
    (record,) = await read_again(path)
    assert record.result is not None
    assert (record.result.code, record.result.cause) == ("ABORTED", Cause.CALLER)
    assert "CRITICAL" in record.result.text


async def test_case_b19_and_b28_what_is_kept_is_what_came_back(tmp_path: Path) -> None:
    """Case B19 (a), case B28 (a), (b), (e): with a limit of 1 kB, in a turn."""
    path = tmp_path / "calls.journal"
    calls = [
        bash("background", "sleep 30 & echo hi"),
        bash("long line", "head -c 300000 /dev/zero | tr '\\0' x; echo"),
        bash("many lines", "seq 10000; echo 'ERROR: the end'; exit 1"),
        bash("stderr", "head -c 200000 /dev/zero | tr '\\0' e >&2"),
    ]
    plugin = shell(ShellConfig(root=tmp_path, grace=GRACE, max_output_bytes=1000))
    async with kept(path, plugins=(plugin,)) as registry:
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), session=SESSION)
    assert results[0].text == "hi\n"
    assert results[1].text.startswith(f"[299001 bytes dropped]\n{'x' * 999}\n\n[output truncated; full output: ")
    assert "\n10000\nERROR: the end\n" in results[2].text
    assert results[2].text.endswith("]\n[exit code: 1]")
    assert results[3].text.startswith(f"[stderr]\n[199000 bytes dropped]\n{'e' * 1000}\n[output truncated; ")
    assert [one.result for one in await read_again(path)] == list(results)
