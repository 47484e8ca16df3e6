"""What one part of `python -m benchmarks hostile` found."""

from __future__ import annotations

import attrs

# Promises broken that are shown of one part.
SHOWN = 10


@attrs.frozen
class Findings:
    """What came of a part: `did` says what was done and measured, `faults` the promises that were broken, in words."""

    part: str
    did: str
    faults: tuple[str, ...]
    seconds: float

    def told(self) -> str:
        """The lines that a person reads: the promises broken, if any, and the row of the part."""
        broken = [f"  {fault}" for fault in self.faults[:SHOWN]]
        row = f"{self.part}: {self.did}; {self.seconds:.1f} s, {len(self.faults)} promises broken"
        return "\n".join((*broken, row))
