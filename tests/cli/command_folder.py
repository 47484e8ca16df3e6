"""A plugin that the commands are tried on: tools of each kind, and something at each seam."""

from __future__ import annotations

SHOP = '''
from contextlib import asynccontextmanager
from typing import Annotated
import attrs, trio
from trio_tools import Allow, Deny, ToolError, option, plugin, tool

@attrs.frozen(kw_only=True)
class Config:
    """A shop.

    Attributes:
        price: What anything costs.
        key: What opens the till.
    """
    price: float = attrs.field(default=1.5, metadata=option(unit="euros"))
    key: str = attrs.field(default="", metadata=option(environment=True))

@tool(read_only=True, timeout=5)
async def cost(item: str, count: int = 1) -> str:
    """What something costs.

    Args:
        item: What.
        count: How many of it.
    """
    return f"{item} x{count}: {count * PRICE:g}\\x1b[2J"

@tool(destructive=True)
def burn() -> str:
    """Burn it all\\x1b[31m."""
    raise ToolError("no matches", code="NO_MATCHES")

async def wait() -> str:
    """Wait for ever."""
    await trio.sleep_forever()

def allow(call):
    return Allow()

async def watch(dispatch, call_next):
    return await call_next()

def keep(call, result):
    return None

def see(call, result):
    pass

@plugin("shop", config=Config)
@asynccontextmanager
async def it(registry, config):
    """Sell things."""
    global PRICE
    PRICE = config.price
    with registry.register(cost), registry.register(burn), registry.register(wait):
        with registry.add_pre_policy(allow), registry.add_wrapper(watch), registry.add_observer(see):
            yield
'''
# What puts it in front of a command.
ON = "--tools read --set plugins.shop=true"
