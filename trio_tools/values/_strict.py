"""Structuring that coerces nothing: what a document says stands for itself.

No text is read as a number and nothing as a text; only a whole number is a number too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import cattrs

T = TypeVar("T")


class WrongKind(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A value of another kind than is asked for: `wanted` and `got` are nouns with their article."""

    def __init__(self, wanted: str, got: str) -> None:
        super().__init__(f"must be {wanted}, not {got}")
        self.wanted = wanted
        self.got = got


def strict_converter(nouns: Mapping[type, str]) -> cattrs.Converter:
    """A converter that takes each scalar only as what it is, and of a class no unknown keys.

    `nouns` are what kinds of values are called where the documents come from: `str`, `int`, `bool`, `NoneType` and
    `float` at least. What a hook refuses is a `WrongKind`.
    """
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (str, int, bool, type(None)):
        converter.register_structure_hook(kind, _exactly(kind, nouns))
    converter.register_structure_hook(float, _number(nouns))
    return converter


def noun_of(value: object, nouns: Mapping[type, str]) -> str:
    """What a value is called: its type's noun, or else its type's name."""
    return nouns.get(type(value), type(value).__name__)


def _exactly(kind: type[T], nouns: Mapping[type, str]) -> Callable[[object, object], T]:
    def structure(value: object, _: object) -> T:
        if type(value) is not kind:
            raise WrongKind(nouns[kind], noun_of(value, nouns))
        return value

    return structure


def _number(nouns: Mapping[type, str]) -> Callable[[object, object], float]:
    def structure(value: object, _: object) -> float:
        if type(value) is not float and type(value) is not int:
            raise WrongKind(nouns[float], noun_of(value, nouns))
        try:
            number = float(value)
        except OverflowError:
            raise ValueError("must be a number of at most 1.8e308") from None
        if type(value) is int and number != value:
            raise ValueError(f"must be a number that a float can hold; the nearest is {number!r}")
        return number

    return structure
