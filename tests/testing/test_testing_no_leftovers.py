"""Blocks that may leave nothing behind."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from types import FrameType

import attrs
import pytest
import trio
import trio.testing

from trio_tools.testing import LeftoversError, no_leftovers
from trio_tools.testing._outside import busy_threads


@pytest.fixture(autouse=True, scope="module")
def what_others_hold_is_not_looked_through() -> Iterator[None]:
    """By the collector, each time that something is left: in the whole suite that is half a million objects."""
    gc.freeze()
    yield
    gc.unfreeze()


def left_by(leave: Callable[[], object], *watched: object) -> list[str]:
    with pytest.raises(LeftoversError) as caught, no_leftovers(*watched):
        leave()
    assert str(caught.value) == "left behind: " + "; ".join(one.words for one in caught.value.leftovers)
    return [one.kind for one in caught.value.leftovers]


def test_a_block_that_leaves_nothing_passes_in_every_form() -> None:
    async def sleep_inside() -> None:
        with no_leftovers():
            await trio.lowlevel.checkpoint()
        async with no_leftovers():
            await trio.lowlevel.checkpoint()

    with no_leftovers():
        trio.run(sleep_inside)


def test_a_block_that_leaves_something_fails_and_says_what() -> None:
    limiter, opened = trio.CapacityLimiter(1), list[int]()
    assert left_by(lambda: opened.append(os.open(os.devnull, os.O_RDONLY))) == ["descriptors"]
    os.close(opened.pop())
    assert left_by(tempfile.mkdtemp) == ["files"]
    assert left_by(lambda: limiter.acquire_on_behalf_of_nowait("somebody"), [limiter]) == ["permits"]
    limiter.release_on_behalf_of("somebody")
    assert left_by(lambda: (tempfile.mkdtemp(), tempfile.mkdtemp())) == ["files", "files"]


async def test_a_task_that_is_left_is_told_of_and_not_cancelled() -> None:
    async def leave(nursery: trio.Nursery) -> None:
        async with no_leftovers():
            nursery.start_soon(trio.sleep_forever)
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        with pytest.raises(LeftoversError, match=r"left behind: the task trio\.sleep_forever, at "):
            await leave(nursery)
        (task,) = nursery.child_tasks
        assert task.coro.cr_frame is not None
        nursery.cancel_scope.cancel()


def work_and_be_held_up(until: threading.Event) -> None:
    """Work for a thread of Trio's, which is then held up, after it has told the loop and before it is idle again: as on
    a busy machine, where others run first."""

    def hold_up(frame: FrameType, event: str, argument: object) -> None:
        if event == "return" and frame.f_code.co_name == "run_sync_soon":
            sys.setprofile(None)
            until.wait()

    sys.setprofile(hold_up)


async def test_a_thread_that_is_done_and_not_back_yet_is_not_left() -> None:
    """Whoever waited for its work has gone on."""
    goes_on = threading.Event()
    try:
        async with no_leftovers():
            await trio.to_thread.run_sync(work_and_be_held_up, goes_on)
    finally:
        goes_on.set()


async def test_a_thread_that_is_not_back_yet_and_was_given_more_work_is_told_of() -> None:
    """Trio gives it to the thread that was done last."""
    goes_on = threading.Event()

    async def leave() -> None:
        async with no_leftovers():
            await trio.to_thread.run_sync(work_and_be_held_up, goes_on)
            with trio.CancelScope() as scope:
                trio.lowlevel.current_trio_token().run_sync_soon(scope.cancel)
                await trio.to_thread.run_sync(goes_on.wait, abandon_on_cancel=True)

    try:
        with pytest.raises(LeftoversError, match="left behind: the thread "):
            await leave()
    finally:
        goes_on.set()


async def test_a_thread_that_was_left_at_its_work_is_told_of() -> None:
    begun, end = trio.Event(), threading.Event()

    def work() -> None:
        trio.from_thread.run_sync(begun.set)
        end.wait()

    async def leave() -> None:
        async with no_leftovers(), trio.open_nursery() as nursery:
            nursery.start_soon(lambda: trio.to_thread.run_sync(work, abandon_on_cancel=True, thread_name="left"))
            await begun.wait()
            nursery.cancel_scope.cancel()

    try:
        with pytest.raises(LeftoversError, match="left behind: the thread left"):
            await leave()
    finally:
        end.set()


async def test_a_thread_that_had_other_work_before_is_told_of(nursery: trio.Nursery) -> None:
    """Trio's threads are everybody's: one that somebody else had at work is given the block's own work next."""
    others, end, threads = threading.Event(), threading.Event(), list[int]()

    async def work(until: threading.Event, begun: trio.Event) -> None:
        def wait() -> None:
            threads.append(threading.get_ident())
            trio.from_thread.run_sync(begun.set)
            until.wait()

        await trio.to_thread.run_sync(wait, abandon_on_cancel=True, thread_name="shared")

    async def leave() -> None:
        async with no_leftovers():
            others.set()
            while nursery.child_tasks:
                await trio.lowlevel.checkpoint()
            async with trio.open_nursery() as own:
                begun = trio.Event()
                own.start_soon(work, end, begun)
                await begun.wait()
                own.cancel_scope.cancel()

    while busy_threads(frozenset()):  # of an earlier test: it would be the last that came back
        await trio.lowlevel.checkpoint()
    begun = trio.Event()
    nursery.start_soon(work, others, begun)
    await begun.wait()
    try:
        with pytest.raises(LeftoversError, match="left behind: the thread shared"):
            await leave()
        assert len(threads) == 2
        assert len({*threads}) == 1
    finally:
        end.set()


async def test_a_thread_that_is_at_work_for_others_all_the_time_is_not_left(nursery: trio.Nursery) -> None:
    end = threading.Event()
    nursery.start_soon(lambda: trio.to_thread.run_sync(end.wait))
    await trio.testing.wait_all_tasks_blocked()
    async with no_leftovers():
        await trio.to_thread.run_sync(int)
    end.set()


@attrs.define(eq=False, weakref_slot=False)
class NoReference:
    def __call__(self, outcome: object) -> None: ...


@attrs.define
class NoHash(NoReference): ...


@pytest.mark.parametrize("teller", [NoReference(), NoHash()])
def test_work_whose_teller_cannot_be_referred_to_is_its_threads(teller: NoReference) -> None:
    """It is not known from the thread's next work."""
    end = threading.Event()
    trio.lowlevel.start_thread_soon(end.wait, teller)
    try:
        with no_leftovers():
            pass
    finally:
        end.set()


def test_what_calls_for_a_look_at_threads_is_not_held_by_it() -> None:
    """By a frame that holds itself, until garbage is collected."""

    def look() -> weakref.ref[object]:
        mine = threading.Event()
        with no_leftovers():
            pass
        return weakref.ref(mine)

    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    gc.disable()
    try:
        assert look()() is None
    finally:
        gc.enable()
        end.set()
        thread.join()


def test_what_the_block_raises_goes_on_with_a_note() -> None:
    def leave_and_raise() -> None:
        with no_leftovers():
            tempfile.mkdtemp()
            raise KeyError("own")

    with pytest.raises(KeyError) as caught:
        leave_and_raise()
    assert [note.startswith("left behind: the temporary file ") for note in caught.value.__notes__] == [True]


def test_a_block_serves_once() -> None:
    block = no_leftovers()
    with block:
        pass
    with pytest.raises(RuntimeError, match=r"no_leftovers\(\) serves one block: make a new one"), block:
        pass


def test_blocks_nest_and_the_inner_one_tells_the_outer_nothing() -> None:
    before = tempfile.gettempdir()
    with no_leftovers():
        outer = tempfile.gettempdir()
        left_by(tempfile.mkdtemp)
        assert tempfile.gettempdir() == outer != before
    assert tempfile.gettempdir() == before
