"""JSON text, read strictly: what a model wrote is either one unambiguous object or an error, never a guess."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import NoReturn

from trio_tools.values._json import EMPTY, MAX_DEPTH, FrozenDict, JSONValue, NotJSON, check_text, freeze_mapping, safe

# Bytes of one call's argument text (D28). Long file contents fit; a runaway generation does not.
MAX_ARGUMENT_BYTES = 1024 * 1024

# a string (skipped whole, also an unclosed one), or one bracket
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def _refuse_constant(name: str) -> NoReturn:
    raise NotJSON(f"{name} is not JSON")


def _unique_keys(pairs: list[tuple[str, JSONValue]]) -> FrozenDict:
    found = FrozenDict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJSON(f'the key "{safe(twice)}" stands more than once')
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJSON(f"{text[:20]} is not a finite number")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_finite)


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKETS.finditer(text):
        bracket = match[0]
        if bracket in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")
        elif bracket in ("]", "}"):
            depth -= 1


def freeze_arguments(mapping: Mapping[str, object]) -> FrozenDict:
    """A snapshot of arguments that come as a mapping, under the same bounds as text. Raises `NotJSON` as
    `parse_arguments` does, and what the mapping's accessors raise."""
    frozen = freeze_mapping(mapping)
    if len(repr(frozen)) > MAX_ARGUMENT_BYTES // 4:  # a cheap look first: no character takes more than four bytes
        _check_size(json.dumps(frozen, ensure_ascii=False))
    return frozen


def _check_size(text: str) -> None:
    size = len(text) if text.isascii() else len(check_text(text).encode())
    if size > MAX_ARGUMENT_BYTES:
        raise NotJSON(f"longer than {MAX_ARGUMENT_BYTES:,} bytes")


def parse_arguments(text: str) -> FrozenDict:
    """The object that a model's raw argument text stands for; blank text and `null` mean no arguments.

    Raises `NotJSON` for anything else than exactly one JSON object: broken or trailing text, repeated keys, NaN and
    infinities in any spelling, integers of more than 4,300 digits, lone surrogates, more than `MAX_DEPTH` levels or
    `MAX_ARGUMENT_BYTES` bytes.
    """
    if not text or text.isspace():
        return EMPTY
    _check_size(text)
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJSON(f"{error.msg} at character {error.pos}") from None
    except ValueError as error:
        if isinstance(error, NotJSON):
            raise
        raise NotJSON("an integer of more than 4,300 digits") from None
    if value is None:
        return EMPTY
    if not isinstance(value, FrozenDict):
        raise NotJSON(f"arguments must be one JSON object, not {_kind(value)}")
    if "[" not in text and "\\u" not in text:
        return value  # no list is left to freeze, and no escape could have made a lone surrogate
    return freeze_mapping(value)


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a boolean" if isinstance(value, bool) else "a number"
