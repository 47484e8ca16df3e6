"""A plugin: a name, a config class, and an async context manager that joins a registry and leaves it again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import attrs

if TYPE_CHECKING:
    from trio_tools.registry._registry import Registry

C = TypeVar("C")
T = TypeVar("T")
# What a TOML key and an environment variable can both spell.
_NAME = re.compile(r"[A-Za-z0-9_-]+")
Opener: TypeAlias = "Callable[[Registry, C], AbstractAsyncContextManager[None]]"
AnyPlugin: TypeAlias = "Plugin[Any]"


@attrs.frozen(eq=False)
class Plugin(Generic[C]):
    """A plugin, with its config or (config None) the defaults of its config class. Make one with `plugin`."""

    name: str
    opener: Opener[C] = attrs.field(repr=False)
    config_class: type[C] = attrs.field(repr=False)
    config: C | None = None
    requires: tuple[str, ...] = ()
    provides: tuple[type[object], ...] = ()

    def __call__(self, config: C) -> Plugin[C]:
        """The same plugin with this config. Raises `TypeError` if it is not of the plugin's config class."""
        if not isinstance(config, self.config_class):
            raise TypeError(f'plugin "{self.name}" takes a {self.config_class.__name__}, not {type(config).__name__}')
        return attrs.evolve(self, config=config)

    def open(self, registry: Registry) -> AbstractAsyncContextManager[None]:
        """The context manager that joins this registry. Raises what the config class raises for its defaults.

        **Cancellation**: that of the plugin's own context manager.
        """
        return self.opener(registry, self.config_class() if self.config is None else self.config)


def plugin(
    name: str, *, config: type[C], requires: Iterable[str] = (), provides: Iterable[type[object]] = ()
) -> Callable[[Opener[C]], Plugin[C]]:
    """Declare an async context manager `(registry, config)` as a plugin; what it joined is undone when it leaves.

    Arguments: `name`, by which a config file lists it; `config`, an attrs class with a default for every field that
    can have one; `requires`, names of plugins that must be open before it, and leave after it; `provides`, types of
    services that it provides while it is open, so that others can be told of it.

    Raises `TypeError` and `ValueError` for a name that a config file could not list, a config that is no attrs class,
    and for requirements that are no names and services that are no types.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a plugin's name must be a string, not {name!r}")
    if not _NAME.fullmatch(name):
        raise ValueError(f'a plugin\'s name is of letters, digits, - and _, such as "shell", not {name!r}')
    if not _is_attrs_class(config):
        raise TypeError(f'plugin "{name}": config must be an attrs class, not {config!r}')
    required, provided = _listed(name, "requires", requires, str), _listed(name, "provides", provides, type)

    def declare(opener: Opener[C]) -> Plugin[C]:
        if not callable(opener):
            raise TypeError(f'plugin "{name}" is made of an async context manager, not of {type(opener).__name__}')
        if inspect.isasyncgenfunction(opener) or inspect.iscoroutinefunction(opener):
            raise TypeError(f'plugin "{name}" is no context manager; put @asynccontextmanager under @plugin')
        return Plugin(name, opener, config, None, required, provided)

    return declare


def _is_attrs_class(config: object) -> bool:
    return isinstance(config, type) and attrs.has(config)


def _listed(name: str, what: str, given: Iterable[T], kind: type[T]) -> tuple[T, ...]:
    """What stands at `requires` or `provides`, each of its kind."""
    if isinstance(given, (str, type)):
        raise TypeError(f'plugin "{name}": {what} must be a tuple, such as ({given!r},)')
    listed = tuple(given)
    for one in listed:
        if not isinstance(one, kind):
            raise TypeError(f'plugin "{name}": {what} holds {one!r}, which is no {kind.__name__}')
    return listed


def in_order_of_need(plugins: Iterable[AnyPlugin]) -> list[AnyPlugin]:
    """The plugins, each after those that it requires, and else in the order that they are listed in.

    Raises `TypeError` for what is no plugin, and `ValueError` for two of one name, for a requirement that is not
    listed, and for plugins that require each other, naming them in a circle.
    """
    listed: dict[str, AnyPlugin] = {}
    for one in plugins:
        if not isinstance(one, Plugin):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"plugins must be made with @plugin, not {type(one).__name__}")
        if one.name in listed:
            raise ValueError(f'plugin "{one.name}" is listed more than once')
        listed[one.name] = one
    ordered: dict[str, AnyPlugin] = {}
    for name in listed:
        way = [name]  # to what is to be opened next, each required by the one before
        while way:
            missing = next((need for need in listed[way[-1]].requires if need not in ordered), None)
            if missing is None:
                ordered.setdefault(way[-1], listed[way[-1]])
                way.pop()
            elif missing not in listed:
                raise ValueError(f'plugin "{way[-1]}" requires plugin "{missing}", which is not listed')
            elif missing in way:
                circle = " -> ".join((*way[way.index(missing) :], missing))
                raise ValueError(f"plugins require each other, and none can be the first to open: {circle}")
            else:
                way.append(missing)
    return list(ordered.values())
