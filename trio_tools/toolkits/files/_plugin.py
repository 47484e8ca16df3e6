"""The plugin that brings the files toolkit into a registry."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager

from trio_tools.registry import Registry, plugin
from trio_tools.toolkits.files._config import FilesConfig
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._tools import tools_of


@plugin("files", config=FilesConfig)
@asynccontextmanager
async def files(registry: Registry, config: FilesConfig) -> AsyncGenerator[None, None]:
    """The tools `read`, `glob` and `grep`, for the files below the config's root, which is held open meanwhile.

    Raises `OSError` if the root cannot be opened as a directory.

    **Cancellation**: opening and leaving do not wait for anything; calls under way are the registry's to settle.
    """
    with ExitStack() as joined:
        root = joined.enter_context(Root(config.root))
        for one in tools_of(root, config):
            joined.enter_context(registry.register(one))
        yield
