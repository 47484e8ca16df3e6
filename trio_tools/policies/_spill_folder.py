"""A private folder of texts that were too long to be shown.

What blocks runs in one thread at a time, which alone touches what is known of the files: so nothing needs a lock.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import trio

# Bytes of randomness in a name: nobody can guess it, or be there first.
NAME_BYTES = 16
# Nobody else lists the folder, or reads what a tool said.
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
# Bytes that are written before the next look at whether the time is up: a slow disk has them in a moment.
STEP = 1024 * 1024
# Seconds for removing the files in the end: some thousand unlinks.
REMOVAL_BOUND = 10


class SpillFolder:
    """A new folder below `directory`, of `max_bytes` at most. The directory is made if only its last part is missing,
    and stays: another program may be about to use it.

    It is held open, and files are made and removed below that descriptor alone: whatever is put in its place meanwhile,
    nothing else is written to, and nothing removed that was not made here. Raises `OSError` if there can be none, and
    `ValueError` for a path that no message could show as it is.
    """

    def __init__(self, directory: Path, max_bytes: int) -> None:
        directory = directory.absolute()
        if not str(directory).isprintable():
            raise ValueError(f"directory has characters that cannot be shown to a model: {str(directory)!a}")
        self._max_bytes = max_bytes
        self._limiter = trio.CapacityLimiter(1)
        self._sizes: dict[str, int] = {}  # by name, the oldest first
        self._held = 0  # bytes of all of them
        self.path = directory / f"spill-{_random()}"
        try:
            with suppress(FileExistsError):
                os.mkdir(directory, PRIVATE_FOLDER)
            os.mkdir(self.path, PRIVATE_FOLDER)
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            self._remove_folder()
            why = f"the directory of the spill policy cannot be used: {error.strerror}"
            if isinstance(error, FileNotFoundError):
                why += "; only its last part is made"
            raise OSError(error.errno, why, str(directory)) from None

    def place_of(self, name: str) -> str:
        """The absolute path of a file."""
        return str(self.path / name)

    async def save(self, text: bytes) -> str:
        """Write a new file, and return its name. The oldest files go where there is no room left.

        Raises `OSError` if it cannot be written whole; then nothing of it stays. **Cancellation**: likewise; a disk
        that hangs in the middle of a step is waited for.
        """
        return await trio.to_thread.run_sync(self._save, text, limiter=self._limiter)

    async def remove(self) -> None:
        """Remove the files and the folder; what cannot be removed stays. It can be used no more.

        **Cancellation**: they are removed all the same.
        """
        try:
            if self._sizes:
                # Shield: what tools said must not stay behind. Bound: some thousand unlinks.
                with trio.CancelScope(shield=True, relative_deadline=REMOVAL_BOUND):
                    await trio.to_thread.run_sync(self._remove_files, limiter=self._limiter)
        finally:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)
            self._remove_folder()

    def _remove_folder(self) -> None:
        with suppress(OSError):  # it is not there, or somebody else has put something in it
            os.rmdir(self.path)

    def _save(self, text: bytes) -> str:
        if len(text) > self._max_bytes:
            raise OSError(errno.EFBIG, f"{len(text)} bytes are more than all files together may have")
        while self._held + len(text) > self._max_bytes:
            self._remove_file(next(iter(self._sizes)))
        name = f"{_random()}.txt"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, PRIVATE_FILE, dir_fd=self._descriptor)
        self._sizes[name] = len(text)
        self._held += len(text)
        try:
            try:
                _write(descriptor, memoryview(text))
            finally:
                os.close(descriptor)  # may be where a disk says that it is full
        except BaseException:  # given up, too
            self._remove_file(name)
            raise
        return name

    def _remove_files(self) -> None:
        for name in tuple(self._sizes):
            self._remove_file(name)

    def _remove_file(self, name: str) -> None:
        self._held -= self._sizes.pop(name)
        with suppress(OSError):  # a model with a shell may have been faster
            os.unlink(name, dir_fd=self._descriptor)


def _write(descriptor: int, text: memoryview) -> None:
    while text:
        trio.from_thread.check_cancelled()
        text = text[os.write(descriptor, text[:STEP]) :]


def _random() -> str:
    return os.urandom(NAME_BYTES).hex()
