"""The environment of a command, its mark, and the config."""

import math
from pathlib import Path
from typing import Any

import pytest

from trio_tools.toolkits.shell import ShellConfig
from trio_tools.toolkits.shell._environment import carries, command_environment


def test_secrets_are_dropped_by_name_and_the_rest_stays() -> None:
    """B027: in any case of letters, anywhere in the name."""
    parent = {"PATH": "/bin", "API_KEY": "1", "my_Secret_2": "1", "tokens": "1", "DbPassword": "1", "HOME": "/h"}
    made = command_environment(parent, mark="m")
    assert made == {
        "PATH": "/bin",
        "HOME": "/h",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "TRIO_TOOLS_CALL": "m",
    }


def test_what_keeps_tools_quiet_wins_over_the_parent() -> None:
    """B027."""
    made = command_environment({"TERM": "xterm", "PAGER": "less", "NO_COLOR": ""}, mark="m")
    assert (made["TERM"], made["PAGER"], made["NO_COLOR"]) == ("dumb", "cat", "1")


def test_a_call_within_a_call_carries_both_marks() -> None:
    outer = command_environment({}, mark="outer")
    inner = command_environment(outer, mark="inner")
    environ = b"".join(f"{name}={value}\0".encode() for name, value in inner.items())
    assert carries(environ, "outer")
    assert carries(environ, "inner")


@pytest.mark.parametrize(
    "environ",
    [b"", b"A=mark\0", b"TRIO_TOOLS_CALL=marked\0", b"X_TRIO_TOOLS_CALL=mark\0", b"TRIO_TOOLS_CALL=\xff,mark2"],
)
def test_a_mark_that_only_looks_like_it_is_another(environ: bytes) -> None:
    assert not carries(environ, "mark")


def structured(options: dict[str, Any]) -> ShellConfig:
    """A config as a file brings it: nobody has checked its types."""
    return ShellConfig(**options)


@pytest.mark.parametrize("name", ["timeout", "max_timeout", "grace"])
@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "3", None])
def test_seconds_that_are_none_are_refused_by_name(name: str, value: object) -> None:
    """B020."""
    with pytest.raises(ValueError, match=f"^{name} must be a positive finite number of seconds, not "):
        structured({name: value})


@pytest.mark.parametrize("name", ["max_output_bytes", "max_spill_bytes"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_bytes_that_are_none_are_refused_by_name(name: str, value: object) -> None:
    """B020."""
    with pytest.raises(ValueError, match=f"^{name} must be a positive whole number of bytes, not "):
        structured({name: value})


def test_the_defaults_are_those_agreed_on() -> None:
    """B020."""
    config = ShellConfig()
    assert (config.timeout, config.max_timeout, config.grace) == (120, 600, 3)
    assert (config.max_output_bytes, config.max_spill_bytes) == (64_000, 64 * 1024 * 1024)
    assert config.root == Path(".")
    assert structured({"root": "a/b"}).root == Path("a/b")


@pytest.mark.parametrize(("requested", "effective"), [(None, 120), (5, 5), (599.5, 599.5), (601, 600), (1e300, 600)])
def test_the_timeout_is_what_is_asked_for_up_to_the_most(requested: float | None, effective: float) -> None:
    """B020."""
    assert ShellConfig().effective_timeout(requested) == effective
