"""What is in the warehouse: a service kept fresh by a task, a tool that asks it, a wrapper that counts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import trio

from trio_tools import CallNext, Dispatch, Registry, ToolContext, ToolResult, option, plugin, tool


def _positive(_: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not 0 < value < float("inf"):
        raise ValueError(f"must be a positive finite number of seconds, not {value!r}")


@attrs.frozen(kw_only=True)
class StockConfig:
    """Which warehouse is asked, and how often.

    Attributes:
        warehouse: Its name, as on the door.
        token: What it lets us in with.
        refresh: How often the stock is counted anew.
        delay: How long an answer takes.
    """

    warehouse: str
    token: str = attrs.field(default="", repr=False, metadata=option(environment=True))
    refresh: float = attrs.field(default=60.0, validator=_positive, metadata=option(unit="seconds"))
    delay: float = attrs.field(default=0.0, metadata=option(unit="seconds"))


class Stock:
    """The service: how many of each thing there are."""

    def __init__(self, config: StockConfig) -> None:
        self.config = config
        self.counted = 0
        self.asked = 0
        self.open = True

    async def count_for_ever(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Count, now and again.

        **Cancellation**: counts no more.
        """
        while True:
            self.counted += 1
            if self.counted == 1:
                task_status.started()
            await trio.sleep(self.config.refresh)

    async def amount(self, thing: str) -> int:
        """How many there are.

        **Cancellation**: asks no more.
        """
        await trio.sleep(self.config.delay)
        if not self.open:
            raise RuntimeError("the warehouse has closed while it was asked")
        return len(thing)

    async def count_call(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        """The wrapper.

        **Cancellation**: as `call_next()`.
        """
        self.asked += 1
        return await call_next()


@tool(read_only=True, timeout=30)
async def stock_of(thing: str, ctx: ToolContext) -> dict[str, object]:
    """Tell how many of a thing are in the warehouse.

    Args:
        thing: What it is called.
    """
    stock = ctx.require(Stock)
    return {"warehouse": stock.config.warehouse, "amount": await stock.amount(thing), "asked": stock.asked}


@plugin("acme-stock", config=StockConfig, provides=[Stock])
@asynccontextmanager
async def stock(registry: Registry, config: StockConfig) -> AsyncGenerator[None]:
    """Offer `stock_of`, and the stock itself as a service."""
    if config.warehouse == "burnt down":
        raise ConnectionError(f'there is no warehouse "{config.warehouse}" any more')
    kept = Stock(config)
    async with trio.open_nursery() as nursery:
        await nursery.start(kept.count_for_ever)
        with (
            registry.provide(Stock, kept),
            registry.add_wrapper(kept.count_call),
            registry.register(stock_of),
        ):
            yield
        kept.open = False
        nursery.cancel_scope.cancel()
