"""What one holder of a registry can reach: the tools that its calls may name.

A restricted reach has tools of its own, and of those below it what its filter lets through. A name that is out of
reach is looked up like one that does not exist, so that nothing tells the two apart (R115).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from trio_tools.pipeline._core import Core
from trio_tools.tool import Tool


@attrs.frozen(eq=False)
class Registered:
    """A tool as it was registered, and the plugin that did; None for the program itself. Each is equal to itself only:
    the same tool may be taken out and registered again."""

    tool: Tool
    owner: str | None


class Reach(Mapping[str, Tool]):
    """Tools by name: own ones first, then those of the reach below that are allowed and not denied."""

    __slots__ = ("_allow", "_below", "_deny", "_own", "core")

    def __init__(
        self,
        core: Core,
        below: Reach | None = None,
        *,
        allow: frozenset[str] | None = None,
        deny: frozenset[str] = frozenset(),
    ) -> None:
        self.core = core
        self._own: dict[str, Registered] = {}
        self._below = below
        self._allow = allow  # None: all
        self._deny = deny

    def add(self, tool: Tool, owner: str | None) -> Callable[[], None]:
        """Add a tool of its own, whose name is free here; what is returned takes this very one out, if it is still
        there."""
        entry = Registered(tool, owner)
        self._own[tool.name] = entry

        def remove() -> None:
            if self._own.get(tool.name) is entry:
                del self._own[tool.name]

        return remove

    def remove(self, name: str) -> bool:
        """Take out a tool of its own; whether there was one of that name."""
        return self._own.pop(name, None) is not None

    def has_own(self, name: str) -> bool:
        """Whether a tool of this name was added here."""
        return name in self._own

    def registered(self, name: str) -> Registered | None:
        """The tool of this name with its owner; None if there is none, or none in reach."""
        found = self._own.get(name)
        if found is None and self._below is not None and self._lets(name):
            return self._below.registered(name)
        return found

    def find(self, name: str) -> Tool | None:
        """The tool that a call of this name gets; None if there is none, or none in reach."""
        found = self._own.get(name)
        if found is not None:
            return found.tool
        return self._below.find(name) if self._below is not None and self._lets(name) else None

    def holds(self, other: Reach) -> bool:
        """Whether another reach is this one, or was made from it."""
        above: Reach | None = other
        while above is not None and above is not self:
            above = above._below
        return above is self

    def _lets(self, name: str) -> bool:
        return name not in self._deny and (self._allow is None or name in self._allow)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __getitem__(self, name: str) -> Tool:
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        if self._below is not None:
            yield from (name for name in self._below if self._lets(name) and name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)
