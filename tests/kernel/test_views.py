"""Restricted views: what is out of view cannot be told from what does not exist (R111, R115)."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Heard, Log

from trio_tools import Job, Registry, RegistryView, ToolCall, ToolContext, ToolResult, open_registry, tool


async def alpha(number: int = 1) -> int:
    return number


async def beta(number: int = 2) -> int:
    return number


@tool(read_only=True, finalize_content=lambda result: "finalized")
async def secret(number: int) -> int:
    return number


@tool
async def stay(ctx: ToolContext) -> None:
    ctx.start_job(trio.sleep_forever)
    await trio.sleep_forever()


def filled(registry: Registry) -> Registry:
    for one in (alpha, beta, secret, stay):
        registry.register(one)
    return registry


Filters: TypeAlias = dict[str, list[str]]


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ([{"allow": ["alpha", "secret"]}], ["alpha", "secret"]),
        ([{"deny": ["secret"]}], ["alpha", "beta", "stay"]),
        ([{"allow": ["alpha", "secret"], "deny": ["secret"]}], ["alpha"]),
        ([{"deny": ["alpha"]}, {"allow": ["beta", "stay"]}], ["beta", "stay"]),
        ([{"allow": ["alpha", "beta"]}, {"deny": ["alpha"]}], ["beta"]),
    ],
)
async def test_a_view_has_what_is_allowed_and_not_denied(filters: list[Filters], left: list[str]) -> None:
    """Filters of a view and of a view of it intersect."""
    async with open_registry() as registry:
        view: RegistryView = filled(registry)
        for one in filters:
            view = view.restricted(**one)
        assert sorted(view.tools) == [one["name"] for one in view.schemas()] == left
        assert len(view.tools) == len(left)


@pytest.mark.parametrize("arguments", ['{"number": 1}', '{"number": "one"}', "{", '{"unknown": 1}', ""])
@pytest.mark.parametrize("ended", [False, True])
async def test_a_tool_out_of_view_answers_like_one_that_does_not_exist(arguments: str, ended: bool) -> None:
    """R115: the same result, events and views for whatever is asked; only the name differs."""

    async def ask(name: str) -> list[object]:
        async with open_registry() as registry:
            view = filled(registry).restricted(deny=["secret"])
            log, heard = Log(), Heard()
            registry.add_recorder(log)
            registry.add_observer(heard)
            scope = trio.CancelScope()
            if ended:
                scope.cancel()
            result = await view.execute(ToolCall(name, arguments, id="1"), scope=scope)
            told = [repr(attrs.evolve(result)), *log.story, str(heard.views[0].tool), repr(heard.views[0])]
            found = [name in view.tools, view.tools.get(name), view.cancel("1"), view.pending()]
            return [*(text.replace(name, "NAME") for text in told), *found]

    assert await ask("secret") == await ask("nosuch")


async def test_nested_calls_see_no_more_than_the_view_that_began(autojump_clock: MockClock) -> None:
    @tool
    async def relay(name: str, ctx: ToolContext) -> str | None:
        return (await ctx.execute(ToolCall(name, {"number": 1}), scope=trio.CancelScope())).code

    async with open_registry() as registry:
        filled(registry).register(relay)
        view = registry.restricted(deny=["secret"])
        found = [
            (await one.execute(ToolCall("relay", {"name": "secret"}), scope=trio.CancelScope())).value
            for one in (registry, view)
        ]
    assert found == [None, "UNKNOWN_TOOL"]


async def test_a_view_s_own_tools_are_its_own_and_no_filter_concerns_them() -> None:
    """R111, R115: they hide others of their name, exactly one schema shows, and nobody else sees them; a taken name
    that is out of view is free here."""

    async def other(number: int = 9) -> int:
        return number

    async with open_registry() as registry:
        view = filled(registry).restricted(allow=["alpha", "beta"])
        below = view.restricted(deny=["beta"])
        view.register(tool(name="alpha")(other))
        kept = view.register(tool(name="secret")(other))
        with pytest.raises(ValueError, match='tool "secret" is already registered'):
            view.register(tool(name="secret")(other))
        assert [one["name"] for one in view.schemas()] == ["alpha", "beta", "secret"]
        assert [one["name"] for one in below.schemas()] == ["alpha", "secret"]

        async def value(of: RegistryView, name: str) -> ToolResult:
            return await of.execute(ToolCall(name, {"number": 5}), scope=trio.CancelScope())

        assert (await value(view, "secret")).text == "5"
        assert (await value(registry, "secret")).text == "finalized"
        kept.remove()
        assert (await value(view, "secret")).code == "UNKNOWN_TOOL"
        with pytest.raises(LookupError, match='no tool "beta" is registered'):
            view.unregister("beta")
        view.unregister("alpha")
        assert view.tools["alpha"] is registry.tools["alpha"]


async def test_a_view_sees_the_calls_and_jobs_that_were_made_through_it(autojump_clock: MockClock) -> None:
    """And ends no others."""
    async with open_registry() as registry:
        view = filled(registry).restricted(allow=["stay"])
        below = view.restricted(allow=["stay"])
        scopes = [trio.CancelScope() for _ in range(3)]
        async with trio.open_nursery() as nursery:
            for one, scope in zip((registry, view, below), scopes, strict=True):
                nursery.start_soon(partial(one.execute, ToolCall("stay", id="x"), scope=scope))
                await wait_all_tasks_blocked()

            def seen(of: RegistryView) -> tuple[int, list[Job]]:
                return len(of.pending()), of.jobs()

            everything = registry.jobs()
            assert [seen(one) for one in (registry, view, below)] == [
                (3, everything),
                (2, everything[1:]),
                (1, everything[2:]),
            ]
            assert (below.cancel_job(everything[0].id), view.cancel_job(everything[1].id)) == (False, True)
            assert (below.cancel("x"), view.cancel("x"), registry.cancel("x")) == (1, 1, 1)


@pytest.mark.parametrize(
    ("filters", "error", "text"),
    [
        ({}, ValueError, "a restricted view needs allow= or deny=, with the names of tools"),
        ({"allow": []}, ValueError, "allow= names no tool; leave it out, or name at least one"),
        ({"allow": ["alpha"], "deny": ()}, ValueError, "deny= names no tool; leave it out, or name at least one"),
        ({"allow": "alpha"}, TypeError, "allow= must be a collection of names, not 'alpha'"),
        ({"deny": 3}, TypeError, "deny= must be a collection of names, not 3"),
        ({"deny": ["alpha", "gamma", 7]}, ValueError, "deny= names 'gamma', 7, which no tool in reach is called"),
    ],
)
async def test_a_filter_that_cannot_be_meant_is_refused(filters: Filters, error: type[Exception], text: str) -> None:
    """R115: loudly, so that a slip does not open what was to be closed."""
    async with open_registry() as registry:
        with pytest.raises(error) as refused:
            filled(registry).restricted(**filters)
    assert str(refused.value) == text


async def test_names_are_taken_as_they_stand_and_a_name_out_of_view_is_unknown_there() -> None:
    async with open_registry() as registry:
        names = ["alpha"]
        view = filled(registry).restricted(allow=names)
        names.append("secret")
        assert list(view.tools) == ["alpha"]
        with pytest.raises(ValueError, match="allow= names 'secret', which no tool in reach is called"):
            view.restricted(allow=["secret"])
        registry.unregister("alpha")
        assert list(view.tools) == []
        registry.register(alpha)
        assert list(view.tools) == ["alpha"]
