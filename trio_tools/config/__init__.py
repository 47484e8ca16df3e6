"""Config files: which plugins are on, with what options, and everything that is wrong with it at once."""

from trio_tools.config._document import ConfigDocument, config_document
from trio_tools.config._flags import Override
from trio_tools.config._installed import InstalledPlugins, installed_plugins
from trio_tools.config._load import Config, load_config
from trio_tools.config._problems import ConfigError
from trio_tools.config._variables import variable_of

__all__ = [
    "Config",
    "ConfigDocument",
    "ConfigError",
    "InstalledPlugins",
    "Override",
    "config_document",
    "installed_plugins",
    "load_config",
    "variable_of",
]
