"""`trio-tools completion`: the script with which a shell completes commands and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import attrs

from trio_tools.cli._printable import named
from trio_tools.cli._status import OK, Refused
from trio_tools.cli._stdout import say

# The shells that the parser writes scripts for.
SHELLS: Mapping[str, Literal["bash", "zsh", "fish"]] = MappingProxyType({"bash": "bash", "zsh": "zsh", "fish": "fish"})


@attrs.frozen(kw_only=True)
class CompletionRequest:
    """A `shell`, and what makes its `script`. Raises `Refused` for a shell that there is no script for."""

    shell: str
    script: Callable[[], str] = attrs.field(repr=False)

    def __attrs_post_init__(self) -> None:
        if self.shell not in SHELLS:
            raise Refused(f'there is no completion for "{named(self.shell)}"; there is for {", ".join(SHELLS)}')

    def answer(self) -> int:
        """Print the script."""
        say(self.script())
        return OK
