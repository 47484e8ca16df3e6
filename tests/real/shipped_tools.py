"""Every tool that is shipped: a call of each, and the plugins that bring them, on a folder with something in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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
}
# D11: a command that is stopped gives back the output so far, late, and so its body does return after the cancel.
ALLOWED = {"bash": ("swallows",)}


def plugins_on(folder: Path) -> list[AnyPlugin]:
    """What brings them, confined to this folder, which is filled."""
    (folder / "a.txt").write_text("needle\n" * 50)
    (folder / "b").mkdir()
    (folder / "b" / "c.py").write_text("x = 1\n")
    return [
        files(FilesConfig(root=folder, tools=("read", "write", "edit", "glob", "grep"))),
        shell(ShellConfig(root=folder, grace=1.0)),
    ]
