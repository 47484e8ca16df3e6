"""The policy that what is replaced was read: by the same session, and not changed since."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from asking import ALL, Asked, asking

from trio_tools import EffectState, Session, ToolCall, open_registry
from trio_tools.toolkits.files import (
    FilesConfig,
    FileVersion,
    GuardedFiles,
    ReadBeforeWriteConfig,
    Unread,
    files,
    read_before_write,
)
from trio_tools.toolkits.files import _policy as policy
from trio_tools.toolkits.files._policy import Observations

READ = "— read the file, then retry"
REREAD = "— re-read the file, then retry"


async def refused(ask: Asked, tool: str, code: str, remedy: str = "") -> None:
    """A call on `f` that is refused with this code, in the end of its text, before there is any effect."""
    arguments = {"content": "new"} if tool == "write" else {"old_string": "old", "new_string": "new"}
    result = await ask(tool, file_path="f", **arguments)
    assert (result.code, result.effects) == (code, ())
    assert result.text.endswith(remedy)


async def test_what_was_not_read_is_not_replaced(tmp_path: Path) -> None:
    """F005: nor edited; it may be created; and what a session has written it has seen."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path, guarded=True) as ask:
        await refused(ask, "write", "FS_NOT_OBSERVED", READ)
        await refused(ask, "edit", "FS_NOT_OBSERVED", READ)
        assert (tmp_path / "f").read_text() == "old"
        assert await ask.code("write", file_path="new/f", content="1") is None
        assert await ask.code("edit", file_path="new/f", old_string="1", new_string="2") is None
        assert await ask.code("write", file_path="new/f", content="3") is None
    assert (tmp_path / "new/f").read_text() == "3"


async def test_what_was_read_may_be_replaced_until_somebody_else_changes_it(tmp_path: Path) -> None:
    """F005: then it has to be read anew; and that comes before the text to be replaced is looked for."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path, guarded=True) as ask:
        await ask("read", file_path="f")
        assert await ask.code("edit", file_path="f", old_string="old", new_string="new") is None
        (tmp_path / "f").write_text("theirs")
        await refused(ask, "write", "FS_STALE_VERSION", REREAD)
        await refused(ask, "edit", "FS_STALE_VERSION", REREAD)
        await ask("read", file_path="f")
        await refused(ask, "edit", "FS_EDIT_NOT_FOUND")
        assert await ask.code("write", file_path="f", content="new") is None


async def test_what_was_looked_for_and_not_there_may_only_be_created(tmp_path: Path) -> None:
    """F003, F005: absence is remembered, in folders too that are not there."""
    async with asking(tmp_path, guarded=True) as ask:
        for path in ("f", "d/f"):
            assert await ask.code("read", file_path=path) == "FS_NOT_FOUND"
            code = await ask.code("edit", file_path=path, old_string="a", new_string="b")
            assert code == "FS_NOT_FOUND"
        (tmp_path / "f").write_text("theirs")
        await refused(ask, "write", "FS_STALE_VERSION", REREAD)
        await refused(ask, "edit", "FS_STALE_VERSION", REREAD)
        assert await ask.code("write", file_path="d/f", content="new") is None
    assert (tmp_path / "f").read_text() == "theirs"


async def test_what_was_read_and_is_gone_is_not_made_again(tmp_path: Path) -> None:
    """F005: until it was looked for."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path, guarded=True) as ask:
        await ask("read", file_path="f")
        (tmp_path / "f").unlink()
        await refused(ask, "write", "FS_STALE_VERSION", REREAD)
        await refused(ask, "edit", "FS_STALE_VERSION", REREAD)
        await ask("read", file_path="f")
        assert await ask.code("write", file_path="f", content="new") is None


async def test_sessions_do_not_see_for_each_other(tmp_path: Path) -> None:
    """F005: and a call without one can read, and cannot say that it has."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path, guarded=True) as ask:
        for session in ("other", None):
            await ask.of(session)("read", file_path="f")
        await refused(ask, "write", "FS_NOT_OBSERVED", READ)
        nobody = ask.of(None)
        await refused(nobody, "edit", "FS_NOT_OBSERVED", READ)
        assert "of no session" in (await nobody("write", file_path="f", content="x")).text
        assert await nobody.code("write", file_path="new", content="x") is None
        assert await nobody.code("write", file_path="new", content="x") == "FS_NOT_OBSERVED"


async def test_a_page_counts_as_the_file_and_a_link_as_what_it_leads_to(tmp_path: Path) -> None:
    """F005: but not a page that is not there, nor a file that is no text."""
    (tmp_path / "f").write_text("old\n" * 100)
    (tmp_path / "link").symlink_to("f")
    (tmp_path / "binary").write_bytes(b"\0")
    async with asking(tmp_path, guarded=True) as ask:
        await ask("read", file_path="f", offset=101)
        await ask("read", file_path="binary")
        await refused(ask, "write", "FS_NOT_OBSERVED", READ)
        assert await ask.code("write", file_path="binary", content="x") == "FS_NOT_OBSERVED"
        await ask("read", file_path="link", offset=7, limit=1)
        assert await ask.code("write", file_path="f", content="new") is None
        assert await ask.code("write", file_path="link", content="newer") is None


@pytest.mark.parametrize(("tool", "change"), [("write", "new"), ("write", "gone"), ("edit", "new"), ("edit", "other")])
async def test_it_is_held_against_the_file_in_the_step_that_replaces_it(tmp_path: Path, tool: str, change: str) -> None:
    """F005, F006: what others do after the last look before the effect is seen, too."""
    (tmp_path / "f").write_text("old")

    def happening() -> None:
        (tmp_path / "g").write_text("their old")
        if change == "new":
            (tmp_path / "f").write_text("new")
        elif change == "gone":
            (tmp_path / "f").unlink()
        else:
            (tmp_path / "g").rename(tmp_path / "f")

    async with asking(tmp_path, guarded=True) as ask:
        await ask("read", file_path="f")
        ask.meanwhile(happening)
        arguments = {"content": "mine"} if tool == "write" else {"old_string": "old", "new_string": "mine"}
        result = await ask(tool, file_path="f", **arguments)
    assert result.code == "FS_STALE_VERSION"
    assert [effect.state for effect in result.effects] == [EffectState.FAILED]
    assert not (tmp_path / "f").exists() or "mine" not in (tmp_path / "f").read_text()


@pytest.mark.parametrize("looked", [True, False])
async def test_a_file_that_is_only_to_be_created_never_replaces_one(tmp_path: Path, looked: bool) -> None:
    """F006: not even one that comes at the last moment."""
    async with asking(tmp_path, guarded=True) as ask:
        if looked:
            await ask("read", file_path="f")
        ask.meanwhile(lambda: (tmp_path / "f").write_text("theirs"))
        result = await ask("write", file_path="f", content="mine")
    assert result.code == ("FS_STALE_VERSION" if looked else "FS_NOT_OBSERVED")
    assert [effect.state for effect in result.effects] == [EffectState.FAILED]
    assert (tmp_path / "f").read_text() == "theirs"


async def test_nor_one_that_comes_and_goes_and_comes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F006: there it is when the new one is given its name, gone when it is looked at, and there again in the end."""
    link, rename, there = os.link, os.rename, tmp_path / "f"
    steps: list[Callable[[], object]] = [
        lambda: there.write_text("theirs"),
        there.unlink,  # when the new one is given a name of its own
        lambda: there.write_text("theirs too"),
    ]

    def linking(*arguments: Any, **options: Any) -> None:
        steps.pop(0)()
        link(*arguments, **options)

    def renaming(*arguments: Any, **options: Any) -> None:
        steps.pop(0)()
        rename(*arguments, **options)

    async with asking(tmp_path, guarded=True) as ask:
        monkeypatch.setattr(os, "link", linking)
        monkeypatch.setattr(os, "rename", renaming)
        result = await ask("write", file_path="f", content="mine")
    assert (result.code, [effect.state for effect in result.effects]) == ("FS_FAILED", [EffectState.FAILED])
    assert there.read_text() == "theirs too"
    assert os.listdir(tmp_path) == ["f"]


async def test_a_change_that_left_size_and_times_alone_is_seen(tmp_path: Path) -> None:
    """F005: what came within one tick of the clock is told by what is in the file."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path, guarded=True) as ask:
        guard = ask.registry.require(GuardedFiles).guard
        assert isinstance(guard, Observations)
        await ask("read", file_path="f")
        expected = guard.expects(Session("s"), "f")
        assert isinstance(expected, FileVersion)
        (tmp_path / "f").write_text("oil")
        status = os.stat(tmp_path / "f")
        within = attrs.evolve(expected, modified=status.st_mtime_ns, changed=status.st_ctime_ns)
        guard.observed(Session("s"), "f", within)
        await refused(ask, "write", "FS_STALE_VERSION", REREAD)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """F005: what is forgotten has to be read anew."""
    monkeypatch.setattr(policy, "MAX_OBSERVATIONS", 2)
    observations = Observations()
    session = Session("s")
    for path in ("a", "b", "a", "c"):
        observations.observed(session, path, None)
    assert [observations.expects(session, path) for path in "abc"] == [Unread.ABSENT, Unread.NEVER, Unread.ABSENT]
    observations.observed(None, "b", None)
    assert observations.expects(None, "b") is Unread.NO_SESSION


async def test_it_needs_the_files_and_guards_them_alone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='requires plugin "files", which is not listed'):
        async with open_registry(plugins=[read_before_write]):
            pytest.fail("it opened")
    async with open_registry(plugins=[read_before_write, files(FilesConfig(root=tmp_path, tools=ALL))]) as registry:
        guarded = registry.require(GuardedFiles)
        with pytest.raises(ValueError, match="already guarded, by Observations"), guarded.guarded_by(Observations()):
            pytest.fail("there are two")
        call = ToolCall("write", {"file_path": "f", "content": "x"})
        assert (await registry.execute(call, scope=trio.CancelScope())).code is None
        assert (await registry.execute(call, scope=trio.CancelScope())).code == "FS_NOT_OBSERVED"
    assert guarded.guard is None
    assert ReadBeforeWriteConfig() == ReadBeforeWriteConfig()
