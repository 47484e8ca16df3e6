"""Random config classes and documents: what fits is structured to what was meant, what does not is told, each part of
it; and what is printed of a class loads again as its defaults."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from config_plugins import made_of
from hypothesis import given, settings
from hypothesis import strategies as st

from trio_tools.config import ConfigError, load_config
from trio_tools.config._document import _section
from trio_tools.config._problems import Misfit
from trio_tools.config._reader import Reader
from trio_tools.config._tables import Setting, Source
from trio_tools.config._toml import toml_of


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


@attrs.frozen
class Case:
    """A type, and for a value of it: what it is, and how it stands in TOML as tomllib gives it; and what cannot fit."""

    annotation: Any
    values: st.SearchStrategy[Any]
    plain: Callable[[Any], Any]
    misfits: st.SearchStrategy[Any]


def same(value: Any) -> Any:
    return value


def escaped(text: str) -> str:
    return text.replace("${", "$${")


OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["${", "$${x}", "$$", 'a"b\\'])
NUMBERS = st.floats(allow_nan=False)
# the second of two equal times, when clocks are put back, has no form in TOML
DATETIMES = st.datetimes(timezones=st.none() | OFFSETS).map(lambda one: one.replace(fold=0))
TIMES = st.times().map(lambda one: one.replace(fold=0))
SCALARS = [
    Case(str, TEXTS, escaped, st.integers() | st.booleans() | st.just("${X}")),
    Case(int, st.integers(-(2**70), 2**70), same, st.booleans() | NUMBERS | st.just("3")),
    Case(float, NUMBERS, same, st.booleans() | st.just("3") | st.just([])),
    Case(bool, st.booleans(), same, st.integers() | st.just("true")),
    Case(Path, st.sampled_from(["a", "a/b c", "${d}", "."]).map(Path), lambda one: escaped(str(one)), st.integers()),
    Case(Fruit, st.sampled_from(Fruit), lambda one: one.value, st.just("plum") | st.integers()),
    Case(Literal["a", 1], st.sampled_from(["a", 1]), same, st.just(True) | st.just("1") | st.just(1.0)),
    Case(datetime, DATETIMES, same, st.dates() | st.just("2020-01-01")),
    Case(date, st.dates(), same, st.datetimes() | st.just("2020-01-01")),
    Case(time, TIMES, same, st.integers()),
]


def array_of(inner: Case) -> Case:
    kind: Any = tuple
    return Case(
        kind[inner.annotation, ...],
        st.lists(inner.values, max_size=3).map(tuple),
        lambda items: [inner.plain(one) for one in items],
        st.lists(inner.misfits, min_size=1, max_size=3) | st.just("abc") | st.booleans(),
    )


def table_of(inner: Case) -> Case:
    kind: Any = dict
    return Case(
        kind[str, inner.annotation],
        st.dictionaries(TEXTS, inner.values, max_size=3),
        lambda members: {escaped(key): inner.plain(one) for key, one in members.items()},
        st.dictionaries(st.sampled_from(["a", "b c"]), inner.misfits, min_size=1) | st.just([]) | st.just(1),
    )


def optional(inner: Case) -> Case:
    return Case(inner.annotation | None, inner.values, inner.plain, inner.misfits)


def class_of(inner: list[Case]) -> Case:
    """A class with these fields `f0`, `f1`; all are required, and none of its misfits has a field that fits."""
    names = [f"f{number}" for number in range(len(inner))]
    cases = dict(zip(names, inner, strict=True))
    kind = attrs.make_class("Inner", {name: attrs.field(type=case.annotation) for name, case in cases.items()})
    return Case(
        kind,
        st.fixed_dictionaries({name: case.values for name, case in cases.items()}).map(lambda fields: kind(**fields)),
        lambda made: {name: case.plain(getattr(made, name)) for name, case in cases.items()},
        st.fixed_dictionaries({name: case.misfits for name, case in cases.items()}),
    )


CASES: st.SearchStrategy[Case] = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(array_of),
        inner.map(table_of),
        inner.map(optional),
        st.lists(inner, min_size=1, max_size=3).map(class_of),
    ),
    max_leaves=6,
)


def read(kind: type, plain: dict[str, Any]) -> Any:
    reader: Any = Reader({})
    return reader.read(kind, {name: Setting(value, name, Source.FILE) for name, value in plain.items()})


@given(st.data(), st.lists(CASES, min_size=1, max_size=4))
def test_what_fits_becomes_what_was_meant(data: st.DataObject, cases: list[Case]) -> None:
    whole = class_of(cases)
    meant = data.draw(whole.values)
    made = read(whole.annotation, whole.plain(meant))
    assert made == meant
    assert repr(made) == repr(meant)


@given(st.data(), st.lists(CASES, min_size=1, max_size=4))
def test_all_that_does_not_fit_is_told(data: st.DataObject, cases: list[Case]) -> None:
    whole = class_of(cases)
    good = whole.plain(data.draw(whole.values))
    bad = data.draw(st.sets(st.sampled_from(sorted(good)), min_size=1))
    missing = data.draw(st.sets(st.sampled_from(sorted(bad))))
    document = {
        **{name: value for name, value in good.items() if name not in missing},
        **{name: data.draw(cases[int(name[1:])].misfits) for name in bad - missing},
        "unknown": 1,
    }
    with pytest.raises(Misfit) as caught:
        read(whole.annotation, document)
    assert {one.path[0] for one in caught.value.problems} == bad | {"unknown"}
    assert all(one.words == "required, and missing" for one in caught.value.problems if one.path[0] in missing)


@settings(deadline=None)  # files are written
@given(st.data(), st.lists(CASES, min_size=1, max_size=4))
def test_what_is_printed_of_a_class_is_its_defaults(data: st.DataObject, cases: list[Case]) -> None:
    names = [f"f{number}" for number in range(len(cases))]
    defaults = {name: data.draw(case.values) for name, case in zip(names, cases, strict=True)}
    fields: dict[str, Any] = {
        name: attrs.field(type=case.annotation, factory=partial(same, defaults[name]))
        for name, case in zip(names, cases, strict=True)
    }
    kind: Any = attrs.make_class("Kind", fields, kw_only=True)
    text = "\n".join(_section(made_of(kind), ""))
    assert text.replace("\n", "").isprintable()
    table = tomllib.loads(text)["plugins"]["house"]
    assert table.keys() == fields.keys()
    assert read(kind, table) == kind()


@given(
    st.recursive(
        TEXTS | NUMBERS | st.integers(-(2**70), 2**70) | st.booleans() | st.dates() | DATETIMES | TIMES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    )
)
def test_a_value_is_written_exactly(value: Any) -> None:
    kind: Any = attrs.make_class("Kind", {"a": attrs.field(type=object)})
    made = read(kind, tomllib.loads(f"a = {toml_of(value)}"))
    assert repr(made.a) == repr(value)


@settings(deadline=None)  # plugins are imported
@given(st.binary(max_size=200) | TEXTS.map(str.encode) | st.sampled_from([b"[plugins.shell]\n", b"plugins = 3"]))
def test_any_bytes_are_a_config_or_told_in_printable_lines(content: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        file.write(content)
        file.flush()
        try:
            problems: tuple[str, ...] = ()
            load_config(file.name, environment={})
        except ConfigError as error:
            problems = error.problems or ("nothing is told\n",)
    assert all(one.isprintable() for one in problems)
