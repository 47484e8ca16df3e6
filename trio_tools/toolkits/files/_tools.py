"""The tools that a config asks for."""

from __future__ import annotations

from trio_tools.tool import Tool
from trio_tools.toolkits.files._config import FilesConfig
from trio_tools.toolkits.files._edit import edit_tool
from trio_tools.toolkits.files._glob import glob_tool
from trio_tools.toolkits.files._grep import grep_tool
from trio_tools.toolkits.files._guard import GuardedFiles
from trio_tools.toolkits.files._read import read_tool
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._write import write_tool
from trio_tools.toolkits.files._writing import Writing


def tools_of(root: Root, config: FilesConfig, guarded: GuardedFiles) -> tuple[Tool, ...]:
    """The tools named in the config, in its order, for the files below the root. They fail once the root is closed."""
    writing = Writing(root, guarded)
    makers = {
        "read": lambda: read_tool(root, guarded),
        "write": lambda: write_tool(writing),
        "edit": lambda: edit_tool(writing),
        "glob": lambda: glob_tool(root, timeout=config.search_timeout),
        "grep": lambda: grep_tool(root, timeout=config.search_timeout),
    }
    return tuple(makers[name]() for name in config.tools)
