"""What lies outside a root: texts and names that nobody may be shown, and a look at whether anybody was there."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from random import Random

import attrs

# When everything was read last, in nanoseconds, before anybody has: long before it was changed, so that the system
# notes the next reading, where it notes readings at all.
NEVER_READ = 10**18


@attrs.frozen
class Outside:
    """A folder beside the root. `word` is in each of its texts, and in names that no path of the fuzz knows; `paths`
    are all that is there, the folder itself first."""

    folder: Path
    word: str
    paths: tuple[Path, ...]

    @classmethod
    def make(cls, folder: Path, draw: Random) -> Outside:
        """Make what the links of the fuzz lead to, and neighbours that none of them names."""
        word = f"canary-{draw.randrange(10**12):012}"
        for place in ("f", "e/f", "s", word, "d/f", "d/e/f", f"d/{word}", f"{word}.d/f", "deep/d/f"):
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{word}\ninside\n")
        made = cls(folder, word, (folder, *sorted(folder.rglob("*"))))
        made.forget()
        return made

    def digest(self) -> str:
        """Names, kinds, rights, times of change and texts of everything there now. It reads, so `read` comes first."""
        whole = hashlib.sha256()
        for path in (self.folder, *sorted(self.folder.rglob("*"))):
            status = path.lstat()
            kind = (str(path), status.st_mode, status.st_nlink, status.st_mtime_ns, status.st_ino, status.st_uid)
            whole.update(repr(kind).encode())
            whole.update(path.read_bytes() if stat.S_ISREG(status.st_mode) else b"")
        self.forget()
        return whole.hexdigest()

    def forget(self) -> None:
        """From here on nobody has read anything."""
        for path in self.paths:
            os.utime(path, ns=(NEVER_READ, path.lstat().st_mtime_ns), follow_symlinks=False)

    def read(self) -> list[str]:
        """What somebody has read, or listed, since it was forgotten."""
        return [str(path) for path in self.paths if path.exists() and path.lstat().st_atime_ns > NEVER_READ]


def notes_readings(folder: Path) -> bool:
    """Whether the file system of this folder notes that a file was read: it may be mounted not to."""
    probe = folder / "probe"
    probe.write_text("read me")
    os.utime(probe, ns=(NEVER_READ, time.time_ns()))
    probe.read_text()
    noted = probe.stat().st_atime_ns > NEVER_READ
    probe.unlink()
    return noted
