"""A session in a terminal: tables and bars that can be read at 80 columns, without colour, and in ASCII."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import attrs
import pytest
from journal_records import BEGAN, CALLS, HOSTILE, effect, record
from rich.cells import cell_len

from trio_tools import Session
from trio_tools.cli.log._axis import charts
from trio_tools.cli.log._bars import drawn
from trio_tools.cli.log._tables import call_table, effect_table, session_table
from trio_tools.journal import CallRecord, SessionSummary
from trio_tools.values import EffectState

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


class Sheet(io.TextIOWrapper):
    """A standard output of some encoding; a terminal or not."""

    def __init__(self, encoding: str, *, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def printed(
    draw: Callable[[], str],
    *,
    encoding: str = "utf-8",
    term: str | None = None,
    columns: int = 80,
    no_color: bool = False,
) -> list[str]:
    """What is drawn for a pipe that takes this encoding, or for a terminal, if it has a `term`."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(Sheet(encoding, is_terminal=term is not None)):
        for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "LINES"):
            patch.delenv(name, raising=False)
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", term or "xterm-256color")
        if no_color:
            patch.setenv("NO_COLOR", "1")
        return draw().splitlines()


def bars(*calls: CallRecord) -> list[str]:
    return printed(lambda: drawn(charts(calls)))


def everything() -> str:
    return f"{call_table(charts(CALLS)).drawn()}\n{drawn(charts(CALLS))}"


def without_styles(line: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", line)


def test_a_session_as_bars() -> None:
    assert bars(*CALLS) == [
        "turn 1: 2026-11-30 17:05:12 UTC, 4 calls, 3.1s",
        "                        0                         3.1s",
        "   1 read               ━━━━                           ok                 500ms",
        "   2 mail               ····━━━━━━━━━━━━━━◆━━          ok                  2.2s",
        "   3 bash               ·····················━━━━━━━\u00d7━ ABORTED             3.1s",
        "   4 read               ····························\u00d7  ABORTED_BEFORE_…    2.9s",
        "",
        "turn 2: 2026-11-30 17:06:12 UTC, 3 calls, 4.0s",
        "                        0                         4.0s",
        "   5 check              ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ ok                  4.0s",
        "   6 └ bash              ━━━━━━┃━━━━━━━┃               TOOL_FAILED         2.0s",
        "   7 └ pay 日本 e\u0301\\u202e                  ━━━━━━━━━◇━━  ok                  1.6s",
        "",
        "turn 3: 2026-11-30 18:05:12 UTC, 2 calls, 1.1s",
        "                        0                         1.1s",
        "   8 mail               ··━━━━━━━━━━━━━━━━━━━━━━━━━?╌╌ ABORTED            >1.0s",
        "   9 read               ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ unsettled           >0ms",
        "",
        "· waits   ━ runs   ╌ end not seen   ┃ tried again   ◆ effect committed",
        "◇ effect failed   ? effect unknown   \u00d7 cancelled",
    ]


@pytest.mark.parametrize(("encoding", "term"), [("ascii", None), ("latin-1", None), ("utf-8", "dumb")])
def test_where_only_ascii_is_sure_there_is_nothing_else(encoding: str, term: str | None) -> None:
    shown = printed(everything, encoding=encoding, term=term)
    assert "".join(shown).isascii()
    assert "\x1b" not in "".join(shown)
    assert "   2 mail               ....==============*==          ok                  2.2s" in shown
    assert ". waits   = runs   ~ end not seen   | tried again   * effect committed" in shown


def test_on_a_terminal_outcomes_have_colours() -> None:
    shown = printed(everything, term="xterm-256color")
    assert any("\x1b[32mok" in line for line in shown)
    assert any("\x1b[33mABORTED" in line for line in shown)


def test_no_color_is_respected() -> None:
    shown = printed(everything, term="xterm-256color", no_color=True)
    assert not re.search(r"\x1b\[[\d;]*3\d", "".join(shown))


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    shown = printed(everything, term="xterm-256color", columns=columns)
    assert max(cell_len(without_styles(line)) for line in shown) <= columns


def test_wide_and_combining_characters_move_no_column() -> None:
    lines = bars(record("t/0", "日本語", settled=1), record("t/1", "e\u0301" * 5, settled=1), record("t/2", settled=1))
    ends = {cell_len(line[: line.index("ok")]) for line in lines if " ok " in line}
    assert len(ends) == 1


def test_marks_that_fall_together_are_all_seen() -> None:
    effects = [effect("a", EffectState.COMMITTED, 1, 1), effect("b", EffectState.UNKNOWN, 1)]
    line = bars(record("t/0", dispatched=[0], effects=effects, cancelled=1, settled=2))[2]
    assert "◆?\u00d7" in line


def test_what_others_wrote_cannot_move_the_terminal() -> None:
    call = record(
        "t/0",
        HOSTILE,
        call_id=HOSTILE,
        settled=1,
        effects=[effect(HOSTILE, EffectState.COMMITTED, 0, 1, key=HOSTILE, receipt=HOSTILE)],
    )
    turns = charts([call])
    effects = effect_table(turns)
    assert effects is not None
    for draw in (lambda: drawn(turns), call_table(turns).drawn, effects.drawn):
        assert all(line.isprintable() for line in printed(draw))


def test_the_table_of_calls_says_how_each_ended() -> None:
    head, *lines = printed(call_table(charts(CALLS)).drawn)
    assert head.split() == ["#", "turn", "tool", "outcome", "by", "waited", "took", "id"]
    assert lines[0].split() == ["1", "1", "read", "ok", "20ms", "500ms", "toolu_01A09q90qw90lq917801"]
    assert lines[3].split() == ["4", "1", "read", "ABORTED_BEFORE_DISPATCH", "caller", "2.9s", "c4"]
    assert lines[5].split() == ["6", "2", "└", "bash", "TOOL_FAILED", "0ms", "2.0s"]
    assert lines[7].split() == ["8", "3", "mail", "ABORTED", "crash", "100ms", ">1.0s", "c9"]


def test_the_table_of_effects_says_what_is_known_of_each() -> None:
    decided = effect("pay", EffectState.COMMITTED, 1, key="k", resolved=9)
    table = effect_table(charts([*CALLS, record("t4/0", accepted=9999, settled=9999, effects=[decided])]))
    assert table is not None
    assert printed(table.drawn) == [
        " #  effect     key  state                     receipt or error",
        ' 2  mail.send  m-1  committed                 {"id": "<1@example.org>"}',
        " 7  pay             failed                    no money",
        " 8  mail.send  m-2  unknown",
        "10  pay        k    committed, decided later",
    ]


def test_the_documentation_shows_a_session_as_it_is_shown() -> None:
    tame = [attrs.evolve(one, ref=attrs.evolve(one.ref, tool=one.ref.tool.partition(" ")[0])) for one in CALLS]
    turns = charts(tame)
    effects = effect_table(turns)
    assert effects is not None
    parts = ["\n".join(printed(draw)) for draw in (call_table(turns).drawn, effects.drawn, lambda: drawn(turns))]
    assert textwrap.indent("\n\n".join(parts), "    ") in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [120, 80, 60])
def test_where_a_table_is_too_wide_a_session_goes_on_below_and_no_number_is_cut(columns: int) -> None:
    session = Session("conversation-7f3c2b9e-5a1d-4c8e-9f60-2d7b1e4a8c35", "ann")
    table = session_table([SessionSummary(session=session, first=BEGAN, last=BEGAN, turns=12, calls=345, unsettled=7)])
    head, line, *below = map(without_styles, printed(table.drawn, term="xterm-256color", columns=columns))
    assert head.split() == ["session", "owner", "began", "lasted", "turns", "calls", "unsettled"]
    assert line.split()[-4:] == ["0ms", "12", "345", "7"]
    assert "".join([line.split()[0], *(one.strip() for one in below)]) == session.id
    assert max(map(cell_len, (head, line, *below))) <= columns


def test_in_a_narrow_terminal_a_bar_has_its_number_and_its_time() -> None:
    lines = map(without_styles, printed(lambda: drawn(charts(CALLS)), term="xterm-256color", columns=40))
    bars_drawn = [line for line in lines if re.match(r" {3}\d ", line)]
    assert len(bars_drawn) == len(CALLS)
    assert all(re.search(r"[\u2501\u00b7\u254c].* [>\d.]+m?s$", line) for line in bars_drawn)


def test_where_there_is_no_effect_there_is_no_table_of_them() -> None:
    assert effect_table(charts([record("t/0", settled=1)])) is None


def test_sessions_as_a_table() -> None:
    sessions = [
        SessionSummary(session=Session("s1", "ann"), first=BEGAN, last=BEGAN + 90, turns=2, calls=5, unsettled=1),
        SessionSummary(session=None, first=BEGAN, last=BEGAN, turns=1, calls=1, unsettled=0),
    ]
    assert printed(session_table(sessions).drawn) == [
        "session  owner  began                    lasted  turns  calls  unsettled",
        "s1       ann    2026-11-30 17:05:12 UTC   1m30s      2      5          1",
        "(none)          2026-11-30 17:05:12 UTC     0ms      1      1          0",
    ]
