"""The file itself: read, bounded, and parsed as TOML."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from trio_tools.config._problems import NAME_LENGTH, ConfigError, line
from trio_tools.values import one_line

# Bytes of a config file. Some hundred plugins with every option and its docstring take a tenth; what is larger is
# another file, and a parser's time and memory are not to be had by naming one.
MAX_FILE_BYTES = 1024 * 1024


def shown_path(path: str | os.PathLike[str]) -> str:
    """A file's name as it may stand in a line."""
    return one_line(os.fspath(path), limit=NAME_LENGTH)


def read_file(path: str | os.PathLike[str]) -> dict[str, object]:
    """What a TOML file says. Raises `ConfigError` of one problem if it cannot be read, is larger than 1 MiB, not UTF-8,
    or not TOML."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise _refused(path, "there is no such file") from None
    except IsADirectoryError:
        raise _refused(path, "this is a folder, not a file") from None
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise _refused(path, f"cannot be read: {error}") from None
    if len(content) > MAX_FILE_BYTES:
        raise _refused(path, f"is larger than {MAX_FILE_BYTES} bytes; a config file is not")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise _refused(path, f"line {number} is not UTF-8: byte 0x{content[error.start]:02x}") from None
    return _parsed(path, text)


def _parsed(path: str | os.PathLike[str], text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _refused(path, "is nested too deep") from None
    except ValueError as error:  # TOMLDecodeError says line and column; a number of thousands of digits is no more
        raise _refused(path, f"is not TOML: {error}") from None


def _refused(path: str | os.PathLike[str], words: str) -> ConfigError:
    return ConfigError([line(shown_path(path), (), words)])
