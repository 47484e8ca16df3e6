"""Turn after turn: N good calls in, N results out, whatever stands between them and whoever ends the run."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from trio_tools import ToolCall, ToolResult, open_registry
from trio_tools.cli._lines import Lines
from trio_tools.cli._outlet import Outlet
from trio_tools.cli._screen import Screen
from trio_tools.cli._stop import Stop
from trio_tools.cli._turns import Turns

GOOD = '{"calls": [{"id": "a", "name": "fast"}, {"id": "b", "name": "fast"}]}'
SLOW = '{"calls": [{"id": "s", "name": "slow"}, {"id": "n", "name": "fast"}]}'
DONE, CUT, NEVER = None, "ABORTED", "ABORTED_BEFORE_DISPATCH"


class Ran:
    """What one run came to: its status, and what it wrote, in short."""

    def __init__(self, status: int, written: bytes) -> None:
        self.status = status
        self.documents = [json.loads(line) for line in written.splitlines()]

    @property
    def short(self) -> list[object]:
        return [
            f"line {one['line']}" if "line" in one else (one["turn"], one["position"], one["code"])
            for one in self.documents
        ]


async def ran(
    source: int,
    folder: Path,
    *,
    deadline: float = float("inf"),
    slowly: Callable[[Stop], object] | None = None,
    screen: Screen | None = None,
    form: str | None = None,
) -> Ran:
    """Run the turns of a descriptor; `slowly` is called while the tool `slow` runs."""
    stop = Stop(deadline=deadline)
    target = os.open(folder / "out", os.O_RDWR | os.O_CREAT | os.O_TRUNC)

    async def fast() -> str:
        await trio.lowlevel.checkpoint()
        return "done"

    async def slow() -> str:
        assert slowly is not None
        slowly(stop)
        await trio.sleep_forever()
        raise AssertionError

    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery, open_registry() as registry:
            registry.register(fast)
            registry.register(slow)
            screen = screen or Screen()
            outlet = Outlet(target, screen, lambda _: None)
            nursery.start_soon(outlet.run)
            status = await Turns(Lines(source), registry, outlet, screen, stop, form=form).run()
            nursery.cancel_scope.cancel()
    os.close(source)
    os.close(target)
    return Ran(status if stop.status is None else stop.status, (folder / "out").read_bytes())


def file(folder: Path, *lines: str | bytes) -> int:
    (folder / "in").write_bytes(b"".join((one if isinstance(one, bytes) else one.encode()) + b"\n" for one in lines))
    return os.open(folder / "in", os.O_RDONLY)


def pipe(*lines: str, end: bool = True) -> int:
    source, target = os.pipe()
    os.write(target, "".join(f"{line}\n" for line in lines).encode())
    if end:
        os.close(target)
    return source


def both(turn: int, first: str | None = DONE, second: str | None = DONE) -> list[object]:
    return [(turn, 0, first), (turn, 1, second)]


async def test_every_line_is_answered_in_its_place(tmp_path: Path) -> None:
    """L006, L014: what is no turn between turns costs none of their results."""
    bad: list[str | bytes] = ["x", b"\xff", "[]", '{"calls": [{}]}', '{"calls": [{"name": 1}]}', '{"calls": []} {}']
    lines = [GOOD, *(one for fault in bad for one in (fault, GOOD))]
    found = await ran(file(tmp_path, *lines), tmp_path)
    assert found.status == 2
    expected = both(1)
    for number in range(2, len(lines), 2):
        expected += [f"line {number}", *both(number + 1)]
    assert found.short == expected
    assert all(set(one) == {"line", "error"} for one in found.documents if "line" in one)


async def test_blank_lines_are_counted_and_let_pass(tmp_path: Path) -> None:
    found = await ran(file(tmp_path, "\ufeff", "", " \t\r", GOOD + "\r", '{"calls": []}', GOOD), tmp_path)
    assert found.status == 0
    assert found.short == both(4) + both(6)


async def test_a_result_line_says_which_and_what(tmp_path: Path) -> None:
    (line,) = (await ran(file(tmp_path, '{"calls": [{"id": "a", "name": "fast"}]}'), tmp_path)).documents
    assert list(line)[:7] == ["turn", "position", "id", "tool", "code", "is_error", "text"]
    assert (line["turn"], line["position"], line["id"], line["tool"], line["text"]) == (1, 0, "a", "fast", "done")


async def test_the_time_ends_a_file_and_leaves_no_call_unanswered(tmp_path: Path, mock_clock: MockClock) -> None:
    """L010, L012, L014: the turn in hand is cut, all later ones never start."""
    source = file(tmp_path, GOOD, SLOW, "x", GOOD, SLOW)
    found = await ran(source, tmp_path, deadline=10, slowly=lambda _: mock_clock.jump(10))
    assert found.status == 2  # for the third line, not for the time
    assert found.short == [*both(1), *both(2, CUT, NEVER), "line 3", *both(4, NEVER, NEVER), *both(5, NEVER, NEVER)]
    assert {one["cause"] for one in found.documents if one.get("code")} == {"caller"}


async def test_the_time_ends_a_pipe_which_is_read_no_further(tmp_path: Path, mock_clock: MockClock) -> None:
    """L014: the calls that had been read are answered."""
    source = pipe(SLOW, GOOD, end=False)
    found = await ran(source, tmp_path, deadline=10, slowly=lambda _: mock_clock.jump(10))
    assert found.status == 0
    assert found.short == [*both(1, CUT, NEVER), *both(2, NEVER, NEVER)]


async def test_time_that_is_enough_says_nothing(tmp_path: Path, mock_clock: MockClock) -> None:
    assert (await ran(file(tmp_path, GOOD), tmp_path, deadline=10)).status == 0
    assert (await ran(pipe(GOOD), tmp_path, deadline=10)).status == 0


async def test_who_ends_the_run_gets_the_turn_in_hand_and_no_more(tmp_path: Path) -> None:
    """D19, L012: of a file too."""
    for source in (file(tmp_path, GOOD, SLOW, GOOD), pipe(GOOD, SLOW, GOOD, end=False)):
        found = await ran(source, tmp_path, slowly=lambda stop: stop.end(130, "Ctrl-C"))
        assert found.status == 130
        assert found.short == [*both(1), *both(2, CUT, NEVER)]


async def test_the_status_of_an_end_comes_before_that_of_a_bad_line(tmp_path: Path) -> None:
    found = await ran(file(tmp_path, "x", SLOW), tmp_path, slowly=lambda stop: stop.end(143, "SIGTERM"))
    assert found.status == 143
    assert found.short == ["line 1", *both(2, CUT, NEVER)]


async def test_the_screen_hears_of_each_turn_and_call(tmp_path: Path) -> None:
    told: list[object] = []

    class Told(Screen):
        def begin(self, number: int, calls: Sequence[ToolCall]) -> None:
            told.append((number, len(calls)))

        def settled(self, position: int, result: ToolResult) -> None:
            told.append(result.call_id)

        def end(self) -> None:
            told.append("end")

    await ran(file(tmp_path, GOOD, "x"), tmp_path, screen=Told())
    assert told == [(1, 2), "a", "b", "end"]


@pytest.mark.parametrize("count", [1000])
async def test_many_calls_in_a_turn(count: int, tmp_path: Path) -> None:
    """L004, L006."""
    line = json.dumps({"calls": [{"name": "fast"} for _ in range(count)]})
    found = await ran(file(tmp_path, line), tmp_path)
    assert found.status == 0
    assert found.short == [(1, position, None) for position in range(count)]
