"""Settings from a program's own flags, which go over all others."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from trio_tools.config._problems import NAME_LENGTH, instead_of, line, shown_key
from trio_tools.config._tables import DEFAULTS, PLUGINS, REGISTRY, Setting, Source, Table, Tables
from trio_tools.values import one_line


@attrs.frozen
class Override:
    """A setting from a flag: its `value`, and the `flag` as problems are to name it (`--set plugins.shell.timeout`).

    A text is taken as it stands by an option that takes texts, and is read as a TOML value for any other.
    """

    value: object
    flag: str


def list_plugins(tables: Tables, overrides: Mapping[str, Override]) -> None:
    """Put the plugins that flags switch on behind those that the file lists."""
    for path, override in overrides.items():
        parts = path.split(".")
        if parts[0] != PLUGINS or len(parts) != 2:
            continue
        place = one_line(override.flag, limit=NAME_LENGTH)
        if override.value is True or override.value == "true":
            tables.plugins.setdefault(parts[1], Table(f"{place}: [{PLUGINS}.{shown_key(parts[1])}]"))
        else:
            tables.problems.append(line(place, (), "must be true, which switches the plugin on"))


def add_flags(tables: Tables, overrides: Mapping[str, Override]) -> None:
    """Lay what flags set over what the tables hold."""
    for path, override in overrides.items():
        place = one_line(override.flag, limit=NAME_LENGTH)
        setting = Setting(override.value, place, Source.FLAG)
        match path.split(".", 2):
            case ["defaults"]:
                tables.top[DEFAULTS] = setting
            case ["registry", option, *rest]:
                tables.registry.settings[".".join([option, *rest])] = setting
            case ["plugins", name, option] if name in tables.plugins:
                tables.plugins[name].settings[option] = setting
            case ["plugins", name, _]:
                words = f"plugin {shown_key(name)} is not listed{instead_of(name, tables.plugins)}"
                tables.problems.append(line(place, (), words))
            case ["plugins", _]:
                pass  # listed before
            case _:
                words = f"unknown; there are {DEFAULTS}, {REGISTRY}.OPTION, {PLUGINS}.NAME and {PLUGINS}.NAME.OPTION"
                tables.problems.append(line(place, (), words))
