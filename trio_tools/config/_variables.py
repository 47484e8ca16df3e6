"""Settings from environment variables: `TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT=60`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import attrs

from trio_tools.config._problems import NAME_LENGTH, instead_of, line
from trio_tools.config._tables import DEFAULTS, PLUGINS, REGISTRY, Setting, Source, Table, Tables
from trio_tools.values import one_line

_PREFIX = "TRIO_TOOLS_"


def variable_of(*path: str) -> str:
    """The name of the variable that sets what is at this path of a config: `("plugins", "shell", "timeout")`."""
    return _PREFIX + "__".join(_upper(part) for part in path)


# Variables that are of a form to set something, and those that must be meant to.
_FORM = re.compile(rf"{_PREFIX}(?:DEFAULTS$|REGISTRY__.|PLUGINS__.+__.)")
_MEANT = tuple(_PREFIX + word for word in ("DEFAULT", "REGISTR", "PLUGIN"))


def add_variables(tables: Tables, environment: Mapping[str, str], options: Mapping[str, Iterable[str]]) -> None:
    """Lay what variables set over what the tables hold. `options` are the names of options by table: `registry`, and
    each plugin that is listed and loaded as `plugins.NAME`; variables of other plugins are nobody's."""
    if (name := variable_of(DEFAULTS)) in environment:
        tables.top[DEFAULTS] = _setting(name, environment)
    sections = [
        _Section(variable_of(PLUGINS, name) + "__", table, tuple(options[f"{PLUGINS}.{name}"]))
        for name, table in tables.plugins.items()
        if f"{PLUGINS}.{name}" in options
    ]
    sections.append(_Section(variable_of(REGISTRY) + "__", tables.registry, tuple(options[REGISTRY])))
    for name in sorted(one for one in environment if one.startswith(_PREFIX)):
        meant = [one for one in sections if name.startswith(one.prefix)]
        longest = max((len(one.prefix) for one in meant), default=0)
        match [one for one in meant if len(one.prefix) == longest]:
            case [section]:
                _add(tables, section, name, environment)
            case [_, *_]:
                words = "means two plugins that are listed; set this option in the file"
                tables.problems.append(line(_shown(name), (), words))
            case _ if _FORM.match(name) is None and name.startswith(_MEANT):
                words = (
                    f"sets nothing; {variable_of(REGISTRY, 'OPTION')} and {variable_of(PLUGINS, 'NAME', 'OPTION')} do"
                )
                tables.problems.append(line(_shown(name), (), words))
            case _:
                pass  # of a plugin that is not listed, or for something else


@attrs.frozen(eq=False)
class _Section:
    """The variables that set the `options` of a table: those that begin with a `prefix`."""

    prefix: str
    table: Table
    options: tuple[str, ...]


def _add(tables: Tables, section: _Section, name: str, environment: Mapping[str, str]) -> None:
    meant = [option for option in section.options if section.prefix + _upper(option) == name]
    if len(meant) == 1:
        section.table.settings[meant[0]] = _setting(name, environment)
    elif meant:
        words = f"means both {' and '.join(meant)}; set the one you mean in the file"
        tables.problems.append(line(_shown(name), (), words))
    else:
        likely = instead_of(name.removeprefix(section.prefix).lower(), section.options)
        tables.problems.append(line(_shown(name), (), f"unknown option{likely}"))


def _shown(name: str) -> str:
    return one_line(name, limit=NAME_LENGTH)


def _setting(name: str, environment: Mapping[str, str]) -> Setting:
    return Setting(environment[name], _shown(name), Source.VARIABLE)


def _upper(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name).upper()
