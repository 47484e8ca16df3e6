"""A config that is right: what its values become, which plugins are on, and who set what."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path

import attrs
import pytest
from config_plugins import Colour, Door, HouseConfig, Site, house, made_of, only_config, site_in, write

from trio_tools.config import Config, Override, load_config
from trio_tools.policies import TimeoutConfig
from trio_tools.registry import RegistryOptions
from trio_tools.toolkits.shell import ShellConfig


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


def loaded(text: str) -> HouseConfig:
    """What the options of one plugin become."""
    made = only_config(load_config(write(f'[plugins.house]\naddress = "here"\n{text}'), environment={}))
    assert isinstance(made, HouseConfig)
    return made


def test_nothing_said_is_every_default(site: Site) -> None:
    assert load_config(None, environment={}) == Config()
    assert load_config(write(""), environment={}) == Config()
    assert Config().registry == RegistryOptions(
        max_parallel_calls=10, policy_grace=5, observer_grace=5, recorder_grace=5
    )


def test_plugins_are_on_in_the_order_of_their_tables(site: Site) -> None:
    config = load_config(write("[plugins.shell]\n[plugins.timeout]\n[plugins.files]\nroot = 'src'"), environment={})
    assert [plugin.name for plugin in config.plugins] == ["shell", "timeout", "files"]
    assert config.plugins[0].config == ShellConfig()
    assert config.plugins[1].config == TimeoutConfig()


def test_a_plugin_that_is_not_listed_is_not_imported(site: Site) -> None:
    site.install("other", {"other": "other_module:other"}, other_module="raise RuntimeError('loaded')")
    load_config(write("[plugins.shell]"), environment={"TRIO_TOOLS_PLUGINS__OTHER__X": "1"})
    assert "other_module" not in sys.modules


def test_the_top_level_and_the_registry_are_read(site: Site) -> None:
    config = load_config(
        write("defaults = false\n[registry]\nmax_parallel_calls = 3\npolicy_grace = 1"), environment={}
    )
    assert config.defaults is False
    assert config.registry == RegistryOptions(max_parallel_calls=3, policy_grace=1.0)
    assert type(config.registry.policy_grace) is float


def test_it_is_told_who_set_what(site: Site) -> None:
    config = load_config(
        write("defaults = true\n[registry]\npolicy_grace = 1\n[plugins.shell]\ntimeout = 5\ngrace = 1"),
        environment={"TRIO_TOOLS_PLUGINS__SHELL__GRACE": "2"},
        overrides={"registry.policy_grace": Override(3, flag="--policy-grace")},
    )
    assert dict(config.origins) == {
        "defaults": "trio-tools.toml: defaults",
        "registry.policy_grace": "--policy-grace",
        "plugins.shell.timeout": "trio-tools.toml: [plugins.shell] timeout",
        "plugins.shell.grace": "TRIO_TOOLS_PLUGINS__SHELL__GRACE",
    }


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("rooms = 4", "rooms", 4),
        ("height = 3", "height", 3.0),
        ("height = inf", "height", float("inf")),
        ("heated = false", "heated", False),
        ("colour = 'green'", "colour", Colour.GREEN),
        ("style = 3", "style", 3),
        ("trim = 'green'", "trim", Colour.GREEN),
        ("plan = 'a/b'", "plan", Path("a/b")),
        ("tokens = ['a', 'b']", "tokens", ("a", "b")),
        ("names = ['b', 'a', 'b']", "names", frozenset({"a", "b"})),
        ("sizes = [1, 2]", "sizes", [1, 2]),
        ("pair = [2, 'x']", "pair", (2, "x")),
        ("limit = 5", "limit", 5),
        ("either = 'x'", "either", "x"),
        ("either = 7", "either", 7),
        ("since = 2020-01-02T03:04:05Z", "since", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("day = 2020-01-02", "day", date(2020, 1, 2)),
        ("opens = 09:30:00", "opens", time(9, 30)),
        ("door = {width = 1}", "door", Door(width=1.0)),
        ("doors = [{}, {width = 2}]", "doors", (Door(), Door(width=2.0))),
        ("by_name = {front = {}}", "by_name", {"front": Door()}),
        ("anything = {a = [1, 'x', 2020-01-02]}", "anything", {"a": [1, "x", date(2020, 1, 2)]}),
        ("level = 2", "level", 20),
        ("", "level", 10),
    ],
)
def test_a_value_becomes_what_its_option_asks_for(site: Site, text: str, name: str, value: object) -> None:
    site.offer(house=house)
    became = getattr(loaded(text), name)
    assert became == value
    assert type(became) is type(value)


def test_a_sub_table_is_a_nested_class(site: Site) -> None:
    site.offer(house=house)
    assert loaded("[plugins.house.door]\nwidth = 2\n[[plugins.house.doors]]\n").doors == (Door(),)


def test_a_private_attribute_is_set_by_its_name_in_init(site: Site) -> None:
    @attrs.frozen
    class Hidden:
        _size: int = 1

        @property
        def size(self) -> int:
            return self._size

    site.offer(house=made_of(Hidden))
    made = only_config(load_config(write("[plugins.house]\nsize = 4"), environment={}))
    assert made.size == 4
