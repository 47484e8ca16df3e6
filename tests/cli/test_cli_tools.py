"""`trio-tools tools`: a table, JSON, providers' schemas, and what stands round a call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_folder import ON, SHOP
from message_run import Told, row, told

from trio_tools.formats import FORMS


def tools(folder: Path, *options: str) -> Told:
    (folder / "run").mkdir()
    found = told(row(" ".join(["tools", ON, *options]), plugins={"shop": SHOP}), folder / "run")
    assert found.err == ()
    assert found.status == 0
    return found


def test_the_table_has_a_line_for_each_tool_with_its_plugin_facts_and_budget(tmp_path: Path) -> None:
    head, *lines = tools(tmp_path).out
    assert head.split() == ["tool", "plugin", "is", "budget", "what", "it", "does"]
    assert [line.split()[:2] for line in lines] == [
        ["burn", "shop"],
        ["cost", "shop"],
        ["read", "files"],
        ["wait", "shop"],
    ]
    assert "destructive" in lines[0]
    assert lines[0].endswith("Burn it all\\x1b[31m.")
    assert "read-only" in lines[1]
    assert "5 s" in lines[1]


def test_as_json_all_is_there_and_in_order(tmp_path: Path) -> None:
    found = json.loads("\n".join(tools(tmp_path, "--json").out))
    assert [one["name"] for one in found] == ["burn", "cost", "read", "wait"]
    cost = found[1]
    assert cost["parameters"]["required"] == ["item"]
    assert {key: cost[key] for key in cost.keys() - {"name", "description", "parameters"}} == {
        "plugin": "shop",
        "read_only": True,
        "idempotent": False,
        "destructive": False,
        "parallel": True,
        "timeout": 5,
        "idle_timeout": None,
    }


@pytest.mark.parametrize("form", FORMS)
def test_schemas_are_in_the_form_that_is_asked_for(form: str, tmp_path: Path) -> None:
    out = "\n".join(tools(tmp_path, "--schemas", form).out)
    assert out.isascii()
    found = json.loads(out)
    functions = [one.get("function", one) for one in found]
    assert sorted(one["name"] for one in functions) == ["burn", "cost", "read", "wait"]
    assert all(one["description"] for one in functions)


def test_the_pipeline_is_told_in_the_order_in_which_a_call_meets_it(tmp_path: Path) -> None:
    head, *lines = tools(tmp_path, "--set plugins.logging=true --pipeline").out
    assert head.split() == ["seam", "function", "plugin"]
    assert [tuple(line.split()) for line in lines] == [
        ("1", "pre_policy", "allow", "shop"),
        ("2", "wrapper", "enforce", "timeout"),
        ("3", "wrapper", "watch", "shop"),
        ("4", "observer", "see", "shop"),
        ("5", "observer", "_Log.settled", "logging"),
        ("6", "job_observer", "_Log.ended", "logging"),
    ]


def test_where_nothing_stands_round_a_call_it_says_so(tmp_path: Path) -> None:
    found = told(row("tools --set defaults=false --pipeline"), tmp_path)
    assert found == Told(("nothing stands round a call",), (), 0)


def test_where_there_is_no_tool_it_says_so(tmp_path: Path) -> None:
    found = told(row("tools --config c.toml", files={"c.toml": ""}), tmp_path)
    assert found == Told(("no tool: none of the plugins that are on brings one",), (), 0)


def test_an_option_of_the_config_is_seen_in_what_is_told(tmp_path: Path) -> None:
    found = told(row("tools --tools bash,read --set plugins.shell.max_timeout=7 --json"), tmp_path)
    assert [one["name"] for one in json.loads("\n".join(found.out))] == ["bash", "bash_kill", "bash_output", "read"]


def test_the_todo_toolkit_is_listed_once_it_is_on_and_has_been_told_what_it_has_to_be(tmp_path: Path) -> None:
    """F010."""
    config = {"c.toml": "[plugins.todo]\nseveral_in_progress = false\n"}
    (tmp_path / "run").mkdir()
    found = told(row("tools --config c.toml", files=config), tmp_path / "run")
    assert [line.split()[:3] for line in found.out[1:]] == [["todo_write", "todo", "idempotent"]]
    assert (found.err, found.status) == ((), 0)
