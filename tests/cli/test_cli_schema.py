"""`trio-tools schema`: what a model is told, what would be refused and why, and mistakes in one line."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trio_tools.cli import main

MODULE = '''
from __future__ import annotations
import enum, sys
from trio_tools import Tool, tool

class Color(enum.Enum):
    RED = "red"

async def search(query: str, limit: int = 5, color: Color = Color.RED) -> list[str]:
    """Search.

    Args:
        query: What for.
    """
    raise SystemError("never run here")

@tool(name="odd name")
def named(x: int) -> None: ...

raw = Tool(name="raw", parameters={"properties": {"a": {"type": "integer"}}}, body=lambda arguments: None)
worse = Tool(name="worse", parameters={"properties": {"a": {"type": "dict"}}}, body=lambda arguments: None)

class Shelf:
    @staticmethod
    async def put(book: str) -> None: ...

def untyped(x): ...
number = 5
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a module of tools; what is imported from there is forgotten afterwards."""
    (tmp_path / "shop.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("raise RuntimeError('no \\x1b[31mred')")
    (tmp_path / "leaving.py").write_text("import sys; sys.exit(3)")
    (tmp_path / "lacking.py").write_text("import nothing_of_this_name")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for module in tmp_path.glob("*.py"):
        sys.modules.pop(module.stem, None)


@pytest.mark.parametrize("target", ["shop:search", "shop.py:search"])
def test_the_schema_is_printed_as_json(target: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R114: name, description and parameters, and nothing else."""
    assert main(["schema", target]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        "name": "search",
        "description": "Search.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What for."},
                "limit": {"type": "integer", "default": 5},
                "color": {"type": "string", "enum": ["red"], "default": "red"},
            },
            "additionalProperties": False,
            "required": ["query"],
        },
    }


@pytest.mark.parametrize(
    ("target", "arguments", "status", "lines"),
    [
        ("shop:search", '{"query": "a"}', 0, ["accepted"]),
        (
            "shop:search",
            '{"query": 5, "limt": 1}',
            1,
            [
                'refused: "query" must be a string',
                'refused: unknown property "limt" (known: "query", "limit", "color")',
            ],
        ),
        ("shop:search", '{"query": ', 1, ["refused: not a JSON object: $: Expecting value at character 10"]),
        ("shop:search", "[1]", 1, ["refused: not a JSON object: $: arguments must be one JSON object, not an array"]),
        ("shop:search", "", 1, ['refused: missing required property "query"']),
        ("shop:raw", '{"a": "b"}', 1, ['refused: "a" must be an integer']),
        ("shop:Shelf.put", '{"book": "b"}', 0, ["accepted"]),
        ("shop:named", '{"x": 1, "\\u001b[31m": 2}', 1, None),
    ],
)
def test_what_would_be_refused_is_told_with_the_reason(  # noqa: PLR0917 - a table's columns and two fixtures
    target: str, arguments: str, status: int, lines: list[str] | None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R117, D26, D29: a line each, and the status says it too; nothing is run."""
    assert main(["schema", target, arguments]) == status
    schema, _, verdict = capsys.readouterr().out.partition("\n}\n")
    assert json.loads(schema + "}")["name"]
    assert verdict.replace("\n", "").isprintable()
    assert lines is None or verdict.splitlines() == lines


def test_arguments_may_come_from_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R117."""
    monkeypatch.setattr("sys.stdin", io.StringIO('{"query": 1}'))
    assert main(["schema", "shop:search", "-"]) == 1
    assert capsys.readouterr().out.endswith('refused: "query" must be a string\n')


def test_a_form_may_be_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R114."""
    assert main(["schema", "shop:search", "--form", "anthropic"]) == 0
    assert json.loads(capsys.readouterr().out)["input_schema"]["type"] == "object"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop"], '"shop" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search'),
        (["shop:"], '"shop:" must be MODULE:FUNCTION'),
        (["shop:nothing"], 'there is no "nothing" in '),
        (["shop:number"], '"shop:number" is a value of type int, and neither a function nor a Tool'),
        (["shop:untyped"], 'tool "untyped", parameter "x": needs an annotation'),
        (["shop:Color"], "Color is a class, and a class is not a tool"),
        (["shop:worse", "{}"], "not a JSON Schema that can be checked"),
        (["nowhere:x"], "cannot import nowhere: there is no module nowhere"),
        (["nowhere.py:x"], "cannot import nowhere.py: "),
        (["lacking:x"], "cannot import lacking: there is no module nothing_of_this_name"),
        (["broken:x"], "cannot import broken: RuntimeError: no \\x1b[31mred"),
        (["leaving:x"], "cannot import leaving: SystemExit: 3"),
        (["shop:search", "--form", "telex"], '--form: there is no form "telex"; there are openai'),
        ([], "MODULE:FUNCTION"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Errors say what happened and what to do; never a traceback."""
    assert main(["schema", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("trio-tools: ")
    assert err.count("\n") == 1
    assert said in err
