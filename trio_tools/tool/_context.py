"""What a tool's body may do, apart from its own work."""

from __future__ import annotations

from typing import Protocol

from trio_tools.values import Session, ToolCall


class ToolContext(Protocol):
    """Given to an `async def` body that has a parameter annotated with it; never part of the schema."""

    @property
    def call(self) -> ToolCall:
        """The call that is being run."""
        ...

    @property
    def session(self) -> Session | None:
        """On whose behalf, if anybody's."""
        ...

    @property
    def cancel_requested(self) -> bool:
        """Whether the call has been given up: by its caller, an operator, or because a budget ran out."""
        ...

    @property
    def cancel_reason(self) -> str | None:
        """What was said when the call was given up, if anything was."""
        ...

    @property
    def deadline(self) -> float:
        """When the call runs out of time, in seconds on Trio's clock; `inf` if it does not."""
        ...

    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, and keep an idle budget from running out.

        Arguments: `done` of `total`, in a unit of the tool's own; `message` for a person. Raises `ValueError` for
        numbers that are not finite and `TypeError` for a message that is not a string. Late progress is dropped.
        """
        ...

    def defer_context(self, item: object) -> None:
        """Ask for a JSON value to be added to the conversation after the turn's results.

        Raises `NotJSON` for what is not JSON. Kept whatever becomes of the call.
        """
        ...

    def conclude_turn(self) -> None:
        """Ask the agent to stop after this turn. Holds only if this call succeeds."""
        ...


class SyncToolContext(ToolContext, Protocol):
    """The same for a plain `def` body, from its worker thread."""

    def check_cancelled(self) -> None:
        """Raise `trio.Cancelled` if the call has been given up. Call it between steps of long work.

        Raises `RuntimeError` in any other thread than the body's own.
        """
        ...
