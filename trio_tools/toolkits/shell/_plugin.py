"""The tool `bash`, and the plugin that brings it."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from trio_tools.registry import Registry, plugin
from trio_tools.tool import Tool, ToolContext, tool
from trio_tools.toolkits.shell._command import Shell, run_command
from trio_tools.toolkits.shell._config import ShellConfig
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._text import result_text
from trio_tools.toolkits.shell._tiers import choose_start
from trio_tools.values import ToolError

# Seconds for removing the files of long output when the plugin closes: some unlinks.
REMOVAL_BOUND = 10


@plugin("shell", config=ShellConfig)
@asynccontextmanager
async def shell(registry: Registry, config: ShellConfig) -> AsyncGenerator[None]:
    """Offer `bash`. Files of long output live as long as this plugin is open.

    Raises `RuntimeError` where commands cannot be stopped reliably (no pidfd, no /proc), or where there is no bash;
    `NotADirectoryError` for a root that is no folder. **Cancellation**: the files are removed all the same.
    """
    bash = _require_bash()
    root = config.root.absolute()
    if not await trio.Path(root).is_dir():
        raise NotADirectoryError(f'shell: the root "{root}" is not a folder')
    start = await choose_start(config.supervise, bash=bash)
    spills = _spill_folder()
    try:
        with registry.register(bash_tool(Shell(config=config, bash=bash, root=root, spills=spills, start=start))):
            yield
    finally:
        if spills is not None:
            # Shield: output of commands must not stay behind. Bound: some unlinks.
            with trio.CancelScope(shield=True, relative_deadline=REMOVAL_BOUND):
                await trio.to_thread.run_sync(_remove, spills, limiter=trio.CapacityLimiter(1))


def bash_tool(shell: Shell) -> Tool:
    """The tool `bash`, running its commands with `shell`."""

    @tool(destructive=True, parallel=False)
    async def bash(
        command: str,
        description: str,
        timeoutMs: float | None = None,  # noqa: N803 - the model's name for it (B001)
        workdir: str | None = None,
        *,
        ctx: ToolContext,
    ) -> str:
        """Run a command in a fresh `bash -c` and return its output: stdout, then stderr under a line "[stderr]".

        Nothing carries over from one call to the next, and there is nothing to read on stdin. A command that fails
        still returns its output: always look at the last line first, which is "[exit code: n]" or "[killed by signal:
        NAME]" unless the command succeeded, and look into a failure before going on. Long output is cut to its end; a
        line then names the file with all of it. What the command leaves running in the background is stopped when the
        command ends.

        Args:
            command: What bash is to run.
            description: What it does, in five to ten words, for the person who is watching.
            timeoutMs: Milliseconds after which the command is stopped.
            workdir: Where to run it; a relative path counts from the root folder, which is also the default.
        """
        folder = await _checked(shell, command, description, timeoutMs, workdir)
        timeout = shell.config.effective_timeout(None if timeoutMs is None else timeoutMs / 1000)
        progress = ShellProgress(ctx.report_progress)
        finished = await run_command(shell, command, folder=folder, timeout=timeout, progress=progress)
        text = result_text(finished)
        if finished.timed_out:
            raise ToolError(text, code="BASH_TIMEOUT")
        return text

    return bash


async def _checked(shell: Shell, command: str, description: str, timeout_ms: float | None, workdir: str | None) -> Path:
    """The folder to run in. Raises `ToolError` for input that cannot be run; nothing is started."""
    if not command.strip():
        raise ToolError("invalid command: expected a non-empty string")
    if not description.strip():
        raise ToolError("invalid description: expected a non-empty string")
    if timeout_ms is not None and not 0 < timeout_ms < math.inf:
        raise ToolError(f"invalid timeoutMs: expected a positive number, got {timeout_ms:.15g}")
    _check_text("command", command)
    _check_text("workdir", workdir or "")
    folder = shell.root / (workdir or "")
    try:
        if await trio.Path(folder).is_dir():
            return folder
    except OSError as error:
        raise ToolError(f'invalid workdir: "{folder}": {error.strerror}') from error
    raise ToolError(f'invalid workdir: there is no folder "{folder}"')


def _check_text(name: str, text: str) -> None:
    """Refuse what no process can be given: the system ends a string at NUL, and a lone surrogate has no bytes."""
    if "\0" in text:
        raise ToolError(f"invalid {name}: it contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"invalid {name}: a lone surrogate at character {error.start}") from None


def _require_bash() -> str:
    bash = shutil.which("bash")
    if bash is None:
        raise RuntimeError("shell: there is no bash on the PATH")
    return os.path.abspath(bash)


def _spill_folder() -> Path | None:
    """A private folder for long output; None if there can be none, and then long output is only cut."""
    with suppress(OSError):
        return Path(tempfile.mkdtemp(prefix="trio-tools-shell-"))  # mode 0700
    return None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
