"""Case B14: text that is poison: NUL, bytes that are not UTF-8, characters in two parts, halves of a pair.

Whatever comes in, the record stays valid UTF-8 JSON, the model gets valid text, and the next call works.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from test_shell_probe import GRACE, content, files_in, rest

from trio_tools import (
    Ask,
    Block,
    CallAccepted,
    CallDispatching,
    CallEvent,
    CallView,
    Deny,
    ErrorCode,
    Image,
    Registry,
    ReplaceContent,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    event_from_json,
    open_registry,
    to_json,
    tool,
)
from trio_tools.formats import write_result
from trio_tools.toolkits.shell import ShellConfig, shell

__all__ = ["rest"]  # fixtures

BAD = "\ufffd"
HALF = "\ud83d"
YOU = "\u4f60"
MANY = r"printf '\u4f60%.0s' {1..50000}"  # 150,000 bytes, in one write


@attrs.define
class Room:
    """A registry with `bash` and `echo`, whose calls are recorded, and which has to outlive each of them."""

    registry: Registry
    events: list[CallEvent] = attrs.field(factory=list[CallEvent])  # of the last call

    async def record(self, event: CallEvent) -> None:
        self.events.append(event)

    async def call(self, name: str, arguments: Mapping[str, object] | str = "", **options: Any) -> ToolResult:
        """One call; its text is valid, its record is lines of UTF-8 that can be read again, and the next call works."""
        self.events.clear()
        result = await self.registry.execute(ToolCall(name, arguments, **options), scope=trio.CancelScope())
        assert result.text.encode().decode() == result.text
        json.dumps(write_result(result), allow_nan=False, ensure_ascii=False).encode()
        lines = [json.dumps(to_json(event), allow_nan=False, ensure_ascii=False).encode() for event in self.events]
        assert [event_from_json(json.loads(line)) for line in lines] == self.events
        assert len(lines) >= 2
        kept = [*self.events]
        after = await self.registry.execute(ToolCall("echo", {"text": "on"}), scope=trio.CancelScope())
        assert after.value == "on"
        self.events = kept
        return result

    async def bash(self, command: str) -> ToolResult:
        return await self.call("bash", {"command": command, "description": "a test"})

    @property
    def is_entered(self) -> bool:
        """Whether the body of the call was entered, by the record."""
        return any(isinstance(event, CallDispatching) for event in self.events)


@asynccontextmanager
async def opened(folder: Path, **config: Any) -> AsyncGenerator[Room]:
    @tool
    async def echo(text: str) -> str:
        return text

    async with open_registry(plugins=[shell(ShellConfig(root=folder, grace=GRACE, **config))]) as registry:
        registry.register(echo)
        room = Room(registry)
        registry.add_recorder(room.record)
        yield room


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r"printf 'a\0b'", f"a{BAD}b"),
        (r"printf 'x\377y\360\237'", f"x{BAD}y{BAD}"),
        (r"printf '\377\376a\0b\0'", f"{BAD * 2}a{BAD}b{BAD}"),  # UTF-16
        (r"printf '\300\257 \340\200\257'", f"{BAD * 2} {BAD * 3}"),  # longer than it need be
        (r"printf '\355\240\275\355\270\200'", BAD * 6),  # two halves, each as if it were a character
        (r"printf '\364\220\200\200'", BAD * 4),  # beyond the last character
        (r"printf '\360\237'; sleep 0.1; printf '\230\200'", "\U0001f600"),
        (r"printf '\344'; printf '\275' >&2; sleep 0.1; printf '\275\240'", f"{YOU}\n[stderr]\n{BAD}"),
        (r"printf '\357\273\277{}'", "\ufeff{}"),
        (r"cat /dev/zero | head -c 5", BAD * 5),
    ],
)
async def test_whatever_bytes_a_command_writes_are_valid_text(
    tmp_path: Path, rest: str, command: str, text: str
) -> None:
    """Case B14 (a), (b): a normal result, exit 0; what is bad is shown as U+FFFD, and so is NUL."""
    async with opened(tmp_path) as room:
        result = await room.bash(command)
    assert (result.code, result.text) == (None, text)


async def test_characters_that_reads_split_are_whole(tmp_path: Path, rest: str) -> None:
    """Case B14 (c): 50,000 of three bytes each, where there is room for them."""
    async with opened(tmp_path, max_output_bytes=150_000) as room:
        result = await room.bash(MANY)
    assert result.text == YOU * 50_000


async def test_a_cut_is_never_within_a_character(tmp_path: Path, rest: str) -> None:
    """Case B14 (c): with the limits as they are, what is left out is counted, and the file has all of it."""
    async with opened(tmp_path) as room:
        result = await room.bash(MANY)
        first, shown, last = result.text.split("\n")
        file = last.removeprefix("[output truncated; full output: ").removesuffix("]")
        assert content(file) == YOU * 50_000
    assert set(shown) == {YOU}
    assert 63_000 <= len(shown.encode()) <= 64_000
    assert first == f"[{150_000 - len(shown.encode())} bytes dropped]"


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 100, 4_096])
async def test_a_cut_at_any_place_is_never_within_a_character(tmp_path: Path, rest: str, limit: int) -> None:
    """Case B14 (c): wherever a limit falls, in either stream."""
    async with opened(tmp_path, max_output_bytes=limit) as room:
        result = await room.bash(r"printf 'x\u4f60%.0s' {1..2000} | tee /dev/stderr")
    tail = ("x\u4f60" * 2_000).encode()[-limit:].decode(errors="ignore")
    assert [line for line in result.text.split("\n") if line and not line.startswith("[")] == [tail] * 2 * bool(tail)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"command":"echo a\\u0000b"}', 'missing required property "description"'),
        ('{"command":"touch started; echo a\\u0000b","description":"d"}', "invalid command: it contains a NUL"),
        ('{"command":"touch started; echo \\ud800","description":"d"}', "$.command: a lone surrogate at character 20"),
        ('{"command":"touch started; echo \ud800","description":"d"}', "a lone surrogate at character"),
        ('{"command":"touch started","description":"d\\udfff"}', "$.description: a lone surrogate at character 1"),
        ('{"command":"touch started","description":"d","workdir":"a\\u0000"}', "invalid workdir: it contains a NUL"),
        ('{"command":"touch started","description":"d","\\ud800":1}', "a lone surrogate at character 0"),
    ],
)
async def test_poison_in_a_command_starts_no_process(tmp_path: Path, rest: str, arguments: str, words: str) -> None:
    """Case B14 (e): it is named as what is wrong with the arguments, as text and as a mapping."""
    async with opened(tmp_path) as room:
        for form in (arguments, json.loads(arguments)):
            result = await room.call("bash", form)
            assert result.is_error
            assert words.rpartition(": ")[2] in result.text
            assert "Traceback" not in result.text
    assert files_in(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        '{"text":"\\ud83d"}',
        '{"text":"\\ude00\\ud83d"}',
        '{"text":"\ud83d"}',
        '{"text":"","\\ud83d":1}',
        '{"text\ud83d":1}',
    ],
    ids=ascii,
)
async def test_half_a_character_in_arguments_is_an_argument_error(tmp_path: Path, arguments: str) -> None:
    """Case B14 (d): and the record has what was written, in letters that UTF-8 carries."""
    async with opened(tmp_path) as room:
        result = await room.call("echo", arguments)
        assert not room.is_entered
        accepted = room.events[0]
        assert isinstance(accepted, CallAccepted)
        assert accepted.arguments == arguments.encode(errors="backslashreplace").decode()
        by_hand = await room.call("echo", json.loads(arguments))
    assert (result.code, by_hand.code) == (ErrorCode.INVALID_ARGS, ErrorCode.INVALID_ARGS)
    assert "a lone surrogate at character" in result.text


@pytest.mark.parametrize(
    "text", ["a\0b", "\ufeff", "\ufffe\uffff", "\x1b[31m", "\u202e", "\U0010ffff", "\r\n\u2028\x85"], ids=ascii
)
async def test_text_that_is_odd_and_valid_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    """Case B14: NUL too is kept, as the escape that JSON has for it."""
    async with opened(tmp_path) as room:
        for form in ({"text": text}, json.dumps({"text": text})):
            result = await room.call("echo", form)
            assert (result.value, result.text) == (text, text)


def _raising(thrown: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise thrown

    return act


BODIES: dict[str, tuple[Callable[[], object], str]] = {
    "value": (lambda: HALF, "a lone surrogate at character 0"),
    "member": (lambda: {"a": ["b" + HALF]}, "$.a[0]: a lone surrogate at character 1"),
    "key": (lambda: {HALF: 1}, "a lone surrogate at character 0"),
    "file name": (lambda: Path("/a\udcff"), "a lone surrogate at character 2"),
    "block": (lambda: [Text("a"), Text(HALF)], "a lone surrogate at character 0"),
    "image": (lambda: Image(HALF, "image/png"), "a lone surrogate at character 0"),
    "error": (_raising(ValueError("half " + HALF)), "ValueError: half ?"),
    "own error": (_raising(ToolError("half " + HALF, code="OWN_CODE")), "half ?"),
    "group": (_raising(ExceptionGroup(HALF, [ValueError(HALF), KeyError("a")])), "ValueError: ?; KeyError: 'a'"),
    "exit": (_raising(SystemExit(HALF)), "tried to exit the process with code ?"),
    "bytes as text": (b"\xff".decode, "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"),
    "text as bytes": (HALF.encode, "UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud83d'"),
}


@pytest.mark.parametrize(("act", "words"), BODIES.values(), ids=BODIES.keys())
async def test_half_a_character_from_a_body_is_an_error_that_can_be_read(
    tmp_path: Path, act: Callable[[], object], words: str
) -> None:
    """Case B14: internet text in a value or in an error ends no session."""

    @tool
    async def fetch() -> object:
        return act()

    async with opened(tmp_path) as room:
        room.registry.register(fetch)
        result = await room.call("fetch")
    assert (result.is_error, result.dispatched) == (True, True)
    assert words in result.text


async def _reworded(dispatch: Any, call_next: Any) -> ToolResult:
    await call_next()
    failure: ToolResult = dispatch.failure("half " + HALF, code="OWN_CODE")
    return failure


SEAMS: dict[str, tuple[str, Callable[..., object], str]] = {
    "denial": ("add_pre_policy", lambda *_: Deny("half " + HALF), "half ?"),
    "question": ("add_pre_policy", lambda *_: Ask("half " + HALF), "half ?"),
    "policy": ("add_pre_policy", lambda *_: _raising(OSError("half " + HALF))(), "half ?"),
    "wrapper": ("add_wrapper", _reworded, "half ?"),
    "block": ("add_post_policy", lambda *_: Block("half " + HALF), "surrogate"),
    "new content": ("add_post_policy", lambda *_: ReplaceContent("half " + HALF), "surrogate"),
}


@pytest.mark.parametrize(("seam", "act", "words"), SEAMS.values(), ids=SEAMS.keys())
async def test_half_a_character_from_a_plugin_spoils_no_record(
    tmp_path: Path, seam: str, act: Callable[..., object], words: str
) -> None:
    """Case B14: a reason that quotes a file's name is text from outside too."""

    @tool
    async def fetch() -> str:
        return "fetched"

    def at_seam(call: CallView, *rest: Any) -> object:
        if call.name == "fetch":
            return act(call, *rest)
        return rest[0]() if seam == "add_wrapper" else None

    async with opened(tmp_path) as room:
        room.registry.register(fetch)
        getattr(room.registry, seam)(at_seam)
        result = await room.call("fetch")
    assert result.is_error
    assert words in result.text


@pytest.mark.parametrize("where", ["id", "name"])
async def test_half_a_character_in_what_names_a_call_spoils_no_record(tmp_path: Path, where: str) -> None:
    """Case B14: a model's own id and names come from outside as its arguments do."""
    async with opened(tmp_path) as room:
        result = await room.call("echo" + HALF * (where == "name"), {"text": "a"}, id="call" + HALF * (where == "id"))
    assert result.text == ('Error: unknown tool "echo?"' if where == "name" else "a")
