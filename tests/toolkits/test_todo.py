"""`todo_write`: a list of tasks for each session, replaced as a whole (F010)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import attrs
import pytest
import trio

from trio_tools import (
    CallNext,
    Dispatch,
    Registry,
    Session,
    SettledView,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
    plugin,
    tool,
)
from trio_tools.testing import Run, explore_turn
from trio_tools.toolkits.todo import Todo, TodoConfig, TodoLists, todo
from trio_tools.toolkits.todo._lists import MAX_PROBLEMS, MAX_TASK_CHARS, MAX_TASKS

ONE = todo(TodoConfig(several_in_progress=False))
SEVERAL = todo(TodoConfig(several_in_progress=True))
ADA, BOB = Session("s", owner="ada"), Session("s", owner="bob")


@attrs.frozen
class NoConfig:
    """Nothing to say."""


def writing(*todos: tuple[str, str] | Mapping[str, object], call_id: str | None = None) -> ToolCall:
    """A call with these tasks: content and status, or an item as a model may have sent it."""
    items = [{"content": one[0], "status": one[1]} if isinstance(one, tuple) else one for one in todos]
    return ToolCall("todo_write", {"todos": items}, id=call_id)


async def ask(registry: Registry, call: ToolCall, session: Session | None = ADA) -> ToolResult:
    return await registry.execute(call, scope=trio.CancelScope(), session=session)


def kept(registry: Registry, session: Session = ADA) -> list[tuple[str, str]]:
    return [(one.content, one.status) for one in registry.require(TodoLists).of(session)]


async def test_the_whole_list_is_replaced_and_counted() -> None:
    """F010: contents are trimmed."""
    async with open_registry(plugins=[ONE]) as registry:
        first = writing((" a\n", "pending"), ("b", "in_progress"), ("c", "completed"), ("d", "pending"))
        assert (await ask(registry, first)).text == "Updated todo list: 2 pending, 1 in progress, 1 completed."
        assert kept(registry) == [("a", "pending"), ("b", "in_progress"), ("c", "completed"), ("d", "pending")]
        assert (await ask(registry, writing(("e", "completed")))).value == (
            "Updated todo list: 0 pending, 0 in progress, 1 completed."
        )
        assert kept(registry) == [("e", "completed")]
        assert (await ask(registry, writing())).text == "Updated todo list: 0 pending, 0 in progress, 0 completed."
        assert kept(registry) == []


async def test_several_in_progress_are_as_the_config_says() -> None:
    """F010: to the letter."""
    call = writing(("a", "in_progress"), ("b", "in_progress"), ("c", "in_progress"))
    async with open_registry(plugins=[ONE]) as registry:
        refused = await ask(registry, call)
        assert refused.text == "Error: invalid todos: at most one task may be in_progress (got 3)"
        assert (refused.code, kept(registry)) == ("TODO_INVALID", [])
    async with open_registry(plugins=[SEVERAL]) as registry:
        assert (await ask(registry, call)).text == "Updated todo list: 0 pending, 3 in progress, 0 completed."


@pytest.mark.parametrize(
    ("todos", "problem"),
    [
        ([(" \t\n", "pending")], "todos[0].content must be a non-empty string"),
        ([("", "pending")], "todos[0].content must be a non-empty string"),
        ([("a", "pending"), ("b", "pending"), (" a ", "completed")], "todos[2].content must be unique: todos[0] has"),
        ([("a" * (MAX_TASK_CHARS + 1), "pending")], f"at most {MAX_TASK_CHARS} characters (got {MAX_TASK_CHARS + 1})"),
        ([(str(one), "pending") for one in range(MAX_TASKS + 1)], f"at most {MAX_TASKS} tasks are kept"),
        ([(" ", "in_progress"), ("a", "in_progress")], "non-empty string; at most one task may be in_progress (got 2)"),
        (
            [(" ", "pending")] * (MAX_PROBLEMS + 5),
            f"todos[{MAX_PROBLEMS - 1}].content must be a non-empty string; and 5",
        ),
    ],
)
async def test_what_makes_no_list_is_told_and_the_old_list_stays(todos: list[tuple[str, str]], problem: str) -> None:
    """F010: all that is wrong at once."""
    async with open_registry(plugins=[ONE]) as registry:
        await ask(registry, writing(("old", "pending")))
        refused = await ask(registry, writing(*todos))
        assert refused.text.startswith("Error: invalid todos: ")
        assert problem in refused.text
        assert (refused.code, kept(registry)) == ("TODO_INVALID", [("old", "pending")])


async def test_the_largest_list_is_kept() -> None:
    """F010: at its bounds, and not one less."""
    todos = [(f"{one:>{MAX_TASK_CHARS}}".replace(" ", "x"), "pending") for one in range(MAX_TASKS)]
    async with open_registry(plugins=[ONE]) as registry:
        assert not (await ask(registry, writing(*todos))).is_error
        assert kept(registry) == todos


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"content": "a", "status": "pending", "id": 1}, 'unknown property "todos[0].id"'),
        ({"content": "a", "status": "done"}, '"todos[0].status" must be one of'),
        ({"content": "a", "status": "Pending"}, '"todos[0].status" must be one of'),
        ({"content": 1, "status": "pending"}, '"todos[0].content" must be a string'),
        ({"content": "a"}, '"todos[0].status"'),
        ({"status": "pending"}, '"todos[0].content"'),
    ],
)
async def test_an_item_of_another_shape_is_refused_at_intake(item: dict[str, object], problem: str) -> None:
    """F010, R117: unknown keys too."""
    async with open_registry(plugins=[ONE]) as registry:
        refused = await ask(registry, writing(item))
        assert problem in refused.text
        assert (refused.code, refused.dispatched, kept(registry)) == ("INVALID_ARGS", False, [])


async def test_without_a_session_there_is_no_list() -> None:
    """F010: to the letter, before anything is looked at."""
    async with open_registry(plugins=[ONE]) as registry:
        for call in (writing(("a", "pending")), writing(("", "pending"))):
            refused = await ask(registry, call, session=None)
            assert refused.text == "Error: todo_write requires an owning agent session"
            assert refused.code == "TODO_NO_SESSION"


async def test_each_session_has_its_own_list() -> None:
    """F010: the same id of another owner is another session."""
    async with open_registry(plugins=[ONE]) as registry:
        await ask(registry, writing(("a", "pending")), ADA)
        await ask(registry, writing(("b", "pending")), BOB)
        assert (kept(registry, ADA), kept(registry, BOB)) == ([("a", "pending")], [("b", "pending")])
        assert kept(registry, Session("s")) == []


async def test_a_call_that_a_tool_makes_writes_the_list_of_its_session() -> None:
    """F010, R103: a sub-task has no list of its own."""

    @tool
    async def plan(ctx: ToolContext) -> str:
        return (await ctx.execute(writing(("a", "pending")), scope=trio.CancelScope())).text

    async with open_registry(plugins=[ONE]) as registry:
        registry.register(plan)
        await ask(registry, ToolCall("plan"))
        assert kept(registry) == [("a", "pending")]


async def test_of_several_in_a_turn_the_last_one_stands() -> None:
    """F010, L022: they are carried out one after the other, in call order."""
    heard: list[list[tuple[str, str]]] = []
    async with open_registry(plugins=[ONE]) as registry:

        async def slow_at_first(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
            for _ in range(0 if dispatch.id == "9" else 5):
                await trio.lowlevel.checkpoint()
            result = await call_next()
            heard.append(kept(registry))
            return result

        registry.add_wrapper(slow_at_first)
        calls = [writing((str(one), "pending"), call_id=str(one)) for one in range(10)]
        await registry.execute_turn(calls, scope=trio.CancelScope(), session=ADA)
        assert heard == [[(str(one), "pending")] for one in range(10)]


async def test_who_listens_reads_the_list_that_was_just_written() -> None:
    """F010: as an embedder shows it, by an observer of the registry."""
    seen: list[tuple[Todo, ...]] = []
    async with open_registry(plugins=[ONE]) as registry:
        lists = registry.require(TodoLists)

        def show(call: SettledView, result: ToolResult) -> None:
            if call.name == "todo_write" and call.session is not None and not result.is_error:
                seen.append(lists.of(call.session))

        registry.add_observer(show)
        await ask(registry, writing((" a", "pending")))
        await ask(registry, writing(("", "pending")))
    assert seen == [(Todo("a", "pending"),)]


async def test_the_session_that_wrote_longest_ago_is_forgotten_first() -> None:
    """F010: memory is bounded; an empty list takes no place."""
    plugin = todo(TodoConfig(several_in_progress=False, max_sessions=2))
    async with open_registry(plugins=[plugin]) as registry:
        for name in ("a", "b", "a"):
            await ask(registry, writing((name, "pending")), Session(name))
        await ask(registry, writing(), Session("empty"))
        await ask(registry, writing(("c", "pending")), Session("c"))
        await ask(registry, writing(("", "pending")), Session("refused"))
        assert [kept(registry, Session(name)) for name in ("a", "b", "c")] == [
            [("a", "pending")],
            [],
            [("c", "pending")],
        ]


def test_a_program_may_put_a_list_back() -> None:
    """F010: by the same rules, such as after a restart."""
    lists = TodoLists(several_in_progress=False, max_sessions=1)
    assert lists.replace(ADA, [Todo(" a ", "pending")]) == lists.of(ADA) == (Todo("a", "pending"),)
    with pytest.raises(ToolError, match=r"at most one task may be in_progress \(got 2\)"):
        lists.replace(ADA, [Todo("a", "in_progress"), Todo("b", "in_progress")])
    with pytest.raises(ValueError, match="status"):
        Todo("a", "doing")  # type: ignore[arg-type]  # the mistake
    assert lists.of(ADA) == (Todo("a", "pending"),)


def test_a_call_that_is_ended_anywhere_has_written_all_or_nothing() -> None:
    """F010, M017: at each step, in every way; and where it has written, its result says so."""
    opened: list[TodoLists] = []

    @plugin("watching", config=NoConfig, requires=["todo"])
    @asynccontextmanager
    async def watching(registry: Registry, _: NoConfig) -> AsyncGenerator[None]:
        opened.append(registry.require(TodoLists))
        yield

    wholes = [(), (Todo("a", "pending"),), (Todo("b", "completed"),)]
    kept: set[tuple[Todo, ...]] = set()

    def check(run: Run) -> None:
        kept.add(opened[-1].of(ADA))
        told = [place for place, result in enumerate(run.published, 1) if "Updated todo list" in result.text]
        assert opened[-1].of(ADA) == wholes[max(told, default=0)]

    calls = [writing(("a", "pending"), call_id="1"), writing(("b", "completed"), call_id="2")]
    report = explore_turn([], calls, plugins=[ONE, watching], session=ADA, check=check, runs=10_000, seeds=1)
    assert (report.untried, report.failures, report.virtual) == (0, (), True)
    assert [result.code for result in report.undisturbed] == [None, None]
    assert kept == set(wholes)


async def test_a_success_that_comes_under_a_cancel_says_what_was_written() -> None:
    """F010, R049: the list was replaced, so an abort does not hide it."""
    scope = trio.CancelScope()
    async with open_registry(plugins=[ONE]) as registry:

        async def cancel_after(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
            result = await call_next()
            scope.cancel()
            return result

        registry.add_wrapper(cancel_after)
        result = await registry.execute(writing(("a", "pending")), scope=scope, session=ADA)
        assert (result.code, result.dispatched) == ("ABORTED", True)
        assert "Updated todo list: 1 pending" in result.text
        assert kept(registry) == [("a", "pending")]


async def test_a_call_that_was_cancelled_before_has_written_nothing() -> None:
    """F010, R009."""
    scope = trio.CancelScope()
    scope.cancel()
    async with open_registry(plugins=[ONE]) as registry:
        result = await registry.execute(writing(("a", "pending")), scope=scope, session=ADA)
        assert (result.code, kept(registry)) == ("ABORTED_BEFORE_DISPATCH", [])
