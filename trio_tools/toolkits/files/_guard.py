"""The seam at which a policy learns what was read, and says what may be replaced."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from trio_tools.toolkits.files._version import Expected, FileVersion
from trio_tools.values import Session


class FileGuard(Protocol):
    """What a policy does about files. Paths are relative to the root, with links resolved. Called from any thread, and
    must not wait."""

    def observed(self, session: Session | None, path: str, version: FileVersion | None) -> None:
        """This version was read, or written, on behalf of a session; None if the file is not there."""
        ...

    def expects(self, session: Session | None, path: str) -> Expected:
        """What a write on behalf of a session may replace. It is held against the file right before it is replaced."""
        ...


class GuardedFiles:
    """What the plugin `files` provides for policies: at most one may guard its files."""

    def __init__(self) -> None:
        self.guard: FileGuard | None = None

    @contextmanager
    def guarded_by(self, guard: FileGuard) -> Generator[None, None, None]:
        """Have reads told to this guard, and writes allowed by it. Raises `ValueError` if there is one already."""
        if self.guard is not None:
            raise ValueError(f"the files are already guarded, by {type(self.guard).__name__}; only one policy can be")
        self.guard = guard
        try:
            yield
        finally:
            self.guard = None
