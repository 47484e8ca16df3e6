"""The spill policy's files: what happens when they cannot be written, and what becomes of them (F011)."""

from __future__ import annotations

import logging
import os
import resource
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
from spill_tools import CAP, LONG, everything_in, files_in, place_in, reviewing, said, say, spilling
from trio.testing import MockClock

from trio_tools import CallView, ReplaceContent, ReplaceValue, ToolCall, ToolResult, open_registry
from trio_tools.policies import SpillConfig, spill
from trio_tools.policies._spill import SAVING, Spilling
from trio_tools.policies._spill_folder import SpillFolder


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """As on a disk that is full after so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_where_it_cannot_be_saved_the_whole_result_is_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """F011: in the middle of the file the disk is full; no part of it stays, and the next one is saved."""
    text = LONG * 100
    async with spilling(tmp_path) as registry:
        with files_of_at_most(100_000):
            result = await said(registry, text)
        assert (result.text, result.code, files_in(tmp_path)) == (text, None, [])
        assert place_in((await said(registry, text)).text).read_text() == text
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("trio_tools.spill", "WARNING")
    assert record.getMessage() == (
        f"call say: its result of {len(text)} bytes stays as it is, since it could not be saved: File too large"
    )


async def test_where_somebody_has_removed_the_folder_the_whole_result_is_shown(tmp_path: Path) -> None:
    """F011: a model with a shell can; leaving does not mind."""
    async with spilling(tmp_path / "spilled") as registry:
        await said(registry, LONG)
        shutil.rmtree(tmp_path / "spilled")
        assert (await said(registry, LONG)).text == LONG
    assert everything_in(tmp_path) == []


async def test_a_disk_that_hangs_does_not_make_the_result_a_failure(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """F011: here another file is being written for ever. It is given up well before the policies' own bound."""
    folder = SpillFolder(tmp_path, 100_000)
    policy = Spilling(SpillConfig(directory=tmp_path, max_inline_bytes=CAP), folder, list)
    for grace, seconds in ((5, SAVING), (1, 0.5)):
        async with open_registry(policy_grace=grace) as registry, folder._limiter:
            registry.register(say)
            registry.add_post_policy(policy.review)
            began = trio.current_time()
            assert (await said(registry, LONG)).text == LONG
            assert trio.current_time() - began == pytest.approx(seconds)
    assert [record.getMessage().rpartition(": ")[2] for record in caplog.records] == [
        "it took more than 2 seconds",
        "it took more than 0.5 seconds",
    ]
    await folder.remove()
    assert everything_in(tmp_path) == []


async def test_the_oldest_files_make_room(tmp_path: Path) -> None:
    """F011: all of them together keep to their bound, and what is larger than that is shown whole."""
    async with spilling(tmp_path, max_total_bytes=10_000) as registry:
        places: list[Path] = []
        for number in range(6):
            places.append(place_in((await said(registry, f"{number}" * 4_000)).text))
            assert files_in(tmp_path) == sorted(places[-2:])
        assert (await said(registry, "x" * 10_001)).text == "x" * 10_001
        assert files_in(tmp_path) == sorted(places[-2:])
        last = place_in((await said(registry, "x" * 10_000)).text)
        assert files_in(tmp_path) == [last]


@pytest.mark.parametrize("how", ["normally", "cancelled", "error"])
async def test_the_files_are_removed_when_it_leaves(how: str, tmp_path: Path) -> None:
    """F011: and the folders that it has made; one that was there stays."""
    (tmp_path / "there").mkdir()
    with trio.CancelScope() as scope:
        try:
            async with spilling(tmp_path / "made"), spilling(tmp_path / "there") as registry:
                await said(registry, LONG)
                assert len(files_in(tmp_path / "there")) == 1
                if how == "cancelled":
                    scope.cancel()
                    await trio.lowlevel.checkpoint()
                if how == "error":
                    raise LookupError
        except LookupError:
            assert how == "error"
    assert everything_in(tmp_path) == [tmp_path / "there"]


async def test_nothing_is_removed_that_it_has_not_made(tmp_path: Path) -> None:
    """F011."""
    async with spilling(tmp_path / "made") as registry:
        place = place_in((await said(registry, LONG)).text)
        mine = place.with_name("mine")
        mine.touch()
    assert not place.exists()
    assert mine.exists()


async def test_a_folder_that_is_swapped_leads_it_nowhere(tmp_path: Path) -> None:
    """F011: files are made and removed below the folder that it holds open, wherever that has gone."""
    victim = tmp_path / "victim"
    victim.mkdir()
    async with spilling(tmp_path / "spilled") as registry:
        place = place_in((await said(registry, LONG)).text)
        place.parent.rename(tmp_path / "moved")
        (victim / place.name).write_text("precious")
        place.parent.symlink_to(victim)
        await said(registry, LONG)
        assert [one.name for one in victim.iterdir()] == [place.name]
        assert len(everything_in(tmp_path / "moved")) == 2
    assert (victim / place.name).read_text() == "precious"
    assert everything_in(tmp_path / "moved") == []


async def test_it_saves_what_the_policies_in_front_have_left(tmp_path: Path) -> None:
    """F011: a secret that was taken out is not on disk, whether content or value was replaced."""

    def redact(call: CallView, result: ToolResult) -> ReplaceContent | ReplaceValue:
        text = result.text.replace("line 5\n", "***\n")
        return ReplaceContent(text) if call.id == "content" else ReplaceValue(text)

    async with spilling(tmp_path, reviewing(redact)) as registry:
        for how in ("content", "value"):
            result = await registry.execute(ToolCall("say", {"text": LONG}, id=how), scope=trio.CancelScope())
            assert place_in(result.text).read_text() == LONG.replace("line 5\n", "***\n")


async def test_it_saves_nothing_while_another_policy_is_behind_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """F011: what that one takes out would be on disk, with its place in the result. It is told once."""

    def redact(call: CallView, result: ToolResult) -> ReplaceContent:
        return ReplaceContent(result.text.replace("line 5\n", "***\n"))

    async with spilling(tmp_path) as registry:
        with registry.add_post_policy(redact):
            for _ in range(2):
                assert (await said(registry, LONG)).text == LONG.replace("line 5\n", "***\n")
        assert files_in(tmp_path) == []
        assert place_in((await said(registry, LONG)).text).read_text() == LONG
    (record,) = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert "(test_it_saves_nothing_while_another_policy_is_behind_it.<locals>.redact); list spill last" in (
        record.getMessage()
    )


@pytest.mark.parametrize(
    ("directory", "error"),
    [("file/below", NotADirectoryError), ("file", NotADirectoryError), ("no/such", FileNotFoundError)],
)
async def test_a_directory_that_cannot_be_used_keeps_the_registry_from_opening(
    directory: str, error: type[OSError], tmp_path: Path
) -> None:
    """F011: and nothing stays of the attempt."""
    (tmp_path / "file").touch()
    with pytest.raises(error, match="the directory of the spill policy cannot be used"):
        async with spilling(tmp_path / directory):
            pytest.fail("it opened")
    assert everything_in(tmp_path) == [tmp_path / "file"]


@pytest.mark.parametrize("name", ["new\nline", "turn\u202eed", os.fsdecode(b"\xff")])
async def test_a_directory_that_no_message_can_show_is_refused(name: str, tmp_path: Path) -> None:
    """F011: its path stands in what a model reads."""
    with pytest.raises(ValueError, match="directory has characters that cannot be shown to a model"):
        async with spilling(tmp_path / name):
            pytest.fail("it opened")
    assert everything_in(tmp_path) == []


async def test_a_path_that_leaves_no_room_for_the_text_is_refused(tmp_path: Path) -> None:
    """F011: all within the cap."""
    deep = tmp_path / "/".join(["x" * 100] * 5)
    deep.mkdir(parents=True)
    with pytest.raises(ValueError, match="max_inline_bytes is too small for the path"):
        async with spilling(deep, max_inline_bytes=1_024):
            pytest.fail("it opened")
    assert everything_in(deep) == []


def test_a_config_says_what_is_wrong_with_it() -> None:
    """F011: as a file gives it, with a text as path and a list of names."""
    config = SpillConfig(directory="here", exempt=["read", "cat"])
    assert (config.directory, config.exempt) == (Path("here"), ("read", "cat"))
    for number in (0, 1_023, True, 1.5, "9000"):
        with pytest.raises(ValueError, match="max_inline_bytes must be a whole number of bytes from 1024"):
            SpillConfig(directory=Path("x"), max_inline_bytes=number)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(TypeError, match="exempt must be a list of names"):
        SpillConfig(directory=Path("x"), exempt="read")
    with pytest.raises(TypeError, match="directory must be a path, not int"):
        SpillConfig(directory=3)  # type: ignore[arg-type]  # the mistake
    assert spill.requires == ()
