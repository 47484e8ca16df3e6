"""What a registry is opened with: a config file, or the toolkits that flags name; flags go before variables, and
variables before the file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import attrs

from trio_tools import open_registry
from trio_tools.cli._given import FILE_TOOLS
from trio_tools.cli._printable import named
from trio_tools.cli._status import Refused
from trio_tools.config import Config, ConfigError, Override, load_config, variable_of

# Those that change nothing, and are there if nobody says which.
READING = ("read", "glob", "grep")
# The plugin that records calls in a file.
JOURNAL = "journal"


@attrs.frozen(kw_only=True)
class Setting:
    """What was asked for: a `config` file; or else which of our own `tools`, below `root`. `options` are of the form
    `KEY=VALUE`, `parallel` is how many calls of a turn may run at once, and `journal` a file to record them in."""

    config: Path | None = None
    options: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    root: Path | None = None
    parallel: int | None = None
    journal: Path | None = None

    def load(self) -> Config:
        """The config. Raises `Refused` with everything that is wrong."""
        overrides = dict(self._overrides())
        try:
            with redirect_stdout(sys.stderr):  # plugins are imported, and what they print is no result
                config = load_config(self.config, overrides=overrides)
            open_registry(config)  # looks whether plugins have what they require, and opens none
        except ConfigError as error:
            raise Refused(*error.problems) from None
        except ValueError as error:
            raise Refused(str(error) if self.config is None else f"{named(str(self.config))}: {error}") from None
        return config

    def _overrides(self) -> Iterator[tuple[str, Override]]:
        if self.config is None:
            yield from self._own_toolkits()
        elif self.tools is not None or self.root is not None:
            flag = "--root" if self.tools is None else "--tools"
            raise Refused(
                f"{flag} is for runs without --config and TRIO_TOOLS_CONFIG; use --set plugins.NAME.OPTION=VALUE"
            )
        if self.parallel is not None:
            if self.parallel < 1:
                raise Refused(f"--parallel must be a positive whole number, not {self.parallel}")
            yield "registry.max_parallel_calls", Override(self.parallel, "--parallel")
        if self.journal is not None:
            yield f"plugins.{JOURNAL}", Override(True, "--journal")
            yield f"plugins.{JOURNAL}.path", Override(str(self.journal), "--journal")
        for option in self.options:
            key, equals, value = option.partition("=")
            if not equals or not key.strip():
                raise Refused(f'--set takes KEY=VALUE, such as plugins.shell.timeout=60, and not "{named(option)}"')
            yield key.strip(), Override(value, f"--set {key.strip()}")

    def _own_toolkits(self) -> Iterator[tuple[str, Override]]:
        if self.root is not None and not os.path.isdir(self.root):
            raise Refused(f'--root must be a folder, and "{named(str(self.root))}" is none')
        tools = READING if self.tools is None else self.tools
        of_files = [name for name in tools if name in FILE_TOOLS]
        toolkits = {"files": bool(of_files), "shell": "bash" in tools}
        for name in [name for name, wanted in toolkits.items() if wanted]:
            yield f"plugins.{name}", Override(True, "--tools")
            if self.root is not None or variable_of("plugins", name, "root") not in os.environ:
                yield f"plugins.{name}.root", Override(str(self.root or "."), "--root")
        if of_files and self.tools is not None:
            yield "plugins.files.tools", Override(of_files, "--tools")
