"""The policy that nothing is replaced which was not read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs

from trio_tools.registry import Registry, plugin
from trio_tools.toolkits.files._guard import GuardedFiles
from trio_tools.toolkits.files._version import Expected, FileVersion, Unread
from trio_tools.values import Session

# Files remembered, of all sessions. Some 40 MB; what is forgotten, the longest unused first, has to be read anew.
MAX_OBSERVATIONS = 100_000


class Observations:
    """What each session has seen of which file, the last time that it looked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # reads are in worker threads
        self._seen: OrderedDict[tuple[Session, str], FileVersion | Unread] = OrderedDict()

    def observed(self, session: Session | None, path: str, version: FileVersion | None) -> None:
        """Remember a version, or an absence; nothing for a call that has no session."""
        if session is None:
            return
        with self._lock:
            self._seen[session, path] = Unread.ABSENT if version is None else version
            self._seen.move_to_end((session, path))
            if len(self._seen) > MAX_OBSERVATIONS:
                self._seen.popitem(last=False)

    def expects(self, session: Session | None, path: str) -> Expected:
        """What the session has seen; `Unread.NEVER` if it never looked, `Unread.NO_SESSION` if there is none."""
        if session is None:
            return Unread.NO_SESSION
        with self._lock:
            return self._seen.get((session, path), Unread.NEVER)


@attrs.frozen(kw_only=True)
class ReadBeforeWriteConfig:
    """The policy has nothing to be set."""


@plugin("read_before_write", config=ReadBeforeWriteConfig, requires=("files",))
@asynccontextmanager
async def read_before_write(registry: Registry, config: ReadBeforeWriteConfig) -> AsyncGenerator[None, None]:
    """`write` and `edit` change only what their session has read, or written itself, and what has not changed since.

    What was never read, or was not there when it was looked for, may be created. A page of a file counts as the file.

    **Cancellation**: opening and leaving do not wait for anything.
    """
    with registry.require(GuardedFiles).guarded_by(Observations()):
        yield
