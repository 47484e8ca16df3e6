"""Case B13: names that collide, or that a provider refuses: no silent overwrite, and no endless loop."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from intake_tools import call

from trio_tools import ErrorCode, Registry, Tool, open_registry, tool

# Seconds for an interpreter that declares some tools, on a slow machine.
PATIENCE = 60
TAKEN_BY_ALL = re.compile(r"[A-Za-z0-9_-]{1,64}")
SEVENTY = ("a" * 64 + "_first", "a" * 64 + "second")


async def weather(key: str, city: str = "Ulm") -> str:
    """How the weather is.

    Args:
        key: what is paid with
        city: where
    """
    return f"weather of {city} for {key}"


async def forecast(key: str, city: str = "Ulm") -> str:
    return f"forecast of {city} for {key}"


class Store:
    def __init__(self, label: str) -> None:
        self.label = label

    async def query(self, q: str) -> str:
        return f"{self.label}: {q}"

    def count(self, q: str) -> str:
        return f"{self.label} counts {q}"

    async def __call__(self, q: str) -> str:
        return f"{self.label} is called: {q}"


@functools.lru_cache
def squared(n: int) -> int:
    return n**2


@functools.cache
def cubed(n: int) -> int:
    return n**3


def saying(name: str) -> Tool:
    """A tool of this name that says its declared name, in ASCII."""

    @tool(name=name)
    async def say() -> str:
        return ascii(name)

    return say


def refusal(registry: Registry, one: Any, kind: type[Exception] = ValueError) -> str:
    """What is said of a tool that cannot be registered; what was there is there still, and nothing else."""
    before = dict(registry.tools)
    with pytest.raises(kind) as caught:
        registry.register(one)
    assert dict(registry.tools) == before
    return str(caught.value)


async def answers(registry: Registry) -> dict[str, object]:
    """What each tool answers, by the name that a model is told."""
    names = [schema["name"] for schema in registry.schemas()]
    return {name: (await call(registry, name)).value for name in names}


def properties(one: Tool) -> list[str]:
    shown = one.parameters["properties"]
    assert isinstance(shown, dict)
    return list(shown)


async def test_partials_have_the_names_of_their_functions_and_reach_them() -> None:
    """Case B13 (a): what is bound is in no schema, and no model can give it."""
    async with open_registry() as registry:
        registry.register(functools.partial(weather, "k"))
        registry.register(functools.partial(forecast, "k"))
        said = await answers(registry)
        theirs = await call(registry, "weather", {"key": "mine"})
        shown = [properties(one) for one in registry.tools.values()]
    assert said == {"weather": "weather of Ulm for k", "forecast": "forecast of Ulm for k"}
    assert shown == [["city"], ["city"]]
    assert theirs.text == 'Error: invalid arguments: unknown property "key" (known: "city")'


@pytest.mark.parametrize(
    ("bound", "left", "said"),
    [
        (functools.partial(weather, key="k"), ["city"], "weather of given for k"),
        (functools.partial(functools.partial(weather, "k"), city="Rom"), [], "weather of Rom for k"),
        (functools.partial(weather, city="Rom"), ["key"], "weather of Rom for given"),
        (functools.partial(Store("a").query, "x"), [], "a: x"),
    ],
    ids=["by keyword", "twice", "the last one", "of a method"],
)
async def test_what_a_partial_has_bound_is_nobody_elses(
    bound: Callable[..., object], left: list[str], said: str
) -> None:
    """Case B13 (a): however it was bound."""
    async with open_registry() as registry:
        registry.register(bound)
        (made,) = registry.tools.values()
        result = await call(registry, made.name, dict.fromkeys(left, "given"))
        stolen = await call(registry, made.name, {"key": "x", "city": "x", "q": "x"})
    assert properties(made) == left
    assert result.value == said
    assert stolen.code == ErrorCode.INVALID_ARGS


def test_a_partial_is_described_as_its_function_is() -> None:
    """Case B13 (a): a model is told what the function does, not what `functools.partial` does."""
    whole, bound = tool(weather), tool(functools.partial(weather, "k"))
    assert bound.description == whole.description == "How the weather is."
    assert bound.parameters["properties"] == {"city": {"type": "string", "description": "where", "default": "Ulm"}}


async def test_two_partials_of_one_function_do_not_replace_each_other() -> None:
    """Case B13 (a): the second is refused, and told whose the name is; by another name it may join."""
    async with open_registry() as registry:
        registry.register(functools.partial(weather, "first"))
        said = refusal(registry, functools.partial(weather, "second"))
        registry.register(tool(name="other_weather")(functools.partial(weather, "second")))
        answered = await answers(registry)
    assert said.startswith('tool "weather" is already registered')
    assert said.count("test_cases_names.weather") == 2
    assert answered == {"weather": "weather of Ulm for first", "other_weather": "weather of Ulm for second"}


PAIRS = [
    ("catalog.query", "catalog_query"),
    ("d" * 64, "d" * 64),
    ("d" * 63 + "\u00e9", "d" * 63 + "_"),
    ("gr\u00f6\u00dfe", unicodedata.normalize("NFD", "gr\u00f6\u00dfe")),
    ("\u5de5\u5177", "tool_5ca6730d"),
    (SEVENTY[0], "a" * 55 + "_196d8864"),
    ("read\u200b", "read\0"),
]


@pytest.mark.parametrize("reverse", [False, True], ids=["as written", "reversed"])
@pytest.mark.parametrize("pair", PAIRS, ids=ascii)
async def test_a_name_that_is_taken_after_all_is_refused_and_both_tools_are_named(
    pair: tuple[str, str], reverse: bool
) -> None:
    """Case B13 (b), (d): who came first stays, whatever the order, and is the one that is reached."""
    first, second = reversed(pair) if reverse else pair
    async with open_registry() as registry:
        registry.register(saying(first))
        (name,) = registry.tools
        said = refusal(registry, saying(second))
        answered = await answers(registry)
    assert said.startswith(f'tool "{name}" is already registered')
    assert [one for one in (first, second) if f'"{one}"' not in said] == []
    assert answered == {name: ascii(first)}


DIFFERENT = [
    SEVENTY,
    tuple("b" * 70 + str(number) for number in range(300)),
    ("c" * 64, "c" * 65, "c" * 66, "c" * 10_000),
    ("\u5de5\u5177", "\u9053\u5177", "\u2603", "\u2603\u2603", "...", "..", "_", "__"),
    ("read", "Read", "read-", "read_", "-read"),
    ("\u00e9" * 70, "\u00e8" * 70, "." * 70),
]


@pytest.mark.parametrize("names", DIFFERENT, ids=lambda names: f"{len(names)} like {ascii(names[0])[:12]}")
async def test_different_names_stay_different_and_reach_their_own(names: tuple[str, ...]) -> None:
    """Case B13 (c), (e): cut or replaced, every provider takes them, and no order changes them."""
    shown: list[dict[str, object]] = []
    for order in (names, names[::-1]):
        async with open_registry() as registry:
            for name in order:
                registry.register(saying(name))
            shown.append(await answers(registry))
    assert shown[0] == shown[1]
    assert sorted(map(str, shown[0].values())) == sorted(map(ascii, names))
    assert [name for name in shown[0] if not TAKEN_BY_ALL.fullmatch(name)] == []


@pytest.mark.parametrize("name", ["", " ", "\n\t", "\u00a0\u3000"], ids=ascii)
def test_a_blank_name_is_refused(name: str) -> None:
    """Case B13 (e): at once, with what to do."""
    with pytest.raises(ValueError, match="needs a name that is not blank; give it one with name="):
        saying(name)


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("sum two", "sum_two"),
        ("gr\u00f6\u00dfe", "gr__e"),
        ("\u5de5\u5177", "tool_5ca6730d"),
        ("a\ud800", "a_"),
        ("a\0b", "a_b"),
        ("$ref", "_ref"),
    ],
    ids=ascii,
)
async def test_a_name_that_providers_refuse_is_made_valid(declared: str, shown: str) -> None:
    """Case B13 (e): the same in every run; the declared one is kept, and is no name to call it by."""
    async with open_registry() as registry:
        registry.register(saying(declared))
        answered = await answers(registry)
        by_declared = await call(registry, declared)
        kept = registry.tools[shown].declared
    assert answered == {shown: ascii(declared)}
    assert (kept, by_declared.code) == (declared, ErrorCode.UNKNOWN_TOOL)


@pytest.mark.parametrize(
    ("nameless", "what"),
    [
        (lambda: 1, "a lambda"),
        (functools.partial(lambda: 1), "a lambda"),
        (Store("a"), "Store object"),
        (functools.partial(Store("a"), "x"), "partial object"),
    ],
    ids=["lambda", "partial of a lambda", "object", "partial of an object"],
)
async def test_what_has_no_name_is_refused_until_it_is_given_one(nameless: Callable[..., object], what: str) -> None:
    """Case B13 (f): no two of them could be told apart."""
    async with open_registry() as registry:
        said = refusal(registry, nameless)
        registry.register(tool(name="given")(nameless))
        registry.register(tool(name="given-too")(nameless))
        assert list(registry.tools) == ["given", "given-too"]
    assert said == f"{what} has no name of its own; give the tool one with name="


@pytest.mark.parametrize("method", ["query", "count"])
async def test_methods_of_two_instances_do_not_replace_each_other(method: str) -> None:
    """Case B13: a method is named like any function, and its instance is no argument."""
    first, second = (getattr(Store(label), method) for label in "ab")
    async with open_registry() as registry:
        registry.register(first)
        said = refusal(registry, second)
        registry.register(tool(name="second")(second))
        results = [await call(registry, name, {"q": "x"}) for name in (method, "second")]
        shown = {name: properties(one) for name, one in registry.tools.items()}
    assert said.count(f"Store.{method}") == 2
    assert [str(result.value)[0] for result in results] == ["a", "b"]
    assert shown == {method: ["q"], "second": ["q"]}


async def test_cached_functions_are_tools_by_their_own_names() -> None:
    """Case B13: what `lru_cache` makes is no function, and two of them are not one."""
    async with open_registry() as registry:
        registry.register(squared)
        registry.register(cubed)
        results = [await call(registry, name, {"n": 3}) for name in ("squared", "cubed", "squared")]
        said = refusal(registry, squared)
    assert [result.value for result in results] == [9, 27, 9]
    assert said.count("test_cases_names.squared") == 2


PROGRAM = """
import json, sys, trio
from trio_tools import open_registry, tool

async def main():
    async with open_registry() as registry:
        for name in json.loads(sys.argv[1]):
            registry.register(tool(name=name)(lambda: ""))
        print(json.dumps({one.declared: name for name, one in registry.tools.items()}))

trio.run(main)
"""


def test_names_are_the_same_in_every_run_and_in_every_order() -> None:
    """Case B13: in other processes, whose hashes are seeded otherwise; a model's history still fits."""
    names = [*SEVENTY, "sum two", "gr\u00f6\u00dfe", "\u5de5\u5177", "\u9053\u5177", "." * 100]
    here = {name: saying(name).name for name in names}
    for seed, order in (("1", names), ("2", names[::-1])):
        command = [sys.executable, "-c", PROGRAM, json.dumps(order)]
        seeded = {**os.environ, "PYTHONHASHSEED": seed}
        assert json.loads(subprocess.check_output(command, timeout=PATIENCE, env=seeded)) == here
