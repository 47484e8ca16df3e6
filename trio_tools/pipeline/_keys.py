"""Idempotency keys of effects: what is known of an effect that was made before under the same key.

A key holds within the name of its effect. What became of it is for whoever keeps it for good to say, a journal that is
the `EffectLedger`; where there is none, the registry remembers it for as long as it is open. Beside that, one effect is
made at a time under one key: who comes second waits until the first has its end recorded.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

import trio

from trio_tools.values import Effect, EffectState

Key: TypeAlias = "tuple[str, str]"


@runtime_checkable
class EffectLedger(Protocol):
    """A service that keeps what became of effects by their keys: `registry.provide(EffectLedger, ledger)`."""

    async def effect(self, name: str, key: str) -> Effect | None:
        """What is known of the last effect of this name and key that counts: committed with its receipt; begun, if
        nobody saw its end; unknown. None if there was none, or it failed: it may be done then.

        Whatever it raises refuses the effect that asks, and nothing is run.

        **Cancellation**: the wait ends; nothing was begun.
        """
        ...


class Keys:
    """The keys of one registry: those under which an effect is under way, and what came of the others where no ledger
    keeps it. Nothing is forgotten as long as the registry is open, receipts and all: a forgotten key is an effect that
    is made twice."""

    def __init__(self) -> None:
        self._under_way: dict[Key, trio.Event] = {}
        self._ended: dict[Key, Effect] = {}

    async def take(self, name: str, key: str) -> None:
        """Wait until no effect is under way under this key, and hold it until `release`.

        **Cancellation**: raised while it waits; it is not held then.
        """
        while (other := self._under_way.get((name, key))) is not None:
            await other.wait()
        self._under_way[name, key] = trio.Event()

    def release(self, name: str, key: str) -> None:
        """Let the next one have it."""
        self._under_way.pop((name, key)).set()

    def remember(self, effect: Effect) -> None:
        """Note how an effect with a key ended. One that failed may be made anew."""
        if effect.key is not None and effect.state is not EffectState.FAILED:
            self._ended[effect.name, effect.key] = effect

    def ended(self, name: str, key: str) -> Effect | None:
        """What came of the effect of this key that was made here."""
        return self._ended.get((name, key))
