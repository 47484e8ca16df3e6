"""What a model has given to the tools of the shell, looked at before anything is started."""

from __future__ import annotations

import math
from pathlib import Path

import trio

from trio_tools.toolkits.shell._command import Shell
from trio_tools.values import ToolError


async def check_request(shell: Shell, command: str, description: str, workdir: str | None) -> Path:
    """The folder to run in. Raises `ToolError` for what cannot be run.

    **Cancellation**: at once.
    """
    if not command.strip():
        raise ToolError("invalid command: expected a non-empty string")
    if not description.strip():
        raise ToolError("invalid description: expected a non-empty string")
    _check_text("command", command)
    _check_text("workdir", workdir or "")
    folder = shell.root / (workdir or "")
    try:
        if await trio.Path(folder).is_dir():
            return folder
    except OSError as error:
        raise ToolError(f'invalid workdir: "{folder}": {error.strerror}') from error
    raise ToolError(f'invalid workdir: there is no folder "{folder}"')


def check_timeout(timeout_ms: float | None) -> None:
    """Raises `ToolError` for a `timeoutMs` that is not positive and finite."""
    if timeout_ms is not None and not 0 < timeout_ms < math.inf:
        raise ToolError(f"invalid timeoutMs: expected a positive number, got {timeout_ms:.15g}")


def _check_text(name: str, text: str) -> None:
    """Refuse what no process can be given: the system ends a string at NUL, and a lone surrogate has no bytes."""
    if "\0" in text:
        raise ToolError(f"invalid {name}: it contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"invalid {name}: a lone surrogate at character {error.start}") from None
