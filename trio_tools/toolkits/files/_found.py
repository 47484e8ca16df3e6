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
    """What one file held: matching `lines` by number, as they are shown, at most `MAX_MATCHES`; how many in `total`;
    and how many lines were too long to be searched whole (`cut`)."""

    lines: list[tuple[int, str]] = attrs.field(factory=list[tuple[int, str]])
    total: int = 0
    cut: int = 0


@attrs.define
class Matches:
    """The first `MAX_MATCHES` matches in the order of paths, and counts of all. Holds little more than it will show."""

    files: list[tuple[str, list[tuple[int, str]]]] = attrs.field(factory=list[tuple[str, list[tuple[int, str]]]])
    kept: int = 0
    total: int = 0
    cut: int = 0

    def add(self, name: str, found: Found) -> None:
        """Take in what the file of this name held."""
        self.total += found.total
        self.cut += found.cut
        if not found.total:
            return
        insort(self.files, (name, found.lines), key=itemgetter(0))
        self.kept += len(found.lines)
        while self.kept - len(self.files[-1][1]) >= MAX_MATCHES:
            self.kept -= len(self.files.pop()[1])

    def report(self, notes: list[str]) -> str:
        """The text for the model, ending in these notes."""
        if self.cut:
            notes = [*notes, f"({self.cut:,} lines were searched only at their beginning, since they are very long.)"]
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


def shortened(line: str, *, cut: bool) -> str:
    """A line as it is shown, cut at a whole character; `cut` if only its beginning is here."""
    encoded = line.encode()
    if len(encoded) <= MAX_SHOWN_BYTES and not cut:
        return line
    return encoded[:MAX_SHOWN_BYTES].decode(errors="ignore") + CUT
