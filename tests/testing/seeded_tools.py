"""The table of seeded bad tools."""

from __future__ import annotations

import bad_tools_kept as kept
import bad_tools_left as left
import bad_tools_unwinding as unwinding
from seeded import Seeded

TOOLS = [
    # what the world saw
    Seeded(
        name="receipt lost on a timeout",
        check="effects",
        source="B03",
        bad=kept.receipt_that_only_the_value_has,
        good=kept.receipt_in_the_result,
    ),
    Seeded(
        name="effect done in a shield and recorded nowhere",
        check="effects",
        source="B32",
        bad=kept.effect_in_a_shield,
        good=kept.effect_in_a_zone,
    ),
    Seeded(
        name="effect begun because of the cancel",
        check="late_effects",
        source="own",
        bad=kept.notice_of_the_cancel,
        good=kept.no_notice,
    ),
    Seeded(
        name="half of what belongs together",
        check="check",
        source="own",
        bad=kept.half_of_two_lines,
        good=kept.two_lines_or_none,
        of_own=kept.books_balance,
    ),
    Seeded(
        name="taken as it wakes, and lost",
        check="check",
        source="own",
        bad=kept.taken_and_lost,
        good=kept.taken_and_handed_on,
        of_own=kept.books_balance,
    ),
    # permits
    Seeded(
        name="permit kept by a cancelled call",
        check="permits",
        source="B35",
        bad=kept.permit_kept_by_a_cancelled_call,
        good=kept.permit_given_back,
    ),
    Seeded(
        name="place in a queue kept",
        check="permits",
        source="B35",
        bad=kept.place_in_a_queue_kept,
        good=kept.place_in_a_queue_given_up,
    ),
    Seeded(name="lock held", check="permits", source="own", bad=kept.lock_held, good=kept.lock_released),
    # unwinding
    Seeded(
        name="record of a cancelled call cut off",
        check="unwinding",
        source="B36",
        bad=unwinding.record_cut_off,
        good=unwinding.record_shielded,
    ),
    Seeded(
        name="another attempt after the cancel",
        check="unwinding",
        source="own",
        bad=unwinding.another_attempt_after_the_cancel,
        good=unwinding.another_attempt_after_a_failure,
    ),
    Seeded(
        name="clean-up in a shield without a bound",
        check="shields",
        source="B25",
        bad=unwinding.clean_up_in_a_shield_without_bound,
        good=unwinding.clean_up_in_a_shield_with_a_bound,
    ),
    Seeded(
        name="waits for ever for what ignores the signal to end",
        check="settles",
        source="B25",
        bad=unwinding.waits_for_what_ignores_it,
        good=unwinding.waits_for_it_so_long,
    ),
    Seeded(
        name="carries on for ever",
        check="settles",
        source="B04",
        bad=unwinding.carries_on_for_ever,
        good=unwinding.carries_on_after_failures,
    ),
    Seeded(
        name="answer instead of the cancel",
        check="swallows",
        source="B04",
        bad=unwinding.answer_instead_of_the_cancel,
        good=unwinding.answer_to_a_failure,
    ),
    Seeded(
        name="somebody else's Cancelled raised",
        check="strays",
        source="own",
        bad=unwinding.somebody_elses_cancel,
        good=unwinding.failure_of_its_own,
        fails=["Error: TimeoutError: the peer did not answer in 100 ms"],
    ),
    Seeded(
        name="scope held across a yield",
        check="truth",
        source="B30",
        bad=unwinding.scope_across_a_yield,
        good=unwinding.scope_in_a_task_of_its_own,
    ),
    # what is left
    Seeded(
        name="list that goes on changing after the call",
        check="tasks",
        source="B29",
        bad=left.list_that_goes_on_changing,
        good=left.list_that_is_done,
        plugins=(left.background,),
    ),
    Seeded(
        name="progress after the end",
        check="late_reports",
        source="B24",
        bad=left.callback_left_behind,
        good=left.callback_taken_out,
        plugins=(left.background,),
    ),
    Seeded(
        name="temporary file left",
        check="files",
        source="own",
        bad=left.temporary_file_left,
        good=left.temporary_file_removed,
    ),
    Seeded(
        name="descriptor left open",
        check="descriptors",
        source="own",
        bad=left.descriptor_left_open,
        good=left.descriptor_closed,
    ),
]
