"""How a name from the disk is shown: names are bytes that anybody may have chosen."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# Unicode categories: controls, formats (they turn text round or hide in it), line and paragraph separators, and
# surrogates, which stand for bytes that are not UTF-8.
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(name: str) -> str:
    """A name as text that is safe to print and valid UTF-8.

    What is not UTF-8, and control, format and separating characters, come out as backslash escapes. Such a name reads
    unambiguously to a person, but cannot be handed back as a path.
    """
    if name.isprintable():
        return name
    return "".join(_escaped(one) if unicodedata.category(one) in _ESCAPED else one for one in name)


def shown_path(names: Iterable[str]) -> str:
    """The path below the root that these names make, as `shown`; the root itself is `.`."""
    return shown("/".join(names)) or "."


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
