"""What really happened in the world, told by the stand-ins that a tool works with."""

from __future__ import annotations

from collections.abc import Callable

import attrs


@attrs.frozen
class Happening:
    """Something that cannot be taken back has happened: its name, as the tool's `irreversible` calls it, and what came
    of it."""

    name: str
    receipt: object = None


class EffectRecorder:
    """What has happened, in order. A stand-in for a mail server, a payment or a disk tells it, at the very line at
    which the real thing would be done; an exploration then holds the tool's results against it.

    A tool gets one with `ctx.require(EffectRecorder)`; one that it reaches in another way is found too.
    """

    def __init__(self) -> None:
        self.happenings: list[Happening] = []
        self._listener: Callable[[Happening], None] | None = None

    def happened(self, name: str, receipt: object = None) -> None:
        """Note that the effect of this name has just happened."""
        happening = Happening(name, receipt)
        self.happenings.append(happening)
        if self._listener is not None:
            self._listener(happening)

    def count(self, name: str) -> int:
        """How often the effect of this name has happened."""
        return sum(one.name == name for one in self.happenings)

    def tell(self, listener: Callable[[Happening], None] | None) -> None:
        """Call this with each happening from now on; None: nobody."""
        self._listener = listener
