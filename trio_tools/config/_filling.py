"""One config class, filled field by field.

attrs stops at the first converter or validator that refuses its value. A config is to be told of all of them: so each
runs by itself here, on an instance that has all the good values, before the class is made as it makes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

import attrs

from trio_tools.config._options import Option, options_of
from trio_tools.config._problems import SHOWN_PROBLEMS, Misfit, Problem, instead_of, problems_in, undoubled, words_of

C = TypeVar("C")
V = TypeVar("V")
# Structures what an option was set to, and says whether a secret of the environment is in it.
Structure: TypeAlias = Callable[[Option, V], tuple[object, bool]]

# What is said where a class holds a secret: a text can be told in too many ways to be found in its code's words.
_WITHHELD = "is refused by the plugin, whose words are withheld: they may show a value of the environment"


def fill(kind: type[C], values: Mapping[str, V], structure: Structure[V]) -> C:
    """An instance of an attrs class. Raises `Misfit` with every problem there is, `TypeError` for a class that cannot
    be looked into."""
    filling = _Filling(kind)
    filling.refuse_unknown(values)
    filling.structure(values, structure)
    filling.convert()
    filling.validate()
    return filling.finished()


class _Filling(Generic[C]):
    def __init__(self, kind: type[C]) -> None:
        self._kind = kind
        self._options = {one.name: one for one in options_of(kind)}
        self._problems: list[Problem] = []
        self._given: dict[str, object] = {}  # structured, by option
        self._secret = False  # whether any of it came from the environment and may not be shown
        self._bad: set[str] = set()  # attributes that could not be set
        self._instance: Any = _empty(kind)

    def refuse_unknown(self, values: Mapping[str, object]) -> None:
        for name in values:
            if name not in self._options:
                likely = instead_of(name, self._options) if len(self._problems) < SHOWN_PROBLEMS else ""
                self._problems.append(Problem((name,), f"unknown option{likely}"))

    def structure(self, values: Mapping[str, V], structure: Structure[V]) -> None:
        for name, option in self._options.items():
            if name in values:
                try:
                    self._given[name], secret = structure(option, values[name])
                    self._secret = self._secret or secret
                except KeyboardInterrupt:
                    raise
                except BaseException as thrown:  # a class inside of it has code of its own
                    self._refuse(option.field, *(one.inside(name) for one in problems_in(thrown)))
            elif option.required:
                self._refuse(option.field, Problem((name,), "required, and missing"))

    def convert(self) -> None:
        """Set every attribute that can be, in the order in which attrs does."""
        for field in attrs.fields(self._kind):  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            if field.name in self._bad:
                continue
            try:
                if (name := _option_name(field)) in self._given:
                    value = self._given[name]
                elif field.default is attrs.NOTHING:
                    continue  # no option, and set by the class itself
                else:
                    value = self._default(field)
                object.__setattr__(self._instance, field.name, self._converted(field, value))
            except KeyboardInterrupt:
                raise
            except BaseException as thrown:
                self._note(field, thrown)

    def validate(self) -> None:
        bad = set(self._bad)  # of the values, which validators of others may look for in vain
        for field in attrs.fields(self._kind):  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            if field.validator is None or field.name in bad or not hasattr(self._instance, field.name):
                continue
            try:
                field.validator(self._instance, field, getattr(self._instance, field.name))
            except KeyboardInterrupt:
                raise
            except BaseException as thrown:
                self._note(field, thrown)

    def finished(self) -> C:
        if self._problems:
            order = {name: position for position, name in enumerate(self._options, 1)}  # what is unknown goes first
            raise Misfit(sorted(self._problems, key=lambda one: order.get(str(one.path[0]), 0)))
        try:
            return self._kind(**self._given)
        except KeyboardInterrupt:
            raise
        except BaseException as thrown:
            raise Misfit([Problem((), _WITHHELD if self._secret else words_of(thrown))]) from None

    def _default(self, field: attrs.Attribute[Any]) -> object:
        made: Any = field.default
        if not hasattr(made, "takes_self") or not hasattr(made, "factory"):
            return made
        return made.factory(self._instance) if made.takes_self else made.factory()

    def _converted(self, field: attrs.Attribute[Any], value: object) -> object:
        converter: Any = field.converter  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if converter is None:
            return value
        is_whole = isinstance(field.converter, attrs.Converter)  # pyright: ignore[reportUnknownMemberType]
        return converter(value, self._instance, field) if is_whole else converter(value)

    def _refuse(self, field: attrs.Attribute[Any], *problems: Problem) -> None:
        self._bad.add(field.name)
        self._problems += problems

    def _note(self, field: attrs.Attribute[Any], thrown: BaseException) -> None:
        """What a field's own code raised. With other fields bad, an attribute that is missing is one of theirs."""
        if self._bad and isinstance(thrown, AttributeError):
            return self._bad.add(field.name)
        name = _option_name(field)
        words = _WITHHELD if self._secret else undoubled(words_of(thrown), name)
        return self._refuse(field, Problem((name,), words))


def _empty(kind: type[C]) -> C:
    try:
        return object.__new__(kind)
    except TypeError:  # it descends from dict, or from an exception
        raise TypeError(f"the plugin's config class {kind.__name__} is no plain attrs class") from None


def _option_name(field: attrs.Attribute[Any]) -> str:
    return field.alias or field.name
