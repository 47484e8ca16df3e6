"""The retry policy: what is attempted again, and what is not."""

from __future__ import annotations

import logging

import pytest
import trio
from retry_tools import STEADY, Heard, called, failing, tried, trying
from trio.testing import MockClock

from trio_tools import (
    CallNext,
    Deny,
    Dispatch,
    ErrorCode,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)
from trio_tools.policies import RetryConfig
from trio_tools.policies._retry import FINAL, PASSING


@pytest.mark.parametrize(("read_only", "idempotent"), [(True, False), (False, True), (True, True)])
async def test_what_may_be_repeated_is_attempted_until_it_succeeds(
    autojump_clock: MockClock, read_only: bool, idempotent: bool
) -> None:
    """R043: each attempt is the whole of what is inside, and what the last one came to stands."""
    one = failing(OSError("one"), OSError("two"), read_only=read_only, idempotent=idempotent)
    result = await tried(one.tool)
    assert (result.value, result.error, one.entered) == ("recovered", None, [0, 1, 3])


async def test_what_the_last_attempt_failed_with_stands(autojump_clock: MockClock) -> None:
    one = failing(OSError("one"), OSError("two"), OSError("three"))
    result = await tried(one.tool)
    assert (result.code, result.text) == (ErrorCode.TOOL_FAILED, "Error: OSError: three")
    assert one.entered == [0, 1, 3]


async def test_a_tool_that_promises_nothing_is_not_entered_twice(autojump_clock: MockClock) -> None:
    one = failing(OSError("one"), idempotent=False)
    result = await tried(one.tool)
    assert (result.text, one.entered) == ("Error: OSError: one", [0])


async def test_a_tool_that_promises_nothing_is_tried_again_as_long_as_it_was_not_entered(
    autojump_clock: MockClock,
) -> None:
    """A wrapper inside fails, or answers itself, before the body: nothing has happened. Once it has, that is that."""
    one = failing(OSError("mine"), idempotent=False)
    failures: list[float] = []

    async def reach(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        failures.append(trio.current_time())
        if len(failures) == 1:
            raise ConnectionError("no route")
        if len(failures) == 2:
            return dispatch.failure("no answer")
        return await call_next()

    result = await tried(one.tool, reach, config=RetryConfig(attempts=5, first_delay=1, factor=2, jitter=0))
    assert (failures, one.entered, result.text) == ([0, 1, 3], [3], "Error: OSError: mine")


async def test_a_wrapper_that_fails_each_time_is_the_calls_failure(autojump_clock: MockClock) -> None:
    """T027, R054: as it is without the policy."""
    attempts: list[float] = []

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        attempts.append(trio.current_time())
        raise ConnectionError("no route")

    result = await tried(failing().tool, fail)
    assert (attempts, result.code, result.text) == ([0, 1, 3], ErrorCode.WRAPPER_FAILED, "Error: no route")


async def test_codes_of_a_tools_own_are_answers_unless_the_config_names_them(autojump_clock: MockClock) -> None:
    busy, missing = ToolError("busy", code="HTTP_BUSY"), ToolError("no such page", code="HTTP_MISSING")
    for config, entries in ((STEADY, 1), (RetryConfig(attempts=3, first_delay=1, jitter=0, codes=("HTTP_BUSY",)), 2)):
        one = failing(busy, missing, OSError("other"))
        result = await tried(one.tool, config=config)
        assert (len(one.entered), result.code) == (entries, "HTTP_BUSY" if entries == 1 else "HTTP_MISSING")


async def test_a_code_that_the_config_leaves_out_is_not_repeated(autojump_clock: MockClock) -> None:
    one = failing(OSError("one"))
    await tried(one.tool, config=RetryConfig(codes=("TOOL_TIMEOUT",)))
    assert one.entered == [0]


@pytest.mark.parametrize("ending", ["committed", "unknown", "failed"])
async def test_an_effect_goes_before_what_the_tool_says_of_itself(autojump_clock: MockClock, ending: str) -> None:
    """M022, M023: what went through, or may have, is not done twice; what failed has done nothing."""
    entered: list[float] = []

    @tool(idempotent=True)
    async def send(ctx: ToolContext) -> str:
        entered.append(trio.current_time())

        async def sent() -> str:
            return "sent"

        async def act() -> object:
            if ending == "failed":
                raise ConnectionError("refused")
            return sent() if ending == "unknown" else "sent"  # what is yet to be awaited may or may not be done

        await ctx.irreversible("mail.send", act)
        raise OSError("after it")

    result = await tried(send)
    assert len(entered) == (3 if ending == "failed" else 1)
    assert {str(effect.state) for effect in result.effects} == {ending}


@pytest.mark.parametrize("code", ErrorCode, ids=str)
async def test_every_code_is_passing_or_final(autojump_clock: MockClock, code: ErrorCode) -> None:
    """A new member of `ErrorCode` is on one side, and says why: a wrapper inside gives it, before the body ran."""
    assert (code in PASSING) is not (code in FINAL)
    attempts: list[float] = []

    async def give(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        attempts.append(trio.current_time())
        return dispatch.failure("no", code=code)

    if code in (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH):
        return  # no wrapper may give them: the tests of cancels show what becomes of them
    result = await tried(failing().tool, give)
    assert (result.code, len(attempts)) == (code, 3 if code in PASSING else 1)


async def test_a_denial_is_not_attempted(autojump_clock: MockClock) -> None:
    one = failing()
    async with trying(one.tool) as registry:
        registry.add_pre_policy(lambda view: Deny("no"))
        result = await called(registry, one.tool)
    assert (result.code, one.entered, trio.current_time()) == (ErrorCode.DENIED, [], 0)


async def test_output_that_cannot_be_kept_is_not_asked_for_again(autojump_clock: MockClock) -> None:
    entered: list[float] = []

    @tool(idempotent=True)
    async def odd() -> object:
        entered.append(trio.current_time())
        return object()

    result = await tried(odd)
    assert (result.code, len(entered)) == (ErrorCode.INVALID_TOOL_OUTPUT, 1)


async def test_each_attempt_is_recorded_and_told(autojump_clock: MockClock, caplog: pytest.LogCaptureFixture) -> None:
    """What came before the last attempt is with the recorder, and on the logger `trio_tools.retry`, in a line each."""
    caplog.set_level(logging.INFO, "trio_tools.retry")
    one, heard = failing(OSError("one\ntwo"), OSError("three"), OSError("four")), Heard()
    async with trying(one.tool) as registry:
        registry.add_recorder(heard.record)
        await called(registry, one.tool)
    assert heard.attempts == [1, 2, 3]
    lines = [record for record in caplog.records if record.name == "trio_tools.retry"]
    assert [line.getMessage() for line in lines] == [
        "call flaky (c1): attempt 1 of 3 came to TOOL_FAILED; another in 1.000 s",
        "call flaky (c1): attempt 2 of 3 came to TOOL_FAILED; another in 2.000 s",
    ]
    names = ("tool", "call_id", "attempt", "code", "delay")
    fields = [getattr(line, name, None) for line in lines for name in names]
    assert fields == ["flaky", "c1", 1, "TOOL_FAILED", 1, "flaky", "c1", 2, "TOOL_FAILED", 2]
