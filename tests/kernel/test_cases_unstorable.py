"""Case B29: results that cannot be serialised. The body has run, so there is one result, and the turn goes on."""

from __future__ import annotations

import collections
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import trio
from intake_tools import Trail
from odd_values import (
    Agreeable,
    Awaitable,
    Broken,
    Kept,
    Knot,
    Measured,
    Meddling,
    Pair,
    Proxy,
    Said,
    Shy,
    answer,
    in_itself,
    knotted,
    later,
    nested,
    numbers,
)
from trio.testing import MockClock

from trio_tools import CallSettled, ErrorCode, Text, ToolCall, ToolResult, open_registry, to_json, tool

PREFIX = 'Error: tool "give" returned invalid output: '
LATE = "\nThe tool has run all the same. Read what it came to before you repeat it:\n"
BYTES = 20_000_000
WHEN = datetime(2026, 11, 30, 8, tzinfo=UTC)


async def returned(give: Callable[[], object], **options: Any) -> tuple[ToolResult, str]:
    """What comes of a body that returns this, and how it is logged. Its sibling and the next turn go on."""
    trail = Trail()

    @tool(name="give", **options)
    async def give_it() -> object:
        return give()

    @tool
    async def sibling() -> str:
        return "fine"

    async with open_registry() as registry:
        registry.register(give_it)
        registry.register(sibling)
        registry.add_recorder(trail.record)
        registry.add_observer(trail.observe)
        try:
            calls = [ToolCall("give", id="1"), ToolCall("sibling", id="2")]
            results = await registry.execute_turn(calls, scope=trio.CancelScope())
        except (Exception, SystemExit) as thrown:
            pytest.fail(f"no result at all: {thrown!r} out of the turn")
        after = await registry.execute(ToolCall("sibling"), scope=trio.CancelScope())
    assert [one.value for one in (results[1], after)] == ["fine", "fine"]
    assert [one.call_id for one in trail.results] == ["1", "2", None]
    settled = [event for event in trail.events if isinstance(event, CallSettled)]
    assert [event.result for event in settled] == [*results, after]
    results[0].text.encode()
    assert all(block.text for block in results[0].content if isinstance(block, Text))
    return results[0], json.dumps(to_json(settled[0]), allow_nan=False, ensure_ascii=False).encode().decode()


CONVERTED: list[tuple[object, object]] = [
    ({"when": WHEN, "s": {1, 2}}, {"when": "2026-11-30T08:00:00+00:00", "s": [1, 2]}),
    (b"\xff", "/w=="),
    (Pair(1, "b"), [1, "b"]),
    (Said("the truth"), "the truth"),
    ({Said("key"): Said("")}, {"key": ""}),
    (Measured(2.5), 2.5),
    (10**4300 - 1, 10**4300 - 1),
    (Kept.SET, [1]),
    (Knot(Knot(Path("/a"))), {"inner": {"inner": "/a"}}),
    ({date(2026, 11, 30): Decimal("1.10")}, {"2026-11-30": "1.10"}),
    (collections.deque([collections.Counter("aab")]), [{"a": 2, "b": 1}]),
    (collections.ChainMap({"a": (1, {2})}), {"a": [1, [2]]}),
    ("a\0b", "a\0b"),
]


@pytest.mark.parametrize(("value", "plain"), CONVERTED, ids=lambda value: type(value).__name__)
async def test_what_has_a_rule_is_converted_by_it(value: object, plain: object) -> None:
    """Case B29 (a), (b): to the same JSON in result, text and log, whatever the value says of itself."""
    result, logged = await returned(lambda: value)
    assert (result.code, result.value) == (None, plain)
    assert repr(json.loads(logged)["result"]["value"]) == repr(plain)
    assert result.text == (plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False))


@pytest.mark.parametrize(("value", "content"), [(None, (Text("null"),)), ("", ()), ([], (Text("[]"),))], ids=repr)
async def test_nothing_has_a_text_that_a_provider_takes(value: object, content: tuple[Text, ...]) -> None:
    """Case B29 (e): never a block without text, which providers refuse."""
    result, logged = await returned(lambda: value)
    assert (result.code, result.value, result.content) == (None, value, content)
    assert json.loads(logged)["result"]["value"] == value


UNKEPT: dict[str, tuple[Callable[[], object], str]] = {
    "in itself": (in_itself, "$.b[0]: contains itself"),
    "in itself, by a class": (lambda: knotted(lambda knot: {"in": (knot,)}), "$.inner.in[0]: contains itself"),
    "two keys that are one": (lambda: {1: "a", "1": "b"}, "$: a key of type int is not a string"),
    "two dates that are one": (lambda: {WHEN.date(): 1, "2026-11-30": 2}, '$: two keys that are both "2026-11-30"'),
    "repr raises": (lambda: Shy(ValueError("no")), "$: a value of type Shy has no JSON form"),
    "repr is empty": (Shy, "$: a value of type Shy has no JSON form"),
    "repr exits": (lambda: Shy(SystemExit(3)), "a value of type Shy has no JSON form"),
    "repr is poison": (lambda: [Shy(shown="\ud800")], "$[0]: a value of type Shy has no JSON form"),
    "repr is endless": (lambda: Shy(shown="x" * BYTES), "a value of type Shy has no JSON form"),
    "NaN": (lambda: [Measured("nan")], "$[0]: nan is not a finite number"),
    "infinity": (lambda: {"a": float("-inf")}, "$.a: -inf is not a finite number"),
    "Decimal NaN": (lambda: Decimal("sNaN"), "sNaN is not a finite number"),
    "4301 digits": (lambda: [1, -(10**4300)], "$[1]: an integer of more than 4,300 digits"),
    "generator": (lambda: {"rows": numbers()}, "$.rows: a value of type generator has no JSON form"),
    "async generator": (later, "a value of type async_generator has no JSON form"),
    "coroutine": (answer, "an awaitable; declare the tool with async def"),
    "exception": (lambda: [KeyError("a")], "$[0]: a value of type KeyError has no JSON form"),
    "timedelta": (lambda: timedelta(1), "a value of type timedelta has no JSON form"),
    "opaque member": (lambda: Kept.OPAQUE, "a value of type object has no JSON form"),
    "deep": (lambda: nested(10_000, lambda inner: [inner]), "nested more than 200 levels deep"),
    "deep class": (lambda: nested(10_000, Knot), "nested more than 200 levels deep"),
    "half a character": (lambda: {"a": Path("/a\udcff")}, "$.a: a lone surrogate at character 2 of a string"),
    "half a key": (lambda: {"\ud800": 1}, "$: a lone surrogate at character 0 of a string"),
    "half in a block": (lambda: [Text("\ud800")], "a lone surrogate at character 0 of a string"),
    "a block of NaN": (lambda: [Text("a"), Measured("nan")], "nan is not a finite number"),
    "members raise": (lambda: [Broken(LookupError("no row"))], "value snapshot failed: no row"),
    "members exit": (lambda: [Broken(SystemExit(4))], "value snapshot failed"),
    "members are groups": (lambda: Broken(ExceptionGroup("all", [OSError("gone")])), "value snapshot failed: all"),
    "proxy": (Proxy, "invalid output: "),
    "proxy inside": (lambda: {"a": Proxy()}, "$.a: a value of type Proxy has no JSON form"),
    "agreeable": (Agreeable, "invalid output: "),
    "too long": (lambda: "x" * BYTES, "20,000,000 bytes, more than the 8,388,608 that a result may have"),
    "too long in UTF-8": (lambda: ["\u4f60" * 3_000_000], "9,000,004 bytes, more than the 8,388,608"),
}


@pytest.mark.parametrize(("give", "words"), UNKEPT.values(), ids=UNKEPT.keys())
async def test_what_has_no_rule_is_an_error_that_says_that_the_body_ran(give: Callable[[], object], words: str) -> None:
    """Case B29 (c), (d), (f): what is wrong and where, and so much of the value as can be shown."""
    result, logged = await returned(give)
    assert (result.code, result.dispatched, result.value) == (ErrorCode.INVALID_TOOL_OUTPUT, True, None)
    assert result.text.startswith(PREFIX)
    head, _, shown = result.text.partition(LATE)
    assert words in head
    assert len(shown) <= 2_000
    assert len(head) < 500
    assert json.loads(logged)["result"]["error"]["code"] == "INVALID_TOOL_OUTPUT"


async def test_an_awaitable_is_not_closed_unless_it_is_a_coroutine() -> None:
    """Case B29: a pool of connections can be awaited too, and goes on being its owner's."""
    pool = Awaitable()
    result, _ = await returned(lambda: pool)
    assert result.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert "an awaitable; declare the tool with async def" in result.text
    assert not pool.is_closed


async def test_what_a_background_task_goes_on_changing_is_logged_as_it_was(autojump_clock: MockClock) -> None:
    """Case B29 (g): in the result and in the log, at the top and further in, long after."""
    rows: list[Any] = [{"n": 1}]
    changed: list[int] = []

    async def change() -> None:
        for n in range(3):
            await trio.sleep(1)
            rows[0]["n"] = -n
            rows.append(n)
            changed.append(len(rows))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(change)
        await trio.sleep(1.5)
        result, logged = await returned(lambda: rows)
        before = result.text
        await trio.sleep(5)
    assert changed == [2, 3, 4]
    assert (result.value, result.text, before) == ([{"n": 0}, 0],) + ('[{"n": 0}, 0]',) * 2
    assert json.loads(logged)["result"]["value"] == [{"n": 0}, 0]


async def test_a_dict_that_a_thread_changes_during_the_snapshot_is_one_result() -> None:
    """Case B29 (g): it cannot be told what it was, and so that is said."""
    shared: dict[str, object] = {}
    shared.update(a=Meddling(lambda: shared.update(late=1)), b=2)
    result, logged = await returned(lambda: shared)
    assert shared.keys() == {"a", "b", "late"}
    assert result.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert result.text.startswith(f"{PREFIX}value snapshot failed: dictionary changed size during iteration{LATE}")
    assert "snapshot failed" in logged


async def test_a_list_that_a_thread_changes_during_the_snapshot_stays_as_it_was_read() -> None:
    """Case B29 (g): what is logged is what the model reads, whatever the list becomes."""
    shared: list[object] = []
    shared += [Meddling(lambda: shared.append("late")), {"n": 1}]
    result, logged = await returned(lambda: shared)
    shared.clear()
    assert result.code is None
    assert result.value in ([{"a": "a"}, {"n": 1}], [{"a": "a"}, {"n": 1}, "late"])
    assert json.loads(result.text) == json.loads(logged)["result"]["value"] == result.value


@pytest.mark.parametrize("nan_as_null", [False, True])
async def test_a_number_that_is_none_is_null_only_where_that_was_declared(nan_as_null: bool) -> None:
    """Case B29: also one that says of itself that it is 1.0."""
    result, _ = await returned(lambda: [Measured("nan"), Measured("inf"), Measured(1.5)], nan_as_null=nan_as_null)
    assert result.value == ([None, None, 1.5] if nan_as_null else None)
    assert result.is_error is not nan_as_null
