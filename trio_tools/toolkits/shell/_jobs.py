"""The commands in the background of one registry: who may see which, how many there may be, and which are forgotten."""

from __future__ import annotations

import trio

from trio_tools.pipeline import SettledView
from trio_tools.tool import ToolContext
from trio_tools.toolkits.shell._background import BackgroundCommand, Read
from trio_tools.toolkits.shell._command import READING_SLACK, Request, Shell
from trio_tools.values import CallToken, JobStatus, Session, ToolError, ToolResult

# Commands that are over and can still be read, of one session: twice as many as it may have running by default, so that
# none is forgotten that the model has had no chance to look at.
FINISHED_OF_ONE = 20
# The same of all sessions together. Each holds twice `max_output_bytes`, by default 128 kB: 25 MB in all.
FINISHED_IN_ALL = 200


class BackgroundCommands:
    """Those that were started with this shell, by the ids of their jobs."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._commands: dict[str, BackgroundCommand] = {}  # in order of their start
        self._reads: dict[CallToken, tuple[BackgroundCommand, Read]] = {}  # of calls that have not settled
        self._closing = False

    def start(self, ctx: ToolContext, request: Request, *, label: str) -> str:
        """Start a command as a job, and return its id. Holds no await: a call that was not cancelled before has handed
        it over. Raises `ToolError` if there may be no more, or none at all; then nothing is started."""
        config = self._shell.config
        if not config.run_in_background:
            raise ToolError("run_in_background is disabled for this deployment (run_in_background: false)")
        if self._closing:
            raise ToolError("background jobs unavailable: the shell toolkit is closing")
        own = [command for command in self._commands.values() if command.owner == ctx.session]
        if sum(not command.is_over for command in own) >= config.max_background_jobs:
            raise ToolError(
                f"background job limit reached for this owner (limit: {config.max_background_jobs}); "
                "stop one with bash_kill, or wait until one has finished"
            )
        command = BackgroundCommand(self._shell, request, label=label, owner=ctx.session)
        command.job = ctx.start_job(command.run, name=command.label, kind="bash", words=command.words)
        if command.job.status is not JobStatus.RUNNING:
            raise ToolError("background jobs unavailable: the registry is closing")
        self._forget(ctx.session)
        self._commands[command.job.id] = command
        return command.job.id

    def find(self, ctx: ToolContext, task_id: str) -> BackgroundCommand:
        """The command of this id. Raises `ToolError` if the call may not know of it, or not touch it."""
        if not task_id.strip():
            raise ToolError("invalid task_id: expected a non-empty string")
        command = self._commands.get(task_id)
        if command is None or not ctx.sees(command.job):
            raise ToolError(f'unknown bash task "{task_id}"')
        if command.owner is not None and command.owner != ctx.session:
            raise ToolError(f"task {task_id} belongs to another session")
        return command

    def read(self, ctx: ToolContext, command: BackgroundCommand) -> str:
        """What is new of it. It counts as read once this call has settled as a success."""
        read = command.read()
        self._reads[ctx.token] = (command, read)
        return read.text

    def settled(self, call: SettledView, result: ToolResult) -> None:
        """An observer: what was read by a call whose result says so has been read."""
        if self._reads:
            command, read = self._reads.pop(call.token, (None, None))
            if command is not None and read is not None and result.error is None:
                command.was_read(read)

    async def close(self) -> None:
        """Stop all that run, and wait until they have come to rest.

        **Cancellation**: shielded for as long as stopping a command can take.
        """
        self._closing = True
        running = [command.job for command in self._commands.values() if not command.is_over]
        for job in running:
            job.cancel("the shell toolkit is closing")
        # Shield: the files of their output go next. Bound: what stopping and reading take at most, a command or many.
        with trio.CancelScope(shield=True, relative_deadline=self._shell.config.grace + READING_SLACK):
            for job in running:
                await job.wait()

    def _forget(self, owner: Session | None) -> None:
        """Forget commands that are over and too many: those first that were read to their end, then the oldest."""
        over = [(one, command) for one, command in self._commands.items() if command.is_over]
        over.sort(key=lambda item: not item[1].is_read)
        own = [one for one, command in over if command.owner == owner]
        for one in own[: max(0, len(own) - FINISHED_OF_ONE)]:
            del self._commands[one]
        left = [one for one, _ in over if one in self._commands]
        for one in left[: max(0, len(left) - FINISHED_IN_ALL)]:
            del self._commands[one]
