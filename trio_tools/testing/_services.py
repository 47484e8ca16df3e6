"""The services that a tool under test is given, made anew for each run where that can be done."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping

import attrs

from trio_tools.testing._effects import EffectRecorder


@attrs.frozen
class ServiceSource:
    """A service by its type, and how a run comes by it."""

    kind: type[object]
    make: Callable[[], object]


def service_sources(given: Iterable[object] | Mapping[type[object], object]) -> list[ServiceSource]:
    """How a run comes by each of these, and by an `EffectRecorder` if none is among them.

    A class, and a function in a pair or mapping, makes a service for each run; anything else is the service itself,
    and all runs share it. Raises `TypeError` for a pair whose first is no type, and `ValueError` for a type that is
    given twice.
    """
    entries: list[object] = [*given.items()] if isinstance(given, Mapping) else [*given]
    sources = [_source(entry) for entry in entries]
    kinds = [source.kind for source in sources]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise ValueError(f"services: {kind.__qualname__} is given more than once")
    if EffectRecorder not in kinds:
        sources.append(ServiceSource(EffectRecorder, EffectRecorder))
    return sources


def _source(entry: object) -> ServiceSource:
    if isinstance(entry, type):
        return ServiceSource(entry, entry)
    if isinstance(entry, types.FunctionType):
        raise TypeError(f"services: {entry.__qualname__} makes a service of which type? Give a pair of both")
    if not isinstance(entry, tuple):
        return ServiceSource(type(entry), lambda: entry)
    pair: tuple[object, ...] = entry  # pyright: ignore[reportUnknownVariableType]
    kind, service = pair if len(pair) == 2 else (None, None)
    if not isinstance(kind, type):
        raise TypeError(f"services: a pair is of a type and a service or a function that makes one, not {entry!r}")
    if callable(service) and (isinstance(service, type) or not _is_one(service, kind)):
        return ServiceSource(kind, service)
    return ServiceSource(kind, lambda: service)


def _is_one(service: object, kind: type[object]) -> bool:
    try:
        return isinstance(service, kind)
    except TypeError:
        return False  # a protocol that is not for run time
