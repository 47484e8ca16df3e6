"""`trio-tools tools`: which tools there are, what providers are told of them, and what stands round each call."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import trio

from trio_tools import Registry, Tool
from trio_tools.cli._listing import Listing
from trio_tools.cli._log import log_told
from trio_tools.cli._opening import opened
from trio_tools.cli._printable import json_text, named
from trio_tools.cli._screen import Screen
from trio_tools.cli._setting import Setting
from trio_tools.cli._status import OK, Refused
from trio_tools.cli._stdout import say
from trio_tools.config import Config
from trio_tools.formats import FORMS


@attrs.frozen(kw_only=True)
class ToolsRequest:
    """What is wanted of the tools that a setting brings: a table, or `as_json`, or their schemas in a provider's form
    (`schemas`), or the `pipeline`: policies, wrappers and observers in their order.

    Raises `Refused` for several of them, and for a form that there is none of.
    """

    setting: Setting
    as_json: bool = False
    schemas: str | None = None
    pipeline: bool = False

    def __attrs_post_init__(self) -> None:
        if sum((self.as_json, self.schemas is not None, self.pipeline)) > 1:
            raise Refused("--json, --schemas and --pipeline show different things; ask for one of them")
        if self.schemas is not None and self.schemas not in FORMS:
            raise Refused(f'--schemas: there is no form "{named(self.schemas)}"; there are {", ".join(FORMS)}')

    def answer(self) -> int:
        """Print it."""
        shown = trio.run(self._wanted, self.setting.load())
        say(shown if isinstance(shown, str) else shown.drawn())
        return OK

    async def _wanted(self, config: Config) -> str | Listing:
        with log_told(Screen()):
            return await self._shown(config)

    async def _shown(self, config: Config) -> str | Listing:
        async with opened(config) as registry:
            if self.as_json:
                return json_text([_facts(registry, one) for _, one in sorted(registry.tools.items())], indent=2)
            if self.schemas is not None:
                try:
                    return json_text([FORMS[self.schemas](one) for one in registry.schemas()], indent=2)
                except ValueError as error:  # what this form cannot say
                    raise Refused(str(error)) from None
            if self.pipeline:
                joined = registry.joined()
                places = [(str(place), one.seam, one.function, one.plugin or "") for place, one in enumerate(joined, 1)]
                if not places:
                    return "nothing stands round a call"
                return Listing(heads=("", "seam", "function", "plugin"), rows=places)
            if not registry.tools:
                return "no tool: none of the plugins that are on brings one"
            return Listing(heads=("tool", "plugin", "is", "budget", "what it does"), rows=list(_rows(registry)))


def _facts(registry: Registry, one: Tool) -> dict[str, object]:
    return {
        **one.schema(),
        "plugin": registry.plugin_of(one.name),
        "read_only": one.read_only,
        "idempotent": one.idempotent,
        "destructive": one.destructive,
        "parallel": one.parallel if isinstance(one.parallel, bool) else "by arguments",
        "timeout": one.timeout,
        "idle_timeout": one.idle_timeout,
    }


def _rows(registry: Registry) -> Iterator[tuple[str, ...]]:
    for name, one in sorted(registry.tools.items()):
        flags = {"read-only": one.read_only, "idempotent": one.idempotent, "destructive": one.destructive}
        budgets = {"": one.timeout, " idle": one.idle_timeout}
        yield (
            name,
            registry.plugin_of(name) or "",
            ", ".join(flag for flag, holds in flags.items() if holds),
            ", ".join(f"{seconds:g} s{kind}" for kind, seconds in budgets.items() if seconds is not None),
            one.description.strip().partition("\n")[0],
        )
