"""`deadline`: a capability's own time limit, told apart from everybody else's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf, nan

import pytest
import trio
from around_tools import later, rest, run, shield
from trio.testing import MockClock

from trio_tools import Cause, ErrorCode, deadline, tool


@pytest.mark.parametrize("seconds", [0, -1, inf, nan, True, pytest.param(10**400, id="1e400")])
def test_a_limit_is_a_positive_finite_number_of_seconds(seconds: float) -> None:
    """T001, T002, T004, TT7: no number means "no limit"; what wants none opens none."""
    with pytest.raises(ValueError, match="seconds must be a positive finite number of seconds"):
        deadline(seconds)


async def test_a_limit_has_no_largest_value(autojump_clock: MockClock) -> None:
    """T002: a Node limit, which is not ours; 25 days and more."""
    with deadline(2147483.648) as limit:
        await trio.sleep(2)
    with deadline(1e12) as huge:
        await trio.sleep(2)
    assert (limit.expired, huge.expired) == (False, False)


async def test_its_own_time_ends_the_block_and_it_says_so(autojump_clock: MockClock) -> None:
    """T003, T010: quietly, and only once the block has cleaned up."""
    reached: list[str] = []
    with deadline(1) as limit:
        assert not limit.expired
        try:
            await trio.sleep_forever()
        finally:
            await rest(2)
            reached.append("cleaned")
    assert (limit.expired, reached, trio.current_time()) == (True, ["cleaned"], 3)


async def test_a_block_that_ends_in_time_is_not_expired_ever(autojump_clock: MockClock) -> None:
    """T005: leaving it is the end of it."""
    with deadline(1) as limit:
        await trio.sleep(0.5)
    await trio.sleep(9)
    assert (limit.expired, trio.current_time()) == (False, 9.5)


async def test_an_enclosing_scope_ends_the_block_too_and_goes_on(autojump_clock: MockClock) -> None:
    """T003, T008: its deadline is not mine."""
    limit = deadline(2)
    with trio.move_on_after(1) as outer:
        with limit:
            await trio.sleep_forever()
        raise AssertionError("the cancellation went no further")
    assert (outer.cancelled_caught, limit.expired, trio.current_time()) == (True, False, 1)


async def plainly(seconds: float) -> None:
    """Clean up for so long when cut."""
    try:
        await trio.sleep_forever()
    finally:
        await rest(seconds)


async def with_children(seconds: float) -> None:
    """The same in child tasks: what comes out is a group."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(plainly, seconds)
        nursery.start_soon(trio.sleep_forever)


async def swallowing(seconds: float) -> None:
    """The same, and carry on as if nothing had been."""
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        await rest(seconds)


BLOCKS = [plainly, with_children, swallowing]


@pytest.mark.parametrize(
    ("block", "explicit"),
    [
        *((block, False) for block in BLOCKS),
        # a block that swallows a cancel by hand of a scope that is not the call's leaves nothing to tell it by
        (plainly, True),
        (with_children, True),
    ],
)
async def test_a_limit_that_passes_while_the_block_cleans_up_after_another_cancel(
    autojump_clock: MockClock, block: Callable[[float], Awaitable[None]], explicit: bool
) -> None:
    """T006, TT1: the first cause stays, be it a deadline or a cancel by hand, however the block ends."""
    limit = deadline(2)
    async with trio.open_nursery() as nursery:
        with trio.CancelScope(deadline=inf if explicit else 1) as outer:
            if explicit:
                nursery.start_soon(later, 1, outer.cancel)
            with limit:
                await block(5)
    assert (limit.expired, trio.current_time()) == (False, 6)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("explicit", [False, True])
async def test_another_cancel_that_comes_while_the_block_cleans_up_after_the_limit(
    autojump_clock: MockClock, block: Callable[[float], Awaitable[None]], explicit: bool
) -> None:
    """T006, TT1: the same in the other order."""
    limit = deadline(1)
    async with trio.open_nursery() as nursery:
        with trio.CancelScope(deadline=inf if explicit else 2) as outer:
            if explicit:
                nursery.start_soon(later, 2, outer.cancel)
            with limit:
                await block(5)
    assert (limit.expired, trio.current_time()) == (True, 6)


async def test_cancelled_already_ends_at_once_and_is_no_timeout(autojump_clock: MockClock) -> None:
    """T007."""
    limit = deadline(1)
    with trio.CancelScope() as outer:
        outer.cancel()
        with limit:
            await trio.sleep_forever()
    assert (limit.expired, trio.current_time()) == (False, 0)


async def test_cancelled_already_stays_no_timeout_when_the_time_passes_in_the_block(autojump_clock: MockClock) -> None:
    """T007, T006."""
    limit = deadline(1)
    with trio.CancelScope() as outer:
        outer.cancel()
        with limit:
            await rest(3)
    assert not limit.expired


async def test_of_two_limits_the_earlier_one_owns(autojump_clock: MockClock) -> None:
    """T008, TT2: of equal ones the outer."""
    expired: list[tuple[bool, bool]] = []
    for outer_seconds, inner_seconds in [(1, 2), (2, 1), (1, 1)]:
        with deadline(outer_seconds) as outer, deadline(inner_seconds) as inner:
            await plainly(0.5)
        expired.append((outer.expired, inner.expired))
    assert expired == [(True, False), (False, True), (True, False)]


async def test_an_inner_limit_that_has_expired_leaves_the_outer_one_its_time(autojump_clock: MockClock) -> None:
    """T008: code after the inner block goes on, until the outer time is over."""
    with deadline(3) as outer:
        with deadline(1) as inner:
            await trio.sleep_forever()
        assert inner.expired
        await trio.sleep(1)
        assert trio.current_time() == 2
        await trio.sleep_forever()
    assert (outer.expired, trio.current_time()) == (True, 3)


async def fail_after_a_rest() -> None:
    await rest(2)
    raise LookupError


async def test_an_exception_of_the_block_passes(autojump_clock: MockClock) -> None:
    """T003, T010: whether the time was over or not; the flag is true all the same."""
    with pytest.raises(LookupError), deadline(1) as early:
        raise LookupError
    with pytest.raises(LookupError), deadline(1) as late:
        await fail_after_a_rest()
    assert (early.expired, late.expired) == (False, True)


async def test_time_that_passes_without_a_checkpoint_counts(mock_clock: MockClock) -> None:
    """T003, D6: by time, whether or not Trio has processed it."""
    with deadline(1) as limit:
        mock_clock.jump(1)
    assert limit.expired


async def test_a_limit_can_be_renewed(autojump_clock: MockClock) -> None:
    """T009, TT8: each renewal gives the whole time anew, until it has run out."""
    with deadline(2) as limit:
        for _ in range(3):
            await trio.sleep(1.5)
            limit.renew()
        try:
            await trio.sleep_forever()
        finally:
            limit.renew()
            await rest(1)
            limit.renew()
    assert (limit.expired, trio.current_time()) == (True, 7.5)


async def test_a_limit_that_is_renewed_from_another_task(autojump_clock: MockClock) -> None:
    """T009, TT8."""
    async with trio.open_nursery() as nursery:
        with deadline(2) as limit:
            nursery.start_soon(later, 1, limit.renew)
            await trio.sleep_forever()
    assert (limit.expired, trio.current_time()) == (True, 3)


async def test_renewing_after_the_block_does_nothing(autojump_clock: MockClock) -> None:
    """T005, T009."""
    with deadline(2) as limit:
        pass
    limit.renew()
    await trio.sleep(5)
    assert not limit.expired


async def test_a_renewed_limit_whose_outer_deadline_passes_first(autojump_clock: MockClock) -> None:
    """T008, T009: it was earlier than the outer one at first, and is later now."""
    with trio.move_on_after(3), deadline(2) as limit:
        await trio.sleep(1.5)
        limit.renew()
        await plainly(5)
    assert (limit.expired, trio.current_time()) == (False, 8)


# in which order the three fall due; all do before the cleanup is over
ORDERS = {
    ("own", "budget", "caller"): ErrorCode.TOOL_TIMEOUT,
    ("own", "caller", "budget"): ErrorCode.ABORTED,
    ("budget", "own", "caller"): ErrorCode.TOOL_TIMEOUT,
    ("budget", "caller", "own"): ErrorCode.TOOL_TIMEOUT,
    ("caller", "own", "budget"): ErrorCode.ABORTED,
    ("caller", "budget", "own"): ErrorCode.ABORTED,
}


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
async def test_in_a_tool_it_is_told_apart_from_budget_and_caller(
    autojump_clock: MockClock, order: tuple[str, str, str]
) -> None:
    """T003, T006, T008, D5: the limit is its own only if it was first; what it ends is not the whole call."""
    flags: list[bool] = []

    @tool(timeout=1 + order.index("budget"))
    async def command() -> None:
        limit = deadline(1 + order.index("own"))
        try:
            with limit:
                await plainly(9)
        finally:
            flags.append(limit.expired)

    result = await run(command, cancel_at=1 + order.index("caller"))
    assert (flags, result.code) == ([order[0] == "own"], ORDERS[order])


async def test_a_wrappers_shield_does_not_hide_who_came_first(autojump_clock: MockClock) -> None:
    """T006, RT3: the caller's cancel reaches the body through a private scope, whose time is known."""
    flags: list[bool] = []

    @tool
    async def command() -> None:
        limit = deadline(2)
        try:
            with limit:
                await plainly(5)
        finally:
            flags.append(limit.expired)

    result = await run(command, shield, cancel_at=1)
    assert (flags, result.code, result.cause) == ([False], ErrorCode.ABORTED, Cause.CALLER)
