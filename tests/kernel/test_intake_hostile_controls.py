"""The checks of hostile texts can fail: each is handed what breaks its promise, and must say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import attrs
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks._hostile_arguments import Parse, Tally, check_call, check_text, judge
from benchmarks._hostile_target import Ledger, target
from benchmarks._strict_reader import Refused, read, same
from benchmarks.hostile_texts import HostileText, hostile_text
from trio_tools import ErrorCode, ErrorInfo, NotJSON, Text, ToolCall, ToolResult
from trio_tools.values import parse_arguments

# Seeds of texts that no other test reads.
FRESH = st.integers(min_value=10**12, max_value=10**15)


def test_a_seed_names_one_text() -> None:
    """So that a fault that is reported can be looked at."""
    assert [hostile_text(seed) for seed in range(50)] == [hostile_text(seed) for seed in range(50)]


# --- the second reader


def no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def as_json_reads(text: str) -> object:
    """What the standard library reads; `ValueError` itself for nothing. It has no rule beyond the grammar."""
    try:
        return json.loads(text, parse_constant=no_constant)
    except ValueError:
        return ValueError


def refusal(text: str) -> str:
    """The rule by which the second reader refuses a text; empty if it reads it."""
    try:
        read(text)
    except Refused as refused:
        return str(refused)
    return ""


@settings(max_examples=300, deadline=None)
@given(FRESH)
def test_the_second_reader_agrees_with_the_standard_library(seed: int) -> None:
    """What it reads, `json` reads alike; what it calls broken, `json` cannot read; what only it refuses, a rule of
    ours refuses."""
    text = hostile_text(seed, heavy=False).text
    known, refused = as_json_reads(text), refusal(text)
    if refused in {"syntax", "trailing text"}:
        assert known is ValueError
    elif not refused and text.strip() not in {"", "null"}:
        assert same(read(text), known)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"a":1,"a":1}', "repeated key"),
        ('{"a":{"b":1,"\\u0062":2}}', "repeated key"),
        ('{"a":NaN}', "syntax"),
        ('{"a":-Infinity}', "syntax"),
        ('{"a":1e999}', "not finite"),
        ('{"a":' + "9" * 4301 + "}", "digits"),
        ('{"a":-' + "9" * 4301 + "}", "digits"),
        ('{"a":' + "[" * 200 + "]" * 200 + "}", "depth"),
        ('{"a":"\\ud83d"}', "surrogate"),
        ('{"\\ude00\\ud83d":1}', "surrogate"),
        ('{"a":"\ud83d"}', "raw surrogate"),
        ('{"a":"' + "x" * 1_048_569 + '"}', "size"),
        ('{"a":"' + "\u4f60" * 349_523 + '"}', "size"),
        ("[]", "not an object"),
        ('{"a":1}{}', "trailing text"),
        ('{"a":1,}', "syntax"),
        ('{"a":\u0661}', "syntax"),
        ('{"a":"\x00"}', "syntax"),
        ('{"a"', "syntax"),
    ],
)
def test_the_second_reader_knows_each_rule(text: str, rule: str) -> None:
    """L001, D28, D29."""
    assert refusal(text) == rule


def test_the_second_reader_takes_what_is_just_within_the_rules() -> None:
    """L001, D28: so that what it refuses is refused for its rule."""
    most = "9" * 4300
    assert read(f'{{"a":-{most}}}') == {"a": -int(most)}
    assert refusal('{"a":' + "[" * 199 + "]" * 199 + "}") == ""
    assert refusal('{"a":"' + "x" * 1_048_568 + '"}') == ""
    assert read('{"\\ud83d\\ude00":"\\u0000"}') == {"\U0001f600": "\x00"}
    assert [read(text) for text in ("", " \n", "null", "{}")] == [{}] * 4


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), ([1], [1.0]), ({"a": 1}, {"b": 1}), ({}, []), ([1], [1, 1])]
)
def test_likeness_is_down_to_the_type_of_each_number(one: object, other: object) -> None:
    """Case B15."""
    assert not same({"a": [one]}, {"a": [other]})
    assert same({"a": [one]}, {"a": [one]})


# --- parsers that break a promise


def lenient(text: str) -> Mapping[str, object]:
    """What most would write: json, and nothing on top."""
    try:
        found: Any = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise NotJSON(ascii(error)[:100]) from None
    if not isinstance(found, dict):
        raise NotJSON("not an object")
    return found  # pyright: ignore[reportUnknownVariableType]


def guessing(text: str) -> Mapping[str, object]:
    """Takes broken text for no arguments, as case B33 tells of."""
    try:
        return parse_arguments(text)
    except NotJSON:
        return parse_arguments("{}")


def rounding(text: str) -> Mapping[str, object]:
    """Puts whole numbers through a float, as case B15 tells of."""
    found = {key: float(one) if type(one) is int else one for key, one in parse_arguments(text).items()}
    return parse_arguments(json.dumps(found))


def quoting(text: str) -> Mapping[str, object]:
    """Says the whole text back, half characters and all."""
    try:
        return parse_arguments(text)
    except NotJSON:
        raise NotJSON(f"cannot read {text}") from None


def crashing(text: str) -> Mapping[str, object]:
    """Lets the error of a library out."""
    json.loads(text or "{}")
    return parse_arguments(text)


def thawed(text: str) -> Mapping[str, object]:
    """Gives what can be changed."""
    return dict(parse_arguments(text))


def narrow(text: str) -> Mapping[str, object]:
    """Refuses what is sound."""
    if "\\u" in text:
        raise NotJSON("escapes are not welcome")
    return parse_arguments(text)


@pytest.mark.parametrize(
    ("parse", "said"),
    [
        (lenient, "accepted, though a rule refuses it"),
        (guessing, "accepted, though a rule refuses it"),
        (rounding, "read as another value than is written"),
        (quoting, "the refusal is not valid UTF-8"),
        (quoting, "the refusal has"),
        (crashing, "crashed with JSONDecodeError"),
        (thawed, "a part of it can be changed"),
        (narrow, "refused, though it is sound"),
    ],
)
def test_a_parser_that_breaks_a_promise_is_found(parse: Parse, said: str) -> None:
    """L001, D29: each of these is told from a good one by a few hundred texts."""
    tally, aim = Tally(), target(Ledger())
    for seed in range(400):
        check_text(hostile_text(seed, heavy=False), aim, tally, parse)
    assert any(said in fault for fault in tally.faults)


def first_of_many(text: str) -> object:
    return json.JSONDecoder().raw_decode(text.lstrip())[0]


# A parser's one fault, and the kind of texts that is there to find it.
LENIENT: list[tuple[Callable[[str], object], str]] = [
    (json.loads, "repeated_key"),
    (json.loads, "constant"),
    (json.loads, "half_character"),
    (json.loads, "not_an_object"),
    (json.loads, "deep"),
    (lambda text: json.loads(str(text), parse_int=len), "long_integer"),
    (lambda text: json.loads(str(text) + '"}'), "cut_off"),
    (first_of_many, "trailing"),
    (first_of_many, "two_objects"),
    (lambda text: json.loads(str.lstrip(text, "\ufeff")), "byte_order_mark"),
    (lambda text: json.loads(str(text), strict=False), "control"),
    (lambda text: json.loads(str.strip(text)), "foreign_space"),
    (lambda text: json.loads(str.replace(text, "'", '"')), "single_quotes"),
    (lambda text: json.loads(str.replace(text, "```json", "").strip("` \n")), "fenced"),
]


@pytest.mark.parametrize(("fault", "kind"), LENIENT)
def test_each_leniency_is_found_by_texts_of_its_kind(fault: Callable[[str], object], kind: str) -> None:
    """L001, D29, cases B14, B23, B33."""

    def parse(text: str) -> Any:
        try:
            return parse_arguments(text)
        except NotJSON:
            try:
                return fault(text)
            except ValueError as error:
                raise NotJSON(ascii(error)[:100]) from None

    tally, aim = Tally(), target(Ledger())
    for seed in range(2000):
        text = hostile_text(seed, heavy=False)
        if text.kind == kind:
            check_text(text, aim, tally, parse)
    assert any(f"({kind}): accepted" in found for found in tally.faults)


def test_a_text_that_takes_too_long_is_found() -> None:
    """D28: on a clock that goes 51 ms further with each look."""
    ticks = iter(range(1000))
    tally = Tally()
    check_text(HostileText(1, "sound", "{}"), target(Ledger()), tally, clock=lambda: next(ticks) * 0.051)
    assert tally.faults == ["seed 1 (sound): took 51.0 ms"]
    assert tally.longest == pytest.approx(0.051)


# --- registries that break a promise


@attrs.define
class Liar:
    """A registry that does not do what it should with a call."""

    how: str
    ledger: Ledger
    observed: list[ToolResult]

    async def execute(self, call: ToolCall) -> ToolResult:
        await trio.lowlevel.checkpoint()
        if self.how == "raises":
            raise RecursionError
        if self.how == "enters the body":
            self.ledger.entered += 1
        told = "\ud83d" if self.how == "says half a character" else "refused"
        error = ErrorInfo("ToolArgsError", ErrorCode.INVALID_ARGS, told) if self.how != "succeeds" else None
        result = ToolResult(call.id, call.name, (Text(told),), error=error, dispatched=self.how == "says it ran")
        self.observed += [result] * (2 if self.how == "publishes twice" else 1)
        return result


LIES = {
    "raises": "the call raised RecursionError",
    "enters the body": "the body was entered 1 times",
    "says it ran": "dispatched is True",
    "says half a character": "the result is not valid UTF-8",
    "publishes twice": "2 results were published",
    "succeeds": "the call must be refused",
}


@pytest.mark.parametrize("how", LIES)
async def test_a_registry_that_breaks_a_promise_is_found(how: str) -> None:
    """L001, D29."""
    ledger, observed = Ledger(), list[ToolResult]()
    text = HostileText(1, "cut_off", '{"label": "')
    found = await check_call(text, judge(text.text), Liar(how, ledger, observed).execute, ledger, observed)
    assert len(found) == 1
    assert LIES[how] in found[0]


@pytest.mark.parametrize(
    ("text", "said"), [('{"label": ""}', "the call fits"), ('{"label": "", "count": "1"}', "the body was entered 1")]
)
async def test_a_registry_that_is_wrong_about_types_is_found(text: str, said: str) -> None:
    """R117: it refuses what fits, or runs what does not."""
    ledger, observed = Ledger(), list[ToolResult]()
    liar = Liar("enters the body" if "count" in text else "refuses", ledger, observed)
    found = await check_call(HostileText(1, "sound", text), judge(text), liar.execute, ledger, observed)
    assert any(said in fault for fault in found)
