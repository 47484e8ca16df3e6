"""The pictures in the documentation are what the command line shows today."""

import re
from pathlib import Path

import pytest

from benchmarks.captures import CAPTURES, FOLDER, PAGE, Capture, as_block
from benchmarks.warm import Start


def timeless(picture: str) -> list[list[str]]:
    """The words of each line, without the times, which differ from run to run, and so does where a line is cut."""
    words = [re.sub(r"<?\d+(m\d\d|\.\d)s", "T", line).split() for line in picture.splitlines()]
    return [[word.rstrip("\u2026") for word in line[:9]] for line in words]


@pytest.mark.parametrize("capture", CAPTURES, ids=[capture.name for capture in CAPTURES])
def test_a_picture_is_of_today(capture: Capture, tmp_path: Path, warm: Start) -> None:
    taken = "\n".join(line.plain for line in capture.take(tmp_path, start=warm))
    assert timeless((FOLDER / f"{capture.name}.txt").read_text()) == timeless(taken)


@pytest.mark.parametrize("capture", CAPTURES, ids=[capture.name for capture in CAPTURES])
def test_the_page_shows_it(capture: Capture) -> None:
    assert as_block((FOLDER / f"{capture.name}.txt").read_text()) in PAGE.read_text()
