"""`config`, `check`, `completion`, help, and that a flag goes before a variable, a variable before the file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which

import pytest
from command_folder import SHOP
from message_run import Told, row, told

from trio_tools.cli import main

PRICED = "[plugins.shop]\nprice = 2\n"
PRICE = "TRIO_TOOLS_PLUGINS__SHOP__PRICE"
# The options without a default.
NEEDED = {
    "# root = ...": 'root = "."',
    "# path = ...": 'path = "calls.db"',
    "# several_in_progress = ...": "several_in_progress = false",
    "# directory = ...": 'directory = ".spill"',
}
COST = ("call", "cost", '{"item": "tea"}')


def shop(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, config: str = PRICED) -> Told:
    """A command where the shop is installed, and `c.toml` is a config."""
    folder = folder / str(len(list(folder.iterdir())))
    folder.mkdir()
    files = {"c.toml": config, "trio-tools.toml": "this is no TOML"}
    return told(row(arguments, files=files, environment=environment or {}, plugins={"shop": SHOP}), folder)


@pytest.mark.parametrize("names", [(), ("shop",), ("shop", "files", "logging"), ("journal",), ("todo", "spill")])
def test_what_config_prints_is_a_config(names: tuple[str, ...], tmp_path: Path) -> None:
    printed = shop(tmp_path, "config", *names)
    assert (printed.err, printed.status) == ((), 0)
    needed = NEEDED if names else {}
    text = "\n".join(needed.get(line, line) for line in printed.out)
    on = ", ".join(["timeout (by default)", *names])
    assert shop(tmp_path, "check", "c.toml", config=text) == Told(
        (f"no problem found; plugins that are on, in the order in which they open: {on}",), (), 0
    )


def test_config_shows_each_option_with_its_default_unit_and_words(tmp_path: Path) -> None:
    out = shop(tmp_path, "config", "shop").out
    at = out.index("[plugins.shop]")
    assert out[at - 2 : at] == ("# Sell things.", "# A shop.")
    assert out[at + 2 : at + 4] == ("# What anything costs. Unit: euros.", "price = 1.5")


def test_without_names_every_plugin_is_shown_and_none_is_on(tmp_path: Path) -> None:
    out = shop(tmp_path, "config").out
    tables = [line for line in out if "[plugins." in line]
    names = ("files", "journal", "logging", "retry", "shell", "shop", "spill", "timeout", "todo")
    assert tables == [f"#[plugins.{name}]" for name in names]


def test_check_tells_every_problem_at_once(tmp_path: Path) -> None:
    bad = "[plugins.shop]\nprice = 'x'\nkey = '${NOT_SET}'\n[plugins.nothing]\n[registry]\npolicy_grace = 0\n"
    found = shop(tmp_path, "check", "c.toml", config=bad, environment={"TRIO_TOOLS_DEFAULTS": "1"})
    assert found.status == 2
    assert len(found.err) == 5
    assert found.out == ()


def test_check_opens_nothing(tmp_path: Path) -> None:
    source = SHOP.replace("global PRICE\n", "raise ValueError\n    global PRICE\n")
    (tmp_path / "run").mkdir()
    found = told(row("check c.toml", files={"c.toml": PRICED}, plugins={"shop": source}), tmp_path / "run")
    assert found.status == 0


@pytest.mark.parametrize(
    ("flags", "environment", "price"),
    [
        ((), {}, "2"),
        ((), {PRICE: "3"}, "3"),
        (("--set", "plugins.shop.price=4"), {PRICE: "3"}, "4"),
        (("--set", "plugins.shop.price=4"), {}, "4"),
    ],
)
def test_a_flag_goes_before_a_variable_and_that_before_the_file(
    flags: tuple[str, ...], environment: dict[str, str], price: str, tmp_path: Path
) -> None:
    found = shop(tmp_path, *COST, "--config", "c.toml", *flags, environment=environment)
    assert found == Told((f"tea x1: {price}\\x1b[2J",), (), 0)


def test_a_variable_may_name_the_config(tmp_path: Path) -> None:
    assert shop(tmp_path, *COST, environment={"TRIO_TOOLS_CONFIG": "c.toml"}).status == 0


def test_nothing_is_read_because_it_lies_in_the_working_folder(tmp_path: Path) -> None:
    """There is a `trio-tools.toml`, and it is no TOML."""
    unknown = "trio-tools: there is no such tool; `trio-tools tools` lists those that there are"
    assert shop(tmp_path, *COST) == Told(('Error: unknown tool "cost"',), (unknown,), 1)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_that_names_every_command(shell: str, tmp_path: Path) -> None:
    found = told(row(f"completion {shell}"), tmp_path)
    script = "\n".join(found.out)
    assert (found.err, found.status) == ((), 0)
    options = ["--without-session", "--receipt", "--html"]
    words = [*(word for command in OPTIONS for word in command.split()), *options]
    assert [one for one in words if one.strip("-") not in script] == []
    if shell == "bash" or which(shell):
        read = subprocess.run([shell, "-n"], input=script.encode(), capture_output=True, check=False)
        assert (read.returncode, read.stderr) == (0, b"")


OPTIONS = {
    "run": "FILE --config --set --tools --root --parallel --timeout --format --journal --session TRIO_TOOLS_CONFIG",
    "call": "NAME JSON --config --set --tools --root --timeout --json --journal --session",
    "tools": "--config --set --tools --root --json --schemas --pipeline",
    "config": "NAME",
    "check": "CONFIG --set",
    "completion": "SHELL",
    "schema": "MODULE:FUNCTION JSON --form",
    "log": "show export unknown resolve purge --journal --json TRIO_TOOLS_JOURNAL",
    "log show": "SESSION --journal --without-session --json",
    "log export": "SESSION --journal --html --overwrite --json",
    "log unknown": "--journal --json",
    "log resolve": "NAME KEY --committed --failed --receipt --journal --json",
    "log purge": "SESSION --journal --without-session --json",
}


@pytest.mark.parametrize("command", OPTIONS)
def test_help_names_each_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [one for one in OPTIONS[command].split() if one not in out] == []


def test_help_as_a_process_needs_no_terminal() -> None:
    code = "import sys; from trio_tools.cli import main; sys.exit(main(['--help']))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert all(command.split()[0].encode() in found.stdout for command in OPTIONS)
