"""Config classes whose own code misbehaves: each is a line among the problems, and never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import pytest
from config_plugins import Site, made_of, only_config, site_in, write

from trio_tools.config import ConfigError, load_config


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


AT = "trio-tools.toml: [plugins.house]"


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def refusals(site: Site, kind: Any, text: str = "") -> list[str]:
    site.offer(house=made_of(kind))
    with pytest.raises(ConfigError) as caught:
        load_config(write(f"[plugins.house]\n{text}"), environment={})
    assert caught.value.__cause__ is None
    return list(caught.value.problems)


def raising(thrown: BaseException) -> Callable[..., Any]:
    def raises(*_: object) -> Any:
        raise thrown

    return raises


THROWN = [
    (ValueError("no"), "no"),
    (ValueError(), "ValueError"),
    (ValueError("a", "b"), "a"),
    (ValueError("a\r\x1b[2J\u202e"), "a\\x0d\\x1b[2J\\u202e"),
    (ValueError("size must be more"), "must be more"),
    (TypeError("'size' must be more"), "must be more"),
    (ValueError("size: more"), "more"),
    (ValueError("size more"), "size more"),
    (KeyError("x"), "KeyError: 'x'"),
    (ZeroDivisionError(), "ZeroDivisionError"),
    (SystemExit(3), "the plugin's code tried to exit the process"),
    (MuteError(), "MuteError: <unprintable thrown value>"),
    (RecursionError("deep"), "RecursionError: deep"),
    (ExceptionGroup("g", [ValueError("x")]), "ExceptionGroup: g (1 sub-exception)"),
]


@pytest.mark.parametrize(("thrown", "words"), THROWN)
def test_a_validator_that_raises_is_a_line_at_its_option(site: Site, thrown: BaseException, words: str) -> None:
    kind = attrs.make_class("Kind", {"size": attrs.field(default=1, type=int, validator=raising(thrown))})
    assert refusals(site, kind) == [f"{AT} size: {words}"]


@pytest.mark.parametrize(("thrown", "words"), THROWN)
def test_a_converter_that_raises_is_a_line_at_its_option(site: Site, thrown: BaseException, words: str) -> None:
    kind = attrs.make_class("Kind", {"size": attrs.field(default=1, type=int, converter=raising(thrown))})
    assert refusals(site, kind, "size = 3") == [f"{AT} size: {words}"]


@pytest.mark.parametrize(("thrown", "words"), THROWN)
def test_a_default_that_cannot_be_made_is_a_line_at_its_option(site: Site, thrown: BaseException, words: str) -> None:
    kind = attrs.make_class("Kind", {"size": attrs.field(factory=raising(thrown), type=int)})
    assert refusals(site, kind) == [f"{AT} size: {words}"]


@pytest.mark.parametrize(
    ("thrown", "words"),
    [*(one for one in THROWN if "size" not in str(one[0].args)), (AttributeError("x"), "AttributeError: x")],
)
def test_a_class_that_refuses_itself_is_a_line_at_its_table(site: Site, thrown: BaseException, words: str) -> None:
    namespace = {"__attrs_post_init__": raising(thrown)}
    kind = attrs.make_class("Kind", {"size": attrs.field(default=1, type=int)}, class_body=namespace)
    assert refusals(site, kind) == [f"{AT}: {words}"]


def test_a_nested_class_that_exits_is_a_line_at_its_option(site: Site) -> None:
    inner = attrs.make_class("Inner", {"a": attrs.field(default=1, type=int, validator=raising(SystemExit()))})
    kind = attrs.make_class("Kind", {"inner": attrs.field(factory=int, type=inner)})
    assert refusals(site, kind, "inner = {}") == [f"{AT} inner.a: the plugin's code tried to exit the process"]


INTERRUPTED = raising(KeyboardInterrupt())


@pytest.mark.parametrize(
    "field",
    [
        attrs.field(default=1, validator=INTERRUPTED),
        attrs.field(default=1, converter=INTERRUPTED),
        attrs.field(factory=INTERRUPTED),
    ],
)
def test_an_interrupt_goes_on(site: Site, field: Any) -> None:
    site.offer(house=made_of(attrs.make_class("Kind", {"size": field})))
    with pytest.raises(KeyboardInterrupt):
        load_config(write("[plugins.house]"), environment={})


def test_a_long_message_is_cut(site: Site) -> None:
    kind = attrs.make_class("Kind", {"size": attrs.field(default=1, validator=raising(ValueError("x" * 10_000_000)))})
    (problem,) = refusals(site, kind)
    assert len(problem) < 700
    assert problem.endswith("x...")


def test_a_validator_that_misses_a_bad_sibling_is_not_heard(site: Site) -> None:
    def below(instance: Any, _: object, value: int) -> None:
        if value >= instance.top:
            raise ValueError("must be below top")

    fields: dict[str, Any] = {
        "low": attrs.field(type=int, validator=below),
        "top": attrs.field(type=int),
    }
    kind = attrs.make_class("Kind", fields)
    assert refusals(site, kind, "low = 3\ntop = 'x'") == [f"{AT} top: must be an integer, not a string"]


def test_a_validator_sees_the_good_siblings(site: Site) -> None:
    def below(instance: Any, _: object, value: int) -> None:
        if value >= instance.top:
            raise ValueError(f"must be below {instance.top}")

    fields: dict[str, Any] = {
        "low": attrs.field(type=int, validator=below),
        "top": attrs.field(type=int, converter=lambda value: value * 2),
        "bad": attrs.field(type=int),
    }
    assert refusals(site, attrs.make_class("Kind", fields), "low = 3\ntop = 1") == [
        f"{AT} low: must be below 2",
        f"{AT} bad: required, and missing",
    ]


def test_a_whole_converter_and_a_default_of_the_instance_are_run_as_attrs_does(site: Site) -> None:
    def sized(value: int, instance: Any, field: Any) -> int:
        return value + int(instance.first) + len(field.name)

    fields: dict[str, Any] = {
        "first": attrs.field(default=10, type=int),
        "second": attrs.field(type=int, converter=attrs.Converter(sized, takes_self=True, takes_field=True)),
        "third": attrs.field(default=attrs.Factory(lambda self: self.second + 1, takes_self=True), type=int),
        "fourth": attrs.field(init=False, default=7),
    }
    kind: Any = attrs.make_class("Kind", fields, kw_only=True)
    site.offer(house=made_of(kind))
    made = only_config(load_config(write("[plugins.house]\nsecond = 1"), environment={}))
    assert made == kind(second=1)
    assert (made.second, made.third, made.fourth) == (17, 18, 7)


def test_a_converter_may_take_another_type_than_it_gives(site: Site) -> None:
    def seconds(text: str) -> float:
        return float(text.removesuffix("s"))

    kind = attrs.make_class("Kind", {"wait": attrs.field(default="1s", type=float, converter=seconds)})
    site.offer(house=made_of(kind))
    made = only_config(load_config(write("[plugins.house]\nwait = '5s'"), environment={}))
    assert made.wait == 5.0


class Plain:
    pass


@attrs.define
class Dict(dict[str, int]):
    a: int = 1


@attrs.frozen
class Odd:
    a: Decimal


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Plain, ": the plugin's config class Plain is no attrs class"),
        (3, ": the plugin's config class 3 is no attrs class"),
        (Dict, ": the plugin's config class Dict is no plain attrs class"),
        (Odd, " a: the plugin asks for a type that no config can give: <class 'decimal.Decimal'>"),
    ],
)
def test_a_config_class_that_cannot_be_used_is_told(site: Site, kind: Any, words: str) -> None:
    assert refusals(site, kind, "a = 1" if kind is Odd else "") == [f"{AT}{words}"]


def test_types_that_cannot_be_resolved_are_told(site: Site) -> None:
    @attrs.frozen
    class Lost:
        a: Nowhere  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore[reportUndefinedVariable, reportUnknownVariableType]

    words = "the types of Lost cannot be resolved: NameError: name 'Nowhere' is not defined"
    assert refusals(site, Lost) == [f"{AT}: {words}"]


def test_the_other_plugins_are_told_all_the_same(site: Site) -> None:
    site.install("bad", {"bad": "bad_module:bad"}, bad_module="raise SystemExit")
    told = refusals(site, Plain, "[plugins.bad]\n[plugins.shell]\ngrace = 0")
    assert [one.split(":")[1] for one in told] == [" [plugins.house]", " [plugins.bad]", " [plugins.shell] grace"]
