"""The journal of a random turn agrees with it, and each check that says so can fail."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest
import trio
import trio.testing

from benchmarks._balance import FORMS
from benchmarks._books import Books
from benchmarks._random_turn import Turn, carry_out, plan
from benchmarks.properties import broken
from trio_tools import CallSettled, Cause, EffectBegun, EffectState, ErrorCode, Session
from trio_tools.journal import CallRecord

Tamper = Callable[[Turn, Books], None]

SEED = 11  # four calls: two of which time out after an effect, one fails, and nobody cancels
ENDED = 6  # five calls, the second of which its caller ends, after an effect of it


def a_turn(seed: int) -> tuple[Turn, Books]:
    """A turn that kept its promises, and its books, to be tampered with."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    turn = plan(seed, clock)
    trio.run(carry_out, turn, clock=clock)
    assert broken(turn) == []
    assert turn.books is not None
    return turn, turn.books


def change(books: Books, which: Callable[[CallRecord], object], **fields: object) -> None:
    """Say something else of the first call that is `which`."""
    records = [*books.records]
    place = next(place for place, record in enumerate(records) if which(record))
    records[place] = attrs.evolve(records[place], **fields)  # type: ignore[arg-type]  # any of its fields
    books.records = records


def has_effect(record: CallRecord) -> bool:
    return bool(record.effects)


def succeeded(record: CallRecord) -> bool:
    return record.result is not None and record.result.error is None


def by(*causes: Cause) -> Callable[[CallRecord], bool]:
    return lambda record: record.cause in causes


def anyone(record: CallRecord) -> bool:
    return True


def lose_a_record(turn: Turn, books: Books) -> None:
    books.records = books.records[:-1]


def mix_up_calls(turn: Turn, books: Books) -> None:
    books.records = [*reversed(books.records)]


def keep_other_arguments(turn: Turn, books: Books) -> None:
    change(books, anyone, arguments='{"to": "bob"}')


def file_it_elsewhere(turn: Turn, books: Books) -> None:
    change(books, anyone, ref=attrs.evolve(books.records[0].ref, session=Session("other")))


def keep_another_result(turn: Turn, books: Books) -> None:
    result = next(record.result for record in books.records if succeeded(record))
    assert result is not None
    change(books, succeeded, result=attrs.evolve(result, value="another"))


def forget_an_effect(turn: Turn, books: Books) -> None:
    change(books, has_effect, effects=())


def change_an_effect(turn: Turn, books: Books) -> None:
    _with_state(books, EffectState.FAILED)


def leave_an_effect_open(turn: Turn, books: Books) -> None:
    _with_state(books, EffectState.BEGUN)


def _with_state(books: Books, state: EffectState) -> None:
    one = next(record for record in books.records if record.effects).effects[0]
    change(books, has_effect, effects=(attrs.evolve(one, effect=attrs.evolve(one.effect, state=state)),))


def forget_an_attempt(turn: Turn, books: Books) -> None:
    change(books, lambda record: record.dispatched, dispatched=())


def add_an_attempt(turn: Turn, books: Books) -> None:
    change(books, lambda record: record.dispatched, dispatched=(1.0, 2.0))


def deny_what_ran(turn: Turn, books: Books) -> None:
    change(books, lambda record: record.dispatched, allowed=False)


def name_nobody(turn: Turn, books: Books) -> None:
    change(books, by(Cause.DEADLINE, Cause.IDLE), cause=None)


def name_another(turn: Turn, books: Books) -> None:
    change(books, by(Cause.CALLER), cause=Cause.OPERATOR)


def name_somebody_of_a_success(turn: Turn, books: Books) -> None:
    change(books, succeeded, cause=Cause.CALLER, cancelled=1.0)


def forget_when_a_budget_ran_out(turn: Turn, books: Books) -> None:
    change(books, by(Cause.DEADLINE, Cause.IDLE), cancelled=None)


def end_what_nobody_ended(turn: Turn, books: Books) -> None:
    change(books, succeeded, cancelled=1.0)


def end_it_at_another_time(turn: Turn, books: Books) -> None:
    cancelled = next(record.cancelled for record in books.records if record.cause is Cause.CALLER)
    assert cancelled is not None
    change(books, by(Cause.CALLER), cancelled=cancelled + 1)


def move(field: str) -> Tamper:
    """Move a time of a call by a second, of whichever call has it."""

    def tamper(turn: Turn, books: Books) -> None:
        time = next(getattr(record, field) for record in books.records if getattr(record, field) is not None)
        change(books, lambda record: getattr(record, field) is not None, **{field: time + 1})

    return tamper


def move_of_an_effect(field: str) -> Tamper:
    """The same of an effect."""

    def tamper(turn: Turn, books: Books) -> None:
        one = next(record for record in books.records if record.effects).effects[0]
        moved = attrs.evolve(one, begun=one.begun + 1) if field == "begun" else attrs.evolve(one, ended=1.0)
        change(books, has_effect, effects=(moved,))

    return tamper


def settle_before_it_came(turn: Turn, books: Books) -> None:
    """In the kernel's own events, so that the journal agrees with them."""
    events, earlier = turn.ledger.events, -1_000.0
    place = next(place for place, event in enumerate(events) if isinstance(event, CallSettled))
    events[place] = attrs.evolve(events[place], at=earlier)
    position = events[place].ref.position
    change(books, lambda record: record.ref.position == position, settled=earlier + books.offset)


def begin_an_effect_before_the_body(turn: Turn, books: Books) -> None:
    events, earlier = turn.ledger.events, -1_000.0
    place = next(place for place, event in enumerate(events) if isinstance(event, EffectBegun))
    events[place] = attrs.evolve(events[place], at=earlier)
    position = events[place].ref.position
    record = next(record for record in books.records if record.ref.position == position)
    moved = attrs.evolve(record.effects[0], begun=earlier + books.offset)
    change(books, lambda one: one is record, effects=(moved, *record.effects[1:]))


def leave_an_answer_out(form: str) -> Tamper:
    def tamper(turn: Turn, books: Books) -> None:
        books.histories[form] = books.histories[form][:-1]

    return tamper


def forget_the_turn(form: str) -> Tamper:
    def tamper(turn: Turn, books: Books) -> None:
        books.histories[form] = []

    return tamper


def tell_another_text(turn: Turn, books: Books) -> None:
    message = books.histories["plain"][1]
    assert isinstance(message, dict)
    books.histories["plain"][1] = {**message, "text": "all is well"}


TAMPERS: list[tuple[Tamper, int, str]] = [
    (lose_a_record, SEED, "has records of the calls [0, 1, 2]"),
    (mix_up_calls, SEED, "has records of the calls [3, 2, 1, 0]"),
    (keep_other_arguments, SEED, """t0('{"to": "bob"}') for t0("""),
    (file_it_elsewhere, SEED, "under the session Session(id='other'"),
    (keep_another_result, SEED, "has another result"),
    (forget_an_effect, SEED, "has the effects []"),
    (change_an_effect, SEED, "has the effects [Effect("),
    (leave_an_effect_open, SEED, "whose end nobody has seen"),
    (forget_an_attempt, SEED, "has 0 attempts, [1] were recorded"),
    (add_an_attempt, SEED, "has 2 attempts, [1] were recorded"),
    (deny_what_ran, SEED, "does not say that it was allowed"),
    (name_nobody, SEED, "says that None ended it, the result"),
    (name_another, ENDED, "says that operator ended it, the result caller"),
    (name_somebody_of_a_success, SEED, "says that caller ended it, and it is a success"),
    (forget_when_a_budget_ran_out, SEED, "does not say when"),
    (end_what_nobody_ended, SEED, "says when it was ended, and that None did it"),
    (end_it_at_another_time, ENDED, "the journal has it given up at"),
    *((move(field), SEED, f"has it {field} at") for field in ("accepted", "decided", "settled")),
    *((move_of_an_effect(field), SEED, f"has it {field} at") for field in ("begun", "ended")),
    (settle_before_it_came, SEED, "has its steps out of order"),
    (begin_an_effect_before_the_body, SEED, "has effect out of order"),
    *((leave_an_answer_out(form), SEED, f"the {form} history: ") for form in FORMS),
    *((forget_the_turn(form), SEED, f"the {form} history has 0 calls of 4") for form in FORMS),
    (tell_another_text, SEED, "the plain history reads"),
]


@pytest.mark.parametrize(("tamper", "seed", "words"), TAMPERS, ids=[words for _, _, words in TAMPERS])
def test_books_that_do_not_agree_are_found(tamper: Tamper, seed: int, words: str) -> None:
    """The control: of a turn whose books were tampered with in this way it is said what is wrong."""
    turn, books = a_turn(seed)
    tamper(turn, books)
    assert any(words in what for what in broken(turn))


def test_a_denied_call_is_denied_in_the_books() -> None:
    """The same for a call that was not allowed to run."""
    seed = next(seed for seed in range(100) if _denied(seed))
    turn, books = a_turn(seed)
    change(books, lambda record: record.allowed is False, allowed=None)
    assert any("does not say that it was denied" in what for what in broken(turn))


def _denied(seed: int) -> bool:
    turn, _ = a_turn(seed)
    return any(result.code == ErrorCode.DENIED for _, result in turn.ledger.settled)
