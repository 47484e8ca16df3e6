"""How the end of a call is taken: whose shield it is, what came by way of a nursery, what only lets others run."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, aclosing, suppress
from types import TracebackType

import anyio
import pytest
import trio

from trio_tools import ToolContext, deadline
from trio_tools.testing import BrokenPromiseError, explore_cancellation
from trio_tools.tool import Body


def found_in(body: Body) -> set[str]:
    try:
        explore_cancellation(body)
    except BrokenPromiseError as broken:
        return {finding.check for failure in broken.report.failures for finding in failure.findings}
    return set()


# --- shields ----------------------------------------------------------------------------------------------------------


async def waits_for_a_condition_whose_lock_is_held() -> None:
    """`Condition.wait` takes its lock again in a shield of Trio's own."""
    condition, ready = trio.Condition(), list[int]()

    async def wait() -> None:
        async with condition:
            while not ready:
                await condition.wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(1)
        async with condition:
            ready.append(1)
            condition.notify_all()
            await trio.sleep(1)


async def waits_for_a_condition_of_anyios() -> None:
    condition, ready = anyio.Condition(), list[int]()

    async def wait() -> None:
        async with condition:
            while not ready:
                await condition.wait()

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await anyio.sleep(1)
        async with condition:
            ready.append(1)
            condition.notify_all()
            await anyio.sleep(1)


async def bounds_the_block_in_a_shield() -> None:
    with trio.CancelScope(shield=True):
        with trio.fail_after(5):
            await trio.sleep(1)
        with deadline(5):
            await trio.sleep(1)
        with anyio.move_on_after(5):
            await anyio.sleep(1)


async def shields_with_a_bound_and_works_in_a_nursery() -> None:
    with trio.move_on_after(20, shield=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 1)
            nursery.start_soon(trio.sleep, 2)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 9)
            await trio.sleep(1)
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    "body",
    [
        waits_for_a_condition_whose_lock_is_held,
        waits_for_a_condition_of_anyios,
        bounds_the_block_in_a_shield,
        shields_with_a_bound_and_works_in_a_nursery,
    ],
)
def test_shields_with_a_bound_and_those_of_libraries_are_no_fault(body: Body) -> None:
    assert found_in(body) == set()


async def shield_round_a_sleep() -> None:
    """What it waits for has a deadline; the shield has none."""
    try:
        await trio.sleep(1)
    finally:
        with trio.CancelScope(shield=True):
            await trio.sleep(1)


async def shield_in_a_stack() -> None:
    with ExitStack() as stack:
        stack.enter_context(trio.CancelScope(shield=True))
        await trio.sleep(1)


async def shield_of_anyios() -> None:
    with anyio.CancelScope(shield=True):
        await anyio.sleep(1)


async def shield_round_a_nursery() -> None:
    try:
        await trio.sleep(1)
    finally:
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep, 1)


async def shield_in_a_generator() -> None:
    async def numbers() -> AsyncGenerator[int]:
        with trio.CancelScope(shield=True):
            await trio.sleep(1)
        yield 1

    async with aclosing(numbers()) as some:
        async for _ in some:
            await trio.sleep(1)


@pytest.mark.parametrize(
    "body",
    [shield_round_a_sleep, shield_in_a_stack, shield_of_anyios, shield_round_a_nursery, shield_in_a_generator],
)
def test_a_shield_without_a_bound_is_found_wherever_it_was_entered(body: Body) -> None:
    assert found_in(body) == {"shields"}


# --- swallowed --------------------------------------------------------------------------------------------------------


async def swallows_what_a_nursery_raises() -> str:
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 1)
            nursery.start_soon(trio.sleep, 2)
    except* trio.Cancelled:
        pass
    return "done"


async def child_tasks_swallow() -> list[str]:
    answers: list[str] = []

    async def ask() -> None:
        try:
            await trio.sleep(1)
            answers.append("answer")
        except BaseException as error:
            answers.append(type(error).__name__)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        nursery.start_soon(ask)
    return answers


async def tries_again_with_a_nursery() -> str:
    for _ in range(2):
        with suppress(BaseException):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep, 1)
            return "done"
    return "given up"


@pytest.mark.parametrize("body", [swallows_what_a_nursery_raises, child_tasks_swallow, tries_again_with_a_nursery])
def test_a_cancel_that_came_by_way_of_child_tasks_is_found_if_it_is_swallowed(body: Body) -> None:
    assert found_in(body) == {"swallows"}


async def child_tasks_finish_in_shields() -> str:
    """Nothing was cut, so nothing was swallowed, although every sleep ends at the instant of another's."""

    async def commit() -> None:
        with trio.move_on_after(20, shield=True):
            for _ in range(3):
                await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(commit)
        nursery.start_soon(commit)
    return "committed"


async def makes_effects_in_child_tasks(ctx: ToolContext) -> str:
    async def pay() -> None:
        await trio.sleep(1)

    async def one(number: int) -> None:
        await trio.sleep(number)
        await ctx.irreversible(f"pay {number}", pay)

    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(one, number)
    return "paid"


async def child_swallows_and_the_body_does_not() -> str:
    async def one() -> None:
        with suppress(trio.Cancelled):
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(one)
        await trio.sleep(2)
    return "done"


async def own_scopes_are_cancelled() -> str:
    """By a racing task, by a limit, by hand."""
    async with trio.open_nursery() as nursery:

        async def race(seconds: float) -> None:
            await trio.sleep(seconds)
            nursery.cancel_scope.cancel()

        for seconds in (1, 2, 2):
            nursery.start_soon(race, seconds)
    with trio.move_on_after(1):
        await trio.sleep(2)
    return "done"


@pytest.mark.parametrize(
    "body",
    [
        child_tasks_finish_in_shields,
        makes_effects_in_child_tasks,
        child_swallows_and_the_body_does_not,
        own_scopes_are_cancelled,
    ],
)
def test_what_swallows_no_cancel_of_the_calls_is_no_fault(body: Body) -> None:
    assert found_in(body) == set()


# --- cut again --------------------------------------------------------------------------------------------------------


class Connection:
    async def __aenter__(self) -> Connection:
        await trio.sleep(1)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await trio.lowlevel.checkpoint()  # as Trio's own ways of closing do


async def leaves_with_a_checkpoint() -> None:
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(Connection())
        await trio.sleep(1)


async def closes_channels_on_its_way_out() -> None:
    send, receive = trio.open_memory_channel[int](0)
    async with send, receive:
        await receive.receive()


def test_closing_that_only_lets_others_run_is_no_fault() -> None:
    assert found_in(leaves_with_a_checkpoint) == set()
    assert found_in(closes_channels_on_its_way_out) == set()


async def sends_on_its_way_out() -> None:
    send, receive = trio.open_memory_channel[str](1)
    async with send, receive:
        try:
            await trio.sleep(1)
        finally:
            await send.send("ended")


def test_an_unshielded_await_on_the_way_out_is_found() -> None:
    assert found_in(sends_on_its_way_out) == {"unwinding"}
