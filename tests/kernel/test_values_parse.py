"""Argument text against the standard library: the same value for one unambiguous object, else an error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trio_tools import NotJSON
from trio_tools.values import FrozenDict, FrozenList, parse_arguments

# what UTF-8 can carry; by its codec, which is the default, Hypothesis first tries every character for seconds
letters = st.characters(exclude_categories=["Cs"])
sound = st.text(letters, max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | sound
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(sound, inner, max_size=4), max_leaves=20
)
objects = st.dictionaries(sound, values, max_size=5)
# pieces of JSON, put together in any order: near misses, and now and then a whole text
PIECES = [
    "{",
    "}",
    "[",
    "]",
    '"a"',
    '"\\u0061"',
    ":",
    ",",
    "1",
    "-0",
    "1.5e3",
    "1E400",
    "NaN",
    "true",
    "null",
    " ",
    '"\\ud800"',
    '"',
    "\\",
    "\n",
    "\ud800",
    "'",
    "9" * 5000,
]
near = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
members = st.lists(st.tuples(st.sampled_from(['"a"', '"b"', '"\\u0061"']), st.sampled_from(PIECES)), max_size=4)
wrapped = members.map(lambda pairs: "{" + ",".join(f"{key}: {piece}" for key, piece in pairs) + "}")


def same(one: object, other: object) -> bool:
    """Equal in value and in type, down to 1, 1.0 and true."""
    return json.dumps(one) == json.dumps(other)


@settings(deadline=None, max_examples=50)
@given(objects, st.booleans(), st.sampled_from([None, 2]), st.sampled_from([(",", ":"), (" , ", " : ")]))
def test_what_json_writes_is_read_as_it_was(
    value: dict[str, Any], ascii_only: bool, indent: int | None, separators: tuple[str, str]
) -> None:
    """L001, R004: in any spelling of the same object, to frozen data."""
    written = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    read = parse_arguments(written)
    assert same(read, value)
    assert type(read) is FrozenDict
    assert {type(one) for one in read.values() if isinstance(one, dict | list)} <= {FrozenDict, FrozenList}


def refused_by_rule(written: str) -> bool:
    """Whether a text that json reads is one that must not be guessed at: constants, repeated keys, half characters,
    numbers without a finite value."""
    twice: list[bool] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.append(len({key for key, _ in found}) < len(found))
        return dict(found)

    value = json.loads(written, object_pairs_hook=pairs)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:  # a number that is none, or half a character
        return True
    return any(twice)


@settings(deadline=None, max_examples=150)
@given(near | wrapped | st.text(letters, max_size=20) | sound.map(lambda one: json.dumps({"a": one})))
@example("")
@example("\u00a0")
@example('{"a": "\ud800"}')
@example('{"\ud800": 1}')
@example('{"a": 1}\x00')
@example("\ufeff{}")
@example('{"a": "[[["}')
@example('{"a": 1e999}')
@example('{"a": -0.0, "b": -0}')
def test_any_text_is_one_object_or_an_error(written: str) -> None:
    """L001, D29: it never crashes, and agrees with json on all that json reads and no rule refuses."""
    try:
        read = parse_arguments(written)
    except NotJSON as error:
        said = str(error)
        assert said.startswith("$")
        try:
            expected = json.loads(written)
        except ValueError:
            return
        assert not isinstance(expected, dict) or refused_by_rule(written)
        return
    if written.strip() in ("", "null"):
        assert read == {}
        return
    assert same(read, json.loads(written))
    assert not refused_by_rule(written)


@settings(deadline=None, max_examples=50)
@given(objects, st.data())
def test_a_text_that_was_cut_off_is_never_read(value: dict[str, Any], data: st.DataObject) -> None:
    """L001, D29: wherever the model stopped (case B33)."""
    written = json.dumps(value)
    end = data.draw(st.integers(1, len(written) - 1))
    with pytest.raises(NotJSON):
        parse_arguments(written[:end])


@settings(deadline=None, max_examples=50)
@given(objects, sound)
def test_what_follows_an_object_is_not_overlooked(value: dict[str, Any], rest: str) -> None:
    """L001, D29."""
    written = json.dumps(value) + rest
    if rest.strip(" \t\n\r"):
        with pytest.raises(NotJSON):
            parse_arguments(written)
    else:
        assert same(parse_arguments(written), value)


@settings(deadline=None, max_examples=50)
@given(objects.filter(bool), st.data())
def test_a_repeated_key_is_refused_at_any_depth(value: dict[str, Any], data: st.DataObject) -> None:
    """L001, D29, case B23: also spelt with an escape, and with the same value."""
    key = data.draw(st.sampled_from(sorted(value)))
    spelt = data.draw(st.sampled_from([json.dumps(key), '"' + "".join(_escape(letter) for letter in key) + '"']))
    doubled = f"{{{json.dumps(value)[1:-1]}, {spelt}: {json.dumps(value[key])}}}"
    before, after = data.draw(st.sampled_from([("", ""), ('{"in": ', "}"), ('{"in": [0, ', "]}")]))
    with pytest.raises(NotJSON, match="more than once"):
        parse_arguments(before + doubled + after)


def _escape(letter: str) -> str:
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


@pytest.mark.parametrize("where", ['{{"a": {}}}', '{{"a": [{}]}}', '{{"a": {{"\\u0062": {}}}}}'])
def test_integers_are_exact_up_to_their_bound_wherever_they_stand(where: str) -> None:
    """L001, R004, D28: 4,300 digits are read, 4,301 are refused."""
    most = "9" * 4300
    assert most in str(parse_arguments(where.format(most)))
    assert f"-{most}" in str(parse_arguments(where.format(f"-{most}")))
    with pytest.raises(NotJSON, match="4,300 digits"):
        parse_arguments(where.format(most + "9"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"a": ', "at character 6"),
        ("[1]", "an array"),
        ("12", "a number"),
        ("1.5", "a number"),
        ("true", "a boolean"),
        ('"x"', "a string"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1, "a": 1}', 'the key "a" stands more than once'),
        ('{"a": "\\ud800"}', "lone surrogate"),
        ('{"a": "\ud800"}', "lone surrogate"),
        ('{"\ud800": 1}', "lone surrogate"),
    ],
)
def test_the_error_says_what_is_wrong(written: str, said: str) -> None:
    """D29: in words that a model can act on, and that UTF-8 can carry."""
    with pytest.raises(NotJSON) as caught:
        parse_arguments(written)
    assert said in str(caught.value)
    str(caught.value).encode()
