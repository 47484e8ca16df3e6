"""Work that outlives the call which started it: how far it got, and the notice of its end."""

from __future__ import annotations

from enum import StrEnum

import attrs

from trio_tools.values._call import Session
from trio_tools.values._errors import ErrorInfo
from trio_tools.values._json import JSONValue


class JobStatus(StrEnum):
    """How far a job got."""

    RUNNING = "running"
    STOPPING = "stopping"  # it was cancelled, and has not come to rest
    COMPLETED = "completed"
    KILLED = "killed"  # it was cancelled, and has come to rest
    FAILED = "failed"


def _line_of(notice: JobNotice) -> str | None:
    return notice.line


@attrs.frozen(kw_only=True)
class JobNotice:
    """A job has come to rest: what the session that owns it is told, once.

    `value` is what it returned, as JSON, if it completed; `error` why it failed; `reason` what was said when it was
    cancelled, if anything was. `seconds` is how long it ran. `text` is what the session's model is to be told: the
    words of who started the job, or how it ended, in a line; None if the model knows already.
    """

    job: str
    name: str
    session: Session | None
    status: JobStatus
    seconds: float
    value: JSONValue = None
    error: ErrorInfo | None = None
    reason: str | None = None
    text: str | None = attrs.field(default=attrs.Factory(_line_of, takes_self=True))

    @property
    def line(self) -> str:
        """How it ended, for people: in a line, whatever `text` is."""
        why = self.reason if self.error is None else self.error.message
        detail = "" if why is None else f": {why}"
        return f"background job {self.job} ({self.name}) finished [status: {self.status}]{detail}"
