"""Plugins that keep every promise but one, each with a mistake that people make."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from trio_tools import CallNext, Dispatch, Registry, ToolResult, plugin, tool


class Stock:
    """What a plugin provides."""


@attrs.frozen
class Config:
    works: bool = True


@tool
async def stock_of(thing: str) -> int:
    """Tell how many there are of a thing."""
    return len(thing)


@tool
async def undescribed(thing: str) -> int:
    return len(thing)


@tool
async def measured(größe: int) -> int:  # noqa: PLC2401 - the mistake
    """Give a size back."""
    return größe


async def counts(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await call_next()


async def refresh(task_status: trio.TaskStatus[None]) -> None:
    await trio.sleep(0.1)
    task_status.started()
    await trio.sleep_forever()


@plugin("stock", config=Config, provides=[Stock])
@asynccontextmanager
async def good(registry: Registry, config: Config) -> AsyncGenerator[None]:
    """A tool, a wrapper, a service, a task, a file."""
    with tempfile.TemporaryDirectory() as folder:
        async with trio.open_nursery() as nursery:
            await nursery.start(refresh)
            (Path(folder) / "stock").touch()
            with registry.provide(Stock, Stock()), registry.add_wrapper(counts), registry.register(stock_of):
                yield
            await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()


@plugin("reports", config=Config, requires=["stock"])
@asynccontextmanager
async def reports(registry: Registry, config: Config) -> AsyncGenerator[None]:
    registry.require(Stock)
    yield


# --- bad ones ------------------------------------------------------------------------------------------------------


@plugin("needs-a-token", config=Config)
@asynccontextmanager
async def cannot_open(registry: Registry, config: Config) -> AsyncGenerator[None]:
    if config.works:
        raise ValueError("a token is missing")
    yield


@plugin("undescribed", config=Config)
@asynccontextmanager
async def describes_nothing(registry: Registry, config: Config) -> AsyncGenerator[None]:
    with registry.register(undescribed):
        yield


@plugin("odd-names", config=Config)
@asynccontextmanager
async def names_no_provider_takes(registry: Registry, config: Config) -> AsyncGenerator[None]:
    with registry.register(measured):
        yield


_open: list[Registry] = []


@plugin("only-once", config=Config)
@asynccontextmanager
async def opens_only_once(registry: Registry, config: Config) -> AsyncGenerator[None]:
    if _open:
        raise RuntimeError("already open")
    _open.append(registry)
    try:
        yield
    finally:
        _open.clear()


@plugin("leaks", config=Config)
@asynccontextmanager
async def leaves_a_task(registry: Registry, config: Config) -> AsyncGenerator[None]:
    trio.lowlevel.spawn_system_task(trio.sleep_forever)
    yield


@plugin("seams", config=Config)
@asynccontextmanager
async def leaves_a_wrapper(registry: Registry, config: Config) -> AsyncGenerator[None]:
    registry.add_wrapper(counts)
    yield


@plugin("tools", config=Config)
@asynccontextmanager
async def leaves_a_tool(registry: Registry, config: Config) -> AsyncGenerator[None]:
    registry.register(stock_of)
    yield


@plugin("services", config=Config, provides=[Stock])
@asynccontextmanager
async def leaves_a_service(registry: Registry, config: Config) -> AsyncGenerator[None]:
    registry.provide(Stock, Stock())
    yield


@plugin("warm", config=Config)
@asynccontextmanager
async def has_to_be_warm(registry: Registry, config: Config) -> AsyncGenerator[None]:
    began = trio.current_time()
    yield
    await trio.lowlevel.checkpoint_if_cancelled()
    if trio.current_time() < began + 0.5:
        raise RuntimeError("it has never been used")


@plugin("renames", config=Config)
@asynccontextmanager
async def renames_the_cancel(registry: Registry, config: Config) -> AsyncGenerator[None]:
    try:
        await trio.sleep(0.1)
    except trio.Cancelled:
        raise ConnectionError("the connection was lost") from None
    yield


@plugin("files", config=Config)
@asynccontextmanager
async def tries_too_late(registry: Registry, config: Config) -> AsyncGenerator[None]:
    folder = tempfile.mkdtemp()
    await trio.sleep(0.1)
    try:
        yield
    finally:
        os.rmdir(folder)


@plugin("closes", config=Config)
@asynccontextmanager
async def cleans_up_unshielded(registry: Registry, config: Config) -> AsyncGenerator[None]:
    folder = tempfile.mkdtemp()
    try:
        yield
    finally:
        await trio.lowlevel.checkpoint()
        os.rmdir(folder)
