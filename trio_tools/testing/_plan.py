"""What is explored: calls, tools, and what they are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs

from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, RegistryOptions
from trio_tools.testing._effects import EffectRecorder
from trio_tools.testing._permits import gives_permits
from trio_tools.testing._record import Run
from trio_tools.testing._services import ServiceSource
from trio_tools.testing._surroundings import Surroundings
from trio_tools.tool import Tool
from trio_tools.values import Session, ToolCall

Check: TypeAlias = Callable[[Run], Awaitable[object] | object]


@attrs.frozen(kw_only=True)
class Plan:
    """What is explored. A tool that a plugin brings is named by the calls alone."""

    calls: tuple[ToolCall, ...]
    tools: tuple[Tool, ...]  # watched
    plugins: tuple[AnyPlugin, ...]
    services: tuple[ServiceSource, ...]
    check: Check | None
    options: RegistryOptions
    surroundings: Surroundings
    held: tuple[object, ...]  # what is watched of that which the tools can get their hands on in every run
    session: Session | None = None
    rehearsed: bool = False  # whether the calls are made once before, for what is kept on purpose to be there

    @property
    def is_bare(self) -> bool:
        """Whether no plugin is there but the timeout policy, which holds nothing."""
        return all(one.name == timeout.name for one in self.plugins)

    @property
    def is_plain(self) -> bool:
        """Whether it is one call that has nothing to tell a recorder but that it was made: it has no context, and no
        plugin is there to tell of other calls."""
        return self.is_bare and len(self.calls) == 1 and not any(one.signature.context for one in self.tools)


def is_watched(one: object) -> bool:
    """Whether a run wants to know of this object, if a tool can get its hands on it."""
    return gives_permits(one) or isinstance(one, EffectRecorder)
