"""A plugin that somebody else wrote, as a wheel in a fresh environment: service, task, wrapper, tool and config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fresh_environment import Environment

ON = """
[plugins.acme-stock]
warehouse = "north"
token = "${STOCK_TOKEN}"
"""

# Leaves the registry while a call of the plugin's tool runs, and says what came of it.
LEAVE_WHILE_IT_RUNS = """
import sys
import trio
from trio_tools import ToolCall, open_registry

async def main():
    results = []

    async def call(registry):
        results.append(await registry.execute(ToolCall("stock_of", {"thing": "nails"}), scope=trio.CancelScope()))

    try:
        async with trio.open_nursery() as nursery:
            async with open_registry("trio-tools.toml") as registry:
                nursery.start_soon(call, registry)
                await trio.testing.wait_all_tasks_blocked()
                assert len(registry.pending()) == 1
                if sys.argv[1] == "error":
                    raise LookupError("mine")
            print("left", len(registry.pending()), sorted(registry.tools), registry.joined())
    except* LookupError:
        pass
    print(results[0].code, results[0].cause, results[0].value)

import trio.testing
trio.run(main)
"""


def test_it_is_installed_there_and_the_tree_is_not(environment: Environment) -> None:
    result = environment.run("-c", "import trio_tools, acme_stock; print(trio_tools.__file__, acme_stock.__file__)")
    assert result.stderr == ""
    for place in result.stdout.split():
        assert Path(place).is_relative_to(environment.python.parents[1])


def test_it_loads_by_name_and_all_its_parts_work(environment: Environment) -> None:
    """Its tool asks its service, which its task keeps fresh and its wrapper counts with; a second plugin uses it too,
    and is opened after it although it is listed before."""
    config = environment.write("on.toml", "[plugins.acme-report]\n" + ON)
    result = environment.command("call", "stock_of", '{"thing": "nails"}', "--config", config, STOCK_TOKEN="s3cret")
    assert json.loads(result.stdout) == {"warehouse": "north", "amount": 5, "asked": 1}
    assert (result.stderr, result.returncode) == ("the stock was asked 1 times\n", 0)  # printed, and no result


def test_the_commands_show_what_it_brings(environment: Environment) -> None:
    config = environment.write("on.toml", ON)
    listed = environment.command("tools", "--config", config, STOCK_TOKEN="x")
    assert "stock_of  acme-stock  read-only  30 s    Tell how many of a thing are in the warehouse." in listed.stdout
    order = environment.command("tools", "--config", config, "--pipeline", STOCK_TOKEN="x").stdout
    assert [line.split()[1:] for line in order.splitlines()[1:]] == [
        ["wrapper", "enforce", "timeout"],
        ["wrapper", "Stock.count_call", "acme-stock"],
    ]
    shown = environment.command("config", "acme-stock").stdout
    for words in ("[plugins.acme-stock]", "Its name, as on the door.", "Required.", "Unit: seconds.", "refresh = 60.0"):
        assert words in shown
    assert (
        "no problem found; plugins that are on, in the order in which they open: timeout (by default), acme-stock"
        in environment.command("check", config, STOCK_TOKEN="x").stdout
    )


@pytest.mark.parametrize(
    ("config", "lines"),
    [
        (
            "[plugins.acme-stock]\nwarehouse = 3\nrefresh = -1\nrefersh = 5\n[plugins.acme-stok]\n",
            [
                'f.toml: [plugins.acme-stok]: no such plugin is installed; did you mean "acme-stock"? '
                "Installed: acme-circle, acme-report, acme-stock, files, journal, logging, retry, "
                "shell, spill, timeout, todo",
                'f.toml: [plugins.acme-stock] refersh: unknown option; did you mean "refresh"?',
                "f.toml: [plugins.acme-stock] warehouse: must be a string, not an integer",
                "f.toml: [plugins.acme-stock] refresh: must be a positive finite number of seconds, not -1.0",
            ],
        ),
        ("[plugins.acme-stock]\n", ["f.toml: [plugins.acme-stock] warehouse: required, and missing"]),
        (ON, ["f.toml: [plugins.acme-stock] token: the environment variable STOCK_TOKEN is not set"]),
        (
            '[plugins.acme-stock]\nwarehouse = "${HOME}"\n',
            ["f.toml: [plugins.acme-stock] warehouse: this option takes no ${...}; write $${ for a literal ${"],
        ),
        ("[plugins.acme-report]\n", ['f.toml: plugin "acme-report" requires plugin "acme-stock", which is not listed']),
        (
            "[plugins.acme-circle]\n",
            ["f.toml: plugins require each other, and none can be the first to open: acme-circle -> acme-circle"],
        ),
        (
            '[plugins.acme-stock]\nwarehouse = "burnt down"\n',
            [
                'in plugin "acme-stock", while it was opened: there is no warehouse "burnt down" any more',
            ],
        ),
    ],
)
def test_it_fails_clearly_when_it_is_misconfigured(environment: Environment, config: str, lines: list[str]) -> None:
    file = environment.write("f.toml", config)
    result = environment.command("tools", "--config", file)
    assert (result.stdout, result.returncode) == ("", 2)
    assert sorted(result.stderr.splitlines()) == sorted(f"trio-tools: {line}" for line in lines)


@pytest.mark.parametrize(
    ("how", "said"),
    [("normally", ["left 0 [] []", "None None"]), ("error", ["ABORTED shutdown"])],
)
def test_it_leaves_cleanly_while_its_tool_runs(environment: Environment, how: str, said: list[str]) -> None:
    """The call comes to rest before the plugin lets go of what it stands on: a warehouse that had closed would have
    failed it."""
    environment.write("trio-tools.toml", '[plugins.acme-stock]\nwarehouse = "north"\ndelay = 0.5\n')
    result = environment.run("-c", LEAVE_WHILE_IT_RUNS, how)
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert len(lines) == len(said)
    assert all(line.startswith(start) for line, start in zip(lines, said, strict=True))


def test_nothing_is_read_because_it_lies_in_the_working_folder(environment: Environment) -> None:
    for name in ("trio-tools.toml", "pyproject.toml"):
        environment.write(name, "not even TOML [[[")
    result = environment.command("call", "glob", '{"pattern": "*.toml"}')
    assert (result.stderr, result.returncode) == ("", 0)
    assert "trio-tools.toml" in result.stdout
