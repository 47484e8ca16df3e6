"""What joining a registry gives: a handle that takes exactly that back."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class Registration:
    """A tool or a function at a seam, as long as it stays. Also a sync context manager, which removes it at its end."""

    __slots__ = ("_remove",)

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove: Callable[[], None] | None = remove

    def remove(self) -> None:
        """Take it out. Calls under way keep what they started with. Doing so again does nothing."""
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()

    def __enter__(self) -> Registration:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()
