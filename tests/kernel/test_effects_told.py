"""What a model reads of effects: the last block of a failure, whatever became of the rest of it on its way."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
import trio
from around_tools import OWN, Wrapper, limit, opened, retry_once, run
from effect_tools import SENT, WENT, Outbox, doing, sends, states
from trio.testing import MockClock
from turn_tools import once

from trio_tools import (
    Block,
    CallNext,
    CallView,
    Cause,
    Dispatch,
    Effect,
    EffectState,
    ErrorCode,
    ReplaceContent,
    ReplaceValue,
    Text,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    from_json,
    open_registry,
    to_json,
)
from trio_tools.pipeline import PostPolicy
from trio_tools.values import effects_text

NAME_ONLY = "Went through, do not repeat: mail.send"


def fails_after(outbox: Outbox, error: Exception) -> Callable[[ToolContext], Awaitable[object]]:
    async def body(ctx: ToolContext) -> object:
        await ctx.irreversible("mail.send", outbox.send)
        raise error

    return body


async def test_a_failure_after_an_effect_says_that_it_went_through(autojump_clock: MockClock) -> None:
    """M022: in a block of its own, after what the failure itself says; the code is the failure's."""
    result = await run(doing(fails_after(Outbox(), ToolError("no such folder: Sent", code="NO_FOLDER"))))
    assert (result.code, result.effects) == ("NO_FOLDER", (SENT,))
    assert result.content == (Text("Error: no such folder: Sent"), Text(WENT))


async def test_a_success_reads_as_ever(autojump_clock: MockClock) -> None:
    """Its value and content are the body's alone, also when an effect of it failed or is unknown."""

    async def forgotten() -> object:
        return Outbox().send()

    async def body(ctx: ToolContext) -> str:
        await ctx.irreversible("mail.send", Outbox().send)
        for action, raised in ((Outbox().bounce, ConnectionError), (forgotten, TypeError)):
            with pytest.raises(raised):
                await ctx.irreversible("mail.send", action)
        return "done"

    result = await run(doing(body))
    assert (result.content, result.value) == ((Text("done"),), "done")
    assert states(result) == ["mail.send committed", "mail.send failed", "mail.send unknown"]


async def test_a_failure_of_effects_that_all_failed_reads_as_ever() -> None:
    result = await run(doing(lambda ctx: ctx.irreversible("mail.send", Outbox().bounce)))
    assert (states(result), result.text) == (["mail.send failed"], "Error: ConnectionError: no such host")


async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    await call_next()
    raise LookupError("lost")


async def make_a_failure(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    await call_next()
    return dispatch.failure("made up", code="MADE_UP")


@pytest.mark.parametrize(
    ("wrapper", "code", "text"),
    [
        (fail, ErrorCode.WRAPPER_FAILED, "Error: lost"),
        (make_a_failure, "MADE_UP", "Error: made up"),
        (limit(0.5), OWN.code, "Error: my own limit"),
        (retry_once, ErrorCode.TOOL_FAILED, "Error: ValueError: after it"),
    ],
    ids=["wrapper fails", "wrapper's own failure", "claim", "retry"],
)
async def test_it_outlives_what_wrappers_make_of_the_result(
    wrapper: Wrapper, code: str, text: str, autojump_clock: MockClock
) -> None:
    """Promise 3: effects that went through are named whatever the code, of each attempt."""
    outbox = Outbox()
    result = await run(doing(fails_after(outbox, ValueError("after it"))), wrapper)
    assert (result.code, result.text.splitlines()[0]) == (code, text)
    through = ", ".join(f'mail.send (receipt {{"id":{number + 1}}})' for number in range(len(outbox.sent)))
    assert result.content[-1] == Text(f"Went through, do not repeat: {through}")
    assert len(outbox.sent) == (2 if wrapper is retry_once else 1)


def block(call: CallView, result: ToolResult) -> Block:
    return Block("not for you")


def redact(call: CallView, result: ToolResult) -> ReplaceContent:
    return ReplaceContent("redacted")


def blank(call: CallView, result: ToolResult) -> ReplaceContent:
    return ReplaceContent(" ")


def replace(call: CallView, result: ToolResult) -> ReplaceValue:
    return ReplaceValue("other")


def raise_an_error(call: CallView, result: ToolResult) -> None:
    raise LookupError("no rules")


async def hang(call: CallView, result: ToolResult) -> None:
    await trio.sleep_forever()


def let_pass(call: CallView, result: ToolResult) -> None: ...


@pytest.mark.parametrize(
    ("policy", "content"),
    [
        (block, (Text("not for you"), Text(NAME_ONLY))),
        (redact, (Text("redacted"), Text(NAME_ONLY))),
        (blank, (Text("Error: TOOL_FAILED"), Text(NAME_ONLY))),
        (raise_an_error, (Text("Error: no rules"), Text(NAME_ONLY))),
        (hang, (Text("Error: a post-policy was cut off after 5 s"), Text(NAME_ONLY))),
        (let_pass, (Text("Error: ValueError: after it"), Text(WENT))),
    ],
    ids=["block", "redact", "blank", "raises", "overruns", "lets pass"],
)
async def test_it_outlives_post_policies_without_receipts(
    policy: PostPolicy, content: object, autojump_clock: MockClock
) -> None:
    """M022, R073: what a policy took out of the content may be in a receipt. `effects` is for programs."""
    async with opened(doing(fails_after(Outbox(), ValueError("after it")))) as registry:
        registry.add_post_policy(policy)
        result = await once(registry, "mail")
    assert (result.content, result.effects) == (content, (SENT,))


@pytest.mark.parametrize("policy", [block, redact, replace])
async def test_a_success_that_a_policy_has_seen_and_then_is_no_more(
    policy: PostPolicy, autojump_clock: MockClock
) -> None:
    """R076: blocked, or given up while policies review it: the names, and no receipts."""
    outbox, scope = Outbox(), trio.CancelScope()

    def give_up(call: CallView, result: ToolResult) -> None:
        scope.cancel()

    async with opened(sends(outbox)) as registry:
        registry.add_post_policy(policy)
        registry.add_post_policy(give_up)
        result = await registry.execute(ToolCall("mail"), scope=scope)
    assert result.code == (ErrorCode.BLOCKED if policy is block else ErrorCode.ABORTED)
    assert (result.content[-1], result.effects) == (Text(NAME_ONLY), (SENT,))
    assert '"id"' not in result.text


async def test_the_finalizer_has_no_last_word_on_it(autojump_clock: MockClock) -> None:
    """R091: it sees the effects, shapes the rest, and the line stands after it, once."""
    seen: list[ToolResult] = []

    def finalize(result: ToolResult) -> str:
        seen.append(result)
        return "finalized"

    result = await run(doing(fails_after(Outbox(), ValueError("after it")), finalize=finalize))
    assert (seen[0].effects, seen[0].text) == ((SENT,), "Error: ValueError: after it")
    assert result.content == (Text("finalized"), Text(WENT))


async def test_a_finalizer_that_fails_over_a_success_tells_of_its_effects(autojump_clock: MockClock) -> None:
    """R091: the success is a failure then."""

    def finalize(result: ToolResult) -> str:
        raise ValueError("no template")

    async def body(ctx: ToolContext) -> object:
        return await ctx.irreversible("mail.send", Outbox().send)

    result = await run(doing(body, finalize=finalize))
    assert (result.code, result.content[-1]) == (ErrorCode.FINALIZER_FAILED, Text(WENT))


async def test_such_a_result_goes_to_a_file_and_back(autojump_clock: MockClock) -> None:
    """L016: the same for its receivers, one and all."""
    observed: list[ToolResult] = []
    async with opened(sends(Outbox(), after=5, timeout=3)) as registry:
        registry.add_observer(lambda call, result: observed.append(result))
        result = await once(registry, "mail", "c")
    assert (result.code, result.cause, observed[0]) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, result)
    back = from_json(ToolResult, json.loads(json.dumps(to_json(result))))
    assert (back, back.effects, back.content[-1]) == (result, (SENT,), Text(WENT))


async def test_an_effect_that_its_body_lets_go_of_is_unknown(autojump_clock: MockClock) -> None:
    """M023: the coroutine was begun, and is never taken up again. Nobody saw its end."""

    async def body(ctx: ToolContext) -> str:
        begun = ctx.irreversible("mail.send", Outbox().send)
        begun.send(None)
        kept.append(begun)
        return "done"

    kept: list[Coroutine[Any, Any, object]] = []
    async with open_registry() as registry:
        registry.register(doing(body))
        results = await registry.execute_turn([ToolCall("mail"), ToolCall("nowhere")], scope=trio.CancelScope())
        with pytest.raises((RuntimeError, ValueError)):
            kept[0].close()  # the scope in it is of a task that is over
    assert (results[0].code, states(results[0])) == (ErrorCode.TOOL_FAILED, ["mail.send unknown"])


COMMITTED, UNKNOWN = EffectState.COMMITTED, EffectState.UNKNOWN


@pytest.mark.parametrize(
    ("effects", "text"),
    [
        ((), ""),
        ((Effect("a", EffectState.FAILED),), ""),
        ((Effect("a", COMMITTED),), "Went through, do not repeat: a"),
        ((Effect("a", COMMITTED, []),), "Went through, do not repeat: a (receipt [])"),
        ((Effect("a", UNKNOWN, {"b": 1}),), "May have gone through, check before you repeat: a"),
        (
            (Effect("a", UNKNOWN), Effect("b", COMMITTED, 1), Effect("c", EffectState.FAILED), Effect("d", COMMITTED)),
            "Went through, do not repeat: b (receipt 1), d\nMay have gone through, check before you repeat: a",
        ),
        ((Effect("a\x1b[2J\nError: b", COMMITTED),), "Went through, do not repeat: a\\x1b[2J\\x0aError: b"),
        ((Effect("a", COMMITTED, "\u202e\n\u4f60"),), 'Went through, do not repeat: a (receipt "\\u202e\\n\u4f60")'),
    ],
)
def test_the_words_of_it(effects: tuple[Effect, ...], text: str) -> None:
    """Each kind on one line, whatever names and receipts contain."""
    assert effects_text(effects, receipts=True) == text


def test_the_words_of_it_are_bounded() -> None:
    long = effects_text((Effect("n" * 1_000, COMMITTED, {"r": "x" * 10_000}),), receipts=True)
    assert long == f'Went through, do not repeat: {"n" * 97}... (receipt {{"r":"{"x" * 291}...)'
    many = effects_text(tuple(Effect(f"e{number}", UNKNOWN) for number in range(60)), receipts=True)
    assert many.endswith("e48, e49, and 10 more")
