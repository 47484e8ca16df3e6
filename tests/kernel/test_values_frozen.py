"""Frozen JSON: equal to what it was made of, and changed by nobody in no way."""

from __future__ import annotations

import copy
import json
import math
import operator
import pickle
from collections import ChainMap, OrderedDict, UserDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trio_tools import JSONValue, NotJSON
from trio_tools.values import MAX_DEPTH, FrozenDict, FrozenList, _freeze, freeze, freeze_mapping

letters = st.characters(exclude_categories=["Cs"])
text = st.text(letters, max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=20
)
anything = st.recursive(
    scalars
    | st.text(letters)
    | st.floats()
    | st.binary(max_size=3)
    | st.just(...)
    | st.sampled_from([(), {1}, object, 1j]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(letters) | st.integers() | st.none(), inner, max_size=3)
        | st.tuples(inner)
    ),
    max_leaves=10,
)


def as_text(value: Any) -> str:
    """The text of a value: tells 1 from 1.0 and from true, which `==` does not."""
    return json.dumps(value, allow_nan=False)


def members(value: Any) -> list[Any]:
    if type(value) in (dict, FrozenDict):
        return list(value.values())
    return list(value) if type(value) in (list, FrozenList) else []


def containers(value: Any) -> list[object]:
    """The objects and lists in a value, itself included."""
    inner = [container for member in members(value) for container in containers(member)]
    return [value, *inner] if type(value) in (dict, list, FrozenDict, FrozenList) else inner


@settings(deadline=None, max_examples=60)
@given(json_values)
def test_freezing_loses_nothing_and_keeps_nothing_of_the_original(value: JSONValue) -> None:
    """R004, R058: equal, the same text, frozen in every part, and no part shared with what can still change."""
    frozen = freeze(value)
    assert frozen == value
    assert value == frozen
    assert as_text(frozen) == as_text(value)
    assert {type(one) for one in containers(frozen)} <= {FrozenDict, FrozenList}
    assert {type(one) for one in containers(value)} <= {dict, list}
    assert {id(one) for one in containers(frozen)}.isdisjoint({id(one) for one in containers(value)})
    assert as_text(freeze(frozen)) == as_text(value)


@settings(deadline=None, max_examples=60)
@given(anything)
def test_freezing_anything_gives_lossless_json_or_says_what_is_wrong(value: object) -> None:
    """R004, R005: never another exception, and never a value that text could not carry there and back."""
    try:
        frozen = freeze(value)
    except NotJSON as error:
        said = str(error)
        assert said.startswith("$")
        return
    there = json.dumps(frozen, allow_nan=False, ensure_ascii=False)
    assert as_text(json.loads(there.encode())) == as_text(frozen)
    assert frozen == value


DICT_CHANGES: list[Callable[[Any], object]] = [
    lambda it: operator.setitem(it, "a", 2),
    lambda it: operator.setitem(it, "b", 2),
    lambda it: operator.delitem(it, "a"),
    lambda it: it.__ior__({"b": 2}),
    lambda it: it.update({"b": 2}),
    lambda it: it.update(b=2),
    lambda it: it.update(),
    lambda it: it.pop("a"),
    lambda it: it.pop("nobody", None),
    lambda it: it.popitem(),
    lambda it: it.clear(),
    lambda it: it.setdefault("a", 2),
    lambda it: it.setdefault("b", 2),
    lambda it: setattr(it, "note", 1),
]
LIST_CHANGES: list[Callable[[Any], object]] = [
    lambda it: operator.setitem(it, 0, 5),
    lambda it: operator.setitem(it, slice(0, 1), [5, 6]),
    lambda it: operator.delitem(it, 0),
    lambda it: operator.delitem(it, slice(None)),
    lambda it: it.__iadd__([5]),
    lambda it: it.__imul__(2),
    lambda it: it.append(5),
    lambda it: it.extend([5]),
    lambda it: it.extend([]),
    lambda it: it.insert(0, 5),
    lambda it: it.pop(),
    lambda it: it.remove(1),
    lambda it: it.clear(),
    lambda it: it.sort(),
    lambda it: it.reverse(),
    lambda it: setattr(it, "note", 1),
]


@pytest.mark.parametrize("change", DICT_CHANGES)
def test_no_way_to_change_a_frozen_object(change: Callable[[Any], object]) -> None:
    """R004, R058: each raises, and nothing has changed."""
    frozen = freeze({"a": 1, "in": {"a": 1}})
    assert isinstance(frozen, FrozenDict)
    for one in (frozen, frozen["in"]):
        with pytest.raises((TypeError, AttributeError)):
            change(one)
    assert frozen == {"a": 1, "in": {"a": 1}}


@pytest.mark.parametrize("change", LIST_CHANGES)
def test_no_way_to_change_a_frozen_list(change: Callable[[Any], object]) -> None:
    """R004, R058: each raises, and nothing has changed."""
    frozen = freeze([1, 2, [1, 2]])
    assert isinstance(frozen, FrozenList)
    for one in (frozen, frozen[2]):
        with pytest.raises((TypeError, AttributeError)):
            change(one)
    assert frozen == [1, 2, [1, 2]]


@pytest.mark.parametrize("kind", [FrozenDict, FrozenList])
def test_every_method_that_could_change_it_is_refused(kind: type[Any]) -> None:
    """R058: those of dict and list that no plain reader has are all overridden."""
    plain = dict if kind is FrozenDict else list
    reader: type[Any] = MappingProxyType if plain is dict else tuple
    kept = {"copy", "fromkeys", "__init__", "__new__", "__reversed__", "__class_getitem__", "__getattribute__"}
    changing = {name for name in vars(plain) if name not in dir(reader)} - kept - {"__sizeof__"}
    assert {"pop", "clear", "__setitem__", "__delitem__"} <= changing
    assert [name for name in sorted(changing) if getattr(kind, name) is getattr(plain, name)] == []


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies_and_pickles_are_frozen_too(protocol: int) -> None:
    """R058: `copy` and `deepcopy` of what cannot change is itself; a pickle gives an equal one."""
    values: list[object] = [{"a": [1, {"b": None}]}, [[], {"a": 1}]]
    for value in values:
        frozen = freeze(value)
        assert copy.copy(frozen) is frozen
        assert copy.deepcopy(frozen) is frozen
        back = pickle.loads(pickle.dumps(frozen, protocol))
        assert back == value
        assert {type(one) for one in containers(back)} == {FrozenDict, FrozenList}
    with pytest.raises(TypeError):
        pickle.loads(pickle.dumps(freeze({"a": [1]}), protocol))["a"].append(2)


def test_thawing_is_up_to_whoever_wants_a_plain_one() -> None:
    """R004: `dict(it)` and `list(it)` are ordinary, and free to change."""
    frozen = freeze({"a": [1]})
    assert isinstance(frozen, FrozenDict)
    plain = {**frozen, "b": 2}
    plain["c"] = 3
    joined = frozen | {"b": 2}
    assert (type(dict(frozen)), type(joined)) == (dict, dict)
    inner = frozen["a"]
    assert isinstance(inner, FrozenList)
    assert operator.add(inner, [2]) == [1, 2]
    assert frozen == {"a": [1]}


def test_json_dumps_and_equality_hold_through_every_option() -> None:
    """R058: real dicts and lists to the standard library."""
    value: dict[str, object] = {"b": [1, 1.0, True, None, "\u4f60"], "a": {}}
    frozen = freeze(value)
    for options in ({}, {"indent": 2}, {"sort_keys": True}, {"separators": (",", ":")}, {"ensure_ascii": False}):
        dump: Any = json.dumps
        assert dump(frozen, **options) == dump(value, **options)
    assert isinstance(frozen, dict)
    assert repr(frozen) == repr(value)


MAPPINGS: list[Mapping[str, object]] = [
    MappingProxyType({"a": [1]}),
    ChainMap({"a": [1]}),
    UserDict({"a": [1]}),
    OrderedDict(a=[1]),
    freeze_mapping({"a": [1]}),
]


@pytest.mark.parametrize("mapping", MAPPINGS, ids=repr)
def test_arguments_may_be_any_mapping_at_the_top(mapping: Mapping[str, object]) -> None:
    """R004, R001: and a snapshot of it is a frozen dict of our own."""
    frozen = freeze_mapping(mapping)
    assert (frozen, type(frozen), type(frozen["a"])) == ({"a": [1]}, FrozenDict, FrozenList)
    assert frozen is not mapping


def _around(place: Callable[[object], object]) -> object:
    """A structure that contains itself at this place."""
    inner: list[object] = []
    inner.append(place(inner))
    return inner


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [0, math.nan]}, "$.a[1]"),
        ([[], [{"b": (1,)}]], "$[1][0].b"),
        ({"a": {1: 2}}, "$.a"),
        (math.inf, "$:"),
        ({"a": b""}, "$.a"),
        (_around(lambda inner: inner), "$[0]"),
        (_around(lambda inner: {"again": inner}), "$[0].again"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(value: object, place: str) -> None:
    """R005: the first fault that is met."""
    with pytest.raises(NotJSON) as caught:
        freeze(value)
    assert str(caught.value).startswith(place)


def test_what_is_shared_is_no_cycle() -> None:
    """R004: the same list twice is two equal lists."""
    shared = [1]
    assert freeze({"a": shared, "b": [shared, shared]}) == {"a": [1], "b": [[1], [1]]}


def test_a_small_structure_that_is_endless_as_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """D28: sixty levels that each hold the next one twice; the bound is lowered, since its million takes a second."""
    monkeypatch.setattr(_freeze, "MAX_NODES", 10_000)
    value: object = []
    for _ in range(60):
        value = [value, value]
    with pytest.raises(NotJSON, match="values"):
        freeze(value)


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_as_many_digits_as_python_reads_back(sign: int) -> None:
    """R004, D28: 4,300 digits are kept, 4,301 are not, in whatever form they come."""
    most = sign * (10**4300 - 1)
    assert freeze([most]) == [most]
    with pytest.raises(NotJSON, match="4,300 digits"):
        freeze([sign * 10**4300])


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1])
@pytest.mark.parametrize("lists", [True, False])
def test_the_bound_on_depth(levels: int, lists: bool) -> None:
    """D28: 200 levels are kept."""
    value: object = []
    for _ in range(levels - 1):
        value = [value] if lists else {"in": value}
    if levels <= 200:
        assert freeze(value) == value
    else:
        with pytest.raises(NotJSON, match="200 levels"):
            freeze(value)
