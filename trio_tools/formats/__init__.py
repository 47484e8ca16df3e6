"""Wire shapes: how calls come in and results go out as JSON. The plain form here is trio_tools' own."""

from trio_tools.formats._plain import NotATurn, read_turn, write_result

__all__ = ["NotATurn", "read_turn", "write_result"]
