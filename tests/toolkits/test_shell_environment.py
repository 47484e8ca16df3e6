"""The environment of a command, its mark, and the config."""

import math
from pathlib import Path
from typing import Any

import pytest

from trio_tools.toolkits.shell import ShellConfig
from trio_tools.toolkits.shell._environment import carries, command_environment
from trio_tools.toolkits.shell._limits import Limits


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


@pytest.mark.parametrize("name", ["max_output_bytes", "max_spill_bytes", "max_total_spill_bytes"])
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
    assert config.max_total_spill_bytes == 1024**3
    assert config.root == Path(".")
    assert structured({"root": "a/b"}).root == Path("a/b")


@pytest.mark.parametrize(("requested", "effective"), [(None, 120), (5, 5), (599.5, 599.5), (601, 600), (1e300, 600)])
def test_the_timeout_is_what_is_asked_for_up_to_the_most(requested: float | None, effective: float) -> None:
    """B020, T001."""
    assert ShellConfig().limits(requested) == Limits(timeout=effective)
    assert ShellConfig(idle_timeout=9).limits(requested) == Limits(timeout=effective, idle=9)


@pytest.mark.parametrize(
    ("requested", "most", "timeout"),
    [(None, None, None), (7200, None, 7200), (None, 50, 50), (7200, 50, 50), (5, 50, 5)],
)
def test_in_the_background_there_is_no_limit_that_nobody_asked_for(
    requested: float | None, most: float | None, timeout: float | None
) -> None:
    """B040: neither the default of the foreground nor its most, nor its idle limit."""
    config = ShellConfig(max_background_seconds=most, idle_timeout=1)
    assert config.background_limits(requested) == Limits(timeout=timeout)


@pytest.mark.parametrize("name", ["idle_timeout", "max_background_seconds"])
@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "3"])
def test_limits_that_may_be_left_out_are_seconds_or_nothing(name: str, value: object) -> None:
    """B020."""
    with pytest.raises(ValueError, match=f"^{name} must be a positive finite number of seconds, not "):
        structured({name: value})


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3", None])
def test_a_number_of_jobs_that_is_none_is_refused(value: object) -> None:
    """B050."""
    with pytest.raises(ValueError, match="max_background_jobs must be a positive whole number of jobs, not"):
        structured({"max_background_jobs": value})


def test_a_switch_is_true_or_false() -> None:
    """B051."""
    with pytest.raises(TypeError, match=r"^run_in_background must be True or False, not 'no'$"):
        structured({"run_in_background": "no"})


def test_a_root_that_is_no_path_is_told_by_name() -> None:
    with pytest.raises(TypeError, match=r"^root must be the path of a folder, not int$"):
        structured({"root": 3})
