"""Random types over the whole table of docs/types.md, each with the `Kind` that says what it takes."""

from __future__ import annotations

import collections.abc
import functools
import typing
from collections.abc import Callable, Sequence
from typing import Any, NewType, TypeVar

import annotated_types as at
import typing_extensions

from benchmarks._kinds import Anything, Choice, Dice, Flag, Kind, Nothing, Number, Text, Whole
from benchmarks._kinds_many import Different, Either, Many, Renamed, Row, Table, bounded
from benchmarks._kinds_text import SPELT
from benchmarks._random_bounds import annotate, bounds_for
from benchmarks._random_classes import attrs_class, data_class, typed_dict
from benchmarks._sample_types import (
    CRATE,
    ENUMS,
    RECURSIVE,
    Color,
    Word,
    bare_box,
    both_of,
    box_of,
    entry_of,
    train_of,
)
from trio_tools.values import JSONValue

# Forms of typing as values: a checker cannot follow an annotation that is drawn.
_UNION: Any = typing.Union
_LITERAL: Any = typing.Literal
_LISTS: tuple[Any, ...] = (list, list, typing.List, typing.Sequence, collections.abc.Sequence)  # noqa: UP006
_DICTS: tuple[Any, ...] = (dict, dict, typing.Dict, typing.Mapping, collections.abc.Mapping)  # noqa: UP006
_TUPLE: Any = tuple
_SETS: tuple[tuple[Any, Callable[..., object]], ...] = ((set, set), (frozenset, frozenset), (typing.Set, set))  # noqa: UP006
_NEW_TYPE: Any = NewType
_TYPE_VAR: Any = TypeVar
_ALIAS: Any = typing_extensions.TypeAliasType
_DOC: Any = typing_extensions.Doc

# Members of a Literal: of every kind, and several that only careless readers take for one another.
MEMBERS = ("a", "b", "1", "true", "", 1, 0, 2, -1, 2**53, 2**60, True, False, None, Color.RED, Color.ONE, Word.YES)
# Levels of types within types. Two are enough for every pair of rows to meet.
LEVELS = 3


def leaf(dice: Dice) -> Kind:
    match dice.randrange(12):
        case 0 | 1:
            return Whole()
        case 2 | 3:
            return Number()
        case 4:
            return Flag()
        case 5:
            return Text()
        case 6:
            return Nothing() if dice.one_in(2) else Anything(dice.choice((object, Any, JSONValue)))
        case 7:
            return literal(dice)
        case 8:
            return dice.choice(ENUMS)
        case _:
            return dice.choice(SPELT)


def literal(dice: Dice) -> Kind:
    members = dice.sample(MEMBERS, dice.randint(1, 4))
    return Choice(_LITERAL[tuple(members)], members)


def random_kind(dice: Dice, levels: int = LEVELS) -> Kind:
    if levels == 0 or dice.one_in(3):
        return leaf(dice)
    return dice.choice(_MAKERS)(dice, levels - 1)


def hashable_kind(dice: Dice, levels: int) -> Kind:
    """One whose values a set can hold."""
    tries = (random_kind(dice, levels) for _ in range(9))
    return next((one for one in tries if one.hashable), Text())


def _list(dice: Dice, levels: int) -> Kind:
    if dice.one_in(10):
        return Many(list, Anything())
    of = random_kind(dice, levels)
    return Many(dice.choice(_LISTS)[of.annotation], of)


def _tuple(dice: Dice, levels: int) -> Kind:
    if dice.one_in(3):
        of = random_kind(dice, levels)
        return Many(_TUPLE[of.annotation, ...], of, tuple)
    parts = [random_kind(dice, levels) for _ in range(dice.randint(0, 3))]
    annotations = tuple(one.annotation for one in parts)
    return Row(_TUPLE[annotations], parts)


def _set(dice: Dice, levels: int) -> Kind:
    of = _twins(dice) if dice.one_in(3) else hashable_kind(dice, levels)
    annotation, make = dice.choice(_SETS)
    return Different(annotation[of.annotation], of, make)


def _twins(dice: Dice) -> Kind:
    """A kind of which Python cannot tell some values apart."""
    return dice.choice((_union(dice, [Flag(), Whole()]), _union(dice, [Whole(), Flag(), Number()]), *SPELT))


def _dict(dice: Dice, levels: int) -> Kind:
    if dice.one_in(10):
        return Table(dict, Text(), Anything())
    words = dice.sample(("a", "b", "", Word.NO), dice.randint(1, 3))
    text = Text()
    bounds = bounds_for(text, dice)
    short = bounded(annotate(str, [one.metadata for one in bounds]), text, bounds)
    name = Renamed(_NEW_TYPE("Name", str), Text())
    plain = (Text(), Text(), Text(), name, short)
    keys = dice.choice((*plain, Choice(_LITERAL[tuple(words)], words), ENUMS[2], *SPELT))
    of = random_kind(dice, levels)
    return Table(dice.choice(_DICTS)[keys.annotation, of.annotation], keys, of)


def _either_of(left: Any, right: Any) -> Any:
    return left | right


def _union(dice: Dice, arms: Sequence[Kind]) -> Kind:
    # within another union the one that JSONValue is would be taken apart
    arms = [Anything() if one.annotation is JSONValue else one for one in arms]
    annotations = [one.annotation for one in arms]
    bars = sum(one is None for one in annotations) < 2 and annotations[0] is not None
    if bars and dice.one_in(2):
        return Either(functools.reduce(_either_of, annotations), arms)
    return Either(_UNION[tuple(annotations)], arms)


def _either(dice: Dice, levels: int) -> Kind:
    arms = [random_kind(dice, levels) for _ in range(dice.randint(1, 3))]
    numbers = [Number(), Whole()] if dice.one_in(3) else []
    arms = [*arms, *numbers, leaf(dice)]
    return _union(dice, dice.sample(arms, len(arms)))


def _optional(dice: Dice, levels: int) -> Kind:
    return _union(dice, [random_kind(dice, levels), Nothing()])


def _bounded(dice: Dice, levels: int) -> Kind:
    of = random_kind(dice, levels) if dice.one_in(2) else leaf(dice)
    bounds = bounds_for(of, dice)
    words: list[object] = ["a description", _DOC("another"), at.Unit("m"), object]
    metadata = [one.metadata for one in bounds] + dice.sample(words, dice.randint(0 if bounds else 1, 2))
    annotation = annotate(of.annotation, metadata)
    return bounded(annotation, of, bounds) if bounds else Renamed(annotation, of)


def _renamed(dice: Dice, levels: int) -> Kind:
    of = random_kind(dice, levels)
    match dice.randrange(3):
        case 0:
            return Renamed(_NEW_TYPE("Name", of.annotation), of)
        case 1:
            # to typing, a bound of None is none
            return Renamed(_TYPE_VAR("T", bound=type(None) if of.annotation is None else of.annotation), of)
        case _:
            return Renamed(_ALIAS("Alias", of.annotation), of)


def _class(dice: Dice, levels: int) -> Kind:
    make = dice.choice((attrs_class, attrs_class, data_class, typed_dict))
    return make(dice, lambda dice: random_kind(dice, levels))


def _sample(dice: Dice, levels: int) -> Kind:
    match dice.randrange(6):
        case 0:
            return box_of(random_kind(dice, levels))
        case 1:
            return both_of(random_kind(dice, levels), random_kind(dice, levels))
        case 2:
            return entry_of(random_kind(dice, levels))
        case 3:
            return train_of(random_kind(dice, levels))
        case 4:
            return dice.choice((CRATE, bare_box()))
        case _:
            return dice.choice(RECURSIVE)


_MAKERS: tuple[Callable[[Dice, int], Kind], ...] = (
    *(_list, _tuple, _set, _dict, _either, _optional, _bounded, _renamed),
    *(_class, _class, _sample, _sample),
)
