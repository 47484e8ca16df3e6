"""The table of seeded bad tools."""

from __future__ import annotations

import bad_tools as plain
import bad_tools_outside as outside
from seeded import Desk, Seeded

# Seconds for one exploration on the real clock: its samples say enough, and there are several.
REAL = 1.2

TOOLS = [
    # what the world saw
    Seeded(
        name="receipt lost on a timeout",
        check="effects",
        source="B03",
        bad=plain.receipt_that_only_the_value_has,
        good=plain.receipt_in_the_result,
    ),
    Seeded(
        name="effect done in a shield and recorded nowhere",
        check="effects",
        source="B32",
        bad=plain.effect_in_a_shield,
        good=plain.effect_in_a_zone,
    ),
    Seeded(
        name="effect begun because of the cancel",
        check="late_effects",
        source="own",
        bad=plain.notice_of_the_cancel,
        good=plain.no_notice,
    ),
    Seeded(
        name="half of what belongs together",
        check="check",
        source="own",
        bad=plain.half_of_two_lines,
        good=plain.two_lines_or_none,
        of_own=plain.books_balance,
    ),
    # permits
    Seeded(
        name="permit kept by a cancelled call",
        check="permits",
        source="B35",
        bad=plain.permit_kept_by_a_cancelled_call,
        good=plain.permit_given_back,
    ),
    Seeded(
        name="place in a queue kept",
        check="permits",
        source="B35",
        bad=plain.place_in_a_queue_kept,
        good=plain.place_in_a_queue_given_up,
    ),
    Seeded(name="lock held", check="permits", source="own", bad=plain.lock_held, good=plain.lock_released),
    # unwinding
    Seeded(
        name="record of a cancelled call cut off",
        check="unwinding",
        source="B36",
        bad=plain.record_cut_off,
        good=plain.record_shielded,
    ),
    Seeded(
        name="another attempt after the cancel",
        check="unwinding",
        source="own",
        bad=plain.another_attempt_after_the_cancel,
        good=plain.another_attempt_after_a_failure,
    ),
    Seeded(
        name="clean-up in a shield without a bound",
        check="shields",
        source="B25",
        bad=plain.clean_up_in_a_shield_without_bound,
        good=plain.clean_up_in_a_shield_with_a_bound,
    ),
    Seeded(
        name="waits for ever for what ignores the signal to end",
        check="settles",
        source="B25",
        bad=plain.waits_for_what_ignores_it,
        good=plain.waits_for_it_so_long,
    ),
    Seeded(
        name="carries on for ever",
        check="settles",
        source="B04",
        bad=plain.carries_on_for_ever,
        good=plain.carries_on_after_failures,
    ),
    Seeded(
        name="answer instead of the cancel",
        check="swallows",
        source="B04",
        bad=plain.answer_instead_of_the_cancel,
        good=plain.answer_to_a_failure,
    ),
    Seeded(
        name="somebody else's Cancelled raised",
        check="strays",
        source="own",
        bad=plain.somebody_elses_cancel,
        good=plain.failure_of_its_own,
        fails=["Error: TimeoutError: the peer did not answer in 100 ms"],
    ),
    Seeded(
        name="scope held across a yield",
        check="truth",
        source="B30",
        bad=plain.scope_across_a_yield,
        good=plain.scope_in_a_task_of_its_own,
    ),
    # what is left
    Seeded(
        name="list that goes on changing after the call",
        check="tasks",
        source="B29",
        bad=plain.list_that_goes_on_changing,
        good=plain.list_that_is_done,
        plugins=(plain.background,),
    ),
    Seeded(
        name="progress after the end",
        check="late_reports",
        source="B24",
        bad=plain.callback_left_behind,
        good=plain.callback_taken_out,
        plugins=(plain.background,),
    ),
    Seeded(
        name="temporary file left",
        check="files",
        source="own",
        bad=plain.temporary_file_left,
        good=plain.temporary_file_removed,
    ),
    Seeded(
        name="descriptor left open",
        check="descriptors",
        source="own",
        bad=plain.descriptor_left_open,
        good=plain.descriptor_closed,
    ),
    # threads, processes, sockets
    Seeded(
        name="thread that nobody waits for",
        check="threads",
        source="B03",
        bad=outside.thread_that_nobody_waits_for,
        good=outside.thread_that_asks,
        seconds=REAL,
    ),
    Seeded(
        name="program left in the background",
        check="processes",
        source="B19",
        bad=outside.background_program,
        good=outside.background_program_ended,
        seconds=REAL,
    ),
    Seeded(
        name="only the shell is killed",
        check="processes",
        source="B25",
        bad=outside.only_the_shell_is_killed,
        good=outside.the_whole_group_is_killed,
        seconds=REAL,
    ),
    Seeded(
        name="connection left open",
        check="descriptors",
        source="B34",
        bad=outside.connection_left_open,
        good=outside.connection_closed,
        seconds=REAL,
    ),
]

SERVICES = (Desk,)
