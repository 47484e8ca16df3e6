"""The seeded bad tools that run on the real clock."""

from __future__ import annotations

import bad_tools_outside as outside
from seeded import Seeded

# Cases that are tried where none is to be found broken: each takes its time.
REAL = 10

TOOLS = [
    Seeded(
        name="thread that nobody waits for",
        check="threads",
        source="B03",
        bad=outside.thread_that_nobody_waits_for,
        good=outside.thread_that_asks,
        samples=REAL,
    ),
    Seeded(
        name="program left in the background",
        check="processes",
        source="B19",
        bad=outside.background_program,
        good=outside.background_program_ended,
        samples=REAL,
    ),
    Seeded(
        name="only the shell is killed",
        check="processes",
        source="B25",
        bad=outside.only_the_shell_is_killed,
        good=outside.the_whole_group_is_killed,
        samples=REAL,
    ),
    Seeded(
        name="connection left open",
        check="descriptors",
        source="B34",
        bad=outside.connection_left_open,
        good=outside.connection_closed,
        samples=REAL,
    ),
]
