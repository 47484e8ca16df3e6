"""Services by type: what one plugin has and others use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

S = TypeVar("S")


def shown_type(kind: object) -> str:
    """A service's type in a message: where it is defined, and its name."""
    return f"{getattr(kind, '__module__', '?')}.{getattr(kind, '__qualname__', kind)}"


class Services:
    """One service for each type. `could_provide` names who could bring a missing one, each with what to do."""

    def __init__(self, could_provide: Callable[[type[object], str | None], Iterable[str]]) -> None:
        # values of many types: `provide` is what pairs each with its own
        self._provided: dict[type[Any], tuple[Any, str]] = {}
        self._could_provide = could_provide

    def provide(self, kind: type[S], service: S, owner: str) -> Callable[[], None]:
        """Offer a service; what is returned takes it back.

        Raises `TypeError` for what is no type, or a service that is none of that type, and `ValueError` if there is one
        already."""
        if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a service is provided by its type, not by {kind!r}")
        if not _fits(kind, service):
            raise TypeError(f"{owner} provides {type(service).__qualname__}, which is no {shown_type(kind)}")
        if kind in self._provided:
            _, other = self._provided[kind]
            raise ValueError(f"{shown_type(kind)} is already provided by {other}; {owner} cannot provide it, too")
        entry = (service, owner)
        self._provided[kind] = entry

        def remove() -> None:
            if self._provided.get(kind) is entry:
                del self._provided[kind]

        return remove

    def require(self, kind: type[S], asker: str | None) -> S:
        """The service of this type, for a plugin or (None) for somebody else. Raises `LookupError` if nobody provides
        it, naming who could, and `TypeError` for what is no type."""
        if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a service is required by its type, not by {kind!r}")
        if kind not in self._provided:
            could = "; ".join(self._could_provide(kind, asker)) or "no plugin that is known here could"
            raise LookupError(f"no {shown_type(kind)} is provided: {could}")
        service: S = self._provided[kind][0]
        return service

    def find(self, kind: type[S]) -> S | None:
        """The service of this type; None if nobody provides it."""
        found: S | None = self._provided.get(kind, (None, ""))[0]
        return found

    def provided_by(self, owner: str) -> frozenset[type[Any]]:
        """The types that this owner provides now."""
        return frozenset(kind for kind, (_, own) in self._provided.items() if own == owner)


def _fits(kind: type[object], service: object) -> bool:
    try:
        return isinstance(service, kind)
    except TypeError:
        return True  # a protocol that is not for run time: the type checker has looked
