"""Tools that read, find and search files, confined to a root directory."""

from trio_tools.toolkits.files._config import FilesConfig

__all__ = ["FilesConfig"]
