"""Case B14 on a file: whatever text comes in, each line of the journal is valid, and the session goes on.

What the tools make of poison is shown where they are tested; here it is what stands on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kept_tools import calls_of, kept, lines, read_again, run

from trio_tools import ErrorCode, Tool, ToolCall, ToolContext, ToolError, ToolResult, tool
from trio_tools.toolkits.shell import ShellConfig, shell

BAD, YOU = "\ufffd", "\u4f60"
HALF = "\ud83d"


@tool
async def echo(text: str) -> str:
    return text


async def outlived(folder: Path, call: ToolCall, *tools: Tool) -> ToolResult:
    """The result of a call, and that the session outlives it: every line is valid, the next call works, the file is
    opened again and holds what came back, and the next call works there too."""
    path, after = folder / "calls.journal", ToolCall("echo", {"text": "on"}, id="after")
    bash = shell(ShellConfig(root=folder, max_output_bytes=150_000))
    results: list[ToolResult] = []
    async with kept(path, echo, *tools, plugins=(bash,)) as registry:
        results += [await run(registry, call), await run(registry, after)]
        assert len(lines(path)) >= 4
    assert [one.result for one in await read_again(path)] == results
    async with kept(path, echo) as registry:
        results.append(await run(registry, after))
        assert await calls_of(registry) == results
    assert [one.value for one in results[1:]] == ["on", "on"]
    assert [entry["call_id"] for entry in lines(path) if entry["kind"] == "settled"][1:] == ["after", "after"]
    return results[0]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r"printf 'a\0b'", f"a{BAD}b"),
        (r"printf 'x\377y\360\237'", f"x{BAD}y{BAD}"),
        (r"printf '\355\240\275\355\270\200'", BAD * 6),  # two halves, each as if it were a character
        (r"printf '\u4f60%.0s' {1..50000}", YOU * 50_000),
    ],
)
async def test_case_b14_bytes_of_a_command(tmp_path: Path, command: str, text: str) -> None:
    """Case B14 (a), (b), (c)"""
    result = await outlived(tmp_path, ToolCall("bash", {"command": command, "description": "a test"}))
    assert (result.code, result.text) == (None, text)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("echo", '{"text":"\\ud83d"}'),
        ("echo", '{"text":"\ud83d"}'),
        ("echo", '{"\\ude00":"\\ud83d"}'),
        ("echo", {"text": HALF}),
        ("bash", '{"command":"touch started; echo a\\u0000b","description":"d"}'),
        ("bash", '{"command":"touch started; echo \\ud800","description":"d"}'),
        ("bash", {"command": "touch started; echo a\0b", "description": "d"}),
        ("bash", {"command": f"touch started; echo {HALF}", "description": "d"}),
    ],
    ids=ascii,
)
async def test_case_b14_poison_in_arguments(tmp_path: Path, name: str, arguments: str | dict[str, object]) -> None:
    """Case B14 (d), (e): an error, no process, and what the model wrote is kept in letters that UTF-8 carries."""
    result = await outlived(tmp_path, ToolCall(name, arguments, id="poison"))
    assert result.is_error
    assert not (tmp_path / "started").exists()
    (accepted, *_) = lines(tmp_path / "calls.journal")
    if isinstance(arguments, str):
        assert accepted["body"]["arguments"] == arguments.encode(errors="backslashreplace").decode()


@pytest.mark.parametrize(
    "text", ["a\0b", "\0", "\ufeff", "\ufffe\uffff", "\x1b[31m", "\u202e", "\U0010ffff", "\r\n\u2028\x85", '"\\|%s']
)
async def test_case_b14_odd_text_comes_back_from_the_file_as_it_was(tmp_path: Path, text: str) -> None:
    """Case B14: as an argument, a value and an id; NUL too."""
    result = await outlived(tmp_path, ToolCall("echo", {"text": text}, id=f"id {text}"))
    (record, *_) = await read_again(tmp_path / "calls.journal")
    assert (result.value, record.arguments, record.ref.call_id) == (text, {"text": text}, f"id {text}")


def _raised(error: Exception) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


@pytest.mark.parametrize(
    "act",
    [
        lambda: HALF,
        lambda: {"a": ["b" + HALF]},
        lambda: {HALF: 1},
        _raised(ValueError("half " + HALF)),
        _raised(ToolError("half " + HALF, code="OWN_CODE")),
        _raised(ExceptionGroup(HALF, [ValueError(HALF), KeyError("a")])),
    ],
    ids=["value", "member", "key", "error", "own error", "group"],
)
async def test_case_b14_half_a_character_from_a_body(tmp_path: Path, act: Callable[[], object]) -> None:
    """Case B14: text of the world outside in a value or an error."""

    @tool
    async def fetch() -> object:
        return act()

    result = await outlived(tmp_path, ToolCall("fetch"), fetch)
    assert (result.is_error, result.dispatched) == (True, True)


@pytest.mark.parametrize("where", ["name", "key", "receipt", "error"])
async def test_case_b14_half_a_character_in_an_effect(tmp_path: Path, where: str) -> None:
    """Case B14: in what it is called, and in what came of it. What was done stays named."""
    done: list[str] = []

    async def act() -> str:
        done.append("sent")
        if where == "error":
            raise OSError(HALF)
        return "receipt " + HALF * (where == "receipt")

    @tool
    async def send(ctx: ToolContext) -> str:
        key = "key" + HALF if where == "key" else None
        return str(await ctx.irreversible("send" + HALF * (where == "name"), act, key=key))

    result = await outlived(tmp_path, ToolCall("send"), send)
    (record, *_) = await read_again(tmp_path / "calls.journal")
    assert [one.effect for one in record.effects] == [*result.effects]
    assert len(result.effects) == len(done) == (0 if where == "key" else 1)
    assert result.code == (None if where == "name" else ErrorCode.TOOL_FAILED)
