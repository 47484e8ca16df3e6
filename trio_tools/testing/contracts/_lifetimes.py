"""Lifetimes of a plugin: a registry is opened with it and left, and what stays of it is noted."""

from __future__ import annotations

import random
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import cache, partial
from types import TracebackType

import attrs
import trio

from trio_tools.pipeline import take_apart
from trio_tools.registry import AnyPlugin, Registry, RegistryOptions, in_order_of_need, opened
from trio_tools.registry import plugin as declare
from trio_tools.testing.contracts._fresh import Nothing
from trio_tools.testing.contracts._stage import Act, Stage, Strike, Take, ctrl_c
from trio_tools.tool import Tool

# How often a plugin is opened and left to see what stays: once more than what a first time may leave for good.
TIMES = 3
# Seconds that a registry is used for: long enough for what a plugin begins in the background to have begun.
USE = 1.0


class _BesideError(Exception):
    """What a plugin beside the one under contract, or the block, fails with."""


@attrs.define(eq=False)
class Lifetime:
    """One time, or some times, that it was opened and left: what it was like, in words, and what came of it."""

    words: str
    tools: tuple[Tool, ...] = ()
    remaining: dict[str, list[str]] = attrs.field(factory=lambda: {"seams": [], "tools": [], "services": []})
    take: Take = attrs.field(factory=Take)
    expected: type[BaseException] | None = None  # what is to come out
    failures: list[str] = attrs.field(factory=list[str])  # of its own, in words

    @property
    def ended_right(self) -> bool:
        """Whether what came out is what was to."""
        thrown = self.take.raised
        if self.expected is None or thrown is None:
            return self.expected is None and thrown is None
        # a plugin beside it that has a nursery fails with a group
        return isinstance(thrown, self.expected) or [*map(type, getattr(thrown, "exceptions", ()))] == [self.expected]


class Lifetimes:
    """Has the plugin live, in each way once."""

    def __init__(self, plugin: AnyPlugin, beside: tuple[AnyPlugin, ...], runs: int) -> None:
        self._plugin = plugin
        self._beside = beside
        self._runs = runs
        self._stage = Stage()
        self.once = cache(partial(self._lived, "opened and left", self._once))
        self.again_and_again = cache(partial(self._lived, f"opened and left {TIMES} times", self._again_and_again))
        self.twice_at_once = cache(partial(self._lived, "opened twice at once", self._twice_at_once))
        self.ended = cache(lambda: [*self._failing(), *self._struck()])

    def _lived(
        self,
        words: str,
        main: Callable[[Lifetime], Awaitable[None]],
        *,
        expected: type[BaseException] | None = None,
    ) -> Lifetime:
        def prepare() -> Act[Lifetime]:
            life = Lifetime(words, expected=expected)
            return Act(main=lambda: main(life), state=life)

        take, life = self._stage.take(prepare)
        life.take = take
        return life

    # --- ways to live ----------------------------------------------------------------------------------------------

    async def _once(self, life: Lifetime) -> None:
        async with self._opened(life) as registry:
            own = self._plugin.name
            life.tools = tuple(one for name, one in registry.tools.items() if registry.plugin_of(name) == own)
            await self._use()

    async def _use(self) -> None:
        """Let the time pass in which it is used; on the real clock there is none to spare."""
        await trio.sleep(USE if self._stage.virtual else 0)

    async def _again_and_again(self, life: Lifetime) -> None:
        for _ in range(TIMES):
            await self._once(life)

    async def _twice_at_once(self, life: Lifetime) -> None:
        async with self._opened(life), self._opened(life):
            await self._use()

    def _failing(self) -> Iterator[Lifetime]:
        @declare("fails-to-open", config=Nothing)
        def fails(registry: Registry, config: Nothing) -> AbstractAsyncContextManager[None]:
            raise _BesideError("a plugin after it fails")

        async def with_a_failing_plugin(life: Lifetime) -> None:
            async with self._opened(life, fails):
                await self._use()

        async def with_a_failing_block(life: Lifetime) -> None:
            async with self._opened(life):
                raise _BesideError("the block fails")

        yield self._lived("a plugin after it fails to open", with_a_failing_plugin, expected=_BesideError)
        yield self._lived("the block fails", with_a_failing_block, expected=_BesideError)

    # --- struck ----------------------------------------------------------------------------------------------------

    def _struck(self) -> Iterator[Lifetime]:
        ways = [self._cancelled, self._beside_a_crash]
        if threading.current_thread() is threading.main_thread():  # which alone is sent signals
            ways.append(self._interrupted)
        every = [(how, step) for how in ways for step in self._steps()]
        drawn = every if len(every) <= self._runs else random.Random(0).sample(every, self._runs)
        for how, step in drawn:
            take, life = self._stage.take(partial(how, step))
            life.take = take
            if take.struck:
                yield life

    def _steps(self) -> range:
        return range(1, self.once().take.steps + 1)

    def _cancelled(self, step: int) -> Act[Lifetime]:
        scope = trio.CancelScope()
        life = Lifetime(f"cancelled at step {step}")

        async def main() -> None:
            with scope:
                await self._once(life)

        return Act(main=main, state=life, strike=Strike(step, scope.cancel))

    def _interrupted(self, step: int) -> Act[Lifetime]:
        life = Lifetime(f"Ctrl-C at step {step}", expected=KeyboardInterrupt)
        return Act(main=lambda: self._once(life), state=life, strike=Strike(step, ctrl_c))

    def _beside_a_crash(self, step: int) -> Act[Lifetime]:
        """A plugin that was opened before it fails in the background, if it is open then."""
        life = Lifetime(f"a plugin beside it crashed at step {step}")
        crash = trio.Event()

        async def crashes() -> None:
            await crash.wait()
            life.expected = _BesideError
            raise _BesideError("a plugin beside it crashed")

        @declare("crashes", config=Nothing)
        @asynccontextmanager
        async def beside(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crashes)
                yield
                nursery.cancel_scope.cancel()

        async def main() -> None:
            async with self._opened(life, before=beside):
                await self._use()

        return Act(main=main, state=life, strike=Strike(step, crash.set))

    # --- the registry ----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _opened(
        self, life: Lifetime, *after: AnyPlugin, before: AnyPlugin | None = None
    ) -> AsyncGenerator[Registry]:
        @declare("looks-on", config=Nothing)
        @asynccontextmanager
        async def looks_on(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            yield  # opened first, and so left last
            for kind, found in self._there(registry).items():
                life.remaining[kind] += found

        first = (looks_on,) if before is None else (looks_on, before)
        own = self._plugin

        def open_watched(registry: Registry, config: object) -> AbstractAsyncContextManager[None]:
            return _Watched(own.opener(registry, config), life)

        watched = attrs.evolve(own, opener=open_watched)
        plugins = in_order_of_need((*first, *self._beside, watched, *after))
        async with opened(RegistryOptions(), plugins, lambda kind, asker: ()) as registry:
            yield registry

    def _there(self, registry: Registry) -> dict[str, list[str]]:
        own = self._plugin
        return {
            "seams": [f"{one.function} ({one.seam})" for one in registry.joined() if one.plugin == own.name],
            "tools": [f"the tool {name}" for name in registry.tools if registry.plugin_of(name) == own.name],
            "services": [kind.__qualname__ for kind in own.provides if _is_provided(registry, kind)],
        }


@attrs.frozen
class _Watched(AbstractAsyncContextManager[None]):
    """The plugin's context manager; what fails in it is noted, since another failure may come out in its place."""

    _manager: AbstractAsyncContextManager[None]
    _life: Lifetime

    async def __aenter__(self) -> None:
        with self._noting():
            await self._manager.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        with self._noting(besides=thrown):
            return await self._manager.__aexit__(kind, thrown, traceback)

    @contextmanager
    def _noting(self, besides: BaseException | None = None) -> Generator[None]:
        try:
            yield
        except BaseException as raised:
            failure = take_apart(raised).failure
            if failure is not None and raised is not besides:
                self._life.failures.append(f"it raised {failure!r}")
            raise


def _is_provided(registry: Registry, kind: type[object]) -> bool:
    try:
        registry.require(kind)
    except LookupError:
        return False
    return True
