"""How plugins join and how calls are asked for: the registry, its lifetime, plugins."""

from trio_tools.registry._lifetime import AnyPlugin, hold
from trio_tools.registry._option import OptionFacts, option, option_facts
from trio_tools.registry._plugin import Plugin, plugin
from trio_tools.registry._registration import Registration
from trio_tools.registry._registry import Registry

__all__ = [
    "AnyPlugin",
    "OptionFacts",
    "Plugin",
    "Registration",
    "Registry",
    "hold",
    "option",
    "option_facts",
    "plugin",
]
