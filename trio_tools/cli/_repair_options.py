"""The options of `trio-tools repair`. No `from __future__ import annotations`: the parser reads annotations, and those
here name what is imported late."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trio_tools.cli._given import form_in
from trio_tools.cli._help import REPAIR
from trio_tools.cli._request import Request

if TYPE_CHECKING:
    from cyclopts import App


def add_repair(app: "App") -> None:
    """Add the command to the parser."""
    from cyclopts import Parameter

    @app.command(help_epilogue=REPAIR)
    def repair(
        file: Annotated[Path, Parameter(name="FILE")],
        /,
        *,
        output: Path | None = None,
        form: Annotated[str | None, Parameter(name="--format")] = None,
        check: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    ) -> Request:
        """Balance a conversation, so that a provider takes it again: each call answered once, right behind it.

        Args:
            file: A JSON array of messages, an object with `messages`, or a message a line; `-` for standard input.
            output: The file to write to, whole or not at all; default: standard output.
            form: The form of the messages: plain, openai or anthropic. Without it, it is found by itself.
            check: Write nothing, and exit with 1 if anything would be changed.
        """
        from trio_tools.cli._repair import RepairRequest

        return RepairRequest(file=str(file), form=form_in(form), output=output, check=check)
