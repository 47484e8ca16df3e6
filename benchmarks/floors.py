"""The bare-Trio twins: the least that anybody pays who does the same work without a framework.

They give nothing that trio_tools promises: no results for failures, no attribution, no policies, no records.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import attrs
import cattrs
import trio

from benchmarks import _workload

CONVERTER = cattrs.Converter()


@attrs.define
class Pair:
    """The arguments of `_workload.add`."""

    a: int
    b: int


@attrs.define
class Items:
    """The arguments of `_workload.ingest`."""

    items: list[dict[str, Any]]


def structured(text: str, model: type[Any]) -> dict[str, Any]:
    """JSON text, read by `json.loads`, structured by cattrs into an attrs class, as keyword arguments."""
    arguments = CONVERTER.structure(json.loads(text), model)
    return {field.name: getattr(arguments, field.name) for field in attrs.fields(model)}


async def call(function: Callable[..., Awaitable[int]], model: type[Any], text: str) -> int:
    """One call: json and cattrs, a nursery, and in it a task with a cancel scope that sets an event at its end."""
    keywords = structured(text, model)
    answers: list[int] = []
    done = trio.Event()

    async def body() -> None:
        with trio.CancelScope():
            answers.append(await function(**keywords))
        done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(body)
        await done.wait()
    return answers[0]


async def turn(function: Callable[..., Awaitable[int]], model: type[Any], texts: Sequence[str]) -> list[int]:
    """A turn: one nursery, and in it for each call a task with json and cattrs, a cancel scope and an event."""
    answers = [0] * len(texts)
    done = [trio.Event() for _ in texts]

    async def body(position: int, text: str) -> None:
        with trio.CancelScope():
            answers[position] = await function(**structured(text, model))
        done[position].set()

    async with trio.open_nursery() as nursery:
        for position, text in enumerate(texts):
            nursery.start_soon(body, position, text)
        for event in done:
            await event.wait()
    return answers


async def flight(scope: trio.CancelScope, body: Callable[[], Awaitable[None]]) -> None:
    """One call in flight: a cancel scope handed over, a nursery in it, and a child that stays until it is cancelled."""
    with scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(body)


async def threaded() -> int:
    """A plain function in a worker thread: nothing but `trio.to_thread.run_sync`, no scope, no parsing."""
    return await trio.to_thread.run_sync(_workload.add_sync, 2, 3)
