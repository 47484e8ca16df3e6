"""What an operator may set of the shell toolkit."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, get_args

import attrs

from trio_tools.registry import option, positive_seconds, true_or_false
from trio_tools.toolkits.shell._limits import Limits
from trio_tools.values import check_seconds

Supervise: TypeAlias = Literal["auto", "always", "never"]

# Values are objects here: config comes from TOML and from programs that no checker saw.


def _check_bytes(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{attribute.name} must be a positive whole number of bytes, not {value!r}")


def _check_supervise(_: object, attribute: attrs.Attribute[Supervise], value: object) -> None:
    if value not in get_args(Supervise):
        raise ValueError(f"{attribute.name} must be one of {', '.join(get_args(Supervise))}, not {value!r}")


def _check_jobs(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{attribute.name} must be a positive whole number of jobs, not {value!r}")


def _check_limit(_: object, attribute: attrs.Attribute[float | None], value: object) -> None:
    if value is not None:
        check_seconds(attribute.name, value)


def _as_path(value: str | Path) -> Path:
    if not isinstance(value, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - a program's that none saw
        raise TypeError(f"root must be the path of a folder, not {type(value).__name__}")
    if value == "":
        raise ValueError('root must be the path of a folder, and is empty; the working folder is "."')
    return Path(value)


@attrs.frozen(kw_only=True)
class ShellConfig:
    """How commands are run, in seconds and bytes.

    Raises `ValueError` for a number that is not positive and finite, and for another word than those of `supervise`;
    `TypeError` for a root that is no path, and for a switch that is neither true nor false.

    Attributes:
        root: The folder in which commands start, and from which a relative workdir counts. It confines nothing.
        timeout: The time of a command that asks for none.
        max_timeout: The most time that a command may ask for, unless it runs in the background.
        idle_timeout: The time after which a command is stopped that writes nothing; by default there is no such limit.
            It does not concern commands in the background.
        grace: The time that a command has to clean up between SIGTERM and SIGKILL.
        max_output_bytes: What is kept of each of the two streams.
        max_spill_bytes: What a file holds of a stream that is longer.
        max_total_spill_bytes: What all these files hold together, as long as the plugin is open.
        supervise: Whether a process of its own watches over each command: "auto" where that works, "always" or not at
            all, "never", and then this process does, which cannot find everything.
        run_in_background: Whether commands may run in the background.
        max_background_jobs: How many of those a session may have at once.
        max_background_seconds: The time after which a command in the background is stopped; by default it may run until
            the registry closes.
    """

    root: Path = attrs.field(default=Path("."), converter=_as_path)
    timeout: float = attrs.field(default=120.0, validator=positive_seconds, metadata=option(unit="seconds"))
    max_timeout: float = attrs.field(default=600.0, validator=positive_seconds, metadata=option(unit="seconds"))
    idle_timeout: float | None = attrs.field(default=None, validator=_check_limit, metadata=option(unit="seconds"))
    grace: float = attrs.field(default=3.0, validator=positive_seconds, metadata=option(unit="seconds"))
    max_output_bytes: int = attrs.field(default=64_000, validator=_check_bytes, metadata=option(unit="bytes"))
    max_spill_bytes: int = attrs.field(default=64 * 1024 * 1024, validator=_check_bytes, metadata=option(unit="bytes"))
    max_total_spill_bytes: int = attrs.field(default=1024**3, validator=_check_bytes, metadata=option(unit="bytes"))
    supervise: Supervise = attrs.field(default="auto", validator=_check_supervise)
    run_in_background: bool = attrs.field(default=True, validator=true_or_false)
    max_background_jobs: int = attrs.field(default=10, validator=_check_jobs, metadata=option(unit="jobs"))
    max_background_seconds: float | None = attrs.field(
        default=None, validator=_check_limit, metadata=option(unit="seconds")
    )

    def limits(self, requested: float | None) -> Limits:
        """Those of a command that asked for `requested` seconds, or for none."""
        timeout = min(self.timeout if requested is None else requested, self.max_timeout)
        return Limits(timeout=timeout, idle=self.idle_timeout)

    def background_limits(self, requested: float | None) -> Limits:
        """Those of a command in the background that asked for `requested` seconds, or for none."""
        asked = [seconds for seconds in (requested, self.max_background_seconds) if seconds is not None]
        return Limits(timeout=min(asked, default=None))
