"""The journal of a process that is killed in the middle of anything: its books balance, and say what happened."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom

import attrs
import pytest

from benchmarks._crash_judge import Books, Happened, broken
from benchmarks.crash import Warm, crash, warm
from trio_tools import Effect, EffectState, ErrorInfo, Text, ToolResult, to_json
from trio_tools.journal import CallRecord, EffectRecord
from trio_tools.values import CallRef

KILLS = 100
# Kills of the control, at most. About every second comes while something that was acknowledged is not on disk.
CONTROL_KILLS = 40
# What it is found out by.
LOST = ("acknowledged and is lost", "happened 1 times and begun is 0")


@pytest.fixture(scope="module")
def agents() -> Iterator[Warm]:
    """The process that starts them."""
    with warm() as process:
        yield process


def test_an_agent_that_is_killed_a_hundred_times_leaves_books_that_balance(agents: Warm) -> None:
    """B31, L014, M022: as many results as calls; no acknowledged settlement lost; no effect that happened and is not
    begun; no key done twice; opening again changes nothing; the file is sound."""
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    outcome = crash(agents, KILLS, seed)
    assert outcome.broken == ()
    assert outcome.kills == KILLS
    assert min(outcome.calls, outcome.effects, outcome.acknowledged) > KILLS // 2, outcome


def test_a_journal_that_does_not_wait_for_the_disk_is_found_out(agents: Warm) -> None:
    """The control: what the hundred kills look for is there to be found."""
    draw, missing = SystemRandom(), set(LOST)
    for _ in range(CONTROL_KILLS):
        broken_by_one = crash(agents, 1, draw.randrange(2**32), hasty=True).broken
        missing -= {loss for loss in missing if any(loss in line for line in broken_by_one)}
        if not missing:
            return
    pytest.fail(f"after {CONTROL_KILLS} kills, never found: {sorted(missing)}")


SENT = Effect("send", EffectState.COMMITTED, "receipt")
REF = CallRef(turn="t", position=0, call_id="c", tool="send", root="t/0")
RESULT = ToolResult("c", "send", (Text("sent"),), value="sent", dispatched=True, effects=(SENT,))
RECORD = CallRecord(
    ref=REF,
    accepted=1.0,
    arguments={},
    effects=(EffectRecord(effect=SENT, begun=2.0, ended=3.0),),
    settled=4.0,
    result=RESULT,
)
BOOKS = Books((RECORD,))
WORLD = Happened(("c",), (("c", "send", None),), (("c", to_json(RESULT)),))


def test_books_that_balance_are_found_to() -> None:
    assert broken(WORLD, BOOKS) == []


def with_result(result: ToolResult | None) -> Books:
    return Books((attrs.evolve(RECORD, result=result),))


FAILED = attrs.evolve(RESULT, value=None, error=ErrorInfo("X", "TOOL_FAILED", "x"))
UNSEEN = attrs.evolve(WORLD, acknowledged=())
KEYED = ("c", "send", "k")

WRONG: dict[str, tuple[Happened, Books, str]] = {
    "a result is missing": (UNSEEN, with_result(None), "a call without a result"),
    "a call is missing": (attrs.evolve(WORLD, entered=(), effects=()), Books(()), "was acknowledged and is lost"),
    "a result is another": (WORLD, with_result(FAILED), "not the one that was acknowledged"),
    "an effect was not begun": (WORLD, Books((attrs.evolve(RECORD, effects=()),)), "begun is 0"),
    "an effect is not named": (UNSEEN, with_result(attrs.evolve(RESULT, effects=())), "its result names 0"),
    "an effect did not happen": (attrs.evolve(WORLD, effects=()), BOOKS, "committed and did not happen"),
    "a body ran unseen": (UNSEEN, with_result(attrs.evolve(RESULT, dispatched=False)), "say it never was"),
    "a key was done twice": (attrs.evolve(WORLD, effects=(KEYED, KEYED)), BOOKS, "done 2 times"),
}


@pytest.mark.parametrize(("world", "books", "said"), WRONG.values(), ids=WRONG.keys())
def test_the_judge_finds_books_that_do_not_balance(world: Happened, books: Books, said: str) -> None:
    found = broken(world, books)
    assert any(said in line for line in found), found
