"""JSON text, read strictly: what a model wrote is either one unambiguous object or an error, never a guess."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import NoReturn

from trio_tools.values._freeze import Limits, freeze_mapping
from trio_tools.values._json import (
    EMPTY,
    MAX_DEPTH,
    FrozenDict,
    FrozenList,
    JSONValue,
    NotJSON,
    extend,
    fill,
    new_dict,
    new_list,
    put,
    safe,
    utf8_size,
)

# Bytes of one call's argument text (D28). Long file contents fit; a runaway generation does not.
MAX_ARGUMENT_BYTES = 1024 * 1024

# Values in one call's arguments, the whole object included. More than a model writes in one answer, or nearly; and few
# enough that the costliest floats are read in half of the 50 ms that a call may hold up the event loop.
MAX_ARGUMENT_VALUES = 12_000
# Arrays and objects among them, which cost more to read and to freeze.
MAX_ARGUMENT_CONTAINERS = 6_000

# Characters of a repeated key that the message shows.
SHOWN_KEY = 60

# a whole string, also one without an end; possessive, so that no place to go back to is kept for each of its escapes
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
# what JSON counts as space, and nothing else
_BLANKS = " \t\n\r"
_SPACE = _BLANKS.encode()
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEPS)
_TOO_MANY = f"more than {MAX_ARGUMENT_VALUES:,} values"
# the escape of one half of a pair of surrogates; whether the other half is there is looked at afterwards
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_constant(name: str) -> NoReturn:
    raise NotJSON(f"{name} is not JSON")


def _object(pairs: list[tuple[str, JSONValue]]) -> FrozenDict:
    """An object as it is closed, frozen there and then; so what it holds is frozen already, but for arrays."""
    found = new_dict(FrozenDict)
    fill(found, pairs)
    if len(found) != len(pairs):
        raise NotJSON(f'the key "{safe(_repeated(pairs))[:SHOWN_KEY]}" stands more than once')
    for key, value in pairs:
        if type(value) is list:
            put(found, key, _frozen(value))
    return found


def _repeated(pairs: list[tuple[str, JSONValue]]) -> str:
    seen: set[str] = set()
    return next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]


def _frozen(items: list[JSONValue]) -> FrozenList:
    for place, item in enumerate(items):
        if type(item) is list:
            items[place] = _frozen(item)
    made = new_list(FrozenList)
    extend(made, items)
    return made


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJSON(f"{text[:20]} is not a finite number")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)


def _check_shape(text: str) -> None:
    """Depth and number of values, without parsing. A cheap look first; it counts what stands in strings too."""
    quotes = text.count('"') - text.count('\\"')
    if quotes > 4 * MAX_ARGUMENT_VALUES:  # of a key and of a value, two each; never more than there are
        raise NotJSON(_TOO_MANY)
    openings = text.count("[") + text.count("{")
    if openings <= MAX_DEPTH and openings + text.count(",") < MAX_ARGUMENT_VALUES:
        return
    # no more strings than keys and values; and as bytes, of which any number is struck out in one go
    bare, strings = _STRING.subn("0", text, count=2 * MAX_ARGUMENT_VALUES + 1)
    if strings > 2 * MAX_ARGUMENT_VALUES:
        raise NotJSON(_TOO_MANY)
    tokens = bare.encode().translate(None, _SPACE)
    openings = tokens.count(b"[") + tokens.count(b"{")
    if openings > MAX_ARGUMENT_CONTAINERS:
        raise NotJSON(f"more than {MAX_ARGUMENT_CONTAINERS:,} arrays and objects")
    # each container holds one more than it has commas, but for empty ones
    if 1 + openings + tokens.count(b",") - tokens.count(b"[]") - tokens.count(b"{}") > MAX_ARGUMENT_VALUES:
        raise NotJSON(_TOO_MANY)
    # of closings too many the first is an error already
    brackets = tokens.translate(None, _NO_BRACKETS)[: 2 * openings]
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")


def freeze_arguments(mapping: Mapping[str, object]) -> FrozenDict:
    """A snapshot of arguments that come as a mapping, under the same bounds as text; its bytes are counted roughly.
    Raises `NotJSON` as `parse_arguments` does, and what the mapping's accessors raise."""
    limits = Limits(values=MAX_ARGUMENT_VALUES, containers=MAX_ARGUMENT_CONTAINERS, size=MAX_ARGUMENT_BYTES)
    return freeze_mapping(mapping, limits=limits)


def _check_size(text: str) -> None:
    size = len(text)
    if size <= MAX_ARGUMENT_BYTES and not text.isascii():
        size = utf8_size(text)
    if size > MAX_ARGUMENT_BYTES:
        raise NotJSON(f"longer than {MAX_ARGUMENT_BYTES:,} bytes")


def parse_arguments(text: str) -> FrozenDict:
    """The object that a model's raw argument text stands for; blank text and `null` mean no arguments.

    Raises `NotJSON` for anything else than exactly one JSON object: broken or trailing text, repeated keys, NaN and
    infinities in any spelling, integers of more than 4,300 digits, lone surrogates, more than `MAX_DEPTH` levels,
    `MAX_ARGUMENT_VALUES` values, `MAX_ARGUMENT_CONTAINERS` arrays and objects, or `MAX_ARGUMENT_BYTES` bytes.
    """
    _check_size(text)
    if not text.strip(_BLANKS):
        return EMPTY
    _check_shape(text)
    try:
        value = _DECODER.decode(text)
        if isinstance(value, FrozenDict) and _HALF.search(text):
            _check_surrogates(value)
    except json.JSONDecodeError as error:
        raise NotJSON(f"{error.msg.removesuffix(' at')} at character {error.pos}") from None
    except RecursionError:  # within the bounds, but the caller is deep itself
        raise NotJSON("nested too deep to be read from here") from None
    except ValueError as error:
        if isinstance(error, NotJSON):
            raise
        raise NotJSON("an integer of more than 4,300 digits") from None
    if value is None:
        return EMPTY
    if not isinstance(value, FrozenDict):
        raise NotJSON(f"arguments must be one JSON object, not {_kind(value)}")
    return value


def _check_surrogates(value: FrozenDict) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        freeze_mapping(value)  # which tells the place


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a boolean" if isinstance(value, bool) else "a number"
