"""The stage that contracts are proved on: which steps are struck, and what is left once it has had its time to rest."""

from __future__ import annotations

import pytest
import trio

from trio_tools.testing.contracts._stage import Act, Stage, Strike, ctrl_c


async def is_soon_over() -> None:
    """There at a first look, and not for long."""
    for _ in range(3):
        await trio.lowlevel.checkpoint()


async def leaves_what_is_soon_over() -> None:
    """Takes one step, in which it ends."""
    trio.lowlevel.spawn_system_task(is_soon_over)


async def cannot_be_interrupted() -> None:
    """Takes two steps. A Ctrl-C after the first has to wait until it is over."""
    await trio.lowlevel.cancel_shielded_checkpoint()
    trio.lowlevel.spawn_system_task(is_soon_over)


async def presses_ctrl_c() -> None:
    ctrl_c()


async def leaves_somebody_at_the_keyboard() -> None:
    trio.lowlevel.spawn_system_task(presses_ctrl_c)


@pytest.fixture
def stage() -> Stage:
    """One on the real clock, where what is left may come to rest."""
    stage = Stage()
    stage.virtual = False
    return stage


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_step_in_which_all_ends_and_those_of_looking_are_not_struck(stage: Stage, step: int) -> None:
    """A Ctrl-C then would reach who looks, and cut the time short in which what is left comes to rest."""
    take, _ = stage.take(lambda: Act(main=leaves_what_is_soon_over, state=None, strike=Strike(step, ctrl_c)))
    assert (take.steps, take.struck, take.raised, take.left) == (0, False, None, [])


def test_a_ctrl_c_that_is_heard_only_when_all_is_over_comes_out_and_what_is_left_has_its_time_to_rest(
    stage: Stage,
) -> None:
    take, _ = stage.take(lambda: Act(main=cannot_be_interrupted, state=None, strike=Strike(1, ctrl_c)))
    assert (take.steps, take.struck, take.left) == (1, True, [])
    assert isinstance(take.raised, KeyboardInterrupt)


def test_a_persons_ctrl_c_while_what_is_left_comes_to_rest_ends_everything(stage: Stage) -> None:
    with pytest.raises(KeyboardInterrupt):
        stage.take(lambda: Act(main=leaves_somebody_at_the_keyboard, state=None))
