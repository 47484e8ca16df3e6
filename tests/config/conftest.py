"""What the tests of configs share."""

from config_plugins import site

__all__ = ["site"]
