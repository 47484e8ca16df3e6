"""What `trio-tools config` prints: every option with its default, its unit and what it is for, ready to be a file."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from config_plugins import HouseConfig, Site, house, made_of, only_config, site_in, write

from trio_tools.config import ConfigError, config_document, load_config
from trio_tools.journal import JournalConfig
from trio_tools.policies import RetryConfig, TimeoutConfig
from trio_tools.registry import option
from trio_tools.toolkits.files import FilesConfig
from trio_tools.toolkits.shell import ShellConfig


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


HOUSE = """\
# Keep a house.
# How a house is kept.
[plugins.house]

# Where it is. Required. String.
# address = ...

# How many rooms it has.
rooms = 3

# Unit: metres.
height = 2.5

heated = true

# One of "red", "green".
colour = "red"

# One of "old", "new", 3.
style = "old"

# One of "green". Not set by default.
# trim = ...

# What is asked for. May hold ${NAME}, which is replaced from the environment.
password = ""

# Array of string. May hold ${NAME}, which is replaced from the environment.
tokens = []

plan = "plan.txt"

#   door.width: How wide it is. Unit: metres. Default: 0.9.
#   door.key: What opens it. May hold ${NAME}, which is replaced from the environment. Default: "".
#   door.name: Default: "".
door = { width = 0.9, key = "", name = "" }
"""


def switched_on(text: str) -> str:
    """What is commented out made live, by the means that the documentation gives."""
    ran = subprocess.run(["sed", r"s/^#\([^ ]\)/\1/"], input=text, capture_output=True, text=True, check=True)
    return ran.stdout


def required_given(text: str) -> str:
    return re.sub(r"^(# .*Required\..*)\n# (\w+) = \.\.\.$", r'\1\n\2 = "x"', text, flags=re.MULTILINE)


def test_a_plugins_table_reads_like_this(site: Site) -> None:
    site.offer(house=house)
    document = config_document(["house"])
    assert HOUSE in document.text
    assert document.problems == ()


def test_the_registry_and_the_defaults_are_always_there(site: Site) -> None:
    document = tomllib.loads(config_document([]).text)
    assert document == {
        "defaults": True,
        "registry": {"max_parallel_calls": 10, "policy_grace": 5.0, "observer_grace": 5.0, "recorder_grace": 5.0},
    }
    assert "# How many calls of one turn run at once. Unit: calls.\nmax_parallel_calls = 10\n" in config_document().text


def test_as_it_stands_it_turns_nothing_on(site: Site) -> None:
    config = load_config(write(config_document().text), environment={})
    assert config.plugins == ()
    assert config.defaults is True


def test_all_of_it_can_be_switched_on(site: Site) -> None:
    path = write(required_given(switched_on(config_document().text)))
    config = load_config(path, environment={})
    assert {one.name: one.config for one in config.plugins} == {
        "files": FilesConfig(root=Path("x")),
        "journal": JournalConfig(path=Path("x")),
        "retry": RetryConfig(),
        "shell": ShellConfig(),
        "timeout": TimeoutConfig(),
    }


def test_named_plugins_are_live_in_the_order_named(site: Site) -> None:
    document = config_document(["timeout", "shell", "timeout"])
    config = load_config(write(document.text), environment={})
    assert [one.name for one in config.plugins] == ["timeout", "shell"]
    assert [one.config for one in config.plugins] == [TimeoutConfig(), ShellConfig()]


def test_every_option_of_ours_is_explained(site: Site) -> None:
    blocks = config_document().text.split("\n\n")
    options = [block for block in blocks if re.search(r"^(#|# )?\w+ = ", block, re.MULTILINE)]
    assert len(options) == 5 + 6 + 4 + 5 + 12
    assert all(re.search(r"^# [A-Z](.|\n# )*\.\n#? ?\w+ = .*\Z", block, re.MULTILINE) for block in options)


def test_a_required_option_says_so_and_stays_a_comment(site: Site) -> None:
    text = switched_on(config_document().text)
    assert "Required. Path.\n# root = ...\n" in text
    with pytest.raises(ConfigError, match=r"\[plugins.files\] root: required, and missing"):
        load_config(write(text), environment={})


def test_what_it_prints_loads_again_with_every_default(site: Site) -> None:
    site.offer(house=house)
    made = only_config(load_config(write(required_given(config_document(["house"]).text)), environment={}))
    assert made == HouseConfig(address="x")


class Odd(Enum):
    A = "a"


@attrs.frozen(kw_only=True)
class OddConfig:
    text: str = 'a"b\\c\n\x1b\u202e\x7fé${HOME}$${x}'
    path: Path = Path("a b/${c}")
    infinite: float = float("inf")
    tiny: float = 5e-324
    zero: float = -0.0
    large: int = 10**30
    none: str | None = None
    surrogate: str = "\ud800"
    wrong: int = "x"  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    thing: Any = attrs.field(factory=object)
    enum: Odd = Odd.A
    choice: Literal["$", "b"] = "$"
    table: dict[str, list[int]] = attrs.field(factory=lambda: {"a b": [1], "${": []})
    own: int = attrs.field(default=attrs.Factory(lambda self: self.large, takes_self=True))


def test_defaults_are_written_exactly_or_left_out(site: Site) -> None:
    site.offer(house=made_of(OddConfig))
    text = config_document(["house"]).text
    made = only_config(load_config(write(text), environment={}))
    thing = made.thing
    assert made == OddConfig(thing=thing)
    left_out = set(re.findall(r"^# (\w+) = \.\.\.$", text, re.MULTILINE))
    assert left_out == {"none", "surrogate", "wrong", "thing", "own"}
    assert "# String. Not set by default.\n# none = ..." in text
    assert text.replace("\n", "").isprintable()


def test_prose_cannot_become_a_setting_or_reach_a_terminal(site: Site) -> None:
    @attrs.frozen
    class Sly:
        """First.\x1b[2J
        defaults = false

        Attributes:
            a: One.
                [plugins.shell]
                #[plugins.shell]
        """

        a: int = 1

    site.offer(house=attrs.evolve(made_of(Sly), requires=("x\n[plugins.timeout]",)))
    text = switched_on(config_document().text)
    assert text.replace("\n", "").isprintable()
    assert "house" in tomllib.loads(text)["plugins"]
    assert tomllib.loads(text)["defaults"] is True
    assert all(one.startswith("# ") for one in text.split("\n") if "Requires" in one or "First" in one)


def test_docstrings_of_bases_count(site: Site) -> None:
    @attrs.frozen
    class Wider(ShellConfig):
        pass

    site.offer(house=made_of(Wider))
    assert (
        "# The time of a command that asks for none. Unit: seconds.\ntimeout = 120.0" in config_document(["house"]).text
    )


def test_a_plugin_that_cannot_be_loaded_is_a_comment_and_a_problem(site: Site) -> None:
    site.install("bad", {"bad": "bad_module:bad"}, bad_module="raise RuntimeError('no\\n[plugins.shell]')")
    site.offer(odd=made_of(int, "odd"))
    document = config_document()
    assert document.problems == (
        'plugin bad: distribution "bad": cannot be imported from bad_module:bad: RuntimeError: no\\x0a[plugins.shell]',
        "plugin odd: the plugin's config class int is no attrs class",
    )
    for problem in document.problems:
        assert problem in " ".join(one.removeprefix("# ") for one in document.text.split("\n"))
    assert "#[plugins.shell]" in document.text
    load_config(write(document.text), environment={})


def test_a_nested_class_that_cannot_be_looked_into_is_a_problem_too(site: Site) -> None:
    inner: Any = attrs.make_class("Inner", {"a": attrs.field(type="Nowhere")})  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    site.offer(house=made_of(attrs.make_class("Kind", {"a": attrs.field(factory=int, type=inner)})))
    (problem,) = config_document().problems
    assert problem.startswith("plugin house: the types of Inner cannot be resolved: ")


def test_a_name_that_is_not_installed_is_refused(site: Site) -> None:
    with pytest.raises(ConfigError) as caught:
        config_document(["shell", "shel", "x"])
    assert [one.partition(" installed")[0] for one in caught.value.problems] == [
        "plugin shel: no such plugin is",
        "plugin x: no such plugin is",
    ]


def test_a_default_factory_that_fails_leaves_its_option_out(site: Site) -> None:
    def fails() -> int:
        raise SystemExit

    site.offer(house=made_of(attrs.make_class("Kind", {"a": attrs.field(factory=fails, metadata=option(unit="x"))})))
    assert "# Any value. Unit: x. Its default is the plugin's to make.\n# a = ..." in config_document(["house"]).text
