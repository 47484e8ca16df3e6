"""Names of tools: made valid for every provider, the same in every run, and by the declared name alone."""

from __future__ import annotations

import hashlib
import inspect
import re
import unicodedata
from collections.abc import Callable

from trio_tools.tool._callables import layers_of

# Characters of a name that every provider takes.
LENGTH = 64
# Hexadecimal digits of the digest that stands for what was cut off: names of one program do not share it by chance.
_DIGEST = 8


def valid_name(declared: str) -> str:
    """The name that models see: other characters than `A-Za-z0-9_-` become `_`, and of one that is too long the end is
    a digest of all of it. Raises `ValueError` for a blank one."""
    if not declared.strip():
        raise ValueError("a tool needs a name that is not blank; give it one with name=")
    declared = unicodedata.normalize("NFC", declared)
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", declared)
    if len(plain) <= LENGTH and (plain == declared or plain.strip("_")):
        return plain
    digest = hashlib.sha256(declared.encode(errors="backslashreplace")).hexdigest()[:_DIGEST]
    if not plain.strip("_"):  # not a letter is left: nothing but the digest tells it from others
        return f"tool_{digest}"
    return f"{plain[: LENGTH - _DIGEST - 1]}_{digest}"


def name_of(body: Callable[..., object]) -> str:
    """The name of the function behind a body. Raises `ValueError` for what has none, a lambda or an object, and
    `TypeError` for a class."""
    if inspect.isclass(body):
        raise TypeError(f"{body.__name__} is a class, and a class is not a tool; write a function that makes one")
    named = [one for one in layers_of(body) if inspect.isroutine(one)]
    name: object = getattr(named[0], "__name__", None) if named else None
    if not isinstance(name, str) or name in {"<lambda>", "__call__"}:
        what = "a lambda" if name == "<lambda>" else f"{type(body).__name__} object"
        raise ValueError(f"{what} has no name of its own; give the tool one with name=")
    return name
