"""A recorder that is a plain function: what it has nothing to wait for is recorded when it returns, and what it does
have to wait for it returns as an awaitable."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Log, codes, kind, nap, naps

from trio_tools import CallEvent, ErrorCode, open_registry

REFUSED = str(ErrorCode.RECORD_FAILED)


class Plain:
    """Keeps all events at once, but one kind of them: that is what `instead` makes of it."""

    def __init__(self, what: str, instead: Callable[[], Awaitable[None] | None]) -> None:
        self.log = Log()
        self._what, self._instead = what, instead

    def __call__(self, event: CallEvent) -> Awaitable[None] | None:
        waits = self._instead() if kind(event) == self._what else None
        self.log.events.append(event)
        return waits


def disk_full() -> None:
    raise OSError("disk full")


def leave() -> None:
    raise SystemExit(1)


async def test_it_hears_what_an_async_one_hears() -> None:
    plain, other = Plain("", disk_full), Log()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(plain)
        registry.add_recorder(other)
        await registry.execute_turn(naps("abc", 0), scope=trio.CancelScope())
    assert plain.log.events == other.events
    assert len(other.events) == 3 * 4


@pytest.mark.parametrize(("how", "why"), [(disk_full, "OSError: disk full"), (leave, "with code 1")])
@pytest.mark.parametrize("what", ["accepted", "decided", "dispatching"])
async def test_what_it_fails_to_record_does_not_happen(what: str, how: Callable[[], None], why: str) -> None:
    """L014."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(Plain(what, how))
        result = await registry.execute(nap("a"), scope=trio.CancelScope())
    assert (result.code, bodies.entered) == (REFUSED, {})
    assert result.text.startswith("Error: the call could not be recorded: ")
    assert result.text.endswith(why)


async def test_an_end_that_it_loses_has_new_calls_refused(autojump_clock: MockClock) -> None:
    async with open_registry() as registry:
        Bodies(registry)
        with registry.add_recorder(Plain("settled", disk_full)):
            results = [await registry.execute(nap(label), scope=trio.CancelScope()) for label in "ab"]
        results.append(await registry.execute(nap("c"), scope=trio.CancelScope()))
    assert codes(results) == [None, REFUSED, None]


async def test_what_it_returns_is_awaited_behind_a_shield_with_a_bound(autojump_clock: MockClock) -> None:
    """A call that was given up is still recorded, and a disk that hangs holds nobody up for ever."""
    written = list[float]()

    async def write() -> None:
        await trio.sleep(1)
        written.append(trio.current_time())

    async with open_registry(recorder_grace=2) as registry:
        Bodies(registry)
        with registry.add_recorder(Plain("settled", write)):
            await registry.execute(nap("a"), scope=trio.CancelScope(deadline=0.5))
        assert written == [1.5]
        with registry.add_recorder(Plain("dispatching", trio.sleep_forever)):
            result = await registry.execute(nap("b"), scope=trio.CancelScope())
    assert (result.code, trio.current_time()) == (REFUSED, 3.5)


async def test_what_it_returns_must_be_awaitable() -> None:
    def odd(event: CallEvent) -> None:
        return event  # type: ignore[return-value] # pyright: ignore[reportReturnType]

    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(odd)
        result = await registry.execute(nap("a"), scope=trio.CancelScope())
    assert (result.code, "await" in result.text) == (REFUSED, True)


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_cancellation_that_it_has_kept_from_elsewhere_is_a_failure(
    is_async: bool, autojump_clock: MockClock
) -> None:
    """The predicate is the scope, never the type: nobody has cut it, so nobody knows that it has recorded."""
    kept = list[trio.Cancelled]()
    with trio.CancelScope() as scope:
        scope.cancel()
        try:
            await trio.lowlevel.checkpoint()
        except trio.Cancelled as cancelled:
            kept.append(cancelled)
            raise

    def again() -> None:
        raise kept[0]

    async def again_later() -> None:
        again()

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(Plain("dispatching", again_later if is_async else again))
        result = await registry.execute(nap("a"), scope=trio.CancelScope())
    assert (result.code, bodies.entered) == (REFUSED, {})


def test_ctrl_c_in_it_ends_the_turn_and_goes_on_bare() -> None:
    """D17."""
    plain = Plain("dispatching", lambda: signal.raise_signal(signal.SIGINT))

    async def main() -> None:
        async with open_registry() as registry:
            Bodies(registry)
            registry.add_recorder(plain)
            await registry.execute(nap("a"), scope=trio.CancelScope())

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert plain.log.story == ["accepted a", "decided a", "settled a"]
