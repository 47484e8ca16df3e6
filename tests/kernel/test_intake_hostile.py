"""Hostile argument texts by a grammar: no crash, no hang, no body entered on a refusal; what was found, pinned."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from intake_tools import nested

from benchmarks._hostile_arguments import LONGEST, Tally, check_text, check_texts, least_seconds
from benchmarks._hostile_target import Ledger, target
from benchmarks._strict_reader import MOST_BYTES, MOST_CONTAINERS, MOST_VALUES, Refused, read, same
from benchmarks.hostile_texts import HEAVY, KIND_NAMES, SHORT, HostileText, hostile_text
from trio_tools import NotJSON
from trio_tools.values import freeze_arguments, parse_arguments

# Short texts of one run of the suite: some seconds' worth; the benchmark reads a hundred times as many.
TEXTS = 10_000
# Texts near the bounds: enough that each kind of them occurs; one costs as much as hundreds of short ones.
HEAVY_TEXTS = 30
# Every so many-th text of a kind goes through a registry as well, which costs as much as ten texts.
WHOLE_EVERY = 10
# Seeds that neither run above has.
FRESH = st.integers(min_value=10**9, max_value=10**12)


async def test_ten_thousand_hostile_texts_keep_every_promise() -> None:
    """L001, D28, D29, R004, cases B14, B15, B23, B33: what is read is what is written, the rest is refused in words
    that a model can be told, and never within a body."""
    tally = Tally()
    await check_texts(partial(hostile_text, heavy=False), range(TEXTS), tally, WHOLE_EVERY)
    assert tally.faults == []
    assert set(tally.kinds) == set(KIND_NAMES[: len(SHORT)])
    assert min(tally.accepted, tally.fitting, tally.texts - tally.accepted) > TEXTS / 10


async def test_texts_near_the_bounds_keep_every_promise() -> None:
    """D28, D29, case B33: a mebibyte, thousands of levels, and of values; none takes longer than 50 ms."""
    tally = Tally()
    await check_texts(partial(hostile_text, heavy=True), range(HEAVY_TEXTS), tally, WHOLE_EVERY)
    assert tally.faults == []
    assert set(tally.kinds) == set(KIND_NAMES[len(SHORT) :])
    assert len(tally.kinds) == len(HEAVY)


@settings(max_examples=200, deadline=None)
@given(FRESH)
def test_any_other_seed_names_a_text_that_keeps_every_promise(seed: int) -> None:
    """L001, D29: as above, for seeds that are drawn anew."""
    tally = Tally()
    check_text(hostile_text(seed, heavy=False), target(Ledger()), tally)
    assert tally.faults == []


def listed(parameter: str, items: list[str]) -> str:
    return f'{{"label":"","{parameter}":[{",".join(items)}]}}'


def keyed(count: int, *more: str) -> str:
    """Members of an object, so many and some more."""
    return ",".join([*(f'"k{at}":0' for at in range(count)), *more])


def twice(count: int, again: str) -> str:
    """An object of so many keys, and of one that is there already."""
    return "{" + keyed(count, f"{again}:1") + "}"


def filled(head: str, unit: str, tail: str = "") -> str:
    """A text as long as may be."""
    room = MOST_BYTES - len(head.encode()) - len(tail.encode())
    return head + unit * (room // len(unit.encode())) + tail


# Values about as many as may be, in texts and mappings that are slow for their number.
MANY = MOST_VALUES - 1000

# Each has once taken longer than 50 ms, or come near to it; those that every run above has are left out.
SLOW: dict[str, str] = {
    "a key twice among thousands": twice(MANY, f'"k{MANY - 1}"'),
    "the same with an escape": twice(MANY, f'"\\u006b{MANY - 1}"'),
    "every key twice": f"{{{keyed(MANY // 2)},{keyed(MANY // 2)}}}",
    "as many empty arrays as there is room for": filled('{"opts":{"a":[', "[],", "[]]}}"),
    "as many empty objects as may be": listed("points", ["{}"] * (MOST_CONTAINERS - 2)),
    "floats of sixteen digits below the least": listed("points", ["4.94065645841246e-400"] * MANY),
    "floats of seventeen digits": listed("points", ["1.2345678901234567e-300"] * MANY),
    "floats halfway between two": listed("points", ["2.2250738585072011e-308"] * MANY),
    "integers of 4,300 digits": listed("points", ["9" * 4300] * 240),
    "whole numbers where strings must be": listed("tags", ["0"] * MANY),
    "arrays where strings must be": listed("tags", ["[]"] * (MOST_CONTAINERS - 2)),
    "strings where a union must be": listed("points", ['""'] * MANY),
    "one of many that does not fit": listed("points", [*["0"] * MANY, '""']),
    "strings inside an object inside an object": '{"label":"","grid":{"a":[' + ",".join(['""'] * MANY) + "]}}",
    "thousands of names that are unknown": f'{{"label":"",{keyed(MANY)}}}',
    "thousands of members that do not fit": f'{{"label":"","grid":{{{keyed(MANY)}}}}}',
    "a whole number of a million digits": filled('{"count":', "9", "}"),
    "an unclosed string of backslashes": filled('{"label":"', "\\"),
    "the same after hundreds of arrays": filled(f'{{"opts":[{"[]," * 300}"', "\\"),
    "quotes and nothing else": '"' * MOST_BYTES,
    "strings between backslashes": filled(f"[{'[],' * 300}", '\\"\\\\"'),
    "a space after each empty array": filled('{"opts":{"a":[', "[], ", "[]]}}"),
    "a space in each empty object": filled('{"opts":{"a":[', "{ },", "[]]}}"),
    "a space after each value": filled('{"points":[', "0 ,", "0]}"),
    "a space before each bracket": filled('{"opts":{"a":', " ["),
    "brackets that close nothing": filled(f'{{"opts":{{"a":[{"[]," * 300}', "]"),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_text_holds_up_the_loop(name: str) -> None:
    """D28, D29: parsed and checked within 50 ms, and as the rules have it."""
    tally = Tally()
    check_text(HostileText(0, name, SLOW[name]), target(Ledger()), tally)
    assert tally.faults == []


def test_white_space_beyond_the_bound_is_not_looked_through() -> None:
    """D28: a text that is too long is refused for its length alone, however much longer it is."""
    blank = " " * (100 * MOST_BYTES)
    with pytest.raises(NotJSON, match="longer than"):
        parse_arguments(blank)
    assert least_seconds(lambda: refusal(parse_arguments, blank)) < LONGEST / 10


# Around each bound: what is just in it, and what is just out of it, in every shape.
BOUNDS: dict[str, str] = {
    "all the values that may be": listed("points", ["0"] * (MOST_VALUES - 3)),
    "one more": listed("points", ["0"] * (MOST_VALUES - 2)),
    "all of them as members": f"{{{keyed(MOST_VALUES - 1)}}}",
    "one member more": f"{{{keyed(MOST_VALUES)}}}",
    "many empty ones among few values": listed(
        "points", [*["[]"] * (MOST_CONTAINERS - 2), *["0"] * (MOST_VALUES // 2)]
    ),
    "as many values, some of them containers": listed("points", [*["[]"] * 100, *["0"] * (MOST_VALUES - 103)]),
    "one more, some of them containers": listed("points", [*["[]"] * 100, *["0"] * (MOST_VALUES - 102)]),
    "all the containers that may be": listed("points", ["[]"] * (MOST_CONTAINERS - 2)),
    "one container more": listed("points", ["[]"] * (MOST_CONTAINERS - 1)),
    "commas and brackets in a string": filled('{"label":"', "[,", '"}'),
}


def refusal(take: Callable[..., Mapping[str, object]], given: object) -> str | None:
    """What is said of arguments that are refused; nothing if they are taken."""
    try:
        take(given)
    except NotJSON as error:
        return str(error)
    return None


def empties(count: int) -> list[object]:
    return [list[object]() for _ in range(count)]


def sound_object(text: str) -> dict[str, object] | None:
    try:
        return read(text)
    except Refused:
        return None


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_kept_to_the_very_value(name: str) -> None:
    """D28, R004: those of numbers of values and of containers, whatever stands between."""
    mine = sound_object(BOUNDS[name])
    said = refusal(parse_arguments, BOUNDS[name])
    assert (said is None) == (mine is not None), said
    if mine is not None:
        assert same(parse_arguments(BOUNDS[name]), mine)


@pytest.mark.parametrize(
    ("values", "containers"),
    [
        (MOST_VALUES, 0),
        (MOST_VALUES + 1, 0),
        (MOST_VALUES, 100),
        (MOST_VALUES + 1, 100),
        (MOST_VALUES * 4 // 5, MOST_CONTAINERS // 2),
    ],
)
def test_a_mapping_has_the_bounds_of_a_text(values: int, containers: int) -> None:
    """D28, R004: the same arguments are taken or refused, whichever way they come."""
    items: list[object] = [*empties(containers), *[0] * (values - containers - 3)]
    text = listed("points", [*["[]"] * containers, *["0"] * (values - containers - 3)])
    said = [
        refusal(parse_arguments, text) is None,
        refusal(freeze_arguments, {"label": "", "points": items}) is None,
    ]
    assert said == [values <= MOST_VALUES] * 2


LARGE = "x" * 1_000_000
# Mappings that are small in memory or near a bound, each within the bound on values.
MAPPINGS: dict[str, Callable[[], Mapping[str, object]]] = {
    "one string, a hundred times": lambda: {"a": [LARGE] * 100},
    "one key, a hundred times": lambda: {"a": [{LARGE: 0}] * 100},
    "one integer of 4,300 digits, a thousand times": lambda: {"a": [10**4299] * 1000},
    "as many integers of 4,300 digits as may be": lambda: {"a": [10**4299] * 240},
    "a string of ten million characters": lambda: {"a": "\u4f60" * 10_000_000},
    "floats": lambda: {"a": [1.2345678901234567e-300] * MANY},
    "empty arrays": lambda: {"a": empties(MOST_CONTAINERS - 2)},
    "more empty arrays than may be": lambda: {"a": empties(MANY)},
    "members": lambda: {f"k{at}": at for at in range(MANY)},
    "a million members": lambda: dict.fromkeys(map(str, range(1_000_000))),
    "objects of one member": lambda: {"a": [{"a": 0} for _ in range(MOST_CONTAINERS - 2)]},
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_no_mapping_holds_up_the_loop(name: str) -> None:
    """D28, R004: a snapshot is taken or refused within 50 ms, however often a part is shared."""
    mapping = MAPPINGS[name]()
    assert least_seconds(lambda: refusal(freeze_arguments, mapping)) < LONGEST


def down(left: int, take: Callable[[], object]) -> None:
    """Take deeper and deeper: where so many frames are left, too few for anything at all, and enough for 200 levels
    twice over."""
    if left < 450:
        take()
    if left > 60:
        down(left - 1, take)


PAIR = "[" * 198 + '"\\ud83d\\ude00"' + "]" * 198
DEEP: dict[str, Callable[[], object]] = {
    "text of arrays with an escaped pair": lambda: refusal(parse_arguments, f'{{"a":{PAIR}}}'),
    "text of objects": lambda: refusal(parse_arguments, '{"a":' * 200 + "1" + "}" * 200),
    "mapping of arrays": lambda: refusal(freeze_arguments, nested(200)),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_caller_that_is_deep_itself_gets_a_value_or_a_refusal(name: str) -> None:
    """R004: no recursion limit is hit by deep values, at whatever depth of the caller's they are read."""
    down(sys.getrecursionlimit() - len(inspect.stack(0)), DEEP[name])
