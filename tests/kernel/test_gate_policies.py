"""The gate: one plain list of policies; the first Deny ends it, any Ask asks, Allow overrides nothing."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from intake_tools import Asked, call, trailed

from trio_tools import (
    Allow,
    Ask,
    CallView,
    Deny,
    ErrorCode,
    ErrorInfo,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)

Decision = Allow | Ask | Deny | None
UNANSWERED = 'tool "quick" requires approval (not yet supported)'


@tool
async def quick() -> str:
    return "done"


async def test_policies_run_in_order_of_registration_and_all_of_them() -> None:
    """R020, D24: sync and async, whatever those before them allowed."""
    asked = Asked()
    async with trailed(quick) as (registry, trail):
        for place, decision in enumerate([Allow(), None, Allow(), None]):
            registry.add_pre_policy(asked.answers(f"{place}", decision, later=place % 2 == 0))
        result = await call(registry, "quick")
    assert asked.names == ["0", "1", "2", "3"]
    assert result.value == "done"
    assert trail.stages == ["policy", "wrapper", "post-policy", "observer"]


async def test_with_no_policy_a_call_is_allowed() -> None:
    """R020: the default."""
    async with open_registry() as registry:
        registry.register(quick)
        assert (await call(registry, "quick")).value == "done"


async def test_a_denial() -> None:
    """R021, D1: text, message and code; neither body nor wrappers are entered; post-policies see it, frozen."""
    reviewed: list[ToolResult] = []

    @tool
    async def never() -> None:
        pytest.fail("the body ran")

    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(lambda _: Deny("not on a Sunday"))
        registry.add_post_policy(lambda _, result: reviewed.append(result))
        result = await call(registry, "never", id="c1")
    assert trail.stages == ["policy", "post-policy", "observer"]
    assert result.text == "Error: not on a Sunday"
    assert result.error is not None
    assert (result.error.message, result.error.code) == ("not on a Sunday", ErrorCode.DENIED)
    assert (result.dispatched, result.cause, result.value, result.call_id) == (False, None, None, "c1")
    assert [(one.text, one.code) for one in reviewed] == [(result.text, result.code)]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        reviewed[0].__setattr__("error", None)
    assert trail.results[0] is result


@pytest.mark.parametrize("later", [False, True])
async def test_the_first_denial_ends_the_list(later: bool) -> None:
    """R028, D24: nothing that comes after it is asked, and nothing before it can undo it."""
    asked = Asked()
    async with trailed(quick) as (registry, _):
        answers: list[tuple[str, Decision]] = [
            ("allow", Allow()),
            ("ask", Ask("somebody")),
            ("deny", Deny("the first")),
            ("other", Deny("the second")),
            ("last", Allow()),
        ]
        for name, decision in answers:
            registry.add_pre_policy(asked.answers(name, decision, later=later))
        result = await call(registry, "quick")
    assert asked.names == ["allow", "ask", "deny"]
    assert result.text == "Error: the first"


async def test_no_order_of_others_undoes_a_denial() -> None:
    """R028: registered first, in between, or last."""
    texts: list[str] = []
    for place in range(3):
        async with trailed(quick) as (registry, _):
            for at in range(3):
                registry.add_pre_policy(Asked().answers("", Deny("no") if at == place else Allow()))
            texts.append((await call(registry, "quick")).text)
    assert texts == ["Error: no"] * 3


@pytest.mark.parametrize(("reason", "message"), [("it costs money", "it costs money"), (None, UNANSWERED)])
@pytest.mark.parametrize("before", [False, True])
async def test_ask_with_nobody_to_answer_is_a_denial(reason: str | None, message: str, before: bool) -> None:
    """R023, D24: by the ask's reason, or this text to the letter; Allow before or after it overrides nothing."""
    asked = Asked()
    async with trailed(quick) as (registry, trail):
        decisions: list[Decision] = [Allow(), Ask(reason)] if before else [Ask(reason), Allow()]
        for decision in decisions:
            registry.add_pre_policy(asked.answers("", decision))
        result = await call(registry, "quick")
    assert len(asked.names) == 2
    assert result.text == f"Error: {message}"
    assert result.error is not None
    assert (result.error.message, result.code, result.dispatched) == (message, ErrorCode.DENIED, False)
    assert trail.stages == ["policy", "post-policy", "observer"]


answered = st.one_of(
    st.none(),
    st.just(Allow()),
    st.builds(Deny, st.sampled_from(["d1", "d2"])),
    st.builds(Ask, st.sampled_from(["a1", "a2"])),
)


@settings(deadline=None, max_examples=60)
@given(decisions=st.lists(st.tuples(answered, st.booleans()), max_size=6))
def test_any_list_of_policies_comes_to_what_the_rule_says(decisions: list[tuple[Decision, bool]]) -> None:
    """D24, R020, R028: a model of one line each for Deny, Ask and Allow."""
    asked = Asked()

    async def main() -> ToolResult:
        async with trailed(quick) as (registry, _):
            for place, (decision, later) in enumerate(decisions):
                registry.add_pre_policy(asked.answers(f"{place}", decision, later=later))
            return await call(registry, "quick")

    result = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    plain = [decision for decision, _ in decisions]
    denials = [place for place, one in enumerate(plain) if isinstance(one, Deny)]
    asks = {f"Error: {one.reason}" for one in plain if isinstance(one, Ask)}
    assert asked.names == [f"{place}" for place in range(denials[0] + 1 if denials else len(plain))]
    if denials:
        denial = plain[denials[0]]
        assert isinstance(denial, Deny)
        assert (result.text, result.code) == (f"Error: {denial.reason}", ErrorCode.DENIED)
    elif asks:
        assert result.text in asks
        assert result.code == ErrorCode.DENIED
    else:
        assert result.value == "done"


class LockedError(ToolError):
    """An error with a code of its own."""


@pytest.mark.parametrize(
    ("thrown", "error"),
    [
        (LockedError("it is locked", code="VAULT_LOCKED"), ErrorInfo("LockedError", "VAULT_LOCKED", "it is locked")),
        (ToolError("it is locked"), ErrorInfo("ToolError", "POLICY_FAILED", "it is locked")),
        (ToolError("no", code="DENIED"), ErrorInfo("ToolError", "POLICY_FAILED", "no")),
        (ToolError("no", code="nonsense"), ErrorInfo("ToolError", "POLICY_FAILED", "no")),
        (ExceptionGroup("g", [LockedError("no", code="VAULT_LOCKED")]), ErrorInfo("LockedError", "VAULT_LOCKED", "no")),
    ],
    ids=repr,
)
@pytest.mark.parametrize("later", [False, True])
async def test_a_policy_that_raises(thrown: Exception, error: ErrorInfo, later: bool) -> None:
    """R022, R029, R095: text `Error: <message>`, a coded error keeps name and code; only finalizer and observers."""
    finalized: list[ToolResult] = []
    asked = Asked()

    @tool(finalize_content=finalized.append)
    async def never() -> None:
        pytest.fail("the body ran")

    def fail(view: CallView) -> None:
        raise thrown

    async def fail_later(view: CallView) -> None:
        await trio.lowlevel.checkpoint()
        raise thrown

    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(fail_later if later else fail)
        registry.add_pre_policy(asked.answers("after", Allow()))
        result = await call(registry, "never")
        assert (await call(registry, "never")).error == result.error
    assert asked.names == []
    assert trail.stages == ["policy", "observer"] * 2
    assert finalized[0] == result
    assert result.error == error
    assert result.text == f"Error: {error.message}"


async def test_the_text_of_an_uncoded_policy_failure_is_its_message() -> None:
    """R022, R095: `Error: ` and the exception's message, to the letter; its type is the error's name."""

    def fail(view: CallView) -> None:
        raise LookupError("no database")

    async with trailed(quick) as (registry, _):
        registry.add_pre_policy(fail)
        result = await call(registry, "quick")
    assert result.error is not None
    assert (result.error.name, result.code) == ("LookupError", ErrorCode.POLICY_FAILED)
    assert result.text == "Error: no database"


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("thrown", [KeyError(), MuteError(), SystemExit(4)], ids=lambda one: type(one).__name__)
async def test_whatever_a_policy_raises_it_denies_and_harms_nobody_else(thrown: BaseException) -> None:
    """R022, R029, R095: fails closed, with a text that is never blank; the next call is asked about as ever."""
    raising = [True]

    def fail(view: CallView) -> None:
        if raising:
            raising.pop()
            raise thrown

    async with trailed(quick) as (registry, _):
        registry.add_pre_policy(fail)
        first, second = await call(registry, "quick"), await call(registry, "quick")
    assert (first.code, first.dispatched) == (ErrorCode.POLICY_FAILED, False)
    assert first.text.removeprefix("Error: ").strip()
    assert second.value == "done"


GARBAGE: list[Any] = [True, "deny", Deny, ("no",), pytest.param(object(), id="object")]


@pytest.mark.parametrize("garbage", GARBAGE, ids=str)
async def test_an_answer_that_is_none_allows_nothing(garbage: object) -> None:
    """R022: fails closed, also for what is true, and for a class where an instance was meant."""
    async with trailed(quick) as (registry, trail):
        registry.add_pre_policy(Asked().answers("", garbage))
        result = await call(registry, "quick")
    assert (result.code, result.dispatched) == (ErrorCode.POLICY_FAILED, False)
    assert trail.stages == ["policy", "observer"]


@pytest.mark.parametrize("answer", [Deny, Ask])
@pytest.mark.parametrize("reason", [5, ValueError("no"), b"no"], ids=repr)
async def test_a_reason_that_is_no_text_allows_nothing_and_harms_no_sibling(answer: Any, reason: object) -> None:
    """R022, R021: as an exception handed on as the reason; the call is refused with some text, the next one runs."""
    answers = [answer(reason), Allow()]
    async with trailed(quick) as (registry, _):
        registry.add_pre_policy(lambda _: answers.pop(0))
        calls = [ToolCall("quick", {})] * 2
        first, second = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert (first.is_error, first.dispatched) == (True, False)
    assert first.code in (ErrorCode.DENIED, ErrorCode.POLICY_FAILED)
    assert first.text.removeprefix("Error: ").strip()
    assert second.value == "done"
