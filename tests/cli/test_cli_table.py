"""The live table: drawn for a terminal only, out of the way of everything else, and obeyed by nothing it shows."""

import io
import re
from collections.abc import Callable

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from trio_tools import CallView, PendingCall, Progress, ToolCall, ToolContext, ToolResult, open_registry, tool
from trio_tools.cli._rows import REFRESH
from trio_tools.cli._screen import Screen, screen_for
from trio_tools.cli._table import LiveTable

# What rich itself sends: colours, and the moves of the cursor that draw over what was there.
OWN = re.compile(r"\x1b\[(\?25[lh]|[0-9;]*[mAK])|\r")
EVIL = "\x1b]0;title\x07\rfake\u202e[bold red]x[/]\x9b31m\ud800"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "100"), ("LINES", "24")):
        monkeypatch.setenv(name, value)
    return Terminal()


def nothing() -> list[PendingCall]:
    return []


async def drawn_while(screen: Screen, clock: MockClock, pending: Callable[[], list[PendingCall]] = nothing) -> None:
    """Let time pass until the table has been drawn once."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(screen.run, pending)
        await trio.testing.wait_all_tasks_blocked()
        clock.jump(REFRESH)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()


async def test_the_calls_are_shown_and_go_away_with_their_turn(terminal: Terminal, mock_clock: MockClock) -> None:
    screen = screen_for(terminal)
    screen.begin(3, [ToolCall("read", id="c1"), ToolCall("bash", id="c2")])
    screen.settled(0, ToolResult("c1", "read", ()))
    await drawn_while(screen, mock_clock)
    text = OWN.sub("", terminal.getvalue())
    assert "turn 3: 1 of 2 calls done" in text
    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["read", "c1", "ok", f"<{REFRESH}s"],
        ["bash", "c2", "queued"],
    ]
    screen.end()
    erased = terminal.getvalue().removeprefix(text)
    assert erased.count("\x1b[2K") >= 4
    assert terminal.getvalue().endswith("\x1b[2K")
    assert terminal.getvalue().count("\x1b[?25h") == terminal.getvalue().count("\x1b[?25l") == 1


async def test_names_move_nothing(terminal: Terminal, mock_clock: MockClock) -> None:
    screen = screen_for(terminal)
    screen.begin(1, [ToolCall(EVIL, id=EVIL), ToolCall("x" * 10_000_000, id="\x1b" * 1_000_000)])
    await drawn_while(screen, mock_clock)
    text = OWN.sub("", terminal.getvalue())
    screen.end()
    assert all(one.isprintable() or one == "\n" for one in text)
    assert "\rfake" not in terminal.getvalue()
    assert "\\x1b]0;title\\x07" in text
    assert max(map(len, text.splitlines())) <= 100


async def test_progress_is_shown(terminal: Terminal, mock_clock: MockClock) -> None:
    @tool
    async def copy(ctx: ToolContext) -> None:
        ctx.report_progress(1, 4, "the first of four")
        await trio.sleep(100)

    screen = screen_for(terminal)
    calls = [ToolCall("copy")]
    screen.begin(1, calls)
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(copy)
        registry.add_progress_observer(screen.progressed)
        scope = trio.CancelScope()
        nursery.start_soon(lambda: registry.execute_turn(calls, scope=scope))
        await trio.testing.wait_all_tasks_blocked()
        await drawn_while(screen, mock_clock, registry.pending)
        scope.cancel()
    screen.end()
    text = OWN.sub("", terminal.getvalue())
    assert "copy running 0.2s \u2501\u2501\u257a" in text.replace("  ", " ")
    assert "25% the first of four" in text


async def test_progress_after_the_turn_is_let_pass(terminal: Terminal) -> None:
    screen = screen_for(terminal)
    seen: list[CallView] = []
    async with open_registry() as registry:
        registry.add_pre_policy(seen.append)

        @registry.register
        async def x() -> None:
            pass

        await registry.execute(ToolCall("x"), scope=trio.CancelScope())
    screen.progressed(seen[0], Progress(1))
    assert terminal.getvalue() == ""


async def test_it_is_never_higher_than_the_terminal(terminal: Terminal, mock_clock: MockClock) -> None:
    screen = screen_for(terminal)
    screen.begin(1, [ToolCall("x") for _ in range(1000)])
    await drawn_while(screen, mock_clock)
    assert terminal.getvalue().count("\n") < 24
    screen.end()


async def test_it_goes_aside_and_is_not_drawn_meanwhile(terminal: Terminal, mock_clock: MockClock) -> None:
    screen = screen_for(terminal)
    screen.begin(1, [ToolCall("x")])
    await drawn_while(screen, mock_clock)
    with screen.aside():
        before = terminal.getvalue()
        assert before.endswith("\x1b[2K")  # erased
        with screen.aside():
            pass
        await drawn_while(screen, mock_clock)
        assert terminal.getvalue() == before
    await drawn_while(screen, mock_clock)
    assert terminal.getvalue() != before
    screen.end()


async def test_no_color_is_respected(
    terminal: Terminal, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def colours() -> set[str]:
        return set(re.findall(r"\x1b\[3[0-9]m", terminal.getvalue()))

    for switched_off in (False, True):
        if switched_off:
            monkeypatch.setenv("NO_COLOR", "1")
        terminal.truncate(0)
        screen = screen_for(terminal)
        screen.begin(1, [ToolCall("x")])
        screen.settled(0, ToolResult("a", "x", ()))
        await drawn_while(screen, mock_clock)
        screen.end()
        assert bool(colours()) is not switched_off


@pytest.mark.parametrize("term", ["", "dumb", "unknown"])
def test_a_terminal_that_can_show_nothing_is_shown_nothing(
    term: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert type(screen_for(terminal)) is Screen


@pytest.mark.parametrize(("encoding", "kind"), [("UTF-8", LiveTable), ("utf8", LiveTable), ("latin-1", Screen)])
def test_a_terminal_without_unicode_is_shown_nothing(
    encoding: str, kind: type[Screen], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "encoding", encoding)
    assert type(screen_for(terminal)) is kind


def test_only_a_terminal_is_shown_anything(terminal: Terminal) -> None:
    assert isinstance(screen_for(terminal), LiveTable)
    assert type(screen_for(io.StringIO())) is Screen
    assert type(screen_for(None)) is Screen
