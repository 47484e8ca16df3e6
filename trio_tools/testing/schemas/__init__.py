"""Arguments drawn from a tool's schema, for property tests."""

from trio_tools.testing.schemas._arguments import arguments

__all__ = ["arguments"]
