"""The order of tasks follows from a seed, by two names that are Trio's own: when it moves them, these tests say so."""

from __future__ import annotations

import random

import pytest
import trio
from trio._core import _run

from trio_tools.testing import explore_cancellation
from trio_tools.testing._scheduling import order_that_can_be_fixed, seed_order

# Orders that are drawn: far more than a coin shows by chance.
DRAWN = 20


def order() -> tuple[int, ...]:
    """In which order eight tasks run that start at the same time."""
    ran: list[int] = []

    async def run(number: int) -> None:
        ran.append(number)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(run, number)

    trio.run(main)
    return tuple(ran)


def seeded_order(seed: int) -> tuple[int, ...]:
    seed_order(seed)
    return order()


def test_trio_has_not_moved_the_names_that_fix_its_order() -> None:
    """Loudly: an assignment to a name that is not there would go unnoticed."""
    assert isinstance(_run._ALLOW_DETERMINISTIC_SCHEDULING, bool)
    assert isinstance(_run._r, random.Random)
    with order_that_can_be_fixed():
        assert [seeded_order(seed) for seed in range(DRAWN)] == [seeded_order(seed) for seed in range(DRAWN)]
        assert len({seeded_order(seed) for seed in range(DRAWN)}) > DRAWN / 2


def test_the_random_module_follows_too() -> None:
    with order_that_can_be_fixed():
        seed_order(5)
        first = random.random()
        seed_order(5)
        assert random.random() == first


@pytest.mark.parametrize(
    ("where", "name"), [(_run, "_ALLOW_DETERMINISTIC_SCHEDULING"), (_run, "_r"), (_run.Task, "_attempt_abort")]
)
def test_without_these_names_it_is_refused_plainly(where: object, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(where, name)
    with pytest.raises(RuntimeError, match="has no order of tasks that can be fixed"):
        explore_cancellation(trio.sleep_forever)


def test_everything_is_as_it_was_afterwards_also_after_an_exception() -> None:
    before = _run._ALLOW_DETERMINISTIC_SCHEDULING, _run._r.getstate(), random.getstate()

    def break_off() -> None:
        with order_that_can_be_fixed():
            seed_order(1)
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert (_run._ALLOW_DETERMINISTIC_SCHEDULING, _run._r.getstate(), random.getstate()) == before
