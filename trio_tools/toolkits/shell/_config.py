"""What an operator may set of the shell toolkit."""

from __future__ import annotations

import math
from pathlib import Path

import attrs

# Values are objects here: config comes from TOML and from programs that no checker saw.


def _check_seconds(_: object, attribute: attrs.Attribute[float], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ValueError(f"shell: {attribute.name} must be a positive finite number of seconds, not {value!r}")


def _check_bytes(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"shell: {attribute.name} must be a positive whole number of bytes, not {value!r}")


def _as_path(value: str | Path) -> Path:
    return Path(value)


@attrs.frozen(kw_only=True)
class ShellConfig:
    """How commands are run; raises `ValueError` for a number that is not positive and finite.

    `root` is the folder in which commands start, and from which a relative `workdir` counts; it confines nothing.
    `timeout` is that of a command that asks for none, `max_timeout` the most it may ask for. `max_output_bytes` is what
    is kept of each of the two streams; `max_spill_bytes` what a file holds of one that is longer. `grace` is what a
    command has to clean up between SIGTERM and SIGKILL. Seconds and bytes.
    """

    root: Path = attrs.field(default=Path("."), converter=_as_path)
    timeout: float = attrs.field(default=120.0, validator=_check_seconds)
    max_timeout: float = attrs.field(default=600.0, validator=_check_seconds)
    grace: float = attrs.field(default=3.0, validator=_check_seconds)
    max_output_bytes: int = attrs.field(default=64_000, validator=_check_bytes)
    max_spill_bytes: int = attrs.field(default=64 * 1024 * 1024, validator=_check_bytes)

    def effective_timeout(self, requested: float | None) -> float:
        """The seconds that a command gets that asked for `requested` seconds, or for none."""
        return min(self.timeout if requested is None else requested, self.max_timeout)
