"""Plugins as other distributions bring them, and distributions that bring them: real metadata in a real folder."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import date, datetime, time
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest

from trio_tools import Registry
from trio_tools.config import Config
from trio_tools.registry import Plugin, option

OURS = {
    "files": "trio_tools.toolkits.files:files",
    "journal": "trio_tools.journal:journal",
    "retry": "trio_tools.policies:retry",
    "shell": "trio_tools.toolkits.shell:shell",
    "timeout": "trio_tools.policies:timeout",
}


class Site:
    """A folder that distributions are installed in, on `sys.path` before all others. Its first is trio_tools itself,
    so that what the tests run on need not be installed anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.install("trio-tools", OURS)

    def install(self, distribution: str, plugins: Mapping[str, str], **modules: str) -> None:
        """Write metadata and modules of a distribution that offers these plugins, by name."""
        metadata = self.folder / f"{distribution.replace('-', '_')}-0.1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1.0\n")
        lines = [f"{name} = {value}" for name, value in plugins.items()]
        (metadata / "entry_points.txt").write_text("\n".join(["[trio_tools.plugins]", *lines, ""]))
        for name, source in modules.items():
            (self.folder / f"{name}.py").write_text(textwrap.dedent(source))

    def offer(self, **plugins: Plugin[Any]) -> None:
        """Install plugins of a test, by name."""
        places = {f"plugin_{number}": name for number, name in enumerate(plugins)}
        self.install("of-a-test", {name: f"of_a_test:{place}" for place, name in places.items()}, of_a_test="")
        module = import_module("of_a_test")
        vars(module).update({place: plugins[name] for place, name in places.items()})


@contextmanager
def site_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Site]:
    """A site below this folder, which is the working folder too; its modules are forgotten in the end."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def write(text: str, name: str = "trio-tools.toml") -> str:
    """Write a config into the working folder; its name."""
    Path(name).write_text(textwrap.dedent(text), encoding="utf-8")
    return name


def only_config(config: Config) -> Any:
    """The config of the one plugin that is on."""
    (plugin,) = config.plugins
    return plugin.config


def made_of(kind: Any, name: str = "house") -> Plugin[Any]:
    """A plugin of this name with this config class, which does nothing."""

    @asynccontextmanager
    async def opener(registry: Registry, config: object) -> AsyncGenerator[None]:
        """Keep a house.

        Not the first paragraph.
        """
        yield

    return Plugin(name, opener, kind)  # made by hand, since `plugin` refuses a class that is no config's


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@attrs.frozen(kw_only=True)
class Door:
    """A door.

    Attributes:
        width: How wide it is.
        key: What opens it.
    """

    width: float = attrs.field(default=0.9, validator=attrs.validators.gt(0), metadata=option(unit="metres"))
    key: str = attrs.field(default="", metadata=option(environment=True))
    name: str = ""


def _tenfold(level: int) -> int:
    return level * 10


@attrs.frozen(kw_only=True)
class HouseConfig:
    """How a house
    is kept.

    More of it.

    Attributes:
        address: Where it is.
        rooms: How many rooms it has.
        password: What is asked for.
    """

    address: str
    rooms: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    height: float = attrs.field(default=2.5, metadata=option(unit="metres"))
    heated: bool = True
    colour: Colour = Colour.RED
    style: Literal["old", "new", 3] = "old"
    trim: Literal[Colour.GREEN] | None = None
    password: str = attrs.field(default="", metadata=option(environment=True))
    tokens: tuple[str, ...] = attrs.field(default=(), metadata=option(environment=True))
    plan: Path = Path("plan.txt")
    door: Door = Door()
    doors: tuple[Door, ...] = ()
    by_name: dict[str, Door] = attrs.field(factory=dict[str, Door])
    sizes: list[int] = attrs.field(factory=list[int])
    pair: tuple[int, str] = (1, "a")
    names: frozenset[str] = frozenset()
    limit: int | None = None
    either: int | str = 0
    since: datetime | None = None
    day: date | None = None
    opens: time | None = None
    anything: Any = None
    level: int = attrs.field(default=1, converter=_tenfold)


house = made_of(HouseConfig)
