"""Composition: a registry with the default plugins put in, and what a config says of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING

from trio_tools.policies import with_timeout
from trio_tools.registry import AnyPlugin, Registry, RegistryOptions, in_order_of_need, opened

if TYPE_CHECKING:
    from trio_tools.config import Config

# Plugins of ours: each says which services it provides, if any.
OWN_PLUGINS = {"timeout", "logging", "retry", "spill", "files", "journal", "shell", "todo"}


def open_registry(
    config: str | os.PathLike[str] | Config | None = None,
    *,
    plugins: Iterable[AnyPlugin] = (),
    defaults: bool | None = None,
    max_parallel_calls: int | None = None,
    policy_grace: float | None = None,
    observer_grace: float | None = None,
    recorder_grace: float | None = None,
) -> AbstractAsyncContextManager[Registry]:
    """A registry, open for as long as the block: `async with open_registry() as registry`.

    Arguments: `config`, the path of a config file, or a `trio_tools.config.Config`; `plugins`, behind those of the
    config; `defaults`, whether the timeout policy is put in front (True; unless a plugin of its name, `timeout`, is
    listed); `max_parallel_calls` of one turn (10); `policy_grace`, `observer_grace` and `recorder_grace`, seconds (5)
    that post-policies, observers and the recording of one event may take. An argument that is given goes before the
    config. Plugins are opened in their order, but each after those that it requires, and left in reverse.

    Raises `ValueError` for a number out of range, for two plugins of one name, for a requirement that is not listed and
    for plugins that require each other, `TypeError` for what is no plugin; and `trio_tools.config.ConfigError`, a
    `ValueError`, with everything that is wrong with the config.
    The block's own exception comes out as it is, never in a group.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; jobs are cancelled and awaited;
    plugins leave; then it goes on. Leaving without an error lets running calls finish.
    """
    options, configured = RegistryOptions(), tuple[AnyPlugin, ...]()
    if config is not None:
        loaded = _loaded(config)
        options, configured = loaded.registry, loaded.plugins
        defaults = loaded.defaults if defaults is None else defaults
    options = RegistryOptions(
        max_parallel_calls=options.max_parallel_calls if max_parallel_calls is None else max_parallel_calls,
        policy_grace=options.policy_grace if policy_grace is None else policy_grace,
        observer_grace=options.observer_grace if observer_grace is None else observer_grace,
        recorder_grace=options.recorder_grace if recorder_grace is None else recorder_grace,
    )
    listed = (*configured, *plugins)
    composed = in_order_of_need(listed if defaults is False else with_timeout(listed))
    return opened(options, composed, partial(_could_provide, composed))


def _loaded(config: str | os.PathLike[str] | Config) -> Config:
    from trio_tools.config import Config, load_config

    return config if isinstance(config, Config) else load_config(config)


def _could_provide(listed: list[AnyPlugin], kind: type[object], asker: str | None) -> list[str]:
    """Who could bring a service that is missing for `asker`, and what to do about it: those that say so, or else those
    that may."""
    installed, names = _not_listed(listed)
    said = [f'plugin "{one.name}" does while it is open: name it in requires' for one in listed if kind in one.provides]
    said += [f'plugin "{one.name}" is installed and does: list it' for one in installed if kind in one.provides]
    if said:
        return said
    silent = [one.name for one in listed if not one.provides and one.name not in {asker, *OWN_PLUGINS}]
    may = [f"plugin {name} may while it is open, and does not say so" for name in silent]
    return may + [f"plugin {name} is installed and may: list it" for name in names]


def _not_listed(listed: list[AnyPlugin]) -> tuple[list[AnyPlugin], list[str]]:
    """Plugins that are installed and not listed: those that are imported already, and the names of the others. None is
    imported by this."""
    from trio_tools.config import ConfigError, installed_plugins

    try:
        installed = installed_plugins()
    except ConfigError:  # metadata that cannot be read: nobody is known there
        return [], []
    on = {one.name for one in listed}
    imported = [one for one in installed.imported() if one.name not in on]
    known = on | OWN_PLUGINS | {one.name for one in imported}
    return imported, [name for name in installed.names if name not in known]
