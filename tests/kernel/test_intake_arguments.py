"""Arguments against a tool's parameters: nothing is coerced, every violation is named, defaults apply."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
import trio
from intake_tools import call, trailed

from trio_tools import ErrorCode, Tool, ToolCall, tool

PREFIX = "Error: invalid arguments: "


@tool
async def every(  # noqa: PLR0917 - one of each type
    s: str, n: float, i: int, b: bool, z: None, o: dict[str, str], tags: list[str], u: int | str, free: object
) -> list[object]:
    return [s, n, i, b, z, o, tags, u, free]


FITTING: dict[str, object] = {
    "s": "",
    "n": 1.5,
    "i": 1,
    "b": True,
    "z": None,
    "o": {"k": "v"},
    "tags": ["a"],
    "u": "5",
    "free": [{}],
}


@tool
async def optional(q: str, limit: int = 10, tag: str | None = None) -> list[object]:
    return [q, limit, tag]


@tool
async def nullable(tag: str | None) -> str | None:
    return tag


async def violations(tool: Tool, arguments: Mapping[str, object]) -> list[str]:
    """What is said of these arguments, as a mapping and as text; the body must not run."""
    said: list[str] = []
    for form in (arguments, json.dumps(arguments)):
        async with trailed(tool) as (registry, trail):
            result = await call(registry, tool.name, form)
        assert trail.stages == ["observer"]
        assert result.error is not None
        assert (result.error.name, result.error.code) == ("ToolArgsError", ErrorCode.INVALID_ARGS)
        assert result.text == f"Error: {result.error.message}"
        assert result.text.startswith(PREFIX)
        said.append(result.text.removeprefix(PREFIX))
    assert said[0] == said[1]
    return said[0].split("; ")


@pytest.mark.parametrize(
    ("name", "value", "violation"),
    [
        ("s", 5, '"s" must be a string'),
        ("s", ["a"], '"s" must be a string'),
        ("i", "1", '"i" must be an integer'),
        ("i", "1234567890123456789", '"i" must be an integer'),
        ("i", 1.5, '"i" must be an integer'),
        ("i", True, '"i" must be an integer'),
        ("b", "false", '"b" must be a boolean'),
        ("b", 0, '"b" must be a boolean'),
        ("b", 1, '"b" must be a boolean'),
        ("z", 0, '"z" must be null'),
        ("z", False, '"z" must be null'),
        ("o", [], '"o" must be an object'),
        ("o", "{}", '"o" must be an object'),
        ("o", {"k": 5}, '"o.k" must be a string'),
        ("tags", "a", '"tags" must be an array'),
        ("tags", {"0": "a"}, '"tags" must be an array'),
        ("tags", ["a", 5], '"tags[1]" must be a string'),
    ],
)
async def test_what_does_not_fit_is_named_and_nothing_is_coerced(name: str, value: object, violation: str) -> None:
    """R117, case B15: wording to the letter; text that looks like a number is none, a number is no boolean."""
    assert await violations(every, {**FITTING, name: value}) == [violation]


@pytest.mark.parametrize("value", ["1.5", True, [1.5]])
async def test_what_is_no_number(value: object) -> None:
    """R117: a number, or a finite JSON number."""
    (violation,) = await violations(every, {**FITTING, "n": value})
    assert violation in ('"n" must be a number', '"n" must be a finite JSON number')


@pytest.mark.parametrize("value", [1.5, True, ["5"]])
async def test_what_fits_no_arm_of_a_union_is_named(value: object) -> None:
    """R117, case B15."""
    (violation,) = await violations(every, {**FITTING, "u": value})
    assert violation.startswith('"u" must ')


@pytest.mark.parametrize("missing", sorted(FITTING))
async def test_a_missing_argument(missing: str) -> None:
    """R117: also one that may be null or anything (case B16)."""
    rest = {name: value for name, value in FITTING.items() if name != missing}
    assert await violations(every, rest) == [f'missing required property "{missing}"']


async def test_null_for_a_required_argument_counts_as_missing() -> None:
    """R117: where null is no value of its type."""
    assert await violations(optional, {"q": None}) == ['missing required property "q"']


async def test_all_violations_are_listed() -> None:
    """R117, D26: joined by `; `, none left out, each once."""
    arguments = {**FITTING, "s": 5, "i": "x", "tags": [1, "a", 2], "extra": 1}
    del arguments["b"]
    found = await violations(every, arguments)
    assert sorted(found[:-1]) == [
        '"i" must be an integer',
        '"s" must be a string',
        '"tags[0]" must be a string',
        '"tags[2]" must be a string',
        'missing required property "b"',
    ]
    assert '"extra"' in found[-1]


@pytest.mark.parametrize("extra", ["limt", "Q", "ctx", "self", "q "])
async def test_extra_arguments_are_refused_by_name(extra: str) -> None:
    """D26, case B16: a misspelt name never runs the tool on its defaults."""
    (violation,) = await violations(optional, {"q": "x", extra: 5})
    assert f'"{extra}"' in violation


async def test_extra_arguments_of_a_tool_without_parameters_are_refused() -> None:
    """D26."""

    @tool
    async def now() -> int:
        return 1

    (violation,) = await violations(now, {"zone": "utc"})
    assert '"zone"' in violation


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        ({"q": "x"}, ["x", 10, None]),
        ({"q": "x", "tag": None}, ["x", 10, None]),
        ({"q": "x", "tag": "t", "limit": 0}, ["x", 0, "t"]),
    ],
)
async def test_defaults_apply(arguments: dict[str, object], seen: list[object]) -> None:
    """D26, case B16: to what is left out, and only to that."""
    async with trailed(optional) as (registry, _):
        assert (await call(registry, "optional", arguments)).value == seen


async def test_null_for_an_argument_with_a_default_is_not_its_default() -> None:
    """D26, case B16: having a default is not being nullable."""
    (violation,) = await violations(optional, {"q": "x", "limit": None})
    assert '"limit"' in violation


async def test_a_nullable_argument_without_a_default_is_required_and_may_be_null() -> None:
    """R117, case B16: the schema and the run time say the same."""
    assert nullable.parameters["required"] == ["tag"]
    assert await violations(nullable, {}) == ['missing required property "tag"']
    async with trailed(nullable) as (registry, _):
        result = await call(registry, "nullable", {"tag": None})
    assert (result.is_error, result.value) == (False, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s", "123"),
        ("s", '{"k":5}'),
        ("s", "true"),
        ("s", "null"),
        ("u", "5"),
        ("u", 5),
        ("i", 1234567890123456789),
        ("i", -(10**30)),
        ("n", 1e-300),
        ("free", {"deep": [1, 1.0, True, None, ""]}),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
async def test_what_fits_reaches_the_body_as_it_was(name: str, value: object, as_text: bool) -> None:
    """R117, R004, case B15: same value, same type."""
    got: list[object] = []

    @tool
    async def take(s: str = "", u: int | str = 0, i: int = 0, n: float = 0.0, free: object = None) -> None:
        got.append({"s": s, "u": u, "i": i, "n": n, "free": free}[name])

    arguments = {name: value}
    async with trailed(take) as (registry, trail):
        await call(registry, "take", json.dumps(arguments) if as_text else arguments)
    assert json.dumps(got) == json.dumps([value])
    assert json.dumps(trail.at("observer").arguments) == json.dumps(arguments)


async def test_a_tool_that_is_replaced_while_its_call_waits_is_the_one_that_must_fit() -> None:
    """D25, D26: the second call of the turn is checked against the tool as it is when that call starts."""

    @tool(name="target")
    async def wider(a: int, b: int = 2) -> int:
        return a + b

    @tool(name="target")
    async def narrow(a: int) -> int:
        return a

    async with trailed(narrow) as (registry, _):

        @tool
        async def widen() -> None:
            registry.unregister("target")
            registry.register(wider)

        registry.register(widen)
        arguments = {"a": 1, "b": 5}
        before = await call(registry, "target", arguments)
        calls = [ToolCall("widen", {}), ToolCall("target", arguments)]
        _, after = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert before.code == ErrorCode.INVALID_ARGS
    assert after.value == 6


async def test_arguments_are_checked_before_anybody_is_asked_and_after_nothing_else() -> None:
    """R117, D3: the check is entry's, so that a bad call asks for no approval and opens no wrapper."""
    async with trailed(optional) as (registry, trail):
        registry.add_pre_policy(lambda _: pytest.fail("asked about a call that cannot run"))
        result = await call(registry, "optional", {})
    assert result.text == 'Error: invalid arguments: missing required property "q"'
    assert (result.dispatched, trail.at("observer").arguments) == (False, {})
