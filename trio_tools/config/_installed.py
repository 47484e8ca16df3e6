"""Plugins that are installed: named by entry points, and loaded only by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from trio_tools.config._problems import NAME_LENGTH, ConfigError, did_you_mean, line, shown_key, words_of
from trio_tools.registry import AnyPlugin, Plugin
from trio_tools.values import one_line, printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "trio_tools.plugins"


@attrs.frozen
class InstalledPlugins:
    """The plugins that were installed when it was made. None of them is loaded."""

    entry_points: tuple[EntryPoint, ...] = attrs.field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them, in alphabetical order."""
        return tuple(sorted({one.name for one in self.entry_points}))

    def imported(self) -> Iterator[AnyPlugin]:
        """Those that the program has imported already. None is imported by this."""
        for one in self.entry_points:
            module = sys.modules.get(one.module)
            found: object = None if module is None else vars(module).get(one.attr)
            if isinstance(found, Plugin):
                yield found  # pyright: ignore[reportUnknownVariableType]

    def load(self, name: str, *, place: str = "") -> AnyPlugin:
        """The plugin of this name; no other is imported. A problem begins with `place`, by default `plugin NAME`.

        Raises `ConfigError` of one problem: no such plugin, two distributions that offer it, an import that fails,
        what is no plugin, or a plugin of another name.
        """
        found = [one for one in self.entry_points if one.name == name]
        place = place or f"plugin {shown_key(name)}"
        if not found:
            raise ConfigError([self.refusal(name, place=place)])
        offers = sorted({_distribution(one) for one in found})
        if len(offers) > 1:
            words = f"offered by {' and by '.join(offers)}; uninstall all of them but one"
            raise ConfigError([line(place, (), words)])
        return _loaded(found[0], f"{place}: {offers[0]}")

    def refusal(self, name: str, *, place: str = "") -> str:
        """The problem that there is no plugin of this name."""
        there_are = ", ".join(shown_key(one) for one in self.names) or "none"
        words = f"no such plugin is installed{did_you_mean(name, self.names) or '.'} Installed: {there_are}"
        return line(place or f"plugin {shown_key(name)}", (), words)


def installed_plugins() -> InstalledPlugins:
    """What the installed distributions offer in the entry point group `trio_tools.plugins`.

    Raises `ConfigError` of one problem if their metadata cannot be read.
    """
    from importlib.metadata import entry_points

    try:
        return InstalledPlugins(tuple(entry_points(group=GROUP)))
    except Exception as thrown:  # metadata is files that any installer wrote
        raise ConfigError([line("installed plugins", (), f"cannot be listed: {words_of(thrown)}")]) from None


def _loaded(entry: EntryPoint, place: str) -> AnyPlugin:
    try:
        plugin: object = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as thrown:  # whatever a module does when it is imported
        words = f"cannot be imported from {entry.value}: {type(thrown).__name__}: {printable(thrown)}"
        raise ConfigError([line(place, (), words)]) from None
    if not isinstance(plugin, Plugin):
        words = f"{entry.value} is no plugin but {type(plugin).__name__}; declare it with @plugin"
        raise ConfigError([line(place, (), words)])
    loaded: AnyPlugin = plugin  # pyright: ignore[reportUnknownVariableType]
    if loaded.name != entry.name:
        words = f"{entry.value} calls itself {loaded.name!r}; its entry point must have that name"
        raise ConfigError([line(place, (), words)])
    return loaded


def _distribution(entry: EntryPoint) -> str:
    name: object = None
    with suppress(Exception):  # metadata is files that any installer wrote, or did not
        name = entry.dist.name if entry.dist is not None else None
    return f'distribution "{one_line(name, limit=NAME_LENGTH)}"' if isinstance(name, str) else "a nameless distribution"
