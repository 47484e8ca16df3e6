"""What a journal can be told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import attrs

from trio_tools.journal._connect import Durability
from trio_tools.registry import option
from trio_tools.values import check_seconds

# Values are objects here: config comes from TOML and from programs that no checker saw.


def _names(redact: Iterable[str]) -> tuple[str, ...]:
    if isinstance(redact, str):
        raise TypeError(f'redact must be a list of names, such as ["{redact}"], not the string "{redact}"')
    if not isinstance(redact, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"redact must be a list of names, not {type(redact).__name__}")
    return tuple(redact)


def _check_names(_: object, __: attrs.Attribute[tuple[str, ...]], names: tuple[object, ...]) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise ValueError(f"redact must hold names of arguments, not {name!r}")


def _path(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"path must be the path of a file, not {type(path).__name__}")
    if not str(path) or path == Path():
        raise ValueError("path must be the path of a file, and is empty")
    return Path(path)


def _check_durability(_: object, __: attrs.Attribute[Durability], durability: object) -> None:
    if durability not in get_args(Durability):
        raise ValueError(f"durability must be one of {', '.join(get_args(Durability))}, not {durability!r}")


def _check_age(_: object, __: attrs.Attribute[float | None], seconds: object) -> None:
    if seconds is not None:
        check_seconds("max_age", seconds)


def _check_bytes(_: object, __: attrs.Attribute[int | None], size: object) -> None:
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size <= 0):
        raise ValueError(f"max_bytes must be a positive whole number of bytes, not {size!r}")


@attrs.frozen(kw_only=True)
class JournalConfig:
    """Where a journal is kept, how safely, for how long, and what is kept out of it.

    Raises `ValueError` for a number that is out of range, another durability, and names that are none; `TypeError` for
    a path that is none and names that are no list.

    Attributes:
        path: The file, made if it is not there, in a folder that is; a relative one counts from the working directory.
        durability: What a record survives: "full", that the power fails; "normal", only that the process ends. Full
            waits for the disk, some milliseconds for all calls that end at the same time.
        max_age: What is older is removed, by whole turns. Left out, nothing is: a record that ends by itself is gone
            when it is needed.
        max_bytes: The size of the file, beyond which the oldest turns are removed. Left out, none are.
        redact: Names of arguments whose values are never written, at any depth.
    """

    path: Path = attrs.field(converter=_path)
    durability: Durability = attrs.field(default="full", validator=_check_durability)
    max_age: float | None = attrs.field(default=None, validator=_check_age, metadata=option(unit="seconds"))
    max_bytes: int | None = attrs.field(default=None, validator=_check_bytes, metadata=option(unit="bytes"))
    redact: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_check_names)


@attrs.frozen(kw_only=True)
class MemoryJournalConfig:
    """What is kept out of a journal in memory. Raises `ValueError` for names that are none, and `TypeError` for names
    that are no list.

    Attributes:
        redact: Names of arguments whose values are not kept, at any depth.
    """

    redact: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_check_names)
