"""Which call it is, without anything that it holds: what its nested calls and its jobs keep of it once it is over."""

from __future__ import annotations

import attrs

from trio_tools.values import CallToken


@attrs.frozen(eq=False)
class Identity:
    """A call as others refer to it: the name of its turn, its position there, its token, and the outermost call that it
    was made for; None if it is that itself."""

    turn: str
    position: int
    token: CallToken
    made_for: Identity | None

    @property
    def place(self) -> str:
        """What events call it."""
        return f"{self.turn}/{self.position}"

    @property
    def root(self) -> Identity:
        """The outermost call."""
        return self if self.made_for is None else self.made_for
