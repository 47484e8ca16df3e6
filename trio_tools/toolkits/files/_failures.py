"""What can be wrong with a path, in the words that a model reads: what happened, where, and what to do."""

from __future__ import annotations

import errno
import stat

from trio_tools.toolkits.files._shown import shown
from trio_tools.values import ToolError

# There is no such file: also when the name is one that no file can have.
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})

# The process is short of something, whatever path it was about to open.
SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})

LATER = "Try again when less is going on."
# What can be done about a write that the operating system refused.
_ADVICE = {
    **dict.fromkeys(SHORT, LATER),
    errno.ENOSPC: "Free some space first.",
    errno.EDQUOT: "Free some space first.",
    errno.EFBIG: "Write less, or several files.",
    errno.ENAMETOOLONG: "Use a shorter name.",
}
_OTHER = "Tell the user, or use another path."

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
        f"{shown(path)} leads outside the root directory {shown(root)}, and nothing outside it can be reached. "
        "Use a path inside it, relative to the root.",
        code="FS_OUTSIDE_ROOT",
    )


def missing(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} does not exist. Check the spelling; paths are relative to the root directory.",
        code="FS_NOT_FOUND",
    )


def not_regular(path: str, mode: int) -> ToolError:
    advice = "Name a file in it." if stat.S_ISDIR(mode) else "Only regular files can be read and written."
    kind = _KINDS.get(stat.S_IFMT(mode), "something else")
    return ToolError(f"{shown(path)} is {kind}, not a regular file. {advice}", code="FS_NOT_REGULAR_FILE")


def not_directory(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} is not a directory. Name the directory to search in, or leave path out for the root.",
        code="FS_NOT_DIRECTORY",
    )


def not_text(path: str, why: str) -> ToolError:
    return ToolError(
        f"{shown(path)} is not UTF-8 text: {why}. Only text files can be read and edited.", code="FS_NOT_TEXT"
    )


def link_loop(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} leads through too many symbolic links, which probably form a loop, or goes up and down too "
        "often. Use a path without links and without '..'.",
        code="FS_LINK_LOOP",
    )


def reserved(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} is where the files toolkit itself keeps files while they are written. Use another name.",
        code="FS_RESERVED",
    )


def not_written(path: str, error: OSError) -> ToolError:
    """What the operating system answered to a write; the file is as it was."""
    if isinstance(error, NotADirectoryError):
        return ToolError(
            f"{shown(path)} cannot be written: a name on its way is a file, not a directory. Use another path.",
            code="FS_NOT_DIRECTORY",
        )
    if error.errno in (errno.ELOOP, errno.ENOENT, errno.EEXIST):
        return ToolError(
            f"{shown(path)} could not be written, and is as it was: something on its way was moved or replaced "
            "meanwhile. Try again.",
            code="FS_FAILED",
        )
    reason = error.strerror or type(error).__name__
    return ToolError(
        f"{shown(path)} could not be written, and is as it was: {reason}. {_ADVICE.get(error.errno or 0, _OTHER)}",
        code="FS_FAILED",
    )


def not_observed(path: str, *, in_session: bool) -> ToolError:
    """A file that is there, and that nobody has read on behalf of whoever wants to change it."""
    why = "has not been read in this session" if in_session else "is there, and this call is of no session that read it"
    return ToolError(
        f"{shown(path)} {why}; what was not read is not replaced — read the file, then retry",
        code="FS_NOT_OBSERVED",
    )


def stale(path: str) -> ToolError:
    return ToolError(
        f"{shown(path)} has changed since it was read, and is as it was left — re-read the file, then retry",
        code="FS_STALE_VERSION",
    )


def absent(path: str) -> ToolError:
    """A file to edit that is known not to be there."""
    return ToolError(
        f"{shown(path)} does not exist. Create it with write, or check the spelling; paths are relative to the root "
        "directory.",
        code="FS_NOT_FOUND",
    )


def bad_argument(problem: str) -> ToolError:
    return ToolError(problem, code="FS_INVALID_ARGUMENT")


def bad_pattern(pattern: str, why: str) -> ToolError:
    return ToolError(f'the pattern "{shown(pattern)}" is not valid: {why}', code="SEARCH_INVALID_PATTERN")


def failed(path: str, error: OSError) -> ToolError:
    """What the operating system answered for a path: missing, a link put there meanwhile, or its own words."""
    if error.errno in _MISSING:
        return missing(path)
    if error.errno == errno.ELOOP:
        return ToolError(f"{shown(path)} was replaced while it was being opened. Try again.", code="FS_FAILED")
    reason = error.strerror or type(error).__name__
    advice = LATER if error.errno in SHORT else "Try another path."
    return ToolError(f"{shown(path)} could not be read: {reason}. {advice}", code="FS_FAILED")


def outside_pattern(pattern: str) -> ToolError:
    return ToolError(
        f'the pattern "{shown(pattern)}" leads outside the root directory or upwards with "..", and a search only goes '
        "down from a directory inside it. Name that directory with path, and write the pattern relative to it.",
        code="FS_OUTSIDE_ROOT",
    )
