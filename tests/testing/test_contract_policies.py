"""The contracts of policies: good ones keep them, and each promise is broken by a policy that breaks only that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import policy_examples as before
import post_policy_examples as after
import pytest
from contract_checks import broken
from policy_examples import REMOVE

from trio_tools import ToolCall
from trio_tools.testing import post_policy_contract, pre_policy_contract

# Ways to end a call that are tried: enough to see each mistake here.
RUNS = 4


def made(policy: Any) -> Callable[[], Any]:
    """Gives the same for each run: it keeps nothing. Some of them answer what no type allows."""
    return lambda: policy


BAD: dict[str, tuple[Callable[[], Any], Sequence[ToolCall], str]] = {
    "answers a bool": (made(before.answers_a_bool), (), "It answers Allow, Deny, Ask or None"),
    "expects a path": (made(before.expects_a_path), (), "It decides on every call"),
    "tidies the arguments": (made(before.tidies_the_arguments), (), "It leaves the arguments as they are"),
    "shares its state": (before.SharesItsState, [REMOVE], "It decides about two calls at once"),
    "lets through": (made(before.lets_through), [REMOVE], "It denies what it is there for"),
    "cannot be cancelled": (made(before.cannot_be_cancelled), [REMOVE], "It does not hold up a call"),
    "asks again and again": (made(before.asks_again_and_again), [REMOVE], "A call with it keeps every promise"),
    "keeps a permit": (before.KeepsAPermit, [REMOVE], "It leaves nothing behind"),
}


@pytest.mark.parametrize(("make", "denies", "promise"), BAD.values(), ids=BAD.keys())
def test_a_pre_policy_with_a_mistake_breaks_just_the_promise_that_is_about_it(
    make: Callable[[], Any], denies: Sequence[ToolCall], promise: str
) -> None:
    found = broken(pre_policy_contract(make, denies=denies, runs=RUNS))
    assert [name.startswith(promise) for name in found] == [True], found


@pytest.mark.parametrize("make", [made(before.inside), before.Asks], ids=["inside", "asks"])
def test_a_good_pre_policy_keeps_every_promise(make: Callable[[], Any]) -> None:
    calls = [ToolCall("remove", {"path": "a"}), ToolCall("list")]
    assert broken(pre_policy_contract(make, calls=calls, denies=[REMOVE], runs=RUNS)) == {}


AFTER_BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "answers a text": (made(after.answers_a_text), "It answers ReplaceContent"),
    "expects a text": (made(after.expects_a_text), "It reviews every result"),
    "forgives failures": (made(after.forgives_failures), "It replaces no value of a failed result"),
    "dawdles": (made(after.dawdles), "It is done with a result within 5 seconds"),
    "looks at successes only": (made(after.looks_at_successes_only), "What it withholds of a success"),
    "shares its state": (after.SharesItsState, "It reviews two results at once"),
    "waits for the cancel to pass": (made(after.waits_for_the_cancel_to_pass), "A call with it keeps every promise"),
    "leaves a task": (made(after.leaves_a_task), "It leaves nothing behind"),
}


@pytest.mark.parametrize(("make", "promise"), AFTER_BAD.values(), ids=AFTER_BAD.keys())
def test_a_post_policy_with_a_mistake_breaks_just_the_promise_that_is_about_it(
    make: Callable[[], Any], promise: str
) -> None:
    found = broken(post_policy_contract(make, values=[after.SECRET], runs=RUNS))
    assert [name.startswith(promise) for name in found] == [True], found


@pytest.mark.parametrize("make", [made(after.redacts), after.Asks], ids=["redacts", "asks"])
def test_a_good_post_policy_keeps_every_promise(make: Callable[[], Any]) -> None:
    assert broken(post_policy_contract(make, values=[after.SECRET], runs=RUNS)) == {}


def test_every_promise_is_broken_by_some_example() -> None:
    firsts = [promise.name for promise in pre_policy_contract(before.Asks, denies=[REMOVE])]
    assert [name for name in firsts if not any(name.startswith(bad[2]) for bad in BAD.values())] == []
    seconds = [promise.name for promise in post_policy_contract(after.Asks)]
    assert [name for name in seconds if not any(name.startswith(bad[1]) for bad in AFTER_BAD.values())] == []
