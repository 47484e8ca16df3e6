"""`trio-tools config` and `trio-tools check`: every option there is, and whether a config file can be used."""

from __future__ import annotations

from pathlib import Path

import attrs

from trio_tools.cli._printable import complain
from trio_tools.cli._setting import Setting
from trio_tools.cli._status import MISUSE, OK, Refused
from trio_tools.cli._stdout import say
from trio_tools.config import ConfigError, config_document
from trio_tools.registry import in_order_of_need


@attrs.frozen(kw_only=True)
class ConfigRequest:
    """A config file with every option of these plugins, or if there are no `names` of all that are installed."""

    names: tuple[str, ...]

    def answer(self) -> int:
        """Print it; what could not be looked into is told on stderr. Raises `Refused` for names that are not
        installed."""
        try:
            document = config_document(self.names or None)
        except ConfigError as error:
            raise Refused(*error.problems) from None
        say(document.text.rstrip("\n"))
        for problem in document.problems:
            complain(problem)
        return MISUSE if document.problems else OK


@attrs.frozen(kw_only=True)
class CheckRequest:
    """A config `file`, of which nothing is opened."""

    file: Path
    options: tuple[str, ...] = ()

    def answer(self) -> int:
        """Say that it can be used, or raise `Refused` with everything that is wrong with it."""
        config = Setting(config=self.file, options=self.options).load()
        names = [one.name for one in in_order_of_need(config.plugins)]
        if config.defaults and "timeout" not in names:
            names.insert(0, "timeout (by default)")
        say(f"no problem found; plugins that are on, in the order in which they open: {', '.join(names) or 'none'}")
        return OK
