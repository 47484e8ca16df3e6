"""The plugin that brings the files toolkit into a registry."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager

from trio_tools.registry import Registry, plugin
from trio_tools.toolkits.files._config import WRITING, FilesConfig
from trio_tools.toolkits.files._guard import GuardedFiles
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._staging import sweep
from trio_tools.toolkits.files._tools import tools_of


@plugin("files", config=FilesConfig, provides=(GuardedFiles,))
@asynccontextmanager
async def files(registry: Registry, config: FilesConfig) -> AsyncGenerator[None, None]:
    """The tools of the config, for the files below its root, which is held open meanwhile. A policy may guard them
    (`GuardedFiles`). What writers that were killed have left in the root is swept, where there are tools that write.

    Raises `OSError` if the root cannot be opened as a directory.

    **Cancellation**: opening and leaving do not wait for anything; calls under way are the registry's to settle.
    """
    with ExitStack() as joined:
        root = joined.enter_context(Root(config.root))
        guarded = GuardedFiles()
        joined.enter_context(registry.provide(GuardedFiles, guarded))
        if not WRITING.isdisjoint(config.tools):
            sweep(root)
        for one in tools_of(root, config, guarded):
            joined.enter_context(registry.register(one))
        yield
