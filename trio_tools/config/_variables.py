"""Settings from environment variables: `TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT=60`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from trio_tools.config._problems import NAME_LENGTH, instead_of, line
from trio_tools.config._tables import DEFAULTS, PLUGINS, REGISTRY, Setting, Source, Table, Tables
from trio_tools.values import one_line

_PREFIX = "TRIO_TOOLS_"


def variable_of(*path: str) -> str:
    """The name of the variable that sets what is at this path of a config: `("plugins", "shell", "timeout")`."""
    return _PREFIX + "__".join(_upper(part) for part in path)


def add_variables(tables: Tables, environment: Mapping[str, str], options: Mapping[str, Iterable[str]]) -> None:
    """Lay what variables set over what the tables hold. `options` are the names of options by table: `registry`, and
    each plugin that is listed and loaded as `plugins.NAME`; variables of other plugins are nobody's."""
    if (name := variable_of(DEFAULTS)) in environment:
        tables.top[DEFAULTS] = _setting(name, environment)
    sections: list[tuple[str, Table, Iterable[str]]] = [
        (variable_of(PLUGINS, name) + "__", table, options[f"{PLUGINS}.{name}"])
        for name, table in tables.plugins.items()
        if f"{PLUGINS}.{name}" in options
    ]
    sections.append((variable_of(REGISTRY) + "__", tables.registry, options[REGISTRY]))
    for name in sorted(one for one in environment if one.startswith(_PREFIX)):
        of = [(prefix, table, known) for prefix, table, known in sections if name.startswith(prefix)]
        longest = max((len(prefix) for prefix, _, _ in of), default=0)
        _add(tables, name, environment, [one for one in of if len(one[0]) == longest])


def _add(tables: Tables, name: str, environment: Mapping[str, str], of: list[tuple[str, Table, Iterable[str]]]) -> None:
    place = one_line(name, limit=NAME_LENGTH)
    if len(of) > 1:
        tables.problems.append(line(place, (), "means two plugins that are listed; set this option in the file"))
        return
    for prefix, table, known in of:
        by_name: dict[str, list[str]] = {}
        for option in known:
            by_name.setdefault(prefix + _upper(option), []).append(option)
        meant = by_name.get(name, [])
        if len(meant) == 1:
            table.settings[meant[0]] = _setting(name, environment)
        elif meant:
            words = f"means both {' and '.join(meant)}; set the one you mean in the file"
            tables.problems.append(line(place, (), words))
        else:
            words = f"unknown option{instead_of(name[len(prefix) :].lower(), known)}"
            tables.problems.append(line(place, (), words))


def _setting(name: str, environment: Mapping[str, str]) -> Setting:
    return Setting(environment[name], one_line(name, limit=NAME_LENGTH), Source.VARIABLE)


def _upper(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name).upper()
