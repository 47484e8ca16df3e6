"""Hostile argument texts by a grammar: each is named by its seed, and is the same for the same seed."""

from __future__ import annotations

from random import Random

import attrs

from benchmarks import _hostile_kinds as kinds
from benchmarks._hostile_grammar import Writer, escaped
from benchmarks._hostile_kinds import Kind, nested
from benchmarks._hostile_pieces import LETTERS
from benchmarks._strict_reader import MOST_BYTES, MOST_CONTAINERS, MOST_VALUES

# Share of texts that are near the bounds of size, of values and of depth. One costs as much as hundreds of others, most
# of it in writing it and in the second reading.
HEAVY_SHARE = 1 / 5000
# Values of a text in which everything is wrong with the types: about as many as may be, so that a check which looks at
# each of them and says so is slow.
MISFITS = MOST_VALUES - 1000


@attrs.frozen
class HostileText:
    """One text, and what was done to it."""

    seed: int
    kind: str
    text: str


def _sized(writer: Writer) -> str:
    """A text of as many bytes as may be, of one less or more, or of many more; in one string, many, or spaces."""
    rng = writer.rng
    size = MOST_BYTES + rng.choice((-1, 0, 0, 1, 1000))
    unit = rng.choice(
        ("x", "\u4f60", "\xe9", "\U0001f600", "\\n", '\\"', "\\\\", "\\u0041", "\\ud83d\\ude00", "[", ",")
    )
    head, tail = rng.choice((('{"label":"', '"}'), ('{"label":"","opts":{"', '":0}}'), ('{"label":"', "")))
    room = size - len(head) - len(tail)
    return head + unit * (room // len(unit.encode())) + "x" * (room % len(unit.encode())) + tail


def _padded(writer: Writer) -> str:
    """White space between tokens that makes up most of the text; or one token that does."""
    rng = writer.rng
    room = MOST_BYTES - 100
    return rng.choice(
        (
            '{"label":""' + rng.choice(" \n\t\r") * room + "}",
            " " * room + rng.choice(("x", "{}", "{")),
            '{"ratio":0.' + "9" * room + "}",
            '{"ratio":1e' + "9" * room + "}",
            '{"count":' + "9" * room + "}",
            '"' * room,
            "\\" * room,
            '{"label":"' + "\\" * room,
            '{"label":"' + "\ud83d" * (room // 3),
        )
    )


def _array_of(item: str, count: int, parameter: str) -> str:
    return f'{{"label":"","{parameter}":[{",".join([item] * count)}]}}'


def _crowded(writer: Writer) -> str:
    """As many values or containers as may be, or one more or less; or as many as there is room for."""
    rng = writer.rng
    parameter = rng.choice(("tags", "points", "opts"))
    draw = rng.random()
    if draw < 0.3:  # the object, the label, the array
        count = MOST_VALUES - 3 + rng.choice((-1, 0, 1))
        empties = rng.choice((0, 0, 100, 300, MOST_CONTAINERS * 3 // 4))
        items = ["[]"] * empties + ["0"] * (count - empties)
        return f'{{"label":"","{parameter}":[{",".join(items)}]}}'
    if draw < 0.5:
        item = rng.choice(("[]", "{}"))
        return _array_of(item, MOST_CONTAINERS - 2 + rng.choice((-1, 0, 1)), parameter)
    if draw < 0.7:
        pairs = ",".join(f'"k{at}":0' for at in range(MOST_VALUES - 2 + rng.choice((-1, 0, 1))))
        return rng.choice(('{"label":"",%s}', '{%s,"label":""}', '{%s,"k7":0}')) % pairs
    item = rng.choice(
        ("[]", "{}", "0", '""', "[0]", '{"a":0}', "null", "1.5", '"\\ud83d\\ude00"', "NaN", '[["', "[] ", "0 ")
    )
    return _array_of(item, MOST_BYTES // (len(item) + 1) - 20, parameter)


def _costly_numbers(writer: Writer) -> str:
    """Floats that take long to read, and integers as long as may be."""
    rng = writer.rng
    digits = "".join(rng.choices("123456789", k=rng.choice((14, 16, 17, 19, 25, 40, 300, 770))))
    item = f"{digits[0]}.{digits[1:]}e{rng.choice((-400, -330, -308, -300, -100, 20, 290, 307))}"
    if rng.random() < 0.2:
        item = rng.choice(("", "-")) + "9" * rng.choice((4299, 4300))
    count = min(MOST_VALUES - 10, (MOST_BYTES - 100) // (len(item) + 1))
    return _array_of(item, count, rng.choice(("points", "opts")))


def _all_wrong(writer: Writer) -> str:
    """Values that no parameter takes, thousands of them."""
    rng = writer.rng
    count = rng.choice((1000, MOST_CONTAINERS // 2, MISFITS))
    item = rng.choice(("0", '""', "null", "true", "1.5"))
    names = ",".join(f'"{at}":{item}' for at in range(count // 2))
    return rng.choice(
        (
            _array_of(item, count, "tags"),
            _array_of(item, count, "points"),
            _array_of("0", count, "points")[:-2] + ',""]}',
            f'{{"label":"",{names}}}',
            f'{{"label":"","grid":{{{names}}}}}',
            '{"label":"","grid":{"a":[' + ",".join([item] * count) + "]}}",
        )
    )


def _very_deep(writer: Writer) -> str:
    rng = writer.rng
    levels = rng.choice((1000, 5000, 100_000))
    whole = rng.choice(("[", "{", '{"a":', "[{", '["', "[[],")) * (MOST_BYTES // 6)
    return nested(writer, levels) if rng.random() < 0.6 else whole


def _repeated_among_many(writer: Writer) -> str:
    rng = writer.rng
    count = rng.choice((2000, MOST_VALUES // 2 - 10, MOST_VALUES - 100))
    again = rng.choice((0, count // 2, count - 1))
    name = "k" if rng.random() < 0.5 else escaped("k")
    pairs = ",".join(f'"k{at}":0' for at in range(count))
    if rng.random() < 0.2:  # every key, twice
        pairs = f"{pairs},{pairs}"
    return rng.choice(("{%s}", '{"label":"","opts":{%s}}')) % f'{pairs},"{name}{again}":0'


def _long_keys(writer: Writer) -> str:
    rng = writer.rng
    letter = rng.choice(("x", "\u4f60", rng.choice(LETTERS)))
    key = f'"{writer.spelt(letter)[1:-1] * rng.choice((1000, 100_000))}'
    return "{" + ",".join(f'{key}{rng.choice((at, 0))}":0' for at in range(3)) + "}"


# Kinds of short texts, and how often each is drawn beside the others.
SHORT: dict[Kind, int] = {
    kinds.sound: 12,
    kinds.mutated: 8,
    kinds.cut_off: 4,
    kinds.repeated_key: 4,
    kinds.half_character: 4,
    kinds.storm: 4,
    kinds.constant: 2,
    kinds.bad_number: 2,
    kinds.bad_escape: 2,
    kinds.control: 2,
    kinds.trailing: 2,
    kinds.stray_comma: 2,
    kinds.foreign_key: 2,
    kinds.foreign_space: 2,
    kinds.not_an_object: 1,
    kinds.blank: 1,
    kinds.odd_float: 1,
    kinds.long_integer: 1,
    kinds.deep: 1,
    kinds.brackets_in_strings: 1,
    kinds.byte_order_mark: 1,
    kinds.fenced: 1,
    kinds.two_objects: 1,
    kinds.comment: 1,
    kinds.single_quotes: 1,
    kinds.word_of_another_language: 1,
    kinds.long_string: 1,
    kinds.many_keys: 1,
}
# Kinds of texts near the bounds, equally often.
HEAVY: tuple[Kind, ...] = (
    _sized,
    _padded,
    _crowded,
    _costly_numbers,
    _all_wrong,
    _very_deep,
    _repeated_among_many,
    _long_keys,
)
_SHORT, _WEIGHTS = tuple(SHORT), tuple(SHORT.values())
KIND_NAMES = tuple(kind.__name__.lstrip("_") for kind in (*_SHORT, *HEAVY))


def hostile_text(seed: int, *, heavy: bool | None = None) -> HostileText:
    """The text that this seed names: among all, or only among those near the bounds, or only among the others."""
    rng = Random(seed)
    if heavy is None:
        heavy = rng.random() < HEAVY_SHARE
    kind = rng.choice(HEAVY) if heavy else rng.choices(_SHORT, _WEIGHTS)[0]
    return HostileText(seed, kind.__name__.lstrip("_"), kind(Writer(rng)))
