"""The tools `bash_output` and `bash_kill`: what becomes of a command in the background."""

from __future__ import annotations

from trio_tools.tool import Declaration, Tool, ToolContext
from trio_tools.toolkits.shell._given import check_timeout
from trio_tools.toolkits.shell._jobs import BackgroundCommands

# Seconds that a wait for the end of a command takes if it asks for no other (B052): a model may look again.
WAIT = 30.0
# Seconds that it can ask for at the most (B052): as long as a command in the foreground may take by default.
MAX_WAIT = 600.0

_BASH_OUTPUT = Declaration()
_BASH_KILL = Declaration()


def bash_output_tool(commands: BackgroundCommands) -> Tool:
    """The tool `bash_output`, for these commands."""

    @_BASH_OUTPUT.tool(read_only=True)
    async def bash_output(
        task_id: str,
        wait: bool = False,
        timeoutMs: float | None = None,  # noqa: N803 - the model's name for it (B052)
        *,
        ctx: ToolContext,
    ) -> str:
        """Return what a background command has written since its output was last read, and its status.

        The last line is "[status: running]", or "stopping", "completed", "killed" or "failed", with the exit code or
        the signal once the command has ended. "(no new output)" means that nothing was written since.

        Args:
            task_id: The id that bash gave, such as bash-1.
            wait: Whether to wait until the command has ended. A wait that times out is no error.
            timeoutMs: Milliseconds to wait at most: 30000 unless given, 600000 at most.
        """
        check_timeout(timeoutMs)
        command = commands.find(ctx, task_id)
        if wait:
            await command.wait(ctx, min(WAIT if timeoutMs is None else timeoutMs / 1000, MAX_WAIT))
        return commands.read(ctx, command)

    return bash_output


def bash_kill_tool(commands: BackgroundCommands) -> Tool:
    """The tool `bash_kill`, for these commands."""

    @_BASH_KILL.tool(destructive=True, idempotent=True)
    async def bash_kill(task_id: str, reason: str | None = None, *, ctx: ToolContext) -> str:
        """Stop a background command, with everything that it started.

        It is asked to end, and killed if it does not. Read what came of it with bash_output.

        Args:
            task_id: The id that bash gave, such as bash-1.
            reason: Why, for the person who is watching.
        """
        return commands.find(ctx, task_id).kill(reason)

    return bash_kill
