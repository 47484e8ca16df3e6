"""Plugins that need others: one that uses a service, and one that needs itself by a detour."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs

from acme_stock import Stock
from trio_tools import Registry, plugin


@attrs.frozen
class NoConfig:
    """Nothing to configure."""


@plugin("acme-report", config=NoConfig, requires=["acme-stock"])
@asynccontextmanager
async def report(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    """Say on leaving how often the stock was asked."""
    kept = registry.require(Stock)
    yield
    print(f"the stock was asked {kept.asked} times", flush=True)


@plugin("acme-circle", config=NoConfig, requires=["acme-circle"])
@asynccontextmanager
async def circle(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    """Never opens."""
    yield
