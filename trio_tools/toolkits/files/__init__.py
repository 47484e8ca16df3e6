"""Tools that read, find, search and write files, confined to a root directory; and a policy for the writing."""

from trio_tools.toolkits.files._config import FilesConfig
from trio_tools.toolkits.files._guard import FileGuard, GuardedFiles
from trio_tools.toolkits.files._plugin import files
from trio_tools.toolkits.files._policy import ReadBeforeWriteConfig, read_before_write
from trio_tools.toolkits.files._version import Expected, FileVersion, Unread

__all__ = [
    "Expected",
    "FileGuard",
    "FileVersion",
    "FilesConfig",
    "GuardedFiles",
    "ReadBeforeWriteConfig",
    "Unread",
    "files",
    "read_before_write",
]
