"""What a search found, kept within bounds and told in the order of paths."""

from __future__ import annotations

from bisect import insort
from operator import itemgetter

import attrs

# Matching lines shown (F008). Who needs more has to search for something rarer.
MAX_MATCHES = 250
# Bytes shown of one line (F008): enough to recognise it.
MAX_SHOWN_BYTES = 2_000
CUT = " (line truncated)"


@attrs.define
class Found:
    """What one file held: matching `lines` by number, as they are shown, at most `MAX_MATCHES`; how many in `total`."""

    lines: list[tuple[int, str]] = attrs.field(factory=list[tuple[int, str]])
    total: int = 0

    def add(self, number: int, line: str) -> None:
        """Take in a line, of which the beginning is enough; bytes that are not UTF-8 are surrogates in it."""
        self.total += 1
        if self.total <= MAX_MATCHES:
            self.lines.append((number, shortened(line, first=number == 1)))


@attrs.define
class Matches:
    """The first `MAX_MATCHES` matches in the order of paths, and counts of all. Holds little more than it will show."""

    files: list[tuple[str, list[tuple[int, str]]]] = attrs.field(factory=list[tuple[str, list[tuple[int, str]]]])
    kept: int = 0
    total: int = 0

    def add(self, name: str, found: Found) -> None:
        """Take in what the file of this name held."""
        self.total += found.total
        if not found.total:
            return
        insort(self.files, (name, found.lines), key=itemgetter(0))
        self.kept += len(found.lines)
        while self.kept - len(self.files[-1][1]) >= MAX_MATCHES:
            self.kept -= len(self.files.pop()[1])

    def report(self, notes: list[str]) -> str:
        """The text for the model, ending in these notes."""
        if not self.total:
            return "\n\n".join(("No matches found", *notes))
        groups: list[str] = []
        left = MAX_MATCHES
        for name, lines in self.files:
            groups.append("\n".join((name, *(f"Line {number}: {line}" for number, line in lines[:left]))))
            left -= len(lines[:left])
        header = f"Found {self.total} matches"
        if self.total > MAX_MATCHES:
            header = f"Found {MAX_MATCHES} of {self.total} matches"
            notes = ["(Narrow the pattern, the path or include to see the others.)", *notes]
        return "\n\n".join((header, *groups, *notes))


@attrs.define
class Candidates:
    """Files by how many lines match in each, of which only the first in the order of paths are kept: so many that they
    hold `MAX_MATCHES`. Each is its name as it is shown, its names from where the search began, and its count."""

    files: list[tuple[str, tuple[str, ...], int]] = attrs.field(factory=list[tuple[str, tuple[str, ...], int]])
    kept: int = 0
    total: int = 0

    def add(self, name: str, names: tuple[str, ...], count: int) -> None:
        self.total += count
        if self.kept >= MAX_MATCHES and name > self.files[-1][0]:
            return
        insort(self.files, (name, names, count))
        self.kept += count
        while self.kept - self.files[-1][2] >= MAX_MATCHES:
            self.kept -= self.files.pop()[2]


def shortened(line: str, *, first: bool) -> str:
    """A line as it is shown: bytes that are not UTF-8 replaced, cut at a whole character, and, if it is the first of a
    file, without a byte order mark."""
    text = line[: MAX_SHOWN_BYTES + 2].encode(errors="surrogateescape").decode(errors="replace")
    encoded = (text.removeprefix("\ufeff") if first else text).encode()
    if len(encoded) <= MAX_SHOWN_BYTES:
        return encoded.decode()
    return encoded[:MAX_SHOWN_BYTES].decode(errors="ignore") + CUT
