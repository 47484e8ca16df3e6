"""Who set what: the settings of a config by table, a variable over the file's, and a flag over a variable's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

import attrs

from trio_tools.config._converter import NOUNS
from trio_tools.config._file import shown_path
from trio_tools.config._problems import instead_of, line, shown_key
from trio_tools.values import noun_of

REGISTRY = "registry"
PLUGINS = "plugins"
DEFAULTS = "defaults"


class Source(Enum):
    """Where a setting comes from."""

    FILE = "file"
    VARIABLE = "variable"
    FLAG = "flag"


@attrs.frozen
class Setting:
    """What an option was set to, by what, and its `place` as problems name it: file, table and key, a variable's name,
    or a flag's."""

    value: object
    place: str
    source: Source


@attrs.frozen(eq=False)
class Table:
    """The options that were set in one table, by name, and its `place`."""

    place: str
    settings: dict[str, Setting] = attrs.field(factory=dict[str, Setting])


@attrs.frozen(eq=False)
class Tables:
    """Everything that was set, and what is wrong with how it was: `registry`, `plugins` by name in their order, and the
    top level's `defaults`."""

    registry: Table
    plugins: dict[str, Table] = attrs.field(factory=dict[str, Table])
    top: dict[str, Setting] = attrs.field(factory=dict[str, Setting])
    problems: list[str] = attrs.field(factory=list[str])


def tables_of(document: Mapping[str, object], path: object) -> Tables:
    """The tables of a file."""
    file = shown_path(str(path))
    tables = Tables(registry=Table(f"{file}: [{REGISTRY}]"))
    for key, value in document.items():
        place = f"{file}: {shown_key(key)}"
        if key == DEFAULTS:
            tables.top[key] = Setting(value, place, Source.FILE)
        elif key == REGISTRY:
            tables.registry.settings.update(_settings(tables, tables.registry.place, value))
        elif key == PLUGINS:
            for name, options in _members(tables, f"{file}: [{PLUGINS}]", value):
                table = Table(f"{file}: [{PLUGINS}.{shown_key(name)}]")
                table.settings.update(_settings(tables, table.place, options))
                if isinstance(options, dict):
                    tables.plugins[name] = table
        else:
            tables.problems.append(line(place, (), f"unknown{instead_of(key, (DEFAULTS, REGISTRY, PLUGINS))}"))
    return tables


def _settings(tables: Tables, place: str, value: object) -> dict[str, Setting]:
    return {key: Setting(one, f"{place} {shown_key(key)}", Source.FILE) for key, one in _members(tables, place, value)}


def _members(tables: Tables, place: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        yield from value.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    else:
        tables.problems.append(line(place, (), f"must be a table, not {noun_of(value, NOUNS)}"))
