"""Runs that are recorded: where, and as what."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio
from command_folder import ON, SHOP
from journal_made import NAME
from message_run import NOTHING, Told, row, told

from trio_tools.journal import CallRecord, open_journal

TURN = '{"calls": [{"id": "a", "name": "cost", "arguments": {"item": "tea"}}, {"name": "nothing"}]}\n'
CONFIG = '[plugins.shop]\n[plugins.journal]\npath = "listed.db"\nredact = ["item"]\n'


def recorded(file: Path) -> dict[str | None, list[CallRecord]]:
    """What a journal holds, by session."""

    async def read() -> dict[str | None, list[CallRecord]]:
        async with open_journal(file, read_only=True) as journal:
            sessions = [one.session for one in await journal.sessions()]
            return {None if one is None else one.id: list(await journal.calls(one)) for one in sessions}

    return trio.run(read)


def run(folder: Path, command: str, *, config: str | None = None, environment: Mapping[str, str] = NOTHING) -> Told:
    files = {"turns": TURN * 2} | ({} if config is None else {"c.toml": config})
    setting = ON if config is None else "--config c.toml"
    (folder / "run").mkdir()
    asked = row(f"{command} {setting}", files=files, plugins={"shop": SHOP}, environment=environment)
    return told(asked, folder / "run")


def test_all_turns_of_a_run_are_recorded_as_one_session(tmp_path: Path) -> None:
    found = run(tmp_path, f"run turns --journal {NAME} --session s1")
    assert (found.err, found.status, len(found.out)) == ((), 0, 4)
    sessions = recorded(tmp_path / "run" / NAME)
    assert list(sessions) == ["s1"]
    assert [(one.ref.tool, one.ref.call_id, one.ref.position) for one in sessions["s1"]] == [
        ("cost", "a", 0),
        ("nothing", None, 1),
    ] * 2
    assert [one.result.code for one in sessions["s1"] if one.result is not None] == [None, "UNKNOWN_TOOL"] * 2


def test_a_session_without_a_name_is_given_one_which_is_told(tmp_path: Path) -> None:
    (line,) = run(tmp_path, f"run turns --journal {NAME}").err
    told_name = re.fullmatch("trio-tools: session ([0-9a-f]{12})", line)
    assert told_name is not None
    assert list(recorded(tmp_path / "run" / NAME)) == [told_name[1]]


def test_a_single_call_is_recorded_too(tmp_path: Path) -> None:
    found = run(tmp_path, f"""call cost '{{"item": "tea"}}' --journal {NAME} --session s1""")
    assert (found.err, found.status) == ((), 0)
    assert [one.ref.tool for one in recorded(tmp_path / "run" / NAME)["s1"]] == ["cost"]


def test_the_environment_may_name_the_journal(tmp_path: Path) -> None:
    run(tmp_path, "run turns --session s1", environment={"TRIO_TOOLS_JOURNAL": NAME})
    assert list(recorded(tmp_path / "run" / NAME)) == ["s1"]


def test_a_journal_that_the_config_lists_needs_no_option(tmp_path: Path) -> None:
    assert run(tmp_path, "run turns --session s1", config=CONFIG).err == ()
    assert [one.arguments for one in recorded(tmp_path / "run" / "listed.db")["s1"]] == [
        '{"item": "(redacted)"}',
        "",
    ] * 2


def test_the_option_says_which_file_and_the_rest_of_the_config_holds(tmp_path: Path) -> None:
    run(tmp_path, f"run turns --session s1 --journal {NAME}", config=CONFIG)
    assert not (tmp_path / "run" / "listed.db").exists()
    assert recorded(tmp_path / "run" / NAME)["s1"][0].arguments == '{"item": "(redacted)"}'


def test_where_nothing_is_recorded_no_session_is_told(tmp_path: Path) -> None:
    assert run(tmp_path, "run turns").err == ()


def test_the_calls_of_a_run_are_of_one_session_if_nothing_is_recorded_too(tmp_path: Path) -> None:
    """What was read may be written, and there is somebody whose list of tasks it is."""
    called = [
        {"name": "read", "arguments": {"file_path": "a"}},
        {"name": "write", "arguments": {"file_path": "a", "content": "new"}},
        {"name": "todo_write", "arguments": {"todos": [{"content": "b", "status": "pending"}]}},
    ]
    config = "[plugins.files]\nroot = '.'\ntools = ['read', 'write']\n[plugins.read_before_write]\n"
    files = {
        "a": "old",
        "turns": "".join(f"{json.dumps({'calls': [one]})}\n" for one in called),
        "c.toml": f"{config}[plugins.todo]\nseveral_in_progress = false\n",
    }
    found = told(row("run turns --config c.toml", files=files), tmp_path)
    assert [json.loads(line)["code"] for line in found.out] == [None, None, None]
    assert (tmp_path / "a").read_text() == "new"


def test_a_single_call_has_a_session_too(tmp_path: Path) -> None:
    arguments = '{"todos": [{"content": "b", "status": "pending"}]}'
    on = "--set plugins.todo=true --set plugins.todo.several_in_progress=false"
    found = told(row(("call", "todo_write", arguments, *on.split())), tmp_path)
    assert found == Told(("Updated todo list: 1 pending, 0 in progress, 0 completed.",), (), 0)


def test_where_the_journal_cannot_be_opened_nothing_is_run(tmp_path: Path) -> None:
    found = run(tmp_path, "run turns --journal / --session s1")
    line = "journal / cannot be opened: it is a folder, not a plain file"
    assert found == Told((), (f'trio-tools: in plugin "journal", while it was opened: {line}',), 2)


@pytest.mark.parametrize("command", ["run turns", "call cost {}"])
def test_a_session_that_nobody_would_record_is_a_mistake(command: str, tmp_path: Path) -> None:
    found = run(tmp_path, f"{command} --session s1")
    line = "trio-tools: --session is what calls are recorded as: add --journal FILE, or list the plugin journal"
    assert found == Told((), (line,), 2)
