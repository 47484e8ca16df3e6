"""How plugins join and how calls are asked for: the registry, its lifetime, plugins."""

from trio_tools.registry._lifetime import opened
from trio_tools.registry._option import OptionFacts, option, option_facts, positive_seconds, true_or_false
from trio_tools.registry._options import RegistryOptions
from trio_tools.registry._plugin import AnyPlugin, Plugin, in_order_of_need, plugin
from trio_tools.registry._registration import Registration
from trio_tools.registry._registry import Joined, LeavingPlugin, Registry
from trio_tools.registry._view import RegistryView

__all__ = [
    "AnyPlugin",
    "Joined",
    "LeavingPlugin",
    "OptionFacts",
    "Plugin",
    "Registration",
    "Registry",
    "RegistryOptions",
    "RegistryView",
    "in_order_of_need",
    "opened",
    "option",
    "option_facts",
    "plugin",
    "positive_seconds",
    "true_or_false",
]
