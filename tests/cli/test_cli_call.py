"""`trio-tools call`: one call, what a model would read of it, and a status that says how it went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_folder import ON, SHOP
from message_run import Told, row, told

from trio_tools import ToolResult, from_json


def call(folder: Path, *arguments: str, stdin: bytes = b"") -> Told:
    command = ("call", *arguments, *ON.split())
    return told(row(command, stdin=stdin, plugins={"shop": SHOP}), folder)


def test_the_text_of_the_result_is_shown_with_its_control_characters_escaped(tmp_path: Path) -> None:
    assert call(tmp_path, "cost", '{"item": "tea", "count": 2}') == Told(("tea x2: 3\\x1b[2J",), (), 0)


def test_lines_and_tabs_of_a_text_stay(tmp_path: Path) -> None:
    source = SHOP.replace('f"{item} x{count}: {count * PRICE:g}\\x1b[2J"', '"a\\tb\\nc\\r\\n"')
    found = told(row(("call", "cost", '{"item": ""}', *ON.split()), plugins={"shop": source}), tmp_path)
    assert found == Told(("a\tb", "c\\x0d", ""), (), 0)


def test_as_json_the_whole_result_can_be_read_back(tmp_path: Path) -> None:
    found = call(tmp_path, "cost", '{"item": "tea"}', "--json")
    (line,) = found.out
    document = json.loads(line)
    for own in ("id", "code", "is_error", "text"):
        document.pop(own)
    result = from_json(ToolResult, document)
    assert result.value == "tea x1: 1.5\x1b[2J"
    assert line.isascii()
    assert (found.err, found.status) == ((), 0)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("burn",), "Error: no matches"),
        (("cost", "{}"), 'Error: invalid arguments: missing required property "item"'),
        (("wait", "--timeout", "0.5"), "Error: tool call aborted"),
    ],
)
def test_a_result_that_is_an_error_is_status_1_and_no_complaint(
    arguments: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    assert call(tmp_path, *arguments) == Told((text,), (), 1)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nothing", "there is no such tool"),
        ("costs", 'did you mean "cost"?'),
    ],
)
def test_a_tool_that_there_is_not_is_told_of_with_what_to_do(name: str, hint: str, tmp_path: Path) -> None:
    found = call(tmp_path, name)
    line = f"trio-tools: {hint}; `trio-tools tools` lists those that there are"
    assert found == Told((f'Error: unknown tool "{name}"',), (line,), 1)


def test_a_tool_of_ours_that_is_off_is_told_of_with_how_to_have_it(tmp_path: Path) -> None:
    found = told(row("call bash {}"), tmp_path)
    assert found.err == ("trio-tools: --tools bash would bring it; `trio-tools tools` lists those that there are",)


def test_arguments_may_come_from_standard_input(tmp_path: Path) -> None:
    assert call(tmp_path, "cost", "-", stdin=b'{"item": "tea"}').out == ("tea x1: 1.5\\x1b[2J",)


def test_with_the_logging_plugin_each_call_is_a_line_on_stderr(tmp_path: Path) -> None:
    found = call(tmp_path, "cost", '{"item": "tea"}', "--set", "plugins.logging=true")
    (line,) = found.err
    assert line.startswith("trio-tools: call cost: ok in ")
    assert found.out == ("tea x1: 1.5\\x1b[2J",)


def test_with_the_logging_plugin_the_traceback_of_a_body_that_failed_is_told_escaped(tmp_path: Path) -> None:
    source = SHOP.replace('raise ToolError("no matches", code="NO_MATCHES")', 'raise KeyError("no\\x1b match")')
    found = told(row(f"call burn {ON} --set plugins.logging=true", plugins={"shop": source}), tmp_path)
    assert found.status == 1
    assert found.err[0] == "trio-tools: call burn: KeyError"
    assert found.err[1] == "trio-tools: Traceback (most recent call last):"
    assert found.err[-2] == "trio-tools: KeyError: 'no\\x1b match'"
    assert all(line.isprintable() and line.startswith("trio-tools: ") for line in found.err)
