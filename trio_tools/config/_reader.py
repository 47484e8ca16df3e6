"""Structures tables of options into config classes, and tells everything that is wrong with them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import Any, TypeVar

import cattrs

from trio_tools.config._converter import converter_for
from trio_tools.config._filling import fill
from trio_tools.config._options import Option
from trio_tools.config._placeholders import with_placeholders, without_placeholders
from trio_tools.config._tables import Setting, Source
from trio_tools.config._types import called, takes_text

C = TypeVar("C")


class Texts(Enum):
    """What `${` means in a text."""

    CLOSED = "refused"
    OPEN = "replaced from the environment"
    LITERAL = "itself: the text is a variable's own value"


class Reader:
    """Reads config classes, with an environment for `${NAME}`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._replaced = 0  # how many `${NAME}` have been so far
        self._converters: dict[Texts, cattrs.Converter] = {}  # each made when it is needed: most configs need one

    def read(self, kind: type[C], settings: Mapping[str, Setting]) -> C:
        """An instance of a config class from what its options were set to.

        Raises `Misfit` with every problem, and `TypeError` for a class that is no config class. No message shows a
        secret of the environment.
        """

        def structure(option: Option, setting: Setting) -> tuple[object, bool]:
            value = setting.value
            if setting.source is not Source.FILE and isinstance(value, str) and not takes_text(option.annotation):
                value = _toml_value(option, value)
            texts = Texts.LITERAL if setting.source is Source.VARIABLE else _open_if(option)
            return self._structured(texts, option, value)

        return fill(kind, settings, structure)

    def takes(self, option: Option, value: object) -> bool:
        """Whether a value fits an option's type, its converter and validators aside."""
        try:
            self._structured(_open_if(option), option, value)
        except KeyboardInterrupt:
            raise
        except BaseException:  # a class inside of it has code of its own
            return False
        return True

    def _inner(self, texts: Texts, kind: type[C], values: Mapping[str, object]) -> C:
        """A class inside of an option: where the option's own texts are refused, each field of it has its say."""

        def structure(option: Option, value: object) -> tuple[object, bool]:
            return self._structured(_open_if(option) if texts is Texts.CLOSED else texts, option, value)

        return fill(kind, values, structure)

    def _converter(self, texts: Texts) -> cattrs.Converter:
        if texts not in self._converters:
            self._converters[texts] = converter_for(partial(self._text, texts), partial(self._inner, texts))
        return self._converters[texts]

    def _structured(self, texts: Texts, option: Option, value: object) -> tuple[object, bool]:
        """The value, and whether a secret of the environment is in it: what `${NAME}` was replaced with, or a variable
        of an option that may hold such."""
        before = self._replaced
        made: Any = self._converter(texts).structure(value, option.annotation)
        return made, self._replaced > before or (texts is Texts.LITERAL and option.facts.environment)

    def _text(self, texts: Texts, text: str) -> str:
        if texts is Texts.CLOSED:
            return without_placeholders(text)
        if texts is Texts.LITERAL:
            return text
        made, replaced = with_placeholders(text, self._environment)
        self._replaced += replaced
        return made


def _toml_value(option: Option, text: str) -> object:
    """What the text of a variable or a flag says, for an option that takes no text."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        document = {}
    if list(document) != ["value"]:
        raise ValueError(f"is no TOML value; the option takes: {called(option.annotation)}")
    return document["value"]


def _open_if(option: Option) -> Texts:
    return Texts.OPEN if option.facts.environment else Texts.CLOSED
