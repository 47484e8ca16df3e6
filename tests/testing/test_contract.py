"""Promises: called one by one or all at once, what they say when they are broken, and where they can be called."""

from __future__ import annotations

import pytest
from wrapper_examples import answers_itself, forgets_to_return, made, passes_on

from trio_tools.testing import Promise, check_contract, wrapper_contract


def promise(name: str, *found: str) -> Promise:
    return Promise(name, f"mend {name}", lambda: found)


def test_a_promise_that_is_kept_says_nothing_and_goes_by_its_name() -> None:
    kept = promise("it works")
    kept()
    assert str(kept) == "it works"


def test_a_broken_promise_says_what_happened_what_should_and_what_to_do() -> None:
    with pytest.raises(AssertionError) as caught:
        promise("it works", "it did not", "it did not", "nor later")()
    assert str(caught.value).split("\n") == [
        "broken: it works",
        "  it did not",
        "  nor later",
        "  what to do: mend it works",
    ]


def test_of_many_instances_the_first_are_shown_and_the_rest_are_counted() -> None:
    with pytest.raises(AssertionError, match=r"\.\.\. and 7 more like these"):
        promise("it works", *(f"not at {step}" for step in range(10)))()


def test_a_contract_is_checked_to_its_end_and_every_broken_promise_is_named() -> None:
    with pytest.raises(AssertionError) as caught:
        check_contract([promise("a", "no a"), promise("b"), promise("c", "no c")])
    for words in ("2 promises are broken", "broken: a", "no a", "mend a", "broken: c", "no c"):
        assert words in str(caught.value)
    assert "broken: b" not in str(caught.value)


def test_a_contract_that_is_kept_passes() -> None:
    check_contract(wrapper_contract(made(passes_on), runs=1))


def test_a_thing_that_cannot_be_made_breaks_no_promise_but_raises_what_it_raises() -> None:
    def make() -> None:
        raise LookupError("no wrapper today")

    with pytest.raises(LookupError, match="no wrapper today"):
        check_contract(wrapper_contract(make, runs=1))  # type: ignore[arg-type]  # it never returns


def test_nothing_is_run_before_a_promise_is_called() -> None:
    """A test module makes its contracts as it is collected."""
    made_ones: list[object] = []

    def make() -> object:
        made_ones.append(None)
        return passes_on

    promises = wrapper_contract(make, runs=1)  # type: ignore[arg-type]  # typed for counting alone
    assert made_ones == []
    promises[0]()
    first = len(made_ones)
    promises[1]()
    assert len(made_ones) == first > 1  # each run made its own, and the promises judge the same runs


async def test_inside_of_trio_a_promise_cannot_be_called() -> None:
    with pytest.raises(RuntimeError, match="runs Trio itself: call it from a plain function"):
        wrapper_contract(made(passes_on))[0]()


def test_what_was_found_names_the_call_the_step_and_the_line() -> None:
    with pytest.raises(AssertionError) as caught:
        wrapper_contract(made(forgets_to_return), runs=2)[0]()
    assert "quick, undisturbed: it came to TypeError: the wrapper forgets_to_return returned NoneType" in str(
        caught.value
    )
    with pytest.raises(AssertionError, match="the body ran 0 times instead of 1"):
        check_contract(wrapper_contract(made(answers_itself), runs=1))
