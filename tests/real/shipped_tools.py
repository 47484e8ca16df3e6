"""Every tool that is shipped: a call of each, and the plugins that bring them, on a folder with something in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from trio_tools import Registry, ToolCall, plugin
from trio_tools.registry import AnyPlugin
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.toolkits.shell import ShellConfig, shell

# A call of each, which takes a moment and touches what the tool is for.
CALLS: Mapping[str, dict[str, object]] = {
    "read": {"file_path": "a.txt", "offset": 2, "limit": 3},
    "write": {"file_path": "made/new.txt", "content": "new\n"},
    "edit": {"file_path": "b/c.py", "old_string": "= ", "new_string": "=  "},
    "glob": {"pattern": "**/*.py"},
    "grep": {"pattern": "needle"},
    "bash": {"command": "echo early; sleep 0.03 & echo late; wait", "description": "Echo twice"},
    "bash_output": {"task_id": "bash-1", "wait": True, "timeoutMs": 30},
    "bash_kill": {"task_id": "bash-1"},
}
# What is explored in pairs: reading and stopping what runs in the background has turns of its own.
IN_PAIRS = [name for name in CALLS if name not in {"bash_output", "bash_kill"}]
IN_BACKGROUND = {"command": "echo early; sleep 0.03; echo late", "description": "Echo", "run_in_background": True}
# Turns of those: what is started is read to its end, or stopped, while another call runs.
BACKGROUND_TURNS: list[list[ToolCall]] = [
    [ToolCall("bash", IN_BACKGROUND)],
    [
        ToolCall("bash", IN_BACKGROUND, id="start"),
        ToolCall("bash_output", {"task_id": "bash-2", "wait": True}, id="wait"),
        ToolCall("bash_kill", {"task_id": "bash-1"}, id="kill"),
    ],
]
# D11: a command that is stopped gives back the output so far, late, and so its body does return after the cancel.
ALLOWED = {"bash": ("swallows",)}


@attrs.frozen
class Nothing:
    """No config."""


@plugin("busy", config=Nothing, requires=("shell",))
@asynccontextmanager
async def busy(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
    """A command that runs in the background already, and has come to its rest: `bash-1`."""
    given = {"command": "echo early; exec sleep 30", "description": "Sleep", "run_in_background": True}
    await registry.execute(ToolCall("bash", given), scope=trio.CancelScope())
    text = ""
    while "early" not in text:
        await trio.sleep(0.01)
        look = ToolCall("bash_output", {"task_id": "bash-1"})
        text = (await registry.execute(look, scope=trio.CancelScope())).text
    yield


def plugins_on(folder: Path) -> list[AnyPlugin]:
    """What brings them, confined to this folder, which is filled."""
    (folder / "a.txt").write_text("needle\n" * 50)
    (folder / "b").mkdir()
    (folder / "b" / "c.py").write_text("x = 1\n")
    return [
        files(FilesConfig(root=folder, tools=("read", "write", "edit", "glob", "grep"))),
        shell(ShellConfig(root=folder, grace=1.0)),
    ]


# What has to be there besides: only those two need a command that runs, and with one nobody looks, after the call, for
# anything but tasks.
BESIDE: Mapping[str, list[AnyPlugin]] = {"bash_output": [busy], "bash_kill": [busy]}
