"""A config: what a file, variables and flags say, structured, or everything that is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

import attrs

from trio_tools.config._file import read_file
from trio_tools.config._flags import Override, add_flags, list_plugins
from trio_tools.config._installed import installed_plugins
from trio_tools.config._options import options_of
from trio_tools.config._problems import SHOWN_PROBLEMS, ConfigError, Misfit, line, shown_key, words_of
from trio_tools.config._reader import Reader
from trio_tools.config._tables import PLUGINS, REGISTRY, Table, Tables, tables_of
from trio_tools.config._variables import add_variables
from trio_tools.registry import AnyPlugin, RegistryOptions

C = TypeVar("C")


def _read_only(origins: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(origins))


@attrs.frozen
class Config:
    """What a registry is to be opened with: its own `registry` options, whether the `defaults` are put in, and the
    `plugins` in the order in which they are listed, each with its config.

    `origins` says what set an option, by its path: `registry.max_parallel_calls`, `defaults`, `plugins.shell.timeout`.
    What is not in it was set by nobody, and has its default.
    """

    registry: RegistryOptions = attrs.field(factory=RegistryOptions)
    defaults: bool = True
    plugins: tuple[AnyPlugin, ...] = ()
    origins: Mapping[str, str] = attrs.field(factory=dict[str, str], converter=_read_only)


@attrs.frozen
class _TopLevel:
    defaults: bool = True


def load_config(
    path: str | os.PathLike[str] | None,
    *,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Override] | None = None,
) -> Config:
    """Read a config: a flag goes before a variable, a variable before the file, option by option.

    Arguments: `path` of a TOML file, or None for a config without one; `environment`, for variables and for `${NAME}`,
    by default the process's own; `overrides`, by path: `defaults`, `registry.OPTION`, `plugins.NAME.OPTION`, and
    `plugins.NAME` with True, which lists a plugin behind the others.

    Imports the plugins that are listed, and no others; it blocks while it reads. Raises `ConfigError` with everything
    that is wrong: values of the environment are in none of its problems.
    """
    environment = os.environ if environment is None else environment
    overrides = {} if overrides is None else overrides
    tables = Tables(registry=Table(f"[{REGISTRY}]")) if path is None else tables_of(read_file(path), path)
    list_plugins(tables, overrides)
    plugins = _loaded(tables)
    options = {f"{PLUGINS}.{name}": _names(one.config_class) for name, one in plugins.items()}
    add_variables(tables, environment, {REGISTRY: _names(RegistryOptions), **options})
    add_flags(tables, overrides)
    reader = Reader(environment)
    top = _read(reader, tables, Table("", tables.top), _TopLevel)
    registry = _read(reader, tables, tables.registry, RegistryOptions)
    configs = [(one, _read(reader, tables, tables.plugins[name], one.config_class)) for name, one in plugins.items()]
    if tables.problems or top is None or registry is None:
        raise ConfigError(tables.problems)
    made = tuple(plugin(config) for plugin, config in configs)
    return Config(registry=registry, defaults=top.defaults, plugins=made, origins=_origins(tables))


def _loaded(tables: Tables) -> dict[str, AnyPlugin]:
    """The plugins that are listed. Those that cannot be used are among the problems instead."""
    found: dict[str, AnyPlugin] = {}
    if not tables.plugins:
        return found  # nothing is to be looked for, and so nothing is
    try:
        installed = installed_plugins()
    except ConfigError as error:
        tables.problems.extend(error.problems)
        return found
    there_are = frozenset(installed.names)
    for name, table in tables.plugins.items():
        if name not in there_are and len(tables.problems) >= SHOWN_PROBLEMS:  # it is counted, and not shown
            tables.problems.append(line(table.place, (), "no such plugin is installed"))
            continue
        try:
            plugin = installed.load(name, place=table.place)
            options_of(plugin.config_class)
            found[name] = plugin
        except ConfigError as error:
            tables.problems.extend(error.problems)
        except TypeError as error:
            tables.problems.append(line(table.place, (), words_of(error)))
    return found


def _names(kind: type) -> list[str]:
    return [one.name for one in options_of(kind)]


def _read(reader: Reader, tables: Tables, table: Table, kind: type[C]) -> C | None:
    try:
        return reader.read(kind, table.settings)
    except Misfit as misfit:
        for problem in misfit.problems:
            name, *inside = problem.path or ("",)
            if name in table.settings:
                place = table.settings[str(name)].place
            else:  # not set, or the table as a whole
                place = f"{table.place} {shown_key(str(name))}" if name else table.place
            tables.problems.append(line(place, inside, problem.words))
    except TypeError as error:  # a class that cannot be filled
        tables.problems.append(line(table.place, (), words_of(error)))
    return None


def _origins(tables: Tables) -> dict[str, str]:
    sections = {REGISTRY: tables.registry, **{f"{PLUGINS}.{name}": one for name, one in tables.plugins.items()}}
    inside = {f"{path}.{name}": one.place for path, table in sections.items() for name, one in table.settings.items()}
    return {**{name: one.place for name, one in tables.top.items()}, **inside}
