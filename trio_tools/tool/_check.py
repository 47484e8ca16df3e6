"""A schema compiled by jsonschema-rs, and what it says of values, within bounds of time.

It is an extra, imported when the first raw schema is made ready. Offline: a `$ref` is never fetched. It finds out at
once whether a value fits, and makes all errors together, each with its value and with those of every choice inside; so
all are only asked for where they are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from trio_tools.tool._canonical import branches_endlessly
from trio_tools.tool._shape import SHOWN_VIOLATIONS, Misfit, Problem, Shape
from trio_tools.tool._violations import problem_of, words_of
from trio_tools.values import JSONValue, freeze_mapping, thaw

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

# Values in what is checked of which all violations are told. Of larger ones it is the first, and that there may be
# more.
ASKED_VALUES = 500
# Levels of what is checked of which anything is told, where a schema offers choices and contains itself.
TOLD_DEPTH = 8


class SchemaCheck:
    """A compiled schema. Raises `ValueError` for one that is none, and `ModuleNotFoundError` without the extra."""

    def __init__(self, schema: Mapping[str, JSONValue]) -> None:
        self._validator = _compiled(schema)
        self._branching = branches_endlessly(schema)

    def problems(self, value: JSONValue) -> Iterator[Problem]:
        """What is wrong with a value; nothing if it fits."""
        if self._validator.is_valid(value):
            return
        if self._branching and _depth(value) > TOLD_DEPTH:
            yield Problem(
                f" does not fit the schema, and is nested too deep to say where (more than {TOLD_DEPTH} levels)"
            )
            return
        errors = self._validator.iter_errors(value) if is_small(value) else [self._first_error(value)]
        for error in islice(errors, SHOWN_VIOLATIONS):
            yield from problem_of(error)

    def _first_error(self, value: JSONValue) -> ValidationError:
        try:
            self._validator.validate(value)
        except ValueError as error:  # jsonschema-rs's own is one
            return error  # type: ignore[return-value]  # pyright: ignore[reportReturnType]
        raise AssertionError("a value that is not valid has an error")


def _compiled(schema: Mapping[str, JSONValue]) -> Validator:
    try:
        import jsonschema_rs
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "a raw JSON Schema needs jsonschema-rs; install it: pip install 'trio-tools[schema]'"
        ) from None
    try:
        return jsonschema_rs.validator_for(thaw(schema), offline=True, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        raise ValueError(f"not a JSON Schema that can be checked: {words_of(error)}") from None


def shape_of_schema(schema: Mapping[str, object]) -> Shape:
    """The shape of a raw schema, for `output`. Raises as `SchemaCheck` does."""
    frozen = freeze_mapping(schema)
    check = SchemaCheck(frozen)

    def read(value: JSONValue, _: object) -> object:
        found = list(check.problems(value))
        if found:
            raise Misfit(found)
        return value

    return Shape(schema=thaw(frozen), noun="what its schema takes", hook=read)


def _depth(value: JSONValue) -> int:
    """Levels of nesting, up to one more than are told of."""
    level, inside = 0, [value]
    while inside and level <= TOLD_DEPTH:
        level += 1
        nested = (one.values() if isinstance(one, dict) else one for one in inside if isinstance(one, (dict, list)))
        inside = [member for members in nested for member in members]
    return level


def is_small(value: JSONValue) -> bool:
    """Whether all its errors can be asked for: the validator makes them all at once, and each quotes its value."""
    left, values = [value], 0
    while left and values <= ASKED_VALUES:
        one = left.pop()
        values += 1
        if isinstance(one, (dict, list)):
            left.extend(one.values() if isinstance(one, dict) else one)
    return not left
