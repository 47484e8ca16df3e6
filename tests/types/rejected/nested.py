"""Every line marked `rejected` must be refused by both type checkers, and no other line."""

import trio

from trio_tools import (
    CallView,
    JobNotice,
    Registry,
    RegistryView,
    SettledView,
    SyncToolContext,
    ToolCall,
    ToolContext,
    ToolResult,
)


class Store: ...


async def body(ctx: ToolContext, call: ToolCall, scope: trio.CancelScope) -> None:
    await ctx.execute(call)  # rejected
    await ctx.execute(call, scope=None)  # rejected
    await ctx.execute(call, scope)  # rejected
    ctx.execute(call, scope=scope).text  # rejected
    ctx.start_job(3)  # rejected
    ctx.start_job(trio.current_time)  # rejected
    ctx.start_job(trio.sleep)  # rejected
    ctx.start_job(trio.sleep_forever, "watch")  # rejected
    ctx.require(Store()).text  # rejected
    await ctx.irreversible("mail.send")  # rejected
    await ctx.irreversible("mail.send", 3)  # rejected
    await ctx.irreversible("mail.send", trio.current_time)  # rejected
    await ctx.irreversible("mail.send", trio.sleep_forever, timeout="20")  # rejected
    await ctx.irreversible("mail.send", trio.sleep_forever, key=3)  # rejected
    (await ctx.irreversible("mail.send", trio.sleep_forever)).id  # rejected


def plain_body(ctx: SyncToolContext, call: ToolCall, scope: trio.CancelScope) -> None:
    ctx.execute(call)  # rejected
    ctx.execute(call, scope=scope).wait  # rejected
    ctx.irreversible("mail.send", print, timeout=20)  # rejected


def views(registry: Registry, view: RegistryView) -> None:
    registry.restricted(["read"])  # rejected
    registry.restricted(allow=3)  # rejected
    view.provide(Store, Store())  # rejected
    view.add_wrapper(None)  # rejected
    registry.provide(Store, "store").remove().now  # rejected
    view.tools["read"] = None  # rejected


async def observer(call: CallView, result: ToolResult) -> None:
    call.exception  # rejected
    call.root = call.token  # rejected


def job_observer(notice: JobNotice, more: int) -> None:
    notice.status = "done"  # rejected


def seams(registry: Registry, settled: SettledView) -> None:
    settled.success(1)  # rejected
    registry.add_job_observer(job_observer)  # rejected
    registry.add_job_observer(observer)  # rejected
