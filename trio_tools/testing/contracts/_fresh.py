"""The thing under contract, made anew for each run and put where it belongs by a plugin."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Generic, TypeAlias, TypeVar

import attrs

from trio_tools.registry import AnyPlugin, Registration, Registry, plugin
from trio_tools.testing._services import ServiceSource

T = TypeVar("T")
Make: TypeAlias = Callable[[], "T | AbstractAsyncContextManager[T]"]


@attrs.frozen
class Nothing:
    """There is nothing to configure."""


class Made(tuple[object]):
    """What a run has made: a service, so that the permits that it holds are looked at; a tuple, which is looked
    into."""


@asynccontextmanager
async def made(make: Make[T]) -> AsyncGenerator[T]:
    """A new one; one with a lifetime is open for as long as the block.

    **Cancellation**: that of its own context manager.
    """
    thing = make()
    if isinstance(thing, AbstractAsyncContextManager):
        manager: AbstractAsyncContextManager[T] = thing  # pyright: ignore[reportUnknownVariableType]
        async with manager as opened:
            yield opened
    else:
        yield thing


class Fresh(Generic[T]):
    """Has each registry made one of its own. `add` puts it at its seam."""

    def __init__(self, make: Make[T], add: Callable[[Registry, T], Registration]) -> None:
        self._make = make
        self._add = add
        self._last: T | None = None

    def plugin(self) -> AnyPlugin:
        """The plugin that does so."""

        @plugin("under-contract", config=Nothing)
        @asynccontextmanager
        async def under_contract(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            async with made(self._make) as thing:
                self._last = thing
                with self._add(registry, thing):
                    yield

        return under_contract

    def source(self) -> ServiceSource:
        """Has a run look at the permits that it holds."""
        return ServiceSource(Made, lambda: Made((self._last,)))
