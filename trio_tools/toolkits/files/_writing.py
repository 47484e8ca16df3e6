"""What `write` and `edit` share: a turn at the file, the stage, and the one irreversible step."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

import trio

from trio_tools.tool import ToolContext
from trio_tools.toolkits.files._failures import bad_argument, not_text, not_written
from trio_tools.toolkits.files._guard import GuardedFiles
from trio_tools.toolkits.files._publish import stage
from trio_tools.toolkits.files._root import Root, Target
from trio_tools.toolkits.files._shown import shown, shown_path
from trio_tools.toolkits.files._staging import sweep
from trio_tools.toolkits.files._text import SNIFFED_BYTES
from trio_tools.toolkits.files._turns import Turns
from trio_tools.toolkits.files._version import HASHED_BYTES, Expected, FileVersion
from trio_tools.values import Session

P = ParamSpec("P")
T = TypeVar("T")

# Bytes of a file that is written or edited. It is held in memory more than once meanwhile, and no larger than what is
# compared by content before it is replaced.
MAX_FILE_BYTES = HASHED_BYTES


class Writing:
    """Writes to the files below a root, each in its turn."""

    def __init__(self, root: Root, guarded: GuardedFiles) -> None:
        self.root = root
        self._guarded = guarded
        # without a limit, since calls are limited, and one past its point of no return must not wait for the others
        self._limiter = trio.CapacityLimiter(math.inf)
        self._turns = Turns(self._aim, self._limiter)

    def _aim(self, path: str) -> Target:
        try:
            target = self.root.aim(path)
        except ValueError:  # a NUL, or what the file system's encoding lacks
            raise bad_argument(f"{shown(path)} holds a character that no file can have in its name") from None
        if len(target.below) > 1 and target.below[0] == "~":  # nobody wants a directory of that name
            target.close()
            raise bad_argument(f"{shown(path)} begins with ~, which stands for nothing here. Use a path in the root")
        return target

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function returns that is called in a thread.

        **Cancellation**: raised before the thread begins; then it is waited for, and may ask for itself.
        """

        def call() -> T:
            return function(*args, **kwargs)

        return await trio.to_thread.run_sync(call, limiter=self._limiter)

    @asynccontextmanager
    async def turn(self, file_path: str) -> AsyncGenerator[Target, None]:
        """The file of this path, when its turn has come. Raises `ToolError`, for what the block raises too.

        **Cancellation**: the wait for the turn ends.
        """
        if not file_path:
            raise bad_argument("file_path must be a non-empty string")
        try:
            async with self._turns.of(file_path) as target:
                await self.in_thread(sweep, self.root)
                yield target
        except OSError as error:
            raise not_written(file_path, error) from None

    def expects(self, session: Session | None, target: Target) -> Expected:
        """What may be replaced on behalf of a session; None, anything, if no policy guards the files."""
        return None if self._guarded.guard is None else self._guarded.guard.expects(session, target.path)

    async def publish(self, ctx: ToolContext, effect: str, target: Target, data: bytes, expected: Expected) -> bool:
        """Make these bytes the file, as an effect of this name. Whether the file is new.

        Raises `ToolError`, and `OSError` before the effect begins.

        **Cancellation**: raised before the effect begins, and nothing has changed then; not after it.
        """
        if b"\0" in data[:SNIFFED_BYTES]:
            raise not_text(target.given, "a NUL in its beginning would make it a binary file")
        guard = self._guarded.guard
        staged = await self.in_thread(stage, self.root, target, data, expected, trio.from_thread.check_cancelled)
        try:
            done: list[tuple[bool, FileVersion]] = []

            def publish() -> dict[str, object]:
                try:
                    created = staged.publish()
                except OSError as error:
                    raise not_written(target.given, error) from None
                done.append((created, staged.version()))
                path = shown_path((*target.above, *target.below))
                return {"path": path, "bytes": len(data), "sha256": staged.sha256, "created": created}

            await ctx.irreversible(effect, lambda: self.in_thread(publish))
            created, version = done[0]
            if guard is not None:
                guard.observed(ctx.session, target.path, version)
            return created
        finally:
            staged.close()


def encoded(name: str, text: str) -> bytes:
    """A text as it is written. Raises `ToolError` with `FS_INVALID_ARGUMENT` for what UTF-8 cannot carry, and for more
    than `MAX_FILE_BYTES`; `name` is the argument's."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise bad_argument(
            f"{name} holds half a character (a lone surrogate) at {error.start}, which is no text"
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise bad_argument(
            f"{name} is {len(data):,} bytes, more than the {MAX_FILE_BYTES:,} that can be written. Write several files."
        )
    return data
