"""Ids and names as a provider takes them: what he would refuse is spelled anew, the same each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

# What each provider takes as the id of a call. OpenAI looks at the length alone: 40 characters. Anthropic names
# characters and no length; 64 is what it takes where others host it.
_IDS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {"openai": re.compile(r"[^\0]{1,40}"), "anthropic": re.compile(r"[A-Za-z0-9_-]{1,64}")}
)
# Characters of a made id before its number. With a number of seven digits it is still one that everybody takes.
_STEM = 32
# Characters of a tool's name that each provider takes: their own limits.
_NAME_LENGTHS: Mapping[str, int] = MappingProxyType({"openai": 64, "anthropic": 128})
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")


class Ids:
    """The ids of one history, of which no two are the same. `used` are taken from the start."""

    def __init__(self, form: str, used: Iterable[str] = ()) -> None:
        self._taken = _IDS[form]
        self._used = set(used)
        self._last: dict[str, int] = {}  # the number last put behind each stem

    def claim(self, wanted: str | None) -> str:
        """An id that is nobody's yet: the one wanted, if the provider takes it and no earlier call has it, else one
        made of it."""
        if wanted is not None and wanted not in self._used and self._taken.fullmatch(wanted):
            self._used.add(wanted)
            return wanted
        return self.make(wanted)

    def make(self, like: str | None) -> str:
        """A new id that tells what it was made of."""
        stem = _UNUSUAL.sub("_", like or "call")[:_STEM]
        number = self._last.get(stem, 0) + 1
        while (made := f"{stem}_{number}") in self._used:
            number += 1
        self._last[stem] = number
        self._used.add(made)
        return made


def spelled(name: str, form: str) -> str:
    """The name of a tool as the provider takes it. Calls of names that there are not stand in histories too."""
    return _UNUSUAL.sub("_", name)[: _NAME_LENGTHS[form]] or "unnamed"
