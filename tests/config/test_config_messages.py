"""Every message for a config that is wrong, word by word: file, table, key, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from config_plugins import Site, house, site_in, write

from trio_tools.config import ConfigError, Override, load_config


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


F = "trio-tools.toml: "
HOUSE = "trio-tools.toml: [plugins.house]"
INT = "must be an integer"
UNFINISHED = "${ must be followed by the name of a variable and }; write $${ for a literal ${"
OPTIONS = (
    "root, timeout, max_timeout, idle_timeout, grace, max_output_bytes, max_spill_bytes, max_total_spill_bytes, "
    "supervise, run_in_background, max_background_jobs, max_background_seconds"
)
NEEDED = '[plugins.house]\naddress = "here"\n'


def problems(
    text: str | None, *, environment: dict[str, str] | None = None, overrides: dict[str, Override] | None = None
) -> list[str]:
    path = None if text is None else write(text)
    with pytest.raises(ConfigError) as caught:
        load_config(path, environment=environment or {}, overrides=overrides)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return list(caught.value.problems)


TOP = [
    ("regsitry = 1", [f'{F}regsitry: unknown; did you mean "registry"?']),
    ("[zzz]", [f"{F}zzz: unknown; there are defaults, registry, plugins"]),
    ('"a\\u001b\\n" = 1', [f'{F}"a\\x1b\\x0a": unknown; there are defaults, registry, plugins']),
    ("registry = 3", [f"{F}[registry]: must be a table, not an integer"]),
    ("plugins = []", [f"{F}[plugins]: must be a table, not an array"]),
    ("[[plugins.shell]]", [f"{F}[plugins.shell]: must be a table, not an array"]),
    ("defaults = 1", [f"{F}defaults: must be a boolean, not an integer"]),
    (
        "[plugins.shel]",
        [
            f'{F}[plugins.shel]: no such plugin is installed; did you mean "shell"? '
            "Installed: files, house, journal, retry, shell, timeout"
        ],
    ),
    (
        "[registry]\nmax_parallel_calls = 0\npolicy_grace = -1\nobserver_grace = nan\nrecorder_grace = inf\npolicy = 1",
        [
            f'{F}[registry] policy: unknown option; did you mean "policy_grace"?',
            f"{F}[registry] max_parallel_calls: must be a positive integer, not 0",
            f"{F}[registry] policy_grace: must be a positive finite number of seconds, not -1.0",
            f"{F}[registry] observer_grace: must be a positive finite number of seconds, not nan",
            f"{F}[registry] recorder_grace: must be a positive finite number of seconds, not inf",
        ],
    ),
    (
        "[registry]\nmax_parallel_calls = true\npolicy_grace = '5'",
        [
            f"{F}[registry] max_parallel_calls: must be an integer, not a boolean",
            f"{F}[registry] policy_grace: must be a number, not a string",
        ],
    ),
]
OURS = [
    (
        "[plugins.shell]\ntimeot = 3\ntimeout = -1\ngrace = 0\nmax_output_bytes = 0\nroot = 3",
        [
            f'{F}[plugins.shell] timeot: unknown option; did you mean "timeout"?',
            f"{F}[plugins.shell] root: must be a string, not an integer",
            f"{F}[plugins.shell] timeout: must be a positive finite number of seconds, not -1.0",
            f"{F}[plugins.shell] grace: must be a positive finite number of seconds, not 0.0",
            f"{F}[plugins.shell] max_output_bytes: must be a positive whole number of bytes, not 0",
        ],
    ),
    (
        "[plugins.files]\ntools = ['x']\nsearch_timeout = 0",
        [
            f"{F}[plugins.files] root: required, and missing",
            f"{F}[plugins.files] tools: must be any of read, write, edit, glob, grep: there is no 'x'",
            f"{F}[plugins.files] search_timeout: must be a positive finite number of seconds, not 0.0",
        ],
    ),
    (
        "[plugins.files]\nroot = ''\n[plugins.shell]\nroot = ''",
        [
            f'{F}[plugins.files] root: must be the path of a directory, and is empty; the working directory is "."',
            f'{F}[plugins.shell] root: must be the path of a folder, and is empty; the working folder is "."',
        ],
    ),
    ("[plugins.timeout]\nx = 1", [f"{F}[plugins.timeout] x: unknown option; there are none"]),
]
VALUES = [
    ("rooms = 0", ["rooms: must be >= 1: 0"]),
    ("rooms = 3.0", ["rooms: must be an integer, not a number"]),
    ("rooms = true", ["rooms: must be an integer, not a boolean"]),
    ("height = 'x'", ["height: must be a number, not a string"]),
    (f"height = 1{'0' * 400}", ["height: must be a number of at most 1.8e308"]),
    (
        "height = 9007199254740993",
        ["height: must be a number that a float can hold; the nearest is 9007199254740992.0"],
    ),
    ("heated = 1", ["heated: must be a boolean, not an integer"]),
    ("colour = 'blue'", ['colour: must be one of "red", "green"']),
    ("style = '3'", ['style: must be one of "old", "new", 3']),
    ("plan = 3", ["plan: must be a string, not an integer"]),
    ("tokens = 'abc'", ["tokens: must be an array, not a string"]),
    (
        "sizes = [1, '2', 3, true]",
        [f"sizes[1]: {INT}, not a string", f"sizes[3]: {INT}, not a boolean"],
    ),
    ("pair = [1]", ["pair: must be an array of integer, then string: 2 values, not 1"]),
    ("pair = ['a', 1]", ["pair[0]: must be an integer, not a string", "pair[1]: must be a string, not an integer"]),
    ("names = {}", ["names: must be an array, not a table"]),
    ("limit = 'x'", ["limit: must be an integer, not a string"]),
    ("either = 1.5", ["either: must be an integer or a string, not a number"]),
    ("since = 2020-01-01", ["since: must be a date-time, not a date"]),
    ("day = 2020-01-01T00:00:00", ["day: must be a date, not a date-time"]),
    ("opens = '10:00'", ["opens: must be a time, not a string"]),
    ("door = 1", ["door: must be a table, not an integer"]),
    (
        "door = {width = 0, with = 1}",
        ['door.with: unknown option; did you mean "width"?', "door.width: must be > 0: 0.0"],
    ),
    ("doors = [{}, {width = -1}]", ["doors[1].width: must be > 0: -1.0"]),
    ("by_name = {'a b' = {width = 'x'}}", ['by_name."a b".width: must be a number, not a string']),
]
PLACEHOLDERS = [
    ("plan = '${HOME}'", ["plan: this option takes no ${...}; write $${ for a literal ${"]),
    ("names = ['a${b']", ["names[0]: this option takes no ${...}; write $${ for a literal ${"]),
    ("anything = {a = ['${HOME}']}", ["anything.a[0]: this option takes no ${...}; write $${ for a literal ${"]),
    ("colour = '${HOME}'", ["colour: this option takes no ${...}; write $${ for a literal ${"]),
    ("either = '${HOME}'", ["either: this option takes no ${...}; write $${ for a literal ${"]),
    ("door = {name = '${HOME}'}", ["door.name: this option takes no ${...}; write $${ for a literal ${"]),
    ("password = 'a ${NOT_SET} b'", ["password: the environment variable NOT_SET is not set"]),
    ("door = {key = '${NOT_SET}'}", ["door.key: the environment variable NOT_SET is not set"]),
    (
        "tokens = ['${', '${a b}', '${}']",
        [
            f"tokens[{n}]: ${{ must be followed by the name of a variable and }}; write $${{ for a literal ${{"
            for n in range(3)
        ],
    ),
]


@pytest.mark.parametrize(("text", "lines"), [*TOP, *OURS])
def test_what_is_wrong_in_a_file_is_told(site: Site, text: str, lines: list[str]) -> None:
    site.offer(house=house)
    assert problems(text) == lines


@pytest.mark.parametrize(("text", "lines"), [*VALUES, *PLACEHOLDERS])
def test_what_is_wrong_with_an_option_is_told(site: Site, text: str, lines: list[str]) -> None:
    site.offer(house=house)
    assert problems(f"{NEEDED}{text}") == [f"{HOUSE} {line}" for line in lines]


def test_everything_is_told_at_once(site: Site) -> None:
    site.offer(house=house)
    every = [text for text, _ in VALUES if not text.startswith(("rooms = 3", "rooms = t", "height = 1", "pair = [1"))]
    by_key = {text.partition(" ")[0]: text for text in every}
    told = problems("\n".join(["zzz = 1", "[plugins.house]", *by_key.values(), "[plugins.shell]", "timeout = 0"]))
    expected = {line for text, lines in VALUES if text in by_key.values() for line in lines}
    assert set(told) == {
        f"{F}zzz: unknown; there are defaults, registry, plugins",
        f"{HOUSE} address: required, and missing",
        *(f"{HOUSE} {line}" for line in expected),
        f"{F}[plugins.shell] timeout: must be a positive finite number of seconds, not 0.0",
    }
    assert len(told) == len(set(told))


SHELL = "TRIO_TOOLS_PLUGINS__SHELL__"


@pytest.mark.parametrize(
    ("environment", "lines"),
    [
        ({f"{SHELL}TIMEOUT": "-1"}, [f"{SHELL}TIMEOUT: must be a positive finite number of seconds, not -1.0"]),
        ({f"{SHELL}TIMEOUT": "abc"}, [f"{SHELL}TIMEOUT: is no TOML value; the option takes: number"]),
        ({f"{SHELL}TIMEOUT": "1\n[x]"}, [f"{SHELL}TIMEOUT: is no TOML value; the option takes: number"]),
        ({f"{SHELL}TIMEOUT": "'60'"}, [f"{SHELL}TIMEOUT: must be a number, not a string"]),
        ({f"{SHELL}TIMEOT": "60"}, [f'{SHELL}TIMEOT: unknown option; did you mean "timeout"?']),
        ({f"{SHELL}timeout": "60"}, [f'{SHELL}timeout: unknown option; did you mean "timeout"?']),
        (
            {f"{SHELL}X__Y": "60"},
            [f"{SHELL}X__Y: unknown option; there are {OPTIONS}"],
        ),
        ({"TRIO_TOOLS_DEFAULTS": "no"}, ["TRIO_TOOLS_DEFAULTS: is no TOML value; the option takes: boolean"]),
        (
            {"TRIO_TOOLS_REGISTRY__MAX_PARALLEL_CALLS": "0"},
            ["TRIO_TOOLS_REGISTRY__MAX_PARALLEL_CALLS: must be a positive integer, not 0"],
        ),
    ],
)
def test_what_is_wrong_with_a_variable_names_it(site: Site, environment: dict[str, str], lines: list[str]) -> None:
    assert problems("[plugins.shell]", environment=environment) == lines


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("plugins.shell.timeout", "-1", "must be a positive finite number of seconds, not -1.0"),
        ("plugins.shell.timeout", -1, "must be a positive finite number of seconds, not -1.0"),
        ("plugins.shell.timeot", "1", 'unknown option; did you mean "timeout"?'),
        (
            "plugins.shell.a.b",
            "1",
            f"unknown option; there are {OPTIONS}",
        ),
        ("plugins.shel.timeout", "1", 'plugin shel is not listed; did you mean "shell"?'),
        ("plugins.files.root", ".", "plugin files is not listed; there are shell"),
        ("plugins.files", "false", "must be true, which switches the plugin on"),
        ("plugins.files", False, "must be true, which switches the plugin on"),
        ("defaults", "maybe", "is no TOML value; the option takes: boolean"),
        ("registry.max_parallel_calls", True, "must be an integer, not a boolean"),
        ("registry", "x", "unknown; there are defaults, registry.OPTION, plugins.NAME and plugins.NAME.OPTION"),
        ("", "x", "unknown; there are defaults, registry.OPTION, plugins.NAME and plugins.NAME.OPTION"),
    ],
)
def test_what_is_wrong_with_a_flag_names_it(site: Site, path: str, value: object, line: str) -> None:
    told = problems("[plugins.shell]", overrides={path: Override(value, flag="--set x")})
    assert told == [f"--set x: {line}"]


def test_what_is_missing_in_a_plugin_that_a_flag_switches_on_names_the_flag(site: Site) -> None:
    told = problems(None, overrides={"plugins.files": Override(True, flag="--with files")})
    assert told == ["--with files: [plugins.files] root: required, and missing"]


def test_a_flood_of_problems_is_cut(site: Site) -> None:
    told = problems("\n".join(f"x{n} = 1" for n in range(1_000)))
    assert len(told) == 101
    assert told[-1] == "and 900 problems more"
