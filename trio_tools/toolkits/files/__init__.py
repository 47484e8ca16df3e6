"""Tools that read, find and search files, confined to a root directory."""

from trio_tools.toolkits.files._config import FilesConfig
from trio_tools.toolkits.files._plugin import files

__all__ = ["FilesConfig", "files"]
