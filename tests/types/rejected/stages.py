"""Every line marked `rejected` must be refused by both type checkers, and no other line."""

from trio_tools import CallNext, CallView, Dispatch, ErrorInfo, Registry, ToolContext, ToolResult

LATE = ErrorInfo("E", "LATE", "late")


async def policy(call: CallView) -> None:
    call.name = "other"  # rejected
    call.tool = None  # rejected
    if call.arguments is not None:
        call.arguments["a"] = 1  # rejected
    call.within(5, policy, LATE)  # rejected
    call.success(1)  # rejected


async def replaces_the_arguments(call: CallView) -> None:
    call.arguments = {}  # rejected


async def observer(call: CallView, result: ToolResult) -> None:
    call.failure("no")  # rejected
    call.within(5, policy, LATE)  # rejected


async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    dispatch.arguments["a"] = 1  # rejected
    dispatch.stage = "post"  # rejected
    await call_next(dispatch)  # rejected
    await dispatch.within(5, call_next)  # rejected
    return await call_next()


async def answers_nothing(dispatch: Dispatch, call_next: CallNext) -> None:
    await call_next()


def body(ctx: ToolContext) -> None:
    ctx.deadline = 5.0  # rejected
    ctx.check_cancelled()  # rejected


def seams(registry: Registry) -> None:
    registry.add_pre_policy(wrapper)  # rejected
    registry.add_wrapper(policy)  # rejected
    registry.add_wrapper(answers_nothing)  # rejected
    registry.add_observer(policy)  # rejected
    registry.add_recorder(observer)  # rejected
