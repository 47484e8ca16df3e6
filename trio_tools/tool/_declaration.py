"""One declaration for a function that is made again and again: a `def` inside of another, as toolkits have them.

To read docstring and annotations takes most of a millisecond, and what they say is the same each time; what a function
works on, which it finds around it, is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from trio_tools.tool._signature import Signature
from trio_tools.tool._tool import Body, Tool, ToolOptions, said_of, tool_maker


class Declaration:
    """What the docstring and the annotations of one `def` say, read for the first function that it makes.

    Its `tool` stands where the decorator `tool` would: `@_WRITE.tool(destructive=True)`. Neither docstring nor
    annotations nor defaults may depend on what is around the `def`.
    """

    def __init__(self) -> None:
        self._code: object = None
        self._said: tuple[str, Signature] | None = None

    def tool(self, **options: Unpack[ToolOptions]) -> Callable[[Body], Tool]:
        """As the decorator `tool` with these options. Raises what that does, and `TypeError` for a function of another
        `def` than before."""
        return tool_maker(self._said_once, options)

    def _said_once(self, body: Body, name: str) -> tuple[str, Signature]:
        code: object = getattr(body, "__code__", None)
        said = self._said
        if said is None:
            self._code, self._said = code, (said := said_of(body, name))
        elif code is not self._code:
            raise TypeError(f'tool "{name}": its declaration is that of another function')
        return said
