"""A command in the background: what is kept of it, how far it was read, and how it is told of."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import attrs
import trio

from trio_tools.tool import Job, ToolContext
from trio_tools.toolkits.shell._command import Request, Shell, run_command
from trio_tools.toolkits.shell._limits import Limit
from trio_tools.toolkits.shell._news import News, news, place_of
from trio_tools.toolkits.shell._output import Captured, Kept
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._text import Finished, both, limit_markers, stopped_by, with_markers
from trio_tools.values import JobNotice, JobStatus, JSONValue, Session, ToolError, one_line

NO_NEWS = "(no new output)"
# Characters of a description in a notice and in the list of jobs: a line, of what is to be five to ten words.
LABEL_LENGTH = 100
# The code of a command that a limit of its own has stopped.
LIMIT_CODES = {Limit.TIMEOUT: "BASH_TIMEOUT", Limit.IDLE: "BASH_IDLE_TIMEOUT"}

# Stands for a stream in how a command has ended, where it is kept elsewhere.
_NOWHERE = Captured(kept=b"", total=0)


@attrs.frozen
class Read:
    """What one call of `bash_output` was given, and where that ends in each of the two streams."""

    text: str
    ends: tuple[int, int]


class BackgroundCommand:
    """A command that runs, or ran, as the job `job`, on behalf of `owner`."""

    def __init__(self, shell: Shell, request: Request, *, label: str, owner: Session | None) -> None:
        self.owner = owner
        self.label = one_line(label, limit=LABEL_LENGTH)
        self.job: Job
        self._shell = shell
        self._request = request
        self._kept: tuple[Kept, Kept] = shell.kept()
        self._ends = (0, 0)  # where the last read ended that reached somebody
        self._finished: Finished | None = None
        self._readers: list[ToolContext] = []  # that wait for its end
        self._killed = False

    # --- the job ---------------------------------------------------------------------------------------------------

    @trio.lowlevel.enable_ki_protection
    async def run(self) -> JSONValue:
        """The work of the job. Raises `ToolError` if the command cannot be started, is stopped by a limit, dies of a
        signal, or comes to an end that nobody knows.

        **Cancellation**: the command is stopped with all it started, and what it wrote can still be read; then it is
        raised.
        """
        progress = ShellProgress(lambda done, total, message: None)  # nobody watches a job's progress
        try:
            finished = await run_command(self._shell, self._request, kept=self._kept, progress=progress)
        except ToolError as error:
            self._kept[1].tail.add(f"spawn failed: {error.message}\n".encode(errors="replace"))
            raise
        self._finished = attrs.evolve(finished, stdout=_NOWHERE, stderr=_NOWHERE)  # what is kept of them is kept once
        await trio.lowlevel.checkpoint_if_cancelled()
        if finished.limit is not None:
            raise ToolError(stopped_by(finished) or "", code=LIMIT_CODES[finished.limit])
        if finished.signal is not None:
            raise ToolError(f"killed by signal: {finished.signal}")
        if finished.exit_code is None:
            raise ToolError("exit code: unknown")
        return {"exit_code": finished.exit_code}

    def words(self, notice: JobNotice) -> str | None:
        """What the session's model is told of its end; None if it has asked for that end, or waits for it."""
        if self._killed or any(not reader.cancel_requested for reader in self._readers):
            return None
        status = self._status(notice.status)
        return f"background job {notice.job} (bash: {self.label}) finished {status}. Read its output with bash_output."

    @property
    def is_over(self) -> bool:
        """Whether it has come to rest."""
        return self.job.notice is not None

    @property
    def is_read(self) -> bool:
        """Whether all that it wrote was read."""
        return self._ends == tuple(kept.tail.total for kept in self._kept)

    # --- for its session -------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """How far it got, as the last line of what is read of it."""
        return self._status(self.job.status)

    def kill(self, reason: str | None) -> str:
        """Have it stopped, unless it is over. Returns what is to be said of that."""
        if self.is_over:
            return f"job {self.job.id} had already finished {self.status}"
        self._killed = True
        self.job.cancel(reason)
        return f"requested cancellation of job {self.job.id}"

    async def wait(self, reader: ToolContext, seconds: float) -> None:
        """Wait until it is over, for so many seconds at most.

        **Cancellation**: the wait ends, the command goes on.
        """
        with self._awaited_by(reader), trio.move_on_after(seconds):
            await self.job.wait()

    def read(self) -> Read:
        """What is new, as text with the status below it. It stays new until `was_read`."""
        parts = [
            news(kept.tail.kept(), kept.tail.total, since=end, over=self.is_over)
            for kept, end in zip(self._kept, self._ends, strict=True)
        ]
        stdout, stderr = (_marked(part) for part in parts)
        markers = [] if self._finished is None else limit_markers(self._finished)
        places = [place_of(kept) for kept, part in zip(self._kept, parts, strict=True) if part.dropped]
        if places:
            markers.insert(0, f"[some output was dropped from memory; full output: {', '.join(places)}]")
        text = with_markers(both(stdout, stderr) or NO_NEWS, [*markers, self.status])
        return Read(text, (parts[0].end, parts[1].end))

    def was_read(self, read: Read) -> None:
        """That read has reached somebody: the next begins where it ended."""
        self._ends = (max(self._ends[0], read.ends[0]), max(self._ends[1], read.ends[1]))

    @contextmanager
    def _awaited_by(self, reader: ToolContext) -> Generator[None]:
        self._readers.append(reader)
        try:
            yield
        finally:
            self._readers.remove(reader)

    def _status(self, status: JobStatus) -> str:
        finished, detail = self._finished, ""
        if finished is not None and finished.exit_code is not None:
            detail = f", exit code: {finished.exit_code}"
        elif finished is not None and finished.signal is not None:
            detail = f", signal: {finished.signal}"
        elif status is JobStatus.KILLED:
            detail = ", killed before exit"
        elif finished is not None:
            detail = ", exit code: unknown"
        return f"[status: {status}{detail}]"


def _marked(part: News) -> str:
    return f"[{part.dropped} bytes dropped]\n{part.text}" if part.dropped else part.text
