"""How the table looks at each width, and that nothing in it is wider than the terminal, or moves it."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pending_calls import pending
from rich.console import Console

from trio_tools import PendingCall, Progress, ToolCall, ToolResult
from trio_tools.cli._drawing import drawn
from trio_tools.cli._rows import Rows
from trio_tools.cli._words import count, fraction, told
from trio_tools.values import ErrorInfo, safe

NESTED = "fetch n1 and fetch n2, called by it"
CANCELLED = "its body to come to rest (cancelled)"
UNFINISHED = "make: *** waiting for unfinished jobs"
EVIL = "\x1b]0;title\x07\rfake\u202e[bold red]x[/]\x9b31m\ud800"


def lines(rows: Rows, width: int, height: int = 20) -> list[str]:
    """What is drawn in a terminal of that size, without colours."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, no_color=True, color_system=None)
    with console.capture() as capture:
        console.print(drawn(1, rows, width=width, height=height, now=200))
    return capture.get().splitlines()


def a_turn() -> Rows:
    """A turn with a bit of everything."""
    rows = Rows([ToolCall("read", id="r"), ToolCall("fetch_all", id="f"), ToolCall("bash"), ToolCall("grep", id="g")])
    fetch_all = pending("fetch_all", "f", seconds=12.34, left=47.75, waits_for=NESTED)
    nested = [
        pending("fetch", "n1", parent=fetch_all, left=3),
        pending("fetch", "n2", "queued", parent=fetch_all, left=3, waits_for="a place (1 run, as many as may)"),
    ]
    bash = pending("bash", seconds=125, since_cancel=3, waits_for=CANCELLED)
    grep = pending("grep", "g", "queued", left=3700, waits_for="fetch_all f to end, to run alone")
    rows.progressed(fetch_all.token, Progress(45, 120, "page 45 of 120"))
    rows.progressed(nested[0].token, Progress(123_456, message="https://example.org/45"))
    rows.progressed(bash.token, Progress(12_345_678, message=f"one\n{UNFINISHED}"))
    rows.look([pending("read", "r", seconds=1.5), fetch_all, bash, grep, *nested], 200)
    rows.settled(0, ToolResult("r", "read", (), error=ErrorInfo("x", "NOT_FOUND", "x")), 200)
    return rows


def test_at_80_columns_a_call_has_what_matters_on_one_line() -> None:
    assert [line.rstrip() for line in lines(a_turn(), 80)] == [
        "turn 1: 1 of 4 calls done, 2 running, 1 waiting",
        "tool      id state      time  left progress       now",
        "read      r  NOT_FOUND  1.5s",
        "fetch_all f  running   12.3s 47.7s ━━━        38% page 45 of 120",
        "└ fetch   n1 running    3.0s  3.0s           123k https://example.org/45",
        "└ fetch   n2 queued           3.0s                awaits a place (1 run, as ma…",
        "bash         stopping  2m05s                12.3M make: *** waiting for unfini…",
        "grep      g  queued          1h01m                awaits fetch_all f to end, t…",
    ]


def test_at_200_columns_a_call_has_everything() -> None:
    rows = [
        ("tool       id  state       time   left  progress", "last line of output", "waits for"),
        ("read       r   NOT_FOUND   1.5s", "", ""),
        ("fetch_all  f   running    12.3s  47.7s  ━━━━━━            45/120", "page 45 of 120", NESTED),
        ("└ fetch    n1  running     3.0s   3.0s                      123k", "https://example.org/45", ""),
        ("└ fetch    n2  queued             3.0s", "", "a place (1 run, as many as may)"),
        ("bash           stopping   2m05s                            12.3M", UNFINISHED, CANCELLED),
        ("grep       g   queued            1h01m", "", "fetch_all f to end, to run alone"),
    ]
    title, *shown = [line.rstrip() for line in lines(a_turn(), 200)]
    assert title == "turn 1: 1 of 4 calls done, 2 running, 1 waiting"
    assert shown == [f"{call:66}{message:67}{wait}".rstrip() for call, message, wait in rows]


def test_what_a_column_has_nothing_for_takes_no_place() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b")])
    rows.look([pending("a"), pending("b", stage="queued", waits_for="a (runs alone)")], 200)
    assert [line.rstrip() for line in lines(rows, 80)] == [
        "turn 1: 0 of 2 calls done, 1 running, 1 waiting",
        "tool state   time now",
        "a    running 3.0s",
        "b    queued       awaits a (runs alone)",
    ]


def test_a_small_terminal_has_the_state_and_the_time() -> None:
    assert [line.rstrip() for line in lines(a_turn(), 40)[1:4]] == [
        "tool      state     time  left now",
        "read      NOT_FOU…  1.5s",
        "fetch_all running  12.3s 47.7s page 45…",
    ]


def test_long_ids_are_told_apart_by_their_ends_and_by_the_same_ones_everywhere() -> None:
    one, other = "toolu_01A09q90qw90lq917835lq9", "toolu_01A09q90qw90lq917835lqa"
    rows = Rows([ToolCall("a", id=one), ToolCall("b", id=other)])
    rows.look([pending("a", one), pending("b", other, "queued", waits_for=f"a {one} (runs alone)")], 200)
    assert [line.rstrip() for line in lines(rows, 80)[2:]] == [
        "a    …7835lq9 running 3.0s",
        "b    …7835lqa queued       awaits a …7835lq9 (runs alone)",
    ]
    assert f"  {other}  queued" in lines(rows, 200)[3]


def test_calls_in_calls_in_calls_keep_their_names() -> None:
    rows = Rows([ToolCall("outer")])
    chain = [pending("outer")]
    for depth in range(1, 10):
        chain.append(pending(f"inner{depth}", parent=chain[-1]))
    rows.look(chain, 200)
    shown = [line.split("running")[0].rstrip() for line in lines(rows, 80)[2:]]
    assert shown[:5] == ["outer", "└ inner1", "  └ inner2", "    └ inner3", "      └ inner4"]
    assert shown[9] == "      └ inner9"


def test_what_does_not_fit_is_counted() -> None:
    rows = Rows([ToolCall("x") for _ in range(1000)])
    shown = lines(rows, 80, height=10)
    assert len(shown) == 10
    assert shown[0].rstrip() == "turn 1: 0 of 1000 calls done, 1000 waiting, 992 not shown"


def test_what_others_wrote_moves_nothing() -> None:
    rows = Rows([ToolCall(EVIL, id=EVIL), ToolCall("x" * 10_000_000, id="\x1b" * 1_000_000)])
    call = pending(safe(EVIL), safe(EVIL), waits_for=EVIL * 1000)
    rows.progressed(call.token, Progress(1, message=EVIL))
    rows.look([call], 200)
    for width in (80, 200):
        shown = lines(rows, width)
        assert all(line.isprintable() for line in shown)
        assert "\\x1b]0;title" in shown[2]


anything = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("\x1b\r\n\u202e\u4f60e\u0301\u200d\ufe0f\u2764\U0001f468[]m;")
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def cells(text: str) -> int:
    """How wide a terminal draws a text, by Unicode's own tables and not by those that drew it."""
    wide = [1 + (unicodedata.east_asian_width(one) in {"W", "F"}) for one in text]
    return sum(cells for one, cells in zip(text, wide, strict=True) if not unicodedata.category(one).startswith("M"))


@pytest.mark.parametrize("odd", ["\U0001f3fb", "\u3164", "\U0001f1e6"])
def test_characters_whose_width_is_in_dispute_are_escaped(odd: str) -> None:
    rows = Rows([ToolCall(f"a{odd}\u4f60e\u0301")])
    escaped = odd.encode("ascii", "backslashreplace").decode()
    assert lines(rows, 200)[2].startswith(f"a{escaped}\u4f60e\u0301 ")


@given(
    calls=st.lists(st.tuples(anything, st.none() | anything, anything, st.none() | anything), max_size=8),
    progress=st.tuples(numbers, st.none() | numbers),
    seconds=st.floats(0, 1e9),
    width=st.integers(1, 250),
    height=st.integers(1, 30),
)
def test_no_line_is_wider_than_the_terminal_and_none_holds_a_control_character(
    calls: list[tuple[str, str | None, str, str | None]],
    progress: tuple[float, float | None],
    seconds: float,
    width: int,
    height: int,
) -> None:
    rows = Rows([ToolCall(name, id=own) for name, own, _, _ in calls])
    seen: list[PendingCall] = []
    for row, (_, _, message, waits) in zip(rows.all, calls, strict=True):
        call = pending(safe(row.tool), row.id, seconds=seconds, left=seconds, waits_for=waits)
        rows.progressed(call.token, Progress(*progress, message))
        seen.append(call)
    rows.look(seen, 200)
    shown = lines(rows, width, height)
    assert len(shown) <= max(3, height)
    assert all(cells(line) <= width for line in shown)
    assert all(one.isprintable() for line in shown for one in line)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0s"),
        (0.99, "0.9s"),
        (59.96, "59.9s"),
        (60, "1m00s"),
        (3599.9, "59m59s"),
        (3600, "1h00m"),
        (90_061, "25h01m"),
    ],
)
def test_times_are_short(seconds: float, text: str) -> None:
    assert told(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (17, "17"), (0.5, "0.5"), (999, "999"), (12_345, "12.3k"), (-5_000_000, "-5M"), (1e300, "1e+285P")],
)
def test_counts_are_short(number: float, text: str) -> None:
    assert count(number) == text


@pytest.mark.parametrize(
    ("done", "total", "part"),
    [
        (1, None, None),
        (1, 4, 0.25),
        (5, 4, 1),
        (-1, 4, 0),
        (0, 0, 1),
        (-2, -1, 0),
        (1e308, 1e-308, 1),
        (5e-324, 1e308, 0),
    ],
)
def test_a_bar_is_never_longer_than_it_is(done: float, total: float | None, part: float | None) -> None:
    assert fraction(Progress(done, total)) == part
