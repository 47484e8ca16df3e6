"""What type checkers make of the public surface. Checked with the rest of the tests; never run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import assert_type

import attrs
import trio

from trio_tools import (
    Allow,
    Ask,
    Block,
    CallEvent,
    CallNext,
    CallToken,
    CallView,
    Cause,
    Deadline,
    Deny,
    Dispatch,
    Effect,
    ErrorInfo,
    Job,
    JobNotice,
    JobStatus,
    Joined,
    JSONValue,
    Outcome,
    PendingCall,
    Plugin,
    Progress,
    Registration,
    Registry,
    RegistryView,
    ReplaceContent,
    Session,
    SettledView,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolResult,
    ToolSchema,
    deadline,
    from_json,
    open_registry,
    plugin,
    to_json,
    tool,
)
from trio_tools.config import load_config


@tool
async def bare(url: str) -> str:
    return url


@tool(timeout=30, idle_timeout=5.5, parallel=lambda arguments: arguments["url"] != "")
def configured(url: str, ctx: SyncToolContext) -> str:
    assert_type(ctx.check_cancelled(), None)
    return url


assert_type(bare, Tool)
assert_type(configured, Tool)
assert_type(bare.timeout, float | None)
assert_type(open_registry(), AbstractAsyncContextManager[Registry])


async def execution(registry: Registry, scope: trio.CancelScope) -> None:
    call = ToolCall("web_fetch", {"url": "http://..."}, id="1")
    assert_type(await registry.execute(call, scope=scope), ToolResult)
    assert_type(await registry.execute(call, scope=scope, session=Session("s")), ToolResult)
    assert_type(await registry.execute_turn([call], scope=scope), tuple[ToolResult, ...])
    assert_type(await registry.execute_turn((call,), scope=scope, on_settled=print), tuple[ToolResult, ...])
    assert_type(await registry.drain(), None)
    assert_type(registry.pending(), list[PendingCall])
    assert_type(registry.cancel("1", reason="enough"), int)
    assert_type(registry.tools, Mapping[str, Tool])
    assert_type(registry.schemas(), list[ToolSchema])
    assert_type(registry.register(bare), Registration)
    assert_type(registry.unregister("bare"), None)
    with registry.register(bare) as registration:
        assert_type(registration, Registration)
        assert_type(registration.remove(), None)


def results(result: ToolResult) -> None:
    assert_type(result.call_id, str | None)
    assert_type(result.code, str | None)
    assert_type(result.cause, Cause | None)
    assert_type(result.error, ErrorInfo | None)
    assert_type(result.effects, tuple[Effect, ...])
    assert_type(result.superseded, Outcome | None)
    assert_type(result.text, str)
    assert_type(result.is_error, bool)
    assert_type(to_json(result), dict[str, JSONValue])
    assert_type(from_json(ToolResult, {}), ToolResult)


async def body(ctx: ToolContext) -> None:
    assert_type(ctx.call, ToolCall)
    assert_type(ctx.session, Session | None)
    assert_type(ctx.cancel_requested, bool)
    assert_type(ctx.cancel_reason, str | None)
    assert_type(ctx.deadline, float)
    assert_type(ctx.report_progress(1, 2, "half"), None)
    assert_type(ctx.defer_context({"a": 1}), None)
    assert_type(ctx.conclude_turn(), None)
    with deadline(5) as limit:
        assert_type(limit, Deadline)
        assert_type(limit.renew(), None)
    assert_type(limit.expired, bool)


async def send() -> dict[str, int]:
    return {"id": 7}


async def makes_an_effect(ctx: ToolContext) -> None:
    assert_type(await ctx.irreversible("mail.send", send), JSONValue)
    assert_type(await ctx.irreversible("mail.send", partial(send)), JSONValue)


class Store: ...


async def makes_calls(ctx: ToolContext, scope: trio.CancelScope) -> None:
    assert_type(await ctx.execute(ToolCall("read"), scope=scope), ToolResult)
    job = ctx.start_job(trio.sleep_forever, name="watch")
    assert_type(job, Job)
    assert_type(job.id, str)
    assert_type(job.status, JobStatus)
    assert_type(job.cancel("enough"), bool)
    assert_type(await job.wait(), JobNotice)
    assert_type(ctx.require(Store), Store)


def makes_calls_in_a_thread(ctx: SyncToolContext, scope: trio.CancelScope) -> None:
    assert_type(ctx.execute(ToolCall("read"), scope=scope), ToolResult)
    assert_type(ctx.start_job(trio.sleep_forever), Job)
    assert_type(ctx.require(Store), Store)


async def views(registry: Registry, scope: trio.CancelScope) -> None:
    view = registry.restricted(allow=["read"], deny={"bash"})
    assert_type(view, RegistryView)
    assert_type(view.restricted(deny=("grep",)), RegistryView)
    assert_type(await view.execute(ToolCall("read"), scope=scope), ToolResult)
    assert_type(registry.provide(Store, Store()), Registration)
    assert_type(view.require(Store), Store)
    assert_type(registry.jobs(), list[Job])
    assert_type(registry.cancel_job("job-1", "enough"), bool)
    assert_type(registry.joined(), list[Joined])
    assert_type(registry.plugin_of("read"), str | None)


def settled_observer(call: SettledView, result: ToolResult) -> None:
    assert_type(call.exception, BaseException | None)
    assert_type(call.seconds, float)
    assert_type(call.root, CallToken)


def job_observer(notice: JobNotice) -> None:
    assert_type(notice.session, Session | None)
    assert_type(notice.value, JSONValue)
    assert_type(notice.text, str | None)
    assert_type(notice.line, str)


def pre_policy(call: CallView) -> Allow | Deny | Ask | None:
    assert_type(call.token, CallToken)
    assert_type(call.parent, CallToken | None)
    assert_type(call.tool, Tool | None)
    assert_type(call.arguments, Mapping[str, JSONValue] | None)
    assert_type(call.defer_context("note"), None)
    return Deny("no") if call.name == "rm" else None


async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    assert_type(dispatch.tool, Tool)
    assert_type(dispatch.arguments, Mapping[str, JSONValue])
    assert_type(dispatch.success(1), ToolResult)
    assert_type(dispatch.failure("no", code="NO_WAY"), ToolResult)
    assert_type(dispatch.within(5, call_next, ErrorInfo("E", "LATE", "late")), Awaitable[ToolResult])
    return await call_next()


async def post_policy(call: CallView, result: ToolResult) -> Block | ReplaceContent | None:
    return ReplaceContent("cut") if result.text else None


async def observer(call: CallView, result: ToolResult) -> None: ...
def progress_observer(call: CallView, progress: Progress) -> None: ...
async def recorder(event: CallEvent) -> None: ...


def seams(registry: Registry) -> None:
    assert_type(registry.add_pre_policy(pre_policy), Registration)
    assert_type(registry.add_wrapper(wrapper), Registration)
    assert_type(registry.add_post_policy(post_policy), Registration)
    assert_type(registry.add_observer(observer), Registration)
    assert_type(registry.add_progress_observer(progress_observer), Registration)
    assert_type(registry.add_recorder(recorder), Registration)
    assert_type(registry.add_observer(settled_observer), Registration)
    assert_type(registry.add_job_observer(job_observer), Registration)


@attrs.frozen
class Config:
    limit: int = 1


@plugin("mine", config=Config)
@asynccontextmanager
async def mine(registry: Registry, config: Config) -> AsyncGenerator[None]:
    assert_type(config.limit, int)
    yield


assert_type(mine, Plugin[Config])
assert_type(mine(Config(2)), Plugin[Config])
assert_type(open_registry(plugins=[mine]), AbstractAsyncContextManager[Registry])
assert_type(open_registry("trio-tools.toml"), AbstractAsyncContextManager[Registry])
assert_type(open_registry(load_config("trio-tools.toml")), AbstractAsyncContextManager[Registry])
_declare: Callable[[Callable[..., object]], Tool] = tool(timeout=3)
