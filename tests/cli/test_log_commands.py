"""`trio-tools log` on real files: what is listed, shown, exported, decided and removed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from journal_made import CUT, NAME, S1, SENT, call, content, damaged, make
from journal_records import HOSTILE
from message_run import Told, row, told

from trio_tools import Session, ToolResult
from trio_tools.cli._printable import named
from trio_tools.journal import open_journal
from trio_tools.values import CallAccepted, CallRef, CallSettled, Effect, EffectState, as_content


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / NAME
    made.write_bytes(content())
    return made


def folder_beside(file: Path) -> Path:
    folder = file.parent / f"run-{len(list(file.parent.iterdir()))}"
    folder.mkdir()
    return folder


def log(file: Path, *arguments: str) -> Told:
    """What a command says, run in a new folder beside the journal."""
    return told(row(("log", *arguments, "--journal", str(file))), folder_beside(file))


def document(found: Told) -> Any:
    assert found.status == 0
    assert found.err == ()
    return json.loads("\n".join(found.out))


def test_sessions_are_listed_and_that_effects_wait_for_a_decision_is_told(file: Path) -> None:
    found = log(file)
    head, s1, evil, none = found.out
    assert head.split() == ["session", "owner", "began", "lasted", "turns", "calls", "unsettled"]
    assert s1.split()[:2] == ["s1", "ann"]
    assert s1.split()[-3:] == ["2", "2", "0"]
    assert evil.startswith("</script>")
    assert none.startswith("(none) ")
    waiting = "trio-tools: effects that wait for a decision: 2; `trio-tools log unknown` lists them"
    assert (found.err, found.status) == ((waiting,), 0)


def test_a_session_is_listed_whole_since_somebody_types_it(file: Path) -> None:
    long = Session("conversation-7f3c2b9e-5a1d-4c8e-9f60-2d7b1e4a8c35")
    make(file, call("t9/0", session=long))
    listed = log(file).out[-1].split()[0]
    assert listed == long.id
    assert log(file, "show", listed).status == 0


def test_sessions_as_json_are_an_array(file: Path) -> None:
    sessions = document(log(file, "--json"))
    assert [(one["session"], one["owner"], one["turns"], one["calls"]) for one in sessions] == [
        ("s1", "ann", 2, 2),
        (HOSTILE, None, 1, 1),
        (None, None, 1, 1),
    ]


def test_a_session_is_shown_as_tables_and_bars(file: Path) -> None:
    shown = "\n".join(log(file, "show", "s1").out)
    calls, effects, *turns, legend = shown.split("\n\n")
    assert [line.split()[2:4] for line in calls.splitlines()[1:]] == [["mail", "ok"], ["mail", "ok"]]
    assert [line.split()[1:4] for line in effects.splitlines()[1:]] == [
        ["mail.send", "m-1", "committed"],
        ["mail.send", "m-2", "unknown"],
    ]
    assert ["\u25c6" in turn for turn in turns] == [True, False]
    assert ["?" in turn for turn in turns] == [False, True]
    assert legend.startswith("\u00b7 waits   \u2501 runs")


def test_a_session_as_json_is_all_that_is_known_of_each_call(file: Path) -> None:
    first, second = document(log(file, "show", "s1", "--json"))
    assert (first["turn"], first["position"], first["session"], first["owner"]) == ("t1", 0, "s1", "ann")
    assert first["arguments"] == {"to": "done"}
    assert first["result"]["text"] == "done"
    assert first["effects"][0]["receipt"] == {"id": "<1@example.org>"}
    assert first["accepted"] < first["dispatched"][0] < first["effects"][0]["begun"] < first["settled"]
    assert (second["effects"][0]["state"], second["effects"][0]["key"]) == ("unknown", "m-2")


def test_hostile_words_lose_nothing_as_json_and_move_nothing_as_text(file: Path) -> None:
    (found,) = document(log(file, "show", HOSTILE, "--json"))
    assert (found["tool"], found["result"]["text"], found["effects"][0]["key"]) == (HOSTILE, HOSTILE, HOSTILE)
    for command in (["show", HOSTILE], ["unknown"], []):
        assert all(line.isprintable() for line in log(file, *command).out)


def test_calls_for_no_session_are_asked_for_by_name(file: Path) -> None:
    (found,) = document(log(file, "show", "--without-session", "--json"))
    assert (found["tool"], found["session"]) == ("read", None)


@pytest.mark.parametrize(
    "command", ["log --journal={} show s1", "log --journal {} show s1", "log show --journal {} s1"]
)
def test_the_file_may_be_named_before_the_command_or_behind_it(file: Path, command: str) -> None:
    shown = log(file, "show", "s1").out
    assert told(row(command.format(file)), folder_beside(file)).out == shown


def test_the_file_may_be_named_by_the_environment(file: Path) -> None:
    named_there = row("log show s1", environment={"TRIO_TOOLS_JOURNAL": str(file)})
    assert told(named_there, folder_beside(file)).out == log(file, "show", "s1").out


def test_an_effect_that_is_unknown_is_listed_with_where_it_was_begun(file: Path) -> None:
    found = document(log(file, "unknown", "--json"))
    assert [(one["name"], one["key"], one["session"], one["tool"], one["turn"]) for one in found] == [
        ("mail.send", "m-2", "s1", "mail", "t2"),
        (HOSTILE, HOSTILE, HOSTILE, HOSTILE, "t3"),
    ]
    assert log(file, "unknown").out[1].split()[:2] == ["mail.send", "m-2"]


def test_what_a_kill_cut_off_is_told_of_before_the_books_are_closed_and_can_be_decided(file: Path) -> None:
    """Who only reads cannot say whether it is under way."""
    make(file, call("t9/0", session=S1, effects=[CUT], settles=False))
    found = log(file, "unknown", "--json")
    (line,) = found.err
    assert line.startswith("trio-tools: calls without a result: 1; if no process writes this journal any more, ")
    assert (found.status, len(json.loads("\n".join(found.out)))) == (0, 2)
    assert log(file, "resolve", "pay", "17", "--failed").status == 0
    assert log(file, "unknown").err == (), "the books are closed"


def test_the_name_and_key_of_an_effect_are_listed_whole_since_somebody_types_them(file: Path) -> None:
    name, key = "mail.send." + "x" * 40, "<680cca1875588904145db330aa2dd17b@mail.example.com>"
    make(file, call("t9/0", session=S1, effects=[Effect(name, EffectState.UNKNOWN, error="lost", key=key)]))
    listed = log(file, "unknown").out[-1].split()[:2]
    assert listed == [name, key]
    assert log(file, "resolve", *listed, "--failed").status == 0


def test_an_effect_that_a_call_was_spared_is_shown_with_it(file: Path) -> None:
    ref = CallRef(turn="t9", position=0, call_id="c", tool="mail", session=S1, root="t9/0")
    spared = attrs.evolve(SENT, earlier=True)
    result = ToolResult("c", "mail", as_content("sent before"), dispatched=True, effects=(spared,))
    make(file, [CallAccepted(ref=ref, at=1.0, arguments={}, metadata={}), CallSettled(ref=ref, at=1.1, result=result)])
    _, effects, *_ = "\n".join(log(file, "show", "s1").out).split("\n\n")
    receipt = '{"id": "<1@example.org>"}'
    rows = [" ".join(line.split()[1:]) for line in effects.splitlines()]
    assert [row for row in rows if "m-1" in row] == [
        f"mail.send m-1 committed {receipt}",
        f"mail.send m-1 committed earlier {receipt}",
    ]


def test_the_time_until_the_books_are_closed_is_none_of_the_call_that_was_cut_off(file: Path) -> None:
    make(file, call("t9/0", session=S1, effects=[CUT], settles=False))
    make(file)  # opened again: the entries above are of the moment at which Trio's clock stood at nought
    calls, effects, *_ = "\n".join(log(file, "show", "s1").out).split("\n\n")
    (cut,) = [line.split() for line in calls.splitlines() if "crash" in line]
    assert (cut[3:5], cut[6]) == (["ABORTED", "crash"], ">200ms")
    assert effects.splitlines()[-1].split()[1:4] == ["pay", "17", "unknown"]


@pytest.mark.parametrize(
    ("options", "state", "receipt"),
    [
        (["--committed"], "committed", None),
        (["--committed", "--receipt", '{"id": 7}'], "committed", {"id": 7}),
        (["--committed", "--receipt", '"r-7"'], "committed", "r-7"),
        (["--failed"], "failed", None),
    ],
)
def test_what_somebody_found_out_settles_an_effect_for_good(
    file: Path, options: list[str], state: str, receipt: object
) -> None:
    assert log(file, "resolve", "mail.send", "m-2", *options).out == (f"mail.send with key m-2: {state}",)
    (_, later) = document(log(file, "show", "s1", "--json"))
    known = later["effects"][0]
    assert (known["state"], known["receipt"]) == (state, receipt)
    assert known["resolved"] > later["settled"]
    assert len(document(log(file, "unknown", "--json"))) == 1
    again = log(file, "resolve", "mail.send", "m-2", "--failed")
    assert again.status == 2
    assert "is not unknown" in again.err[0]


def test_what_is_known_from_then_on_is_told_as_json_too(file: Path) -> None:
    found = document(log(file, "resolve", "mail.send", "m-2", "--committed", "--receipt", "[1]", "--json"))
    assert (found["state"], found["receipt"], found["key"]) == ("committed", [1], "m-2")


def test_a_session_that_is_purged_is_gone(file: Path) -> None:
    assert log(file, "purge", "s1").out == ('removed what was recorded of session "s1"; calls: 2',)
    assert [one["session"] for one in document(log(file, "--json"))] == [HOSTILE, None]
    assert SENT.receipt is not None
    assert b"<1@example.org>" not in file.read_bytes()
    assert log(file, "purge", "--without-session").out == ("removed what was recorded of no session; calls: 1",)


def test_what_is_removed_and_what_is_written_is_told_as_json_too(file: Path) -> None:
    page = str(file.with_name("page.html"))
    assert document(log(file, "export", "--html", page, "--json")) == {"file": page, "sessions": 3, "calls": 4}
    assert document(log(file, "purge", "s1", "--json")) == {"session": "s1", "owner": "ann", "calls": 2}


def test_where_something_is_damaged_the_rest_is_shown_and_the_status_says_so(file: Path) -> None:
    file.write_bytes(damaged())
    found = log(file, "show", "s1", "--json")
    assert found.status == 1
    assert [one["result"] is None for one in json.loads("\n".join(found.out))] == [False, True]
    (line,) = found.err
    assert line.endswith("agent.db: entry 10 is damaged: it is not what was written: its checksum differs")
    assert log(file, "resolve", "mail.send", "m-2", "--failed").status == 1
    assert log(file, "purge", "s1").status == 1
    assert log(file).status == 0


def test_an_empty_journal_says_so(tmp_path: Path) -> None:
    make(tmp_path / NAME)
    assert log(tmp_path / NAME) == Told(("no call has been recorded",), (), 0)
    assert log(tmp_path / NAME, "unknown") == Told(("no effect waits for a decision",), (), 0)
    assert document(log(tmp_path / NAME, "--json")) == []


def test_reading_changes_nothing(file: Path) -> None:
    """The books of a call that is under way, or was cut off, are closed by who writes, not by who reads."""
    make(file, call("t9/0", session=S1, settles=False))
    before = file.read_bytes()
    for command in ([], ["show", "s1"], ["unknown"], ["export", "--html", str(file.with_name("page.html"))]):
        assert log(file, *command).status == 0
    assert file.read_bytes() == before


async def test_it_is_read_while_somebody_writes_it_and_who_that_is_is_told_to_others(file: Path) -> None:
    async with open_journal(file):
        shown = await trio.to_thread.run_sync(log, file, "show", "s1")
        assert shown.status == 0
        for command in (["purge", "s1"], ["resolve", "mail.send", "m-2", "--failed"]):
            refused = await trio.to_thread.run_sync(log, file, *command)
            assert refused.status == 2
            (line,) = refused.err
            assert "is being written by this process already" in line


def test_a_page_is_for_its_owner_and_replaces_nothing_unasked(file: Path) -> None:
    page = file.with_name("page.html")
    found = log(file, "export", "s1", "--html", str(page))
    assert found == Told(("wrote " + named(str(page)) + "; sessions: 1, calls: 2",), (), 0)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    first = page.read_bytes()
    refused = log(file, "export", "--html", str(page))
    assert refused.err == (f'trio-tools: "{page}" is there already; --overwrite replaces it',)
    assert page.read_bytes() == first
    assert log(file, "export", "--html", str(page), "--overwrite").out[0].endswith("; sessions: 3, calls: 4")
    assert page.read_bytes() != first
    assert [one.name for one in file.parent.iterdir() if one.suffix == ".part" or "page" in one.name] == ["page.html"]


def test_a_link_is_never_written_through(file: Path) -> None:
    target, link = file.with_name("target"), file.with_name("page.html")
    target.write_text("mine")
    link.symlink_to(target)
    assert log(file, "export", "--html", str(link)).status == 2
    assert log(file, "export", "--html", str(link), "--overwrite").status == 0
    assert not link.is_symlink()
    assert target.read_text() == "mine"


def test_a_page_that_cannot_be_written_leaves_nothing(file: Path) -> None:
    found = log(file, "export", "--html", str(file.parent / "nowhere" / "page.html"))
    assert found.status == 1
    assert found.err[0].endswith('page.html": No such file or directory')
    assert not os.path.lexists(file.parent / "nowhere")
