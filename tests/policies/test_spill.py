"""The spill policy: long texts are saved, and their two ends shown with their place (F011)."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import trio
from spill_tools import CAP, LONG, files_in, place_in, reviewing, said, spilling

from trio_tools import (
    Block,
    Image,
    Json,
    Outcome,
    Text,
    Tool,
    ToolCall,
    ToolContext,
    tool,
)
from trio_tools.toolkits.files import FilesConfig, files


async def test_a_long_text_is_saved_and_its_ends_are_shown_with_its_place(tmp_path: Path) -> None:
    """F011: within the cap; the value stays."""
    async with spilling(tmp_path / "spilled") as registry:
        result = await said(registry, LONG)
        place = place_in(result.text)
        assert len(result.text.encode()) <= CAP
        assert result.text.startswith("line 0\nline 1\n")
        assert result.text.endswith("line 998\nline 999\n")
        assert (result.value, result.code) == (LONG, None)
        assert place.read_text() == LONG
        assert files_in(tmp_path / "spilled") == [place]
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "spilled", place.parent, place)]
        assert modes == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("text", ["x" * CAP, "ü" * (CAP // 2), "", "x"])
async def test_what_fits_is_left_alone_to_the_byte(text: str, tmp_path: Path) -> None:
    """F011: one byte more, and it is saved."""
    async with spilling(tmp_path) as registry:
        assert (await said(registry, text)).text == text
        assert files_in(tmp_path) == []
        if len(text) > 1:
            assert place_in((await said(registry, text + "!")).text).read_text() == text + "!"


async def test_the_place_is_one_that_the_tool_read_takes(tmp_path: Path) -> None:
    """F011: if the directory is below its root; what it reads is not saved again."""
    async with spilling(tmp_path / ".spill", files(FilesConfig(root=tmp_path))) as registry:
        place = place_in((await said(registry, LONG)).text)
        page = ToolCall("read", {"file_path": str(place), "offset": 100})
        read = await registry.execute(page, scope=trio.CancelScope())
        assert "100: line 99\n" in read.text
        assert len(read.text.encode()) > CAP
        assert files_in(tmp_path / ".spill") == [place]


async def test_nul_does_not_keep_it_from_being_read(tmp_path: Path) -> None:
    """F003: a file with a NUL is taken for a binary one; providers are sent U+FFFD in its place as well."""
    async with spilling(tmp_path, files(FilesConfig(root=tmp_path))) as registry:
        place = place_in((await said(registry, "\0" + LONG)).text)
        read = await registry.execute(ToolCall("read", {"file_path": str(place)}), scope=trio.CancelScope())
        assert "1: \ufffdline 0\n" in read.text


async def test_tools_that_are_exempt_are_shown_whole(tmp_path: Path) -> None:
    """F011: `read`, or those that the config names."""
    reading = Tool(name="read", parameters={}, body=lambda: LONG)
    for exempt, whole in ((("read",), {"read"}), (("say",), {"say"}), ((), set[str]())):
        async with spilling(tmp_path, exempt=exempt) as registry:
            registry.register(reading)
            texts = {
                "say": (await said(registry, LONG)).text,
                "read": (await registry.execute(ToolCall("read"), scope=trio.CancelScope())).text,
            }
        assert {name for name, text in texts.items() if text == LONG} == whole


async def test_a_call_that_a_tool_makes_is_shown_whole(tmp_path: Path) -> None:
    """F011: no model reads it; what its caller makes of it is another result."""

    @tool
    async def count(ctx: ToolContext) -> int:
        return len((await ctx.execute(ToolCall("say", {"text": LONG}), scope=trio.CancelScope())).text)

    async with spilling(tmp_path) as registry:
        registry.register(count)
        assert (await registry.execute(ToolCall("count"), scope=trio.CancelScope())).value == len(LONG)
        assert files_in(tmp_path) == []


@pytest.mark.parametrize("block", [Image("aGk=", "image/png"), Json({"a": 1})])
async def test_what_is_more_than_text_is_left_alone(block: Image | Json, tmp_path: Path) -> None:
    """F011: plain text only."""

    @tool
    async def draw() -> list[object]:
        return [LONG, block]

    async with spilling(tmp_path) as registry:
        registry.register(draw)
        result = await registry.execute(ToolCall("draw"), scope=trio.CancelScope())
        assert result.content == (Text(LONG), block)
        assert files_in(tmp_path) == []


async def test_several_blocks_of_text_are_one(tmp_path: Path) -> None:
    """F011: as a model reads them."""

    @tool
    async def tell() -> list[object]:
        return [Text(LONG), Text("and"), "more"]

    async with spilling(tmp_path) as registry:
        registry.register(tell)
        result = await registry.execute(ToolCall("tell"), scope=trio.CancelScope())
        assert place_in(result.text).read_text() == f"{LONG}\nand\nmore"


async def test_what_a_policy_has_blocked_is_left_alone(tmp_path: Path) -> None:
    """F011: its feedback is for the model, all of it."""
    async with spilling(tmp_path, reviewing(lambda call, result: Block(LONG))) as registry:
        result = await said(registry, "")
        assert (result.code, result.text) == ("BLOCKED", LONG)
        assert files_in(tmp_path) == []


async def test_a_failure_is_saved_too_and_stays_one(tmp_path: Path) -> None:
    """F011, R072."""
    async with spilling(tmp_path) as registry:
        result = await said(registry, LONG, fail=True)
        assert (result.code, result.is_error) == ("SAID_NO", True)
        assert result.text.startswith("Error: line 0\n")
        assert place_in(result.text).read_text() == f"Error: {LONG}"


async def test_what_came_too_late_is_cut_in_both_places(tmp_path: Path) -> None:
    """F011, R076, D30: the result and what it superseded."""
    scope = trio.CancelScope()

    @tool
    async def late() -> str:
        scope.cancel()
        return LONG

    async with spilling(tmp_path) as registry:
        registry.register(late)
        result = await registry.execute(ToolCall("late"), scope=scope)
        assert (result.code, len(result.text.encode()) <= CAP) == ("ABORTED", True)
        assert result.superseded == Outcome(result.content)
        assert place_in(result.text).read_text().endswith(LONG)


async def test_results_of_one_turn_have_a_file_each(tmp_path: Path) -> None:
    """F011: ten at once."""
    texts = [f"{number}{LONG}" for number in range(10)]
    async with spilling(tmp_path) as registry:
        calls = [ToolCall("say", {"text": text}) for text in texts]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
        assert [place_in(result.text).read_text() for result in results] == texts
        assert len(files_in(tmp_path)) == 10
