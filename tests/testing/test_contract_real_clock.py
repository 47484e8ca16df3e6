"""Contracts of things that use threads: they are proved on the real clock, where steps differ from run to run."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import trio
from contract_checks import broken

from trio_tools import CallEvent, CallNext, Dispatch, ToolResult
from trio_tools.testing import Promise, recorder_contract, wrapper_contract

# Ways to end a call that are tried: they take their time here.
RUNS = 1


def nothing() -> None:
    """What a thread does."""


async def wraps(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    await trio.to_thread.run_sync(nothing)
    return await call_next()


async def records(event: CallEvent) -> None:
    await trio.to_thread.run_sync(nothing)


CONTRACTS = {
    "wrapper": wrapper_contract(lambda: wraps, runs=RUNS),
    "recorder": recorder_contract(lambda: records, runs=RUNS),
}


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())
def test_what_uses_threads_can_keep_every_promise(contract: Iterable[Promise]) -> None:
    assert broken(contract) == {}
