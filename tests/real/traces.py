"""Prints, for each mode, how many different traces 100 runs of the same case have: 1, if runs can be repeated.

A program, for whichever Python; its arguments are modes.
"""

from __future__ import annotations

import sys

import trio

from trio_tools.testing import Mode
from trio_tools.testing._case import Case
from trio_tools.testing._exploration import Exploration
from trio_tools.testing._explore import plan_of
from trio_tools.testing._limits import Limits
from trio_tools.testing._scheduling import order_that_can_be_fixed
from trio_tools.testing._surroundings import ctrl_c_is_trios, garbage_waits, private_surroundings
from trio_tools.tool import ToolContext, tool
from trio_tools.values import ToolCall

RUNS = 100
STEP = 8  # in the middle: its tasks are all there


@tool
async def crowded(ctx: ToolContext) -> list[int]:
    """Work of several tasks that meet at the same instants."""
    order: list[int] = []

    async def worker(number: int) -> None:
        for _ in range(2):
            await trio.sleep(1)
            ctx.report_progress(number)
        order.append(number)

    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(worker, number)
    return order


def distinct_traces(mode: Mode, seed: int) -> int:
    """How many different traces the same case has."""
    calls = (ToolCall("crowded", {}),)
    with private_surroundings() as surroundings, ctrl_c_is_trios(), order_that_can_be_fixed(), garbage_waits():
        plan = plan_of(tools=(crowded,), calls=calls, surroundings=surroundings)
        exploration = Exploration(plan, "crowded", Limits(bound=3, seconds=60))
        traces = {tuple(exploration.traced(Case(mode, STEP, seed)).trace) for _ in range(RUNS)}
    assert all(len(trace) > STEP for trace in traces)
    return len(traces)


if __name__ == "__main__":
    for mode in map(Mode, sys.argv[1:]):
        print(mode, distinct_traces(mode, seed=0))
