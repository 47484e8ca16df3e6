"""A destructive tool that names no effect is warned about, once, where somebody can do something about it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
from effect_tools import Outbox

from trio_tools import (
    CallNext,
    Deny,
    Dispatch,
    Registry,
    RegistryView,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
    plugin,
    tool,
)


@attrs.frozen
class Nothing:
    """No options."""


async def nothing(ctx: ToolContext) -> None:
    """Names no effect, and says that it went well."""


async def sent(ctx: ToolContext) -> None:
    await ctx.irreversible("mail.send", Outbox(seconds=0).send)


async def refused(ctx: ToolContext) -> None:
    raise ToolError("no such list")


def wipe(body: Callable[[ToolContext], Awaitable[None]] = nothing, *, destructive: bool = True) -> Tool:
    """A tool `wipe` whose body this is."""

    @tool(destructive=destructive)
    async def wipe(ctx: ToolContext) -> None:
        await body(ctx)

    return wipe


async def called(registry: RegistryView, *names: str) -> None:
    for name in names:
        await registry.execute(ToolCall(name), scope=trio.CancelScope())


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said on the logger of effects."""
    assert {record.levelname for record in caplog.records} <= {"WARNING"}
    return [record.getMessage() for record in caplog.records if record.name == "trio_tools.effects"]


async def test_it_is_warned_about_once_and_told_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    async with open_registry() as registry:
        registry.register(wipe())
        await called(registry, "wipe", "wipe")
        await called(registry.restricted(allow=["wipe"]), "wipe")
    (warning,) = warned(caplog)
    assert warning == (
        "tool 'wipe' is marked destructive, and its call succeeded without naming an effect: nothing keeps a retry, "
        "or a model, from doing the thing twice. Do what cannot be undone inside of ctx.irreversible(name, action); if "
        "nothing of the kind is done, take destructive=True away"
    )


async def test_every_registry_says_so_and_of_every_tool(caplog: pytest.LogCaptureFixture) -> None:
    @tool(destructive=True)
    def burn() -> None: ...

    for _ in range(2):
        async with open_registry() as registry:
            registry.register(wipe())
            registry.register(burn)
            await called(registry, "burn", "wipe", "burn")
    assert [warning.split("'")[1] for warning in warned(caplog)] == ["burn", "wipe"] * 2


@pytest.mark.parametrize(
    "one",
    [wipe(sent), wipe(refused), wipe(destructive=False)],
    ids=["it names one", "it fails", "it is not destructive"],
)
async def test_of_others_nothing_is_said(one: Tool, caplog: pytest.LogCaptureFixture) -> None:
    async with open_registry() as registry:
        registry.register(one)
        await called(registry, "wipe")
    assert warned(caplog) == []


async def test_an_effect_of_a_nested_call_or_in_a_thread_counts(caplog: pytest.LogCaptureFixture) -> None:
    async def nested(ctx: ToolContext) -> None:
        await ctx.execute(ToolCall("mail"), scope=trio.CancelScope())

    @tool(destructive=True)
    def mail(ctx: SyncToolContext) -> None:
        ctx.irreversible("mail.send", dict)

    async with open_registry() as registry:
        registry.register(wipe(nested))
        registry.register(mail)
        await called(registry, "wipe")
    assert warned(caplog) == []


async def test_a_body_that_was_never_entered_is_not_blamed(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return dispatch.success("done before")

    async with open_registry() as registry:
        registry.register(wipe())
        with registry.add_wrapper(answer):
            await called(registry, "wipe")
        with registry.add_pre_policy(lambda call: Deny("no")):
            await called(registry, "wipe")
        assert warned(caplog) == []
        await called(registry, "wipe")
    assert len(warned(caplog)) == 1


async def test_a_tool_of_a_plugin_is_its_authors_to_change(caplog: pytest.LogCaptureFixture) -> None:
    """The shipped `bash` is one: what its commands do it cannot know."""

    @plugin("wiper", config=Nothing)
    @asynccontextmanager
    async def wiper(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        with registry.register(wipe()):
            yield

    async with open_registry(plugins=[wiper]) as registry:
        await called(registry, "wipe")
    assert warned(caplog) == []


async def test_a_tool_that_was_replaced_meanwhile_says_nothing_of_the_new_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def replace(ctx: ToolContext) -> None:
        registry.unregister("wipe")
        registry.register(wipe(sent))

    async with open_registry() as registry:
        registry.register(wipe(replace))
        await called(registry, "wipe", "wipe")
    assert warned(caplog) == []
