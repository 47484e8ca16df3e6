"""The environment: `${NAME}` where an option says so, and variables that go over the file. Its values are in no
message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from config_plugins import Colour, HouseConfig, Site, house, made_of, only_config, site_in, write

from trio_tools.config import ConfigError, Override, load_config
from trio_tools.registry import option
from trio_tools.toolkits.shell import ShellConfig


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


SECRET = "hunter2-and-more"
V = "TRIO_TOOLS_PLUGINS__HOUSE__"


def loaded(text: str, environment: dict[str, str], **overrides: Override) -> HouseConfig:
    path = write(f'[plugins.house]\naddress = "here"\n{text}')
    flags = {f"plugins.house.{name}": one for name, one in overrides.items()}
    made = only_config(load_config(path, environment=environment, overrides=flags))
    assert isinstance(made, HouseConfig)
    return made


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("${T}", SECRET),
        ("Bearer ${T}", f"Bearer {SECRET}"),
        ("${T}${T}-${EMPTY}", f"{SECRET}{SECRET}-"),
        ("$${T}", "${T}"),
        ("$T {T} $", "$T {T} $"),
        ("${NESTED}", "${T}"),
    ],
)
def test_a_variable_is_put_in_where_the_option_allows_it(site: Site, text: str, password: str) -> None:
    site.offer(house=house)
    environment = {"T": SECRET, "EMPTY": "", "NESTED": "${T}"}
    assert loaded(f"password = '{text}'", environment).password == password


def test_a_variable_is_put_into_every_text_of_an_option(site: Site) -> None:
    site.offer(house=house)
    config = loaded("tokens = ['${T}', 'x']\ndoor = {key = '${T}', name = '$${T}'}", {"T": SECRET})
    assert config.tokens == (SECRET, "x")
    assert (config.door.key, config.door.name) == (SECRET, "${T}")


def test_two_dollars_stand_for_a_literal_one_in_any_option(site: Site) -> None:
    site.offer(house=house)
    assert loaded("anything = 'a $${b} $$ $${'", {}).anything == "a ${b} $$ ${"


def test_a_flag_may_name_a_variable_too(site: Site) -> None:
    site.offer(house=house)
    assert loaded("", {"T": SECRET}, password=Override("${T}", flag="--set")).password == SECRET


def test_a_variables_own_value_is_taken_as_it_stands(site: Site) -> None:
    site.offer(house=house)
    config = loaded("", {f"{V}PASSWORD": "a${T}$${b", f"{V}ADDRESS": "${T}", f"{V}DOOR": "{ name = '${x' }"})
    assert (config.password, config.address, config.door.name) == ("a${T}$${b", "${T}", "${x")


@pytest.mark.parametrize(
    ("name", "text", "attribute", "value"),
    [
        ("ADDRESS", "12", "address", "12"),
        ("ROOMS", "12", "rooms", 12),
        ("HEIGHT", "12", "height", 12.0),
        ("HEATED", "false", "heated", False),
        ("COLOUR", "green", "colour", Colour.GREEN),
        ("STYLE", "new", "style", "new"),
        ("EITHER", "12", "either", "12"),
        ("LIMIT", " 12 # comment", "limit", 12),
        ("SIZES", "[1, 2]", "sizes", [1, 2]),
        ("TOKENS", "['a']", "tokens", ("a",)),
        ("BY_NAME", "{}", "by_name", {}),
    ],
)
def test_a_variable_is_text_for_an_option_of_texts_and_toml_for_others(
    site: Site, name: str, text: str, attribute: str, value: object
) -> None:
    site.offer(house=house)
    assert getattr(loaded("", {V + name: text}), attribute) == value


def test_a_flag_goes_before_a_variable_and_that_before_the_file(site: Site) -> None:
    flags = {"plugins.shell.timeout": Override("3", flag="--set"), "defaults": Override(True, flag="--defaults")}
    prefix = "TRIO_TOOLS_PLUGINS__SHELL__"
    config = load_config(
        write("defaults = true\n[plugins.shell]\ntimeout = 1\ngrace = 1\nmax_timeout = 1"),
        environment={f"{prefix}TIMEOUT": "2", f"{prefix}GRACE": "2", "TRIO_TOOLS_DEFAULTS": "false"},
        overrides=flags,
    )
    assert config.plugins[0].config == ShellConfig(timeout=3, grace=2, max_timeout=1)
    assert config.defaults is True
    without = load_config(None, environment={"TRIO_TOOLS_DEFAULTS": "false"})
    assert without.defaults is False


def test_what_is_set_over_it_is_not_looked_at(site: Site) -> None:
    config = load_config(
        write("[plugins.shell]\ntimeout = 'never'"), environment={"TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT": "2"}
    )
    assert config.plugins[0].config == ShellConfig(timeout=2)


def test_variables_work_without_a_file(site: Site) -> None:
    config = load_config(None, environment={"TRIO_TOOLS_REGISTRY__MAX_PARALLEL_CALLS": "4"})
    assert config.registry.max_parallel_calls == 4


def test_a_variable_switches_nothing_on(site: Site) -> None:
    assert load_config(None, environment={"TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT": "x"}).plugins == ()


def test_a_dash_in_a_plugins_name_is_an_underscore_in_a_variables(site: Site) -> None:
    site.offer(**{"tidy-house": made_of(HouseConfig, "tidy-house")})
    path = write('[plugins.tidy-house]\naddress = "x"')
    made = only_config(load_config(path, environment={"TRIO_TOOLS_PLUGINS__TIDY_HOUSE__ROOMS": "9"}))
    assert made.rooms == 9


def test_a_variable_that_two_plugins_could_mean_is_refused(site: Site) -> None:
    site.offer(**{name: made_of(ShellConfig, name) for name in ("a-b", "a_b", "a")})
    path = write("[plugins.a-b]\n[plugins.a_b]\n[plugins.a]")
    with pytest.raises(ConfigError) as caught:
        load_config(path, environment={"TRIO_TOOLS_PLUGINS__A_B__GRACE": "9", "TRIO_TOOLS_PLUGINS__A__GRACE": "9"})
    assert caught.value.problems == (
        "TRIO_TOOLS_PLUGINS__A_B__GRACE: means two plugins that are listed; set this option in the file",
    )


def test_an_override_may_be_a_value_of_its_own_type(site: Site, tmp_path: Any) -> None:
    site.offer(house=house)
    given = {"plan": tmp_path, "colour": Colour.GREEN, "tokens": ("a",), "rooms": 5, "limit": None}
    config = loaded("limit = 3", {}, **{name: Override(value, flag="--x") for name, value in given.items()})
    assert {name: getattr(config, name) for name in given} == given


def test_the_process_environment_is_the_default(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIO_TOOLS_DEFAULTS", "false")
    assert load_config(None).defaults is False


def blurting(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    raise ValueError(f"{attribute.name} does not like {value!r}, {str(value)[:6]}")


def telling_all(instance: object, attribute: attrs.Attribute[Any], value: object) -> None:
    raise ValueError(f"{attribute.name} of {instance!r}")


@attrs.frozen(kw_only=True)
class LooseConfig:
    secret: str = attrs.field(default="", metadata=option(environment=True))
    pin: int = attrs.field(default=0, validator=blurting, metadata=option(environment=True))
    checked: str = attrs.field(default="", validator=blurting, metadata=option(environment=True))
    number: int = attrs.field(default=0, validator=blurting)
    other: int = attrs.field(default=0, validator=telling_all)


@attrs.frozen(kw_only=True)
class LooseAtLastConfig:
    secret: str = attrs.field(default="", metadata=option(environment=True))
    size: int = 0

    def __attrs_post_init__(self) -> None:
        raise ValueError(f"no {self!r}, {self.secret[:6]}")


WITHHELD = "is refused by the plugin, whose words are withheld: they may show a value of the environment"


def test_no_message_shows_what_came_from_the_environment(site: Site) -> None:
    site.offer(house=made_of(LooseConfig), last=made_of(LooseAtLastConfig, "last"))
    path = write("[plugins.house]\nsecret = '${T}'\nchecked = 'x${T}'\n[plugins.last]\nsecret = '${T}'")
    environment = {"T": SECRET, f"{V}NUMBER": "4711", f"{V}PIN": "4712"}
    with pytest.raises(ConfigError) as caught:
        load_config(path, environment=environment)
    assert caught.value.problems == (
        f"{V}PIN: {WITHHELD}",
        f"trio-tools.toml: [plugins.house] checked: {WITHHELD}",
        f"{V}NUMBER: {WITHHELD}",
        f"trio-tools.toml: [plugins.house] other: {WITHHELD}",
        f"trio-tools.toml: [plugins.last]: {WITHHELD}",
    )


def test_a_variable_that_two_options_could_mean_is_refused(site: Site) -> None:
    site.offer(house=made_of(attrs.make_class("Kind", {one: attrs.field(default=1, type=int) for one in ("a", "A")})))
    with pytest.raises(ConfigError) as caught:
        load_config(write("[plugins.house]"), environment={f"{V}A": "9"})
    assert caught.value.problems == (f"{V}A: means both a and A; set the one you mean in the file",)


def test_a_variable_of_an_option_that_holds_no_secret_is_shown_like_the_file(site: Site) -> None:
    inner: Any = attrs.make_class("Inner", {"pin": attrs.field(type=int, validator=blurting)})
    site.offer(house=made_of(attrs.make_class("Kind", {"door": attrs.field(type=inner)})))
    with pytest.raises(ConfigError) as caught:
        load_config(write("[plugins.house]"), environment={f"{V}DOOR": "{ pin = 4711 }"})
    assert caught.value.problems == (f"{V}DOOR.pin: does not like 4711, 4711",)


def test_what_came_from_the_file_is_shown(site: Site) -> None:
    site.offer(house=made_of(LooseConfig), last=made_of(LooseAtLastConfig, "last"))
    with pytest.raises(ConfigError) as caught:
        load_config(write("[plugins.house]\nchecked = 'a'\n[plugins.last]\nsize = 3"), environment={"T": SECRET})
    told = caught.value.problems
    assert "trio-tools.toml: [plugins.house] checked: does not like 'a', a" in told
    assert told[-1] == "trio-tools.toml: [plugins.last]: no LooseAtLastConfig(secret='', size=3), "
