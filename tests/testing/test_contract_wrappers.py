"""The contract of wrappers: good ones keep it, and each of its promises is broken by one that breaks only that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import attrs
import pytest
import wrapper_examples as them
from contract_checks import broken
from wrapper_examples import made

from trio_tools.pipeline import Wrapper
from trio_tools.testing import wrapper_contract


class Kinds(TypedDict, total=False):
    claims: tuple[str, float]
    retries: tuple[str, int]
    short_circuits: int
    shields: float


NONE: Kinds = {}
LIMITS: Kinds = {"claims": ("TOO_SLOW", 5)}
RETRIES: Kinds = {"retries": ("BUSY", 3)}
CACHES: Kinds = {"short_circuits": 2}

# Ways to end a call of each stock tool: enough to see each mistake here.
RUNS = 1


@attrs.frozen
class Bad:
    """A wrapper, of which kind it says that it is, and how the one promise begins that it breaks."""

    make: Callable[[], Wrapper]
    promise: str
    kinds: Kinds = NONE
    runs: int = RUNS


BAD = {
    "forgets to return": Bad(made(them.forgets_to_return), "It gives a ToolResult"),
    "raises when aborted": Bad(made(them.raises_when_aborted), "It gives a ToolResult"),
    "answers itself": Bad(made(them.answers_itself), "It runs the body as often"),
    "runs the body itself": Bad(made(them.runs_the_body_itself), "It runs the body through call_next() alone"),
    "swallows the cancel": Bad(made(them.swallows_the_cancel), "A call with it settles", runs=4),
    "gives a second chance": Bad(made(them.gives_a_second_chance), "It enters no body once"),
    "shields for long": Bad(made(them.shields_for_long), "It holds up a call"),
    "shields for longer than it says": Bad(made(them.shields_for_long), "It holds up a call", {"shields": 5}),
    "renames the abort": Bad(made(them.renames_the_abort), "A call that its caller ended comes to an abort"),
    "forgives the timeout": Bad(made(them.forgives_the_timeout), "A budget of the tool that runs out", runs=2),
    "leaves a task": Bad(made(them.leaves_a_task), "It leaves nothing behind"),
    "keeps a permit": Bad(them.KeepsAPermit, "It leaves nothing behind"),
    "remembers by name": Bad(them.RemembersByName, "A call has its own result"),
    "shares its state": Bad(them.SharesItsState, "Two calls at once"),
    "claims another code": Bad(made(them.claims_another_code), "A call that takes longer than its time", LIMITS),
    "claims too early": Bad(made(them.claims_too_early), "It claims after 5 seconds", LIMITS),
    "loses its claim": Bad(made(them.loses_its_claim), "Its claim stands", LIMITS),
    "claims by the flag": Bad(made(them.claims_by_the_flag), "It claims nothing that its caller", LIMITS),
    "gives up early": Bad(lambda: them.retries(2), "It makes 3 attempts", RETRIES),
    "tries after a success": Bad(made(them.tries_after_a_success), "It makes no attempt after one", RETRIES),
    "tries after the end": Bad(made(them.tries_after_the_end), "It makes no attempt once", RETRIES, 12),
    "tries in one scope": Bad(made(them.tries_in_one_scope), "Each attempt has a scope", RETRIES),
    "answers nothing": Bad(made(them.passes_on), "Of equal calls it answers number 2", CACHES),
    "caches failures": Bad(them.CachesFailures, "It answers no call", CACHES, 6),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_wrapper_with_a_mistake_breaks_just_the_promise_that_is_about_it(bad: Bad) -> None:
    found = broken(wrapper_contract(bad.make, **bad.kinds, runs=bad.runs))
    assert [name.startswith(bad.promise) for name in found] == [True], found


GOOD: dict[str, tuple[Callable[[], Wrapper], Kinds]] = {
    "passes on": (made(them.passes_on), NONE),
    "limits": (them.limits, LIMITS),
    "retries": (them.retries, RETRIES),
    "caches": (them.Caches, CACHES),
    "audits": (made(them.audits), {"shields": 1}),
    "limits how many run": (them.Limits, NONE),
}


@pytest.mark.parametrize(("make", "kinds"), GOOD.values(), ids=GOOD.keys())
def test_a_good_wrapper_keeps_every_promise(make: Callable[[], Wrapper], kinds: Kinds) -> None:
    assert broken(wrapper_contract(make, **kinds, runs=RUNS)) == {}


def test_every_promise_is_broken_by_some_example() -> None:
    wrapper = made(them.passes_on)
    promises = wrapper_contract(wrapper, claims=("TOO_SLOW", 5), retries=("BUSY", 3), short_circuits=2)
    names = [promise.name for promise in promises]
    assert [name for name in names if not any(name.startswith(bad.promise) for bad in BAD.values())] == []


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"claims": ("too slow", 5)}, "claims: 'too slow' is no code of a failure"),
        ({"claims": ("TOO_SLOW", 0)}, "the seconds of claims must be"),
        ({"retries": ("TOOL_TIMEOUT", 3)}, "retries: no tool can fail with 'TOOL_TIMEOUT'"),
        ({"retries": ("BUSY", 0)}, "retries: a wrapper makes 1 attempt at least, not 0"),
        ({"short_circuits": 0}, "short_circuits counts calls from 1, not from 0"),
        ({"shields": -1}, "shields must be"),
    ],
)
def test_a_kind_that_makes_no_sense_is_refused_at_once(kinds: Kinds, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrapper_contract(made(them.passes_on), **kinds)
