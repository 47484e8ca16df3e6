"""`trio-tools run` in providers' forms, from a line in to the answer out: forced, or found by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_folder import ON, SHOP
from message_run import row, told

PLAIN: dict[str, object] = {"calls": [{"id": "p", "name": "cost", "arguments": {"item": "tea"}}]}
OPENAI: dict[str, object] = {
    "role": "assistant",
    "tool_calls": [
        {"id": one, "type": "function", "function": {"name": "cost", "arguments": f'{{"item": "{one}"}}'}}
        for one in ("o1", "o2")
    ],
}
ANTHROPIC: dict[str, object] = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "a1", "name": "cost", "input": {"item": "a1"}},
        {"type": "tool_use", "id": "a2", "name": "burn", "input": {}},
    ],
}
OPENAI_ANSWERS = [{"role": "tool", "tool_call_id": one, "content": f"{one} x1: 1.5\x1b[2J"} for one in ("o1", "o2")]
ANTHROPIC_ANSWER = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "a1", "content": [{"type": "text", "text": "a1 x1: 1.5\x1b[2J"}]},
        {
            "type": "tool_result",
            "tool_use_id": "a2",
            "content": [{"type": "text", "text": "Error: no matches"}],
            "is_error": True,
        },
    ],
}


def run(folder: Path, *lines: object, options: str = "") -> tuple[list[Any], tuple[str, ...], int]:
    """Documents out, lines on stderr, status."""
    text = "".join(json.dumps(one) + "\n" for one in lines)
    found = told(row(f"run turns {ON} {options}", files={"turns": text}, plugins={"shop": SHOP}), folder)
    assert all(line.isascii() for line in found.out)
    return [json.loads(line) for line in found.out], found.err, found.status


@pytest.mark.parametrize("options", ["", "--format openai"])
def test_openai_gets_one_message_for_each_call(options: str, tmp_path: Path) -> None:
    assert run(tmp_path, OPENAI, options=options) == (OPENAI_ANSWERS, (), 0)


@pytest.mark.parametrize("options", ["", "--format anthropic"])
def test_anthropic_gets_one_message_for_the_turn(options: str, tmp_path: Path) -> None:
    assert run(tmp_path, ANTHROPIC, options=options) == ([ANTHROPIC_ANSWER], (), 0)


def test_each_line_of_a_mixed_file_is_answered_in_its_own_form(tmp_path: Path) -> None:
    documents, err, status = run(tmp_path, PLAIN, ANTHROPIC, {"content": "hi", "role": "assistant"}, OPENAI, PLAIN)
    first, *between, last = documents
    assert [(one["turn"], one["id"], one["code"]) for one in (first, last)] == [(1, "p", None), (5, "p", None)]
    assert between == [ANTHROPIC_ANSWER, *OPENAI_ANSWERS]
    assert (err, status) == ((), 0)


def test_a_line_of_another_form_than_is_asked_for_is_told_aside_and_the_others_run(tmp_path: Path) -> None:
    documents, err, status = run(tmp_path, OPENAI, ANTHROPIC, OPENAI, options="--format openai")
    assert documents == OPENAI_ANSWERS * 2
    assert err == ("trio-tools: line 2: a turn in the form anthropic, where openai is wanted",)
    assert status == 2


def test_our_own_fields_are_in_the_plain_form_alone(tmp_path: Path) -> None:
    ((plain, *others), _, _) = run(tmp_path, PLAIN, OPENAI, ANTHROPIC)
    assert {"turn", "position", "value"} <= plain.keys()
    assert {key for one in others for key in one} == {"role", "tool_call_id", "content"}
