"""A tenth of what `python -m benchmarks hostile` does with output, and what finds it out."""

from __future__ import annotations

import attrs
import pytest

from benchmarks._hostile_child import MOST_MEMORY, Measured, forget_peak, memory
from benchmarks._hostile_output import KEPT, Kind, Written, hostile_output, output_faults

SEED = 7  # what is written is the same each time; what varies is how the reads cut it


def test_output_that_nobody_can_keep_takes_little_memory_and_its_end_is_exact() -> None:
    """Case B28, case B14, B009, B026: 100 MB of lines, a line of 30 MB, 20 MB of noise, and 25 MB on either stream."""
    found = hostile_output(0.1, SEED)
    assert found.faults == (), found.told()


WRITTEN = Written(b"line\n", 999_995, b"the end\n")
END = WRITTEN.last(KEPT).decode()
RIGHT = f"[{WRITTEN.total - KEPT} bytes dropped]\n{END}\n[output truncated; full output: /a/file]"
KIND = Kind("lines", "", WRITTEN)
FOUND = Measured(RIGHT, None, 1.0, MOST_MEMORY, 0.0)


def test_the_end_of_what_is_written_is_known_without_writing_all_of_it() -> None:
    whole = b"line\n" * 199_999 + b"the end\n"
    assert WRITTEN.total == len(whole)
    assert WRITTEN.last(KEPT) == whole[-KEPT:]


def test_an_answer_that_is_right_has_no_fault() -> None:
    assert output_faults(FOUND, KIND) == []


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (attrs.evolve(FOUND, over=MOST_MEMORY + 1), "MiB over idle"),
        (attrs.evolve(FOUND, code="BASH_TIMEOUT"), "came to BASH_TIMEOUT"),
        (attrs.evolve(FOUND, text=RIGHT.replace("bytes dropped", "dropped")), "does not say how much"),
        (
            attrs.evolve(FOUND, text=RIGHT.replace(f"{WRITTEN.total - KEPT}", f"{WRITTEN.total - KEPT - 1}")),
            "which leaves",
        ),
        (
            attrs.evolve(FOUND, text=RIGHT.replace(f"{WRITTEN.total - KEPT}", f"{WRITTEN.total - KEPT + 1}")),
            "its end is not",
        ),
        (attrs.evolve(FOUND, text=RIGHT.replace("the end", "the eNd")), "its end is not"),
        (attrs.evolve(FOUND, text=RIGHT.replace("output truncated", "cut")), "no mark of the cut"),
    ],
)
def test_an_answer_that_is_wrong_is_found_out(found: Measured, fault: str) -> None:
    """The control."""
    assert any(fault in one for one in output_faults(found, KIND))


def test_an_answer_without_its_stderr_is_found_out() -> None:
    """The control."""
    both = attrs.evolve(KIND, stderr=WRITTEN)
    assert any("no mark of stderr" in one for one in output_faults(FOUND, both))
    assert output_faults(attrs.evolve(FOUND, text=f"{RIGHT}\n[stderr]\n{RIGHT}"), both) == []


def test_memory_that_was_given_back_is_still_seen() -> None:
    """The control: the peak counts, not what is left of it."""
    forget_peak()
    before = memory("VmRSS")
    taken = bytearray(100 * 2**20)
    del taken
    assert memory("VmHWM") - before > 90
