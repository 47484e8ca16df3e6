"""Case B33: arguments that are empty, broken, no object, or too deep. Nothing runs on its defaults by mistake."""

from __future__ import annotations

import json

import attrs
import pytest
import trio
from intake_tools import Trail, cancelled_scope
from trio.testing import MockClock

from trio_tools import (
    CallAccepted,
    CallDispatching,
    CallSettled,
    ErrorCode,
    ToolCall,
    ToolResult,
    open_registry,
    to_json,
)
from trio_tools import tool as declare

PREFIX = "Error: invalid arguments: not a JSON object: $"
CUT_OFF = '{"path": "/data/a", "recurs'
DEEP = '{"path": ' + "[" * 100_000 + "]" * 100_000 + "}"
DIGITS = '{"path": ' + "9" * 5_000 + "}"


@attrs.define
class Desk:
    """Tools, and which bodies were entered with what."""

    entered: list[object] = attrs.field(factory=list[object])
    trail: Trail = attrs.field(factory=Trail)

    async def now(self) -> str:
        self.entered.append("now")
        return "noon"

    async def wipe(self, path: str = ".", recursive: bool = True) -> str:
        self.entered.append(("wipe", path, recursive))
        return f"wiped {path}"

    async def keep(self, value: object = None) -> str:
        self.entered.append(("keep", value))
        return "kept"

    async def turn(self, *calls: ToolCall, scope: trio.CancelScope | None = None) -> tuple[ToolResult, ...]:
        async with open_registry() as registry:
            for body in (self.now, self.wipe, self.keep):
                registry.register(declare(body))
            registry.add_recorder(self.trail.record)
            registry.add_observer(self.trail.observe)
            return await registry.execute_turn(calls, scope=scope or trio.CancelScope())

    async def among_siblings(self, name: str, text: str) -> ToolResult:
        """The result of a call that stands between two others, which it may not touch."""
        first, result, last = await self.turn(
            ToolCall("now", ""), ToolCall(name, text), ToolCall("wipe", '{"path": "z"}')
        )
        assert (first.value, last.value) == ("noon", "wiped z")
        assert (self.entered[0], self.entered[-1]) == ("now", ("wipe", "z", True))
        for event in self.trail.events:
            json.dumps(to_json(event), allow_nan=False, ensure_ascii=False).encode()
        result.text.encode()
        return result

    @property
    def raw(self) -> list[object]:
        """The arguments in the record, call by call."""
        return [event.arguments for event in self.trail.events if isinstance(event, CallAccepted)]


@pytest.mark.parametrize("text", ["", "  ", "{}", "null", "\n\t\r ", " null ", "\n{\n}\n"], ids=repr)
async def test_no_arguments_in_every_spelling(text: str) -> None:
    """Case B33 (a): a tool without parameters runs, with none."""
    desk = Desk()
    (result,) = await desk.turn(ToolCall("now", text))
    assert (result.value, desk.entered, desk.raw) == ("noon", ["now"], [text])


BROKEN = {
    "cut off": (CUT_OFF, ": Unterminated string"),
    "array": ("[]", ": arguments must be one JSON object, not an array"),
    "number": ("42", ": arguments must be one JSON object, not a number"),
    "string": ('"x"', ": arguments must be one JSON object, not a string"),
    "boolean": ("true", ": arguments must be one JSON object, not a boolean"),
    "100,000 levels": (DEEP, ": more than 6,000 arrays and objects"),
    "5,000 digits": (DIGITS, ": an integer of more than 4,300 digits"),
    "5,000 digits below zero": (DIGITS.replace("9", "-9", 1), ": an integer of more than 4,300 digits"),
    "never closed": ('{"path": ' + "[" * 300, ": nested more than 200 levels deep"),
    "objects without end": ('{"path":' * 5_000, ": nested more than 200 levels deep"),
    "cut after a name": ('{"path"', ": Expecting ':' delimiter at character 7"),
    "cut after a colon": ('{"path":', ": Expecting value at character 8"),
    "cut in an escape": ('{"path": "\\u00', ": Invalid \\uXXXX escape at character 11"),
    "cut after a comma": ('{"path": "/a",', ": Expecting property name enclosed in double quotes at character 14"),
    "byte order mark": ('\ufeff{"path": "/a"}', " at character 0"),
    "NBSP before": ('\u00a0{"path": "/a"}', ": Expecting value at character 0"),
    "NBSP inside": ('{"path":\u00a0"/a"}', ": Expecting value at character 8"),
    "NBSP alone": ("\u00a0", " at character 0"),
    "wide space alone": ("\u3000 \u2003", " at character 0"),
    "line separators alone": ("\u2028\u2029\x85", " at character 0"),
    "form feed alone": ("\x0c\x0b\x1c", " at character 0"),
    "two objects": ('{"path": "/a"}{"path": "/b"}', ": Extra data at character 14"),
    "two lines": ('{"path": "/a"}\n{"path": "/b"}', ": Extra data at character 15"),
    "null twice": ("null null", ": Extra data at character 5"),
    "NULL": ("NULL", ": Expecting value at character 0"),
    "null in quotes": ('"null"', ": arguments must be one JSON object, not a string"),
    "object in quotes": ('"{\\"path\\": \\"/a\\"}"', ": arguments must be one JSON object, not a string"),
    "object in an array": ('[{"path": "/a"}]', ": arguments must be one JSON object, not an array"),
    "trailing comma": ('{"path": "/a",}', ": Expecting property name enclosed in double quotes at character 14"),
    "trailing text": ('{"path": "/a"} and so on', ": Extra data at character 15"),
    "a fence": ('```json\n{"path": "/a"}\n```', ": Expecting value at character 0"),
    "a comment": ('{"path": "/a" /* here */}', ": Expecting ',' delimiter at character 14"),
    "single quotes": ("{'path': '/a'}", ": Expecting property name enclosed in double quotes at character 1"),
    "curly quotes": ("{\u201cpath\u201d: 1}", ": Expecting property name enclosed in double quotes at character 1"),
    "NUL after": ('{"path": "/a"}\0', ": Extra data at character 14"),
    "bare newline": ('{"path": "a\nb"}', ": Invalid control character at character 11"),
    "NaN": ('{"recursive": NaN}', ": NaN is not JSON"),
    "too large a float": ('{"recursive": 1e999}', ": 1e999 is not a finite number"),
    "half a character": ('{"path": "\\ud83d"}', ".path: a lone surrogate at character 0 of a string"),
    "a megabyte": ('{"path": "' + "x" * 1024 * 1024 + '"}', ": longer than 1,048,576 bytes"),
}


@pytest.mark.parametrize(("text", "words"), BROKEN.values(), ids=BROKEN.keys())
async def test_what_is_not_one_object_runs_nothing(text: str, words: str) -> None:
    """Case B33 (b), (c), (d), (e): what is wrong and where; the record keeps what the model wrote."""
    desk = Desk()
    result = await desk.among_siblings("wipe", text)
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_ARGS, False)
    assert result.text.startswith(PREFIX)
    assert words in result.text
    assert " at at " not in result.text
    assert len(result.text) < 300
    assert [one for one in desk.entered if one == ("wipe", ".", True)] == []
    assert len(desk.entered) == 2
    assert desk.raw[1] == text[: 1024 * 1024]


@pytest.mark.parametrize(("text", "words"), BROKEN.values(), ids=BROKEN.keys())
async def test_what_is_wrong_wins_over_a_cancel(text: str, words: str) -> None:
    """Case B33 (f): the call was wrong before it was given up, and the model is told so."""
    desk = Desk()
    results = await desk.turn(ToolCall("wipe", text), ToolCall("now", ""), scope=cancelled_scope())
    assert [one.code for one in results] == [ErrorCode.INVALID_ARGS, ErrorCode.ABORTED_BEFORE_DISPATCH]
    assert words in results[0].text
    assert results[0].cause is None
    assert (desk.entered, desk.raw) == ([], [text[: 1024 * 1024], ""])


async def test_a_turn_that_is_cancelled_meanwhile(autojump_clock: MockClock) -> None:
    """Case B33 (f): the broken call waits behind one that sleeps, and is still an argument error."""
    desk = Desk()

    @declare
    async def sleepy() -> None:
        await trio.sleep(9)

    async with open_registry() as registry:
        registry.register(sleepy)
        registry.register(declare(desk.wipe))
        calls = [ToolCall("sleepy"), ToolCall("wipe", CUT_OFF), ToolCall("wipe", "")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope(relative_deadline=1))
    codes = [ErrorCode.ABORTED, ErrorCode.INVALID_ARGS, ErrorCode.ABORTED_BEFORE_DISPATCH]
    assert ([one.code for one in results], desk.entered) == (codes, [])


def nested(levels: int, opening: str = "[", closing: str = "]", inner: str = "") -> str:
    """Arguments of so many levels, the object around them included."""
    return '{"value": ' + opening * (levels - 1) + inner + closing * (levels - 1) + "}"


TAKEN = {
    "200 levels": nested(200),
    "200 levels of objects": nested(200, '{"in": ', "}", "1"),
    "200 levels, and brackets in strings": nested(200, inner=json.dumps("[{" * 100)),
    "deep in a string": json.dumps({"value": "[" * 100_000 + '\\"{' * 1_000}),
    "4,300 digits": '{"value": ' + "9" * 4_300 + "}",
    "4,300 digits below zero": '{"value": -' + "9" * 4_300 + "}",
    "5,000 digits behind the point": '{"value": 0.' + "9" * 5_000 + "}",
    "all but a megabyte": '{"value": "' + "x" * (1024 * 1024 - 13) + '"}',
    "both halves of a character": '{"value": "\\ud83d\\ude00"}',
    "NUL by its escape": '{"value": "a\\u0000b"}',
    "NBSP in a string": '{"value": "\u00a0\ufeff"}',
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
async def test_what_is_just_within_the_bounds_runs_as_it_was_written(text: str) -> None:
    """Case B33 (d), (e): bounds that refuse honest arguments would be no better."""
    desk = Desk()
    result = await desk.among_siblings("keep", text)
    assert result.value == "kept"
    assert desk.entered[1] == ("keep", json.loads(text)["value"])


BEYOND = {
    "201 levels": (nested(201), "nested more than 200 levels deep"),
    "201 levels of objects": (nested(201, '{"in": ', "}", "1"), "nested more than 200 levels deep"),
    "4,301 digits": ('{"value": 1' + "0" * 4_300 + "}", "an integer of more than 4,300 digits"),
    "a megabyte and a byte": ('{"value": "' + "x" * (1024 * 1024 - 12) + '"}', "longer than 1,048,576 bytes"),
    "a megabyte in UTF-8": ('{"value": "' + "\u4f60" * 349_522 + '"}', "longer than 1,048,576 bytes"),
    "too many values": ('{"value": [' + "1," * 50_000 + "1]}", "more than 12,000 values"),
}


@pytest.mark.parametrize(("text", "words"), BEYOND.values(), ids=BEYOND.keys())
async def test_what_is_just_beyond_the_bounds_is_refused(text: str, words: str) -> None:
    """Case B33 (d), (e): one more of each."""
    desk = Desk()
    result = await desk.among_siblings("keep", text)
    assert result.text == f"{PREFIX}: {words}"
    assert len(desk.entered) == 2


async def test_the_history_of_broken_calls_is_whole() -> None:
    """Case B33: each of forty has its one result in the record, none was entered, and the answers are in call order."""
    desk = Desk()
    results = await desk.turn(*(ToolCall("wipe", text, id=name) for name, (text, _) in BROKEN.items()))
    settled = [event.ref.call_id for event in desk.trail.events if isinstance(event, CallSettled)]
    assert [one.call_id for one in results] == [*BROKEN]
    assert {one.code for one in results} == {ErrorCode.INVALID_ARGS}
    assert sorted(map(str, settled)) == sorted(BROKEN)
    assert [event for event in desk.trail.events if isinstance(event, CallDispatching)] == []
    assert desk.entered == []
