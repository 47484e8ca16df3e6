"""Plans as strategies of Hypothesis.

A strategy is made for a place and the levels that may still follow below it. So each is made of finitely many others,
no tree outgrows what Hypothesis draws in one example, and what contains itself needs no deferred strategy.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, assert_never

from trio_tools.testing.schemas._numbers import Number
from trio_tools.testing.schemas._plans import Array, Node, Object, OneOf, Plan, Text, height_of
from trio_tools.testing.schemas._texts import texts, tried
from trio_tools.values import JSONValue

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# Levels of nesting beyond those that every value has.
_MORE_LEVELS = 4
# Members of an array or object beyond those that it must have, so that a failing example can be read. Further in there
# are fewer, one for each level that may still follow.
_MORE_MEMBERS = 4


class Draws:
    """The strategies of the places of one schema."""

    def __init__(self) -> None:
        self._made: dict[tuple[Node, int], SearchStrategy[JSONValue]] = {}

    def whole(self, plans: Sequence[Object]) -> SearchStrategy[dict[str, JSONValue]]:
        """The arguments as a whole, of which some plan can be followed."""
        from hypothesis import strategies

        levels = int(min(map(height_of, plans))) + _MORE_LEVELS
        return strategies.one_of([self._objects(plan, levels) for plan in plans if height_of(plan) <= levels])

    def _at(self, node: Node, levels: int) -> SearchStrategy[JSONValue]:
        """The values for a place that has some of no more than so many levels."""
        from hypothesis import strategies

        if (node, levels) not in self._made:
            # the flattest first: it is what Hypothesis makes of a failing example where it can
            plans = sorted([plan for plan in node.plans if height_of(plan) <= levels], key=height_of)
            self._made[node, levels] = strategies.one_of([self._of(plan, levels) for plan in plans])
        return self._made[node, levels]

    def _of(self, plan: Plan, levels: int) -> SearchStrategy[Any]:
        from hypothesis import strategies

        match plan:
            case OneOf():
                return strategies.sampled_from(plan.values).map(deepcopy)
            case Number():
                return _numbers(plan)
            case Text():
                return texts(plan)
            case Array():
                return self._arrays(plan, levels)
            case Object():
                return self._objects(plan, levels)
            case _:
                assert_never(plan)

    def _arrays(self, plan: Array, levels: int) -> SearchStrategy[list[JSONValue]]:
        """Some of the first places; after them, if all are there, some of the rest."""
        from hypothesis import strategies

        most = plan.least + min(levels, _MORE_MEMBERS)
        if plan.most is not None:
            most = min(most, plan.most)
        reachable = list(takewhile(lambda node: node.height < levels, plan.first[:most]))
        first = [self._at(node, levels - 1) for node in reachable]
        shapes: list[SearchStrategy[list[JSONValue]]] = [
            strategies.tuples(*first[:count]).map(list) for count in range(plan.least, len(first) + 1)
        ]
        if len(first) == len(plan.first) and plan.rest.height < levels and most > len(first):
            rest = strategies.lists(
                self._at(plan.rest, levels - 1),
                min_size=max(plan.least - len(first), 0),
                max_size=most - len(first),
                unique_by=_alike if plan.unique else None,
            )
            shapes = [*shapes[:-1], strategies.tuples(strategies.tuples(*first), rest).map(_joined)]
        drawn = strategies.one_of(shapes)
        return tried(drawn, _has_no_repeats) if plan.unique and first else drawn

    def _objects(self, plan: Object, levels: int) -> SearchStrategy[dict[str, JSONValue]]:
        from hypothesis import strategies

        required = {name: self._at(node, levels - 1) for name, node in plan.required.items()}
        optional = {name: self._at(node, levels - 1) for name, node in plan.optional.items() if node.height < levels}
        members = strategies.fixed_dictionaries(required, optional=optional)
        missing = max(plan.least - len(required) - len(optional), 0)
        for names, values in plan.others:
            if names.height < levels and values.height < levels:
                others = strategies.dictionaries(
                    self._at(names, levels - 1).map(str),
                    self._at(values, levels - 1),
                    min_size=missing,
                    max_size=missing + min(levels, _MORE_MEMBERS),
                )
                members = strategies.tuples(others, members).map(_merged)
                missing = 0

        def is_of_size(drawn: dict[str, JSONValue]) -> bool:
            return plan.least <= len(drawn) and (plan.most is None or len(drawn) <= plan.most)

        return tried(members, is_of_size) if plan.least > len(required) or plan.most is not None else members


def _numbers(plan: Number) -> SearchStrategy[int | float]:
    from hypothesis import strategies

    least, most = plan.steps()
    kinds: list[SearchStrategy[int | float]] = []
    if least is None or most is None or least <= most:
        counts = strategies.integers(least, most)
        kinds.append(counts if plan.step is None or plan.step == 1 else counts.map(partial(_times, plan.step)))
    if (floats := plan.floats()) is not None:
        kinds.append(strategies.floats(*floats, allow_nan=False, allow_infinity=False))
    return strategies.one_of(kinds)


def _times(step: Fraction, count: int) -> int | float:
    number = step * count
    return number.numerator if number.denominator == 1 else float(number)


def _joined(parts: tuple[Sequence[JSONValue], Sequence[JSONValue]]) -> list[JSONValue]:
    return [*parts[0], *parts[1]]


def _merged(parts: tuple[dict[str, JSONValue], dict[str, JSONValue]]) -> dict[str, JSONValue]:
    return {**parts[0], **parts[1]}


def _has_no_repeats(items: list[JSONValue]) -> bool:
    return len({_alike(item) for item in items}) == len(items)


def _alike(value: JSONValue) -> Hashable:
    """The same for what Python takes for one: 1 and true too, which a set of Python could not hold both."""
    if isinstance(value, list):
        return tuple([_alike(one) for one in value])
    if isinstance(value, dict):
        return frozenset([(name, _alike(one)) for name, one in value.items()])
    return value
