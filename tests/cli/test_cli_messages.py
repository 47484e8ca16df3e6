"""Every message that the command line has for bad input, word by word, and that there is no other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import pytest
from message_rows_config import FILES, MANY, TABLES, VARIABLES
from message_rows_house import OPTIONS as HOUSE_OPTIONS
from message_rows_installed import IMPORTS, NEEDS
from message_rows_lines import ANTHROPIC, OPENAI, PLAIN
from message_rows_log import DAMAGE, DECISIONS, JOURNALS, SESSIONS
from message_rows_log import PARSER as LOG_PARSER
from message_rows_opening import LEAVING, OPENING
from message_rows_options import OPTIONS, PARSER, SOURCES
from message_rows_repair import CHANGES, NO_TRANSCRIPT
from message_rows_repair import FILES as TRANSCRIPTS
from message_rows_schema import REFUSED, SCHEMA
from message_run import Row, Told, told
from message_templates import Lines, Template, templates, templates_in
from message_untold import UNTOLD

ROWS: tuple[Row, ...] = (
    *(*PARSER, *OPTIONS, *SOURCES, *FILES, MANY, *TABLES, *VARIABLES, *HOUSE_OPTIONS),
    *(*LOG_PARSER, *JOURNALS, *SESSIONS, *DAMAGE, *DECISIONS),
    *(*IMPORTS, *NEEDS, *OPENING, *LEAVING, *PLAIN, *OPENAI, *ANTHROPIC, *SCHEMA, *REFUSED),
    *(*NO_TRANSCRIPT, *TRANSCRIPTS, *CHANGES),
)
# Those of the parser.
FIRST = range(len(PARSER))
# Characters of a line at most: the message's own bound, and the name of the program.
LONGEST_LINE = 2_000


@cache
def ran(row: int) -> tuple[Told, Lines]:
    """What a row of the table came to, and the lines that were run for it. It is run once, in a folder of its own."""
    lines = Lines()
    with TemporaryDirectory() as folder:
        return told(ROWS[row], Path(folder) / "row", noted=lines.noted()), lines


@pytest.mark.parametrize(
    "row", range(len(ROWS)), ids=[f"{n}-{' '.join(row.arguments)[:40]!a}" for n, row in enumerate(ROWS)]
)
def test_bad_input_is_told_in_just_these_lines(row: int) -> None:
    wanted, (found, _) = ROWS[row], ran(row)
    assert found.err == wanted.err
    assert found.status == wanted.status
    assert wanted.out is None or found.out == wanted.out
    for line in found.err:
        assert line.isprintable()
        assert line.startswith("trio-tools: ")
        assert len(line) <= LONGEST_LINE


def missing(every: tuple[Template, ...], rows: Iterable[int]) -> list[Template]:
    """The texts that none of these rows tells."""
    left = list(every)
    for row in rows:
        found, lines = ran(row)
        printed = (*found.err, *found.out)
        left = [one for one in left if not ((one.is_sentence or lines.has(one)) and any(map(one.fits, printed)))]
    return left


def test_every_text_of_the_source_is_in_the_table_or_has_its_reason() -> None:
    """What is on the list of the untold is told by no row; and nothing is on it that is not in the source."""
    listed = {(file, words) for texts in UNTOLD.values() for file, words in texts}
    assert {(one.file, one.words) for one in missing(templates(), range(len(ROWS)))} == listed


def test_a_text_that_no_row_tells_is_found() -> None:
    seeded = '"""A docstring, no message."""\nOF = "two words"\ndef f(x):\n    raise Refused(f"no such {x} here")'
    found = tuple(templates_in("cli/_seeded.py", seeded))
    assert [one.words for one in found] == ["two words", "no such {} here"]
    assert missing(found, FIRST) == list(found)


def test_a_text_that_is_printed_but_not_by_its_own_line_is_found() -> None:
    """The words of another message do not stand in for it."""
    (ours,) = (one for one in templates() if "argument too many" in one.words)
    other = attrs.evolve(ours, lines=range(1, 2))
    assert missing((ours, other), FIRST) == [other]
