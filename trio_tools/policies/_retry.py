"""The retry policy: further attempts of what has failed, after a wait that grows, and only of what is safe to repeat.

What is safe is the tool's word (`read_only`, `idempotent`), the registry's (the body never ran), and that of its
effects. What is worth repeating is the operator's: the codes in the config.
"""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from math import inf

import attrs
import trio

from trio_tools.pipeline import CallNext, Dispatch, Wrapper
from trio_tools.policies._naming import named
from trio_tools.registry import Registry, option, plugin, positive_seconds
from trio_tools.values import EffectState, ErrorCode, ToolResult, is_own_code, plain_error

logger = logging.getLogger("trio_tools.retry")

# The registry's own codes that another attempt may mend; codes of a tool's own are answers, meant for its model.
PASSING = (ErrorCode.TOOL_FAILED, ErrorCode.TOOL_TIMEOUT, ErrorCode.WRAPPER_FAILED)
# Those that no config can have repeated, and why.
FINAL = {
    ErrorCode.ABORTED_BEFORE_DISPATCH: "the call was given up",
    ErrorCode.ABORTED: "the call was given up",
    ErrorCode.DENIED: "a policy has said no",
    ErrorCode.UNKNOWN_TOOL: "there is nothing to call",
    ErrorCode.INVALID_ARGS: "the same arguments would be as wrong again",
    ErrorCode.INVALID_TOOL_OUTPUT: "the body ran to its end, and it is the tool that has to be mended",
    ErrorCode.EFFECT_UNKNOWN: "what it was to do may have been done",
    ErrorCode.POLICY_FAILED: "what the policy would have said is not known",
    ErrorCode.BLOCKED: "a policy has withheld the result",
    ErrorCode.FINALIZER_FAILED: "the body succeeded",
    ErrorCode.RECORD_FAILED: "what cannot be recorded is not to run",
}


def _attempts(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{attribute.name} must be a whole number from 1, the first attempt included, not {value!r}")


def _factor(_: object, attribute: attrs.Attribute[float], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1 <= value < inf:
        raise ValueError(f"{attribute.name} must be a finite number, 1 or more, not {value!r}")


def _share(_: object, attribute: attrs.Attribute[float], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{attribute.name} must be a share of the wait, from 0 to 1, not {value!r}")


def _codes(_: object, attribute: attrs.Attribute[tuple[str, ...]], value: object) -> None:
    if not isinstance(value, tuple) or not value:
        raise ValueError(f"{attribute.name} must be a tuple of one code or more, not {value!r}")
    codes: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
    for code in codes:
        if isinstance(code, str) and code in FINAL:
            raise ValueError(f"{attribute.name}: {code} is never repeated: {FINAL[ErrorCode(code)]}")
        if not is_own_code(code) and code not in PASSING:
            raise ValueError(f"{attribute.name}: {code!r} is no code of a failure, such as TOOL_FAILED or HTTP_BUSY")


@attrs.frozen(kw_only=True)
class RetryConfig:
    """How often a call is attempted that fails, and how long is waited in between.

    Before the second attempt the wait is `first_delay`, and before each one after that `factor` times the one before,
    but never more than `max_delay`. Of each wait the share `jitter` is drawn at random.

    Raises `ValueError` for a number out of range, for a `max_delay` below `first_delay`, and for a code that is none or
    that is never repeated.

    Attributes:
        attempts: How often a call is attempted at the most, the first time included.
        first_delay: The wait before the second attempt.
        max_delay: The longest wait.
        factor: How many times as long each wait is as the one before.
        jitter: The share of a wait that is drawn: 1, and it is anything from nothing to the whole, so that calls
            which failed together do not come back together; 0, and it is always the whole.
        codes: The failures that are repeated. Codes of a tool's own are not, unless they are named here.
    """

    attempts: int = attrs.field(default=3, validator=_attempts, metadata=option(unit="attempts"))
    # long enough for a passing fault to pass, short enough for a model that waits
    first_delay: float = attrs.field(default=0.5, validator=positive_seconds, metadata=option(unit="seconds"))
    max_delay: float = attrs.field(default=30.0, validator=positive_seconds, metadata=option(unit="seconds"))
    factor: float = attrs.field(default=2.0, validator=_factor)
    jitter: float = attrs.field(default=1.0, validator=_share)
    codes: tuple[str, ...] = attrs.field(default=tuple(map(str, PASSING)), validator=_codes)

    def __attrs_post_init__(self) -> None:
        """Look at the two waits. Raises `ValueError` for a `max_delay` below `first_delay`."""
        if self.max_delay < self.first_delay:
            raise ValueError(f"max_delay ({self.max_delay} seconds) must not be below first_delay ({self.first_delay})")

    def longest(self, attempt: int) -> float:
        """The seconds of the wait after this attempt, counted from 1, before any is drawn from it."""
        seconds = self.first_delay
        for _ in range(attempt - 1):
            seconds = min(seconds * self.factor, self.max_delay)
        return seconds


def repeating(config: RetryConfig) -> Wrapper:
    """The wrapper of the policy."""

    async def repeat(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        """Attempt the call, and again while it fails and may be repeated; what the last attempt came to stands.

        **Cancellation**: as `call_next()`. A wait for the next attempt ends at once, and there is none.
        """
        for attempt in range(1, config.attempts):
            try:
                result = await call_next()
            except Exception as thrown:  # what an inner wrapper raised
                code = plain_error(thrown, ErrorCode.WRAPPER_FAILED).code
                if not await _is_to_repeat(config, dispatch, attempt, code):
                    raise
            else:
                if result.error is None or not await _is_to_repeat(config, dispatch, attempt, result.error.code):
                    return result
        return await call_next()

    return repeat


async def _is_to_repeat(config: RetryConfig, dispatch: Dispatch, attempt: int, code: str) -> bool:
    """Whether there is to be another attempt; then the wait before it is over.

    **Cancellation**: the wait ends.
    """
    if code not in config.codes or not _is_safe(dispatch) or dispatch.cancel_requested:
        return False
    # of the module's own generator, which explorations seed: what they replay waits as long as it did
    delay = config.longest(attempt) * (1 - config.jitter * random.random())
    left = dispatch.deadline - trio.current_time()
    fields = {"tool": dispatch.name, "call_id": dispatch.id, "attempt": attempt, "code": code, "delay": delay}
    failed = f"call {named(dispatch.name, dispatch.id)}: attempt {attempt} of {config.attempts} came to {code}"
    if delay >= left:  # nothing could come of it but a worse result later
        logger.info("%s; no time is left to wait %.3f s for another", failed, delay, extra=fields)
        return False
    logger.info("%s; another in %.3f s", failed, delay, extra=fields)
    await trio.sleep(delay)
    return True


def _is_safe(dispatch: Dispatch) -> bool:
    """Whether nothing is done twice by another attempt. An effect that failed has done nothing; one that has begun, in
    whichever attempt, goes before what the tool says of itself."""
    if any(effect.state is not EffectState.FAILED for effect in dispatch.effects):
        return False
    return not dispatch.dispatched or dispatch.tool.read_only or dispatch.tool.idempotent


@plugin("retry", config=RetryConfig)
@asynccontextmanager
async def retry(registry: Registry, config: RetryConfig) -> AsyncGenerator[None]:
    """Attempt a call again that has failed, if that is safe: its body never ran, or its tool is `read_only` or
    `idempotent`, and no effect of it has begun that did not fail.

    What is listed behind it is attempted anew each time: with the timeout policy behind it each attempt has the tool's
    budget; in front of it, as it is by default, one budget covers all attempts and the waits between them.

    **Cancellation**: leaving takes the wrapper off for later calls.
    """
    with registry.add_wrapper(repeating(config)):
        yield
