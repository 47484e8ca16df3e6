"""The tool `bash`, and the plugin that brings it and those for what it started in the background."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import trio

from trio_tools.registry import Registry, plugin
from trio_tools.tool import Declaration, Tool, ToolContext
from trio_tools.toolkits.shell._background import LIMIT_CODES
from trio_tools.toolkits.shell._command import Request, Shell, run_command
from trio_tools.toolkits.shell._config import ShellConfig
from trio_tools.toolkits.shell._given import check_request, check_timeout
from trio_tools.toolkits.shell._job_tools import bash_kill_tool, bash_output_tool
from trio_tools.toolkits.shell._jobs import BackgroundCommands
from trio_tools.toolkits.shell._output import SpillFolder
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._text import result_text
from trio_tools.toolkits.shell._thread import in_thread
from trio_tools.toolkits.shell._tiers import choose_start
from trio_tools.values import ToolError

# Seconds for removing the files of long output when the plugin closes: some unlinks.
REMOVAL_BOUND = 10

_BASH = Declaration()


@plugin("shell", config=ShellConfig)
@asynccontextmanager
async def shell(registry: Registry, config: ShellConfig) -> AsyncGenerator[None]:
    """Offer `bash`, and `bash_output` and `bash_kill` if commands may run in the background. Those, and the files of
    long output, live as long as this plugin is open.

    Raises `RuntimeError` where commands cannot be stopped reliably (no pidfd, no /proc), or where there is no bash;
    `NotADirectoryError` for a root that is no folder. **Cancellation**: the commands are stopped
    and the files removed all the same.
    """
    bash = _require_bash()
    root = config.root.absolute()
    if not await trio.Path(root).is_dir():
        raise NotADirectoryError(f'shell: the root "{root}" is not a folder')
    start = await choose_start(config.supervise, bash=bash)
    spills = SpillFolder(_private_folder(), config.max_total_spill_bytes)
    shell = Shell(config=config, bash=bash, root=root, spills=spills, start=start)
    commands = BackgroundCommands(shell)
    try:
        with ExitStack() as joined:
            joined.enter_context(registry.register(bash_tool(shell, commands)))
            if config.run_in_background:
                joined.enter_context(registry.add_observer(commands.settled))
                for one in (bash_output_tool(commands), bash_kill_tool(commands)):
                    joined.enter_context(registry.register(one))
            yield
    finally:
        await commands.close()
        if spills.path is not None:
            # Shield: output of commands must not stay behind. Bound: some unlinks.
            with trio.CancelScope(shield=True, relative_deadline=REMOVAL_BOUND):
                await in_thread(_remove, spills.path, limiter=trio.CapacityLimiter(1))


def bash_tool(shell: Shell, commands: BackgroundCommands) -> Tool:
    """The tool `bash`, running its commands with `shell`, and those in the background as `commands`."""

    @_BASH.tool(destructive=True, parallel=False)
    async def bash(
        command: str,
        description: str,
        timeoutMs: float | None = None,  # noqa: N803 - the model's name for it (B001)
        workdir: str | None = None,
        run_in_background: bool = False,
        *,
        ctx: ToolContext,
    ) -> str:
        """Run a command in a fresh `bash -c` and return its output: stdout, then stderr under a line "[stderr]".

        Nothing carries over from one call to the next, and there is nothing to read on stdin. A command that fails
        still returns its output: always look at the last line first, which is "[exit code: n]" or "[killed by signal:
        NAME]" unless the command succeeded, and look into a failure before going on. Long output is cut to its end; a
        line then names the file with all of it. What the command itself leaves running is stopped when it ends: for
        servers and long work set run_in_background.

        Args:
            command: What bash is to run.
            description: What it does, in five to ten words, for the person who is watching.
            timeoutMs: Milliseconds after which the command is stopped. In the background there is no limit unless you
                give one.
            workdir: Where to run it; a relative path counts from the root folder, which is also the default.
            run_in_background: Whether to return at once, with an id for bash_output and bash_kill, and let the command
                run on.
        """
        check_timeout(timeoutMs)
        folder = await check_request(shell, command, description, workdir)
        seconds = None if timeoutMs is None else timeoutMs / 1000
        if run_in_background:
            request = Request(command=command, folder=folder, limits=shell.config.background_limits(seconds))
            await trio.lowlevel.checkpoint()  # a call that was given up hands nothing over
            return f"started background job {commands.start(ctx, request, label=description)}"
        request = Request(command=command, folder=folder, limits=shell.config.limits(seconds))
        progress = ShellProgress(ctx.report_progress)
        finished = await run_command(shell, request, kept=shell.kept(), progress=progress)
        text = result_text(finished)
        if finished.limit is not None:
            raise ToolError(text, code=LIMIT_CODES[finished.limit])
        return text

    return bash


def _require_bash() -> str:
    bash = shutil.which("bash")
    if bash is None:
        raise RuntimeError("shell: there is no bash on the PATH")
    return os.path.abspath(bash)


def _private_folder() -> Path | None:
    """A private folder for long output; None if there can be none, and then long output is only cut."""
    with suppress(OSError):
        return Path(tempfile.mkdtemp(prefix="trio-tools-shell-"))  # mode 0700
    return None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
