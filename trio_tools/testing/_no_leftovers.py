"""A block that may leave nothing behind."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType

from trio_tools.testing._leftovers import ALL, Leftover, Standing, clear_away, left_since, standing
from trio_tools.testing._permits import Permits, permits
from trio_tools.testing._reachable import reachable
from trio_tools.testing._surroundings import private_surroundings


class LeftoversError(AssertionError):
    """A block has left something behind: `leftovers` say what."""

    def __init__(self, leftovers: tuple[Leftover, ...]) -> None:
        super().__init__("left behind: " + "; ".join(one.words for one in leftovers))
        self.leftovers = leftovers


class no_leftovers:  # noqa: N801 - reads as the sentence that it stands in: `with no_leftovers():`
    """A block that fails if it leaves behind a task, a thread at work, a process, a descriptor, a temporary file, or a
    permit of what is `watched`: limiters, semaphores and locks, or objects that hold them.

    Used with `with`, round `trio.run` or inside of Trio, or with `async with`. Nothing is cancelled, killed or waited
    for meanwhile: what the block leaves is told of, by a `LeftoversError`, or as a note on the exception that the block
    has raised. Afterwards its processes are killed and its temporary files removed. Tasks are seen inside of Trio only.

    **Cancellation**: the block's own; leaving it does not wait.
    """

    def __init__(self, *watched: object) -> None:
        self._watched = watched
        self._exit = ExitStack()
        self._before: tuple[Standing, Permits] | None = None

    def __enter__(self) -> None:
        """Look at what is there. Raises `RuntimeError` for a block that was entered before."""
        if self._before is not None:
            raise RuntimeError("no_leftovers() serves one block: make a new one")
        surroundings = self._exit.enter_context(private_surroundings())
        self._before = standing(surroundings, ALL), permits(reachable(self._watched))

    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Look at what is there beyond that. Raises `LeftoversError`."""
        assert self._before is not None
        before, taken = self._before
        with self._exit:
            left = (*left_since(before), *(Leftover("permits", words) for words in taken.kept()))
            clear_away(before)
        if left and thrown is None:
            raise LeftoversError(left)
        if left and thrown is not None:
            thrown.add_note(str(LeftoversError(left)))

    async def __aenter__(self) -> None:
        """As `with` does."""
        self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """As `with` does."""
        self.__exit__(kind, thrown, traceback)
