"""Run as a program by root, becomes somebody else, and writes files: protected ones, and ones of other groups."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import trio

from trio_tools import ToolCall, open_registry
from trio_tools.toolkits.files import FilesConfig, files


async def main(root: Path) -> None:
    """Replace all files there, and say what came of each."""
    async with open_registry(plugins=[files(FilesConfig(root=root, tools=("write",)))]) as registry:
        for name in sorted(os.listdir(root)):
            call = ToolCall("write", {"file_path": name, "content": "new"})
            result = await registry.execute(call, scope=trio.CancelScope())
            print(name, oct((root / name).stat().st_mode & 0o777), result.text.replace("\n", " "))


if __name__ == "__main__":
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
    trio.run(main, Path(sys.argv[1]))
