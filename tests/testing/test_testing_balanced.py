"""The check that no tool can fail, but only the registry: tampering with a run shows that it can."""

from __future__ import annotations

import copy
from collections.abc import Callable

import attrs
import pytest
import trio

from trio_tools import Cause, Effect, EffectState, ErrorCode, ErrorInfo, ToolCall, ToolResult, tool
from trio_tools.testing import Happening, Run, explore_turn
from trio_tools.testing._checks import CHECKS
from trio_tools.testing._record import Heard

MUST_BE = "read was ended from outside: its result must be ABORTED, cause caller, and is "


@tool(read_only=True)
async def read(seconds: int) -> int:
    """Reads for so long."""
    await trio.sleep(seconds)
    return seconds


@pytest.fixture
def run() -> Run:
    """A turn of two calls that kept its promises, undisturbed."""
    runs: list[Run] = []
    turn = [ToolCall("read", {"seconds": 1}), ToolCall("read", {"seconds": 2})]
    explore_turn([read], turn, runs=1, check=runs.append)
    assert [words for check in CHECKS.values() for words in check(runs[0], runs[0])] == []
    return runs[0]


def untouched(run: Run) -> Run:
    """A copy, for what is tampered with to be held against."""
    return attrs.evolve(run, lives=[copy.copy(life) for life in run.lives])


def publish_twice_to_the_turn(run: Run) -> None:
    run.lives[0].told += 1


def publish_nothing_to_the_turn(run: Run) -> None:
    run.lives[0].told = 0


def publish_twice_to_observers(run: Run) -> None:
    run.lives[1].observed *= 2


def publish_nothing_to_observers(run: Run) -> None:
    run.lives[1].observed.clear()


def show_observers_a_copy(run: Run) -> None:
    run.lives[0].observed[0] = attrs.evolve(run.lives[0].observed[0])


def lose_a_result(run: Run) -> None:
    run.results = run.results[:1]


def give_one_too_many(run: Run) -> None:
    run.results = (*run.results, run.results[0])


def swap_the_results(run: Run) -> None:
    run.results = run.results[::-1]


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (publish_twice_to_the_turn, "read was published 2 times to the turn and 1 times to observers"),
        (publish_nothing_to_the_turn, "read was published 0 times to the turn and 1 times to observers"),
        (publish_twice_to_observers, "read was published 1 times to the turn and 2 times to observers"),
        (publish_nothing_to_observers, "read was published 1 times to the turn and 0 times to observers"),
        (show_observers_a_copy, "observers of read got another result than its turn"),
        (lose_a_result, "1 results came back for 2 calls, or not in call order"),
        (give_one_too_many, "3 results came back for 2 calls, or not in call order"),
        (swap_the_results, "2 results came back for 2 calls, or not in call order"),
    ],
)
def test_a_turn_that_is_not_balanced_is_found(run: Run, tamper: Callable[[Run], None], words: str) -> None:
    """M030."""
    whole = untouched(run)
    tamper(run)
    assert list(CHECKS["balanced"](run, whole)) == [words]


def replace(run: Run, result: ToolResult) -> None:
    """Another result for the first call, everywhere."""
    run.lives[0].result = result
    run.lives[0].observed[:] = [result]
    run.results = (result, *run.results[1:])


def aborted(cause: Cause) -> ToolResult:
    error = ErrorInfo("AbortError", ErrorCode.ABORTED, "Error: tool call aborted")
    return ToolResult(call_id=None, tool="read", content=(), error=error, dispatched=True, cause=cause)


@pytest.mark.parametrize(
    ("result", "ended", "words"),
    [
        (ToolResult(None, "read", ()), False, ["the body of read ran, and its result says dispatched=False"]),
        (ToolResult(None, "read", (), dispatched=True), True, [MUST_BE + "a success"]),
        (aborted(Cause.DEADLINE), True, [MUST_BE + "ABORTED, cause deadline"]),
        (aborted(Cause.CALLER), True, []),
    ],
)
def test_a_result_that_does_not_tell_what_happened_is_found(
    run: Run, result: ToolResult, ended: bool, words: list[str]
) -> None:
    """M030."""
    whole = untouched(run)
    replace(run, result)
    if ended:
        run.lives[0].cancelled = run.ended = 1
    assert list(CHECKS["truth"](run, whole)) == words


def test_what_is_no_result_of_the_turn_is_seen(run: Run) -> None:
    foreign = ToolResult(call_id=None, tool="read", content=())
    run.results = (foreign, *run.results[1:])
    assert len(list(CHECKS["balanced"](run, run))) == 1


def test_a_ctrl_c_that_nobody_hears_of_again_is_found(run: Run) -> None:
    """M030."""
    run.interrupt_sent = True
    assert list(CHECKS["settles"](run, run)) == ["the Ctrl-C was lost: no KeyboardInterrupt came out"]
    run.interrupted = True
    assert list(CHECKS["settles"](run, run)) == []


def test_an_effect_that_is_told_and_did_not_happen_is_found(run: Run) -> None:
    """M030."""
    whole = untouched(run)
    whole.heard = [Heard(1, None, Happening("mail.send"))]
    told = attrs.evolve(run.published[0], effects=(Effect("mail.send", EffectState.COMMITTED),))
    run.published = [told, *run.published[1:]]
    assert list(CHECKS["effects"](run, whole)) == ["results name mail.send once, and it never happened"]
