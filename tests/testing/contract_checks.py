"""How the tests of contracts look at one: which of its promises are broken, and by what."""

from __future__ import annotations

from collections.abc import Iterable

from trio_tools.testing import Promise


def broken(promises: Iterable[Promise]) -> dict[str, str]:
    """The promises that are broken, each with what was said."""
    found: dict[str, str] = {}
    for promise in promises:
        try:
            promise()
        except AssertionError as error:
            found[promise.name] = str(error)
    return found
