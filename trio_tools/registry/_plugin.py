"""A plugin: a name, a config class, and an async context manager that joins a registry and leaves it again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import attrs

if TYPE_CHECKING:
    from trio_tools.registry._registry import Registry

C = TypeVar("C")
Opener: TypeAlias = "Callable[[Registry, C], AbstractAsyncContextManager[None]]"


@attrs.frozen(eq=False)
class Plugin(Generic[C]):
    """A plugin, with its config or (config None) the defaults of its config class. Make one with `plugin`."""

    name: str
    opener: Opener[C] = attrs.field(repr=False)
    config_class: type[C] = attrs.field(repr=False)
    config: C | None = None
    requires: tuple[str, ...] = ()

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


def plugin(name: str, *, config: type[C], requires: tuple[str, ...] = ()) -> Callable[[Opener[C]], Plugin[C]]:
    """Declare an async context manager `(registry, config)` as a plugin; what it joined is undone when it leaves.

    Arguments: `name`, by which a config file lists it; `config`, an attrs class with a default for every field that
    can have one; `requires`, names of plugins that must be open before it.
    """

    def declare(opener: Opener[C]) -> Plugin[C]:
        return Plugin(name, opener, config, None, requires)

    return declare
