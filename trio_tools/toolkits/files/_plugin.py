"""The plugin that brings the files toolkit into a registry."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager

import trio

from trio_tools.registry import Registry, plugin
from trio_tools.toolkits.files._config import FilesConfig
from trio_tools.toolkits.files._engine import choose_engine
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._tools import tools_of


@plugin("files", config=FilesConfig)
@asynccontextmanager
async def files(registry: Registry, config: FilesConfig) -> AsyncGenerator[None, None]:
    """The tools `read`, `glob` and `grep`, for the files below the config's root, which is held open meanwhile.

    Raises `OSError` if the root cannot be opened as a directory, and `RuntimeError` if ripgrep is asked for and cannot
    be had.

    **Cancellation**: opening waits for ripgrep to say its version, not cut short by a cancel; leaving does not wait for
    anything; calls under way are the registry's to settle.
    """
    with ExitStack() as joined:
        root = joined.enter_context(Root(config.root))
        ripgrep = None
        if "grep" in config.tools:
            ripgrep = await trio.to_thread.run_sync(choose_engine, config.search_engine)
        for one in tools_of(root, config, ripgrep=ripgrep):
            joined.enter_context(registry.register(one))
        yield
