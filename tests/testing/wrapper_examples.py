"""Wrappers that keep every promise but one, each with a mistake that people make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from trio_tools import CallNext, Dispatch, ErrorCode, ErrorInfo, ToolResult
from trio_tools.pipeline import Wrapper

SLOW = ErrorInfo("SlowError", "TOO_SLOW", "too slow for me")


# --- good ones -----------------------------------------------------------------------------------------------------


async def passes_on(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await call_next()


def limits(seconds: float = 5, outcome: ErrorInfo = SLOW) -> Wrapper:
    async def limit(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return await dispatch.within(seconds, call_next, outcome)

    return limit


def retries(attempts: int = 3) -> Wrapper:
    async def retry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        for _ in range(attempts - 1):
            with trio.move_on_after(5) as scope:
                result = await call_next()
                if result.code != "BUSY" and not scope.cancel_called:
                    return result
            await trio.sleep(1)
        return await call_next()

    return retry


class Caches:
    """Keeps values by name and arguments."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        key = f"{dispatch.name} {dispatch.arguments}"
        if key in self.kept:
            return dispatch.success(self.kept[key])
        result = await call_next()
        if self.keeps(result):
            self.kept[key] = result.value
        return result

    def keeps(self, result: ToolResult) -> bool:
        return result.error is None


async def audits(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    """Writes of each call, also of one that was cancelled."""
    try:
        return await call_next()
    finally:
        with trio.move_on_after(5, shield=True):
            await trio.sleep(1)


class Limits:
    """Lets one call run at a time."""

    def __init__(self) -> None:
        self.limiter = trio.CapacityLimiter(1)

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        async with self.limiter:
            return await call_next()


def body_of(dispatch: Dispatch) -> Callable[..., Awaitable[object]]:
    """The body that no wrapper should call."""
    return dispatch.tool.body  # type: ignore[return-value]  # stock tools are all async


# --- bad ones ------------------------------------------------------------------------------------------------------


async def forgets_to_return(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    await call_next()
    return None  # type: ignore[return-value]  # as a function does that has no return


async def raises_when_aborted(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = await call_next()
    if result.code == ErrorCode.ABORTED:
        raise RuntimeError("the call was aborted")
    return result


async def answers_itself(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return dispatch.success(dict(dispatch.arguments))


async def runs_the_body_itself(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return dispatch.success(await body_of(dispatch)(**dispatch.arguments))


async def swallows_the_cancel(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    while True:
        try:
            await trio.sleep(0.01)
            return await call_next()
        except trio.Cancelled:
            continue


async def gives_a_second_chance(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = await call_next()
    return await runs_the_body_itself(dispatch, call_next) if result.code == ErrorCode.ABORTED else result


async def shields_for_long(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    try:
        return await call_next()
    finally:
        with trio.move_on_after(20, shield=True):
            await trio.sleep(10)


async def renames_the_abort(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = await call_next()
    return dispatch.failure("given up", code="GIVEN_UP") if result.code == ErrorCode.ABORTED else result


async def forgives_the_timeout(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = await call_next()
    return dispatch.success("it took long") if result.code == ErrorCode.TOOL_TIMEOUT else result


async def leaves_a_task(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    trio.lowlevel.spawn_system_task(trio.sleep_forever)
    return await call_next()


class KeepsAPermit(Limits):
    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await self.limiter.acquire_on_behalf_of(dispatch)
        await trio.sleep(0.01)
        try:
            return await call_next()
        finally:
            self.limiter.release_on_behalf_of(dispatch)


class RemembersByName:
    def __init__(self) -> None:
        self.kept: dict[str, ToolResult] = {}

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if dispatch.name not in self.kept:
            result = await call_next()
            self.kept.setdefault(dispatch.name, result)
            return result
        return self.kept[dispatch.name]


class SharesItsState:
    result: ToolResult

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        self.result = await call_next()
        if self.result.error is None:
            await trio.sleep(1)
        return self.result


async def claims_another_code(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await dispatch.within(5, call_next, ErrorInfo("SlowError", "SLOW", "too slow"))


async def claims_too_early(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await dispatch.within(4.8, call_next, SLOW)


async def loses_its_claim(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    with trio.move_on_after(5):
        result = await call_next()
        await trio.lowlevel.checkpoint_if_cancelled()
        return result
    return dispatch.failure(SLOW.message, code=SLOW.code)


async def claims_by_the_flag(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    with trio.move_on_after(5) as scope:
        result = await call_next()
        return dispatch.failure(SLOW.message, code=SLOW.code) if scope.cancel_called else result
    raise AssertionError("past its door call_next() gives a result")


async def tries_after_a_success(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = await call_next()
    if result.code == "BUSY":
        await call_next()
        result = await call_next()
    return result


async def tries_after_the_end(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    for _ in range(2):
        result = await call_next()
        if result.code != "BUSY":
            return result
        try:
            await trio.sleep(1)
        except trio.Cancelled:
            await body_of(dispatch)()  # one last time
            raise
    return await call_next()


async def tries_in_one_scope(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    result = dispatch.failure("never tried")
    with trio.move_on_after(5) as scope:
        result = await call_next()
        for _ in range(2):
            if result.code == "BUSY" or scope.cancel_called:
                result = await call_next()
    return result


class CachesFailures(Caches):
    def keeps(self, result: ToolResult) -> bool:
        return True


def made(wrapper: Wrapper) -> Callable[[], Wrapper]:
    """Gives the same for each run: it keeps nothing."""
    return lambda: wrapper
