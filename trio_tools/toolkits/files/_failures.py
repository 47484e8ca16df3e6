"""What can be wrong with a path, in the words that a model reads: what happened, where, and what to do."""

from __future__ import annotations

import errno
import stat

from trio_tools.toolkits.files._shown import shown
from trio_tools.values import ToolError

# There is no such file: also when the name is one that no file can have.
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}


def outside(path: str, root: str) -> ToolError:
    """A path that leads out of the root; whether anything is there is not said, since nobody looked."""
    return ToolError(
        f"{shown(path)} leads outside the root directory {shown(root)}, and nothing outside it can be read. "
        "Use a path inside it, relative to the root.",
        code="FS_OUTSIDE_ROOT",
    )


def missing(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} does not exist. Check the spelling; paths are relative to the root directory.",
        code="FS_NOT_FOUND",
    )


def not_regular(path: str, mode: int) -> ToolError:
    advice = "Name a file in it." if stat.S_ISDIR(mode) else "Only regular files can be read."
    kind = _KINDS.get(stat.S_IFMT(mode), "something else")
    return ToolError(f"{shown(path)} is {kind}, not a regular file. {advice}", code="FS_NOT_REGULAR_FILE")


def not_directory(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} is not a directory. Name the directory to search in, or leave path out for the root.",
        code="FS_NOT_DIRECTORY",
    )


def not_text(path: str, why: str) -> ToolError:
    return ToolError(f"{shown(path)} is not UTF-8 text: {why}. Only text files can be read.", code="FS_NOT_TEXT")


def link_loop(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} leads through too many symbolic links, which probably form a loop, or goes up and down too "
        "often. Use a path without links and without '..'.",
        code="FS_LINK_LOOP",
    )


def bad_pattern(pattern: str, why: str) -> ToolError:
    return ToolError(f'the pattern "{shown(pattern)}" is not valid: {why}', code="SEARCH_INVALID_PATTERN")


def failed(path: str, error: OSError) -> ToolError:
    """What the operating system answered for a path: missing, a link put there meanwhile, or its own words."""
    if error.errno in _MISSING:
        return missing(path)
    if error.errno == errno.ELOOP:
        return ToolError(f"{shown(path)} was replaced while it was being opened. Try again.", code="FS_FAILED")
    reason = error.strerror or type(error).__name__
    return ToolError(f"{shown(path)} could not be read: {reason}. Try another path.", code="FS_FAILED")


def outside_pattern(pattern: str) -> ToolError:
    return ToolError(
        f'the pattern "{shown(pattern)}" leads outside the root directory or upwards with "..", and a search only goes '
        "down from a directory inside it. Name that directory with path, and write the pattern relative to it.",
        code="FS_OUTSIDE_ROOT",
    )
