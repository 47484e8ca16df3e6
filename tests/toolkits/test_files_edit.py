"""`edit`: what is replaced, what is refused, and that every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import asking, tree

from trio_tools import EffectState
from trio_tools.toolkits.files._writing import MAX_FILE_BYTES

BOM = b"\xef\xbb\xbf"


async def test_a_piece_is_replaced(tmp_path: Path) -> None:
    """F004, F006: in the words of the rule, as an effect, and with the file's permissions."""
    (tmp_path / "f").write_text("one two\nthree")
    (tmp_path / "f").chmod(0o640)
    async with asking(tmp_path) as ask:
        result = await ask("edit", file_path="f", old_string="two\nth", new_string="2\n\nth")
    assert result.text == "The file f has been updated successfully."
    assert (tmp_path / "f").read_text() == "one 2\n\nthree"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640
    (effect,) = result.effects
    assert (effect.name, effect.state) == ("file.edit", EffectState.COMMITTED)
    assert isinstance(effect.receipt, dict)
    assert (effect.receipt["path"], effect.receipt["bytes"], effect.receipt["created"]) == ("f", 12, False)


async def test_every_piece_is_replaced_if_that_is_asked_for(tmp_path: Path) -> None:
    """F004: from left to right, literally."""
    (tmp_path / "f").write_text("a.a.aaa \\1")
    async with asking(tmp_path) as ask:
        result = await ask("edit", file_path="f", old_string="a", new_string="\\1a", replace_all=True)
    assert result.text == "The file f has been updated. All occurrences were successfully replaced."
    assert (tmp_path / "f").read_text() == "a.a.aaa \\1".replace("a", "\\1a")


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a\r\nb\r\nc", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc"),
        (b"a\r\nb\r\nc", "a\r\nb", "x\r\ny", b"x\r\ny\r\nc"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        (b"a\r\nb\r\n", "\n", "", None),
        (b"a\r\nb", "\n", "", b"ab"),
        (b"a\nb\n", "b", "b\r\nc", b"a\nb\r\nc\n"),
        (BOM + b"a\r\nb", "a", "x", BOM + b"x\r\nb"),
        (b"a\nb\r\nc\nd", "b", "x\ny", b"a\nx\r\ny\r\nc\nd"),
        (b"a\nb\r\nc\nd", "c", "x\ny", b"a\nb\r\nx\ny\nd"),
        (b"a\r\nb\nc", "c", "x\ny", b"a\r\nb\nx\ny"),
        (b"a\r\r\nb\r\n", "\r\nb", "x", b"a\rx\r\n"),
        (b"a\rb\r\n", "a\rb", "x", b"x\r\n"),
        (b"a\r\n", "a\r", "x", None),
        (b"no end", "no", "an", b"an end"),
    ],
)
async def test_line_ends_stay_what_they_are(
    tmp_path: Path, data: bytes, old: str, new: str, expected: bytes | None
) -> None:
    """F006: CRLF is matched by LF and written back; where ends are mixed each place keeps its own; a lone CR is a
    character; a file without CRLF is taken literally."""
    (tmp_path / "f").write_bytes(data)
    async with asking(tmp_path) as ask:
        result = await ask("edit", file_path="f", old_string=old, new_string=new)
    assert result.is_error == (expected is None)
    assert (tmp_path / "f").read_bytes() == (data if expected is None else expected)


@pytest.mark.parametrize(
    ("data", "arguments", "code", "says"),
    [
        (b"a", {"old_string": "", "new_string": "x"}, "FS_INVALID_ARGUMENT", "old_string must be a non-empty"),
        (b"a", {"old_string": "a", "new_string": "a"}, "FS_INVALID_ARGUMENT", "old_string and new_string must differ"),
        (b"a\r\nb", {"old_string": "a\n", "new_string": "a\r\n"}, "FS_INVALID_ARGUMENT", "in more than their line end"),
        (b"a", {"old_string": "b", "new_string": "x"}, "FS_EDIT_NOT_FOUND", "old_string is not in f"),
        (b"", {"old_string": "b", "new_string": "x"}, "FS_EDIT_NOT_FOUND", "exactly as it stands there"),
        (b"aXa", {"old_string": "a", "new_string": "x"}, "FS_AMBIGUOUS_EDIT", "more than once"),
        (b"aaa", {"old_string": "aa", "new_string": "x"}, "FS_AMBIGUOUS_EDIT", "set replace_all"),
        (b"a\0", {"old_string": "a", "new_string": "x"}, "FS_NOT_TEXT", "a NUL byte in its first 8,192 bytes"),
        (b"a\xff", {"old_string": "a", "new_string": "x"}, "FS_NOT_TEXT", "byte 1 does not belong there"),
        (b"a", {"old_string": "a", "new_string": "\0"}, "FS_NOT_TEXT", "a NUL in its beginning"),
        (b"a" * (MAX_FILE_BYTES + 1), {"old_string": "a", "new_string": "x"}, "FS_TOO_LARGE", "10,485,760 bytes"),
        (
            b"a" * 20_000,
            {"old_string": "a", "new_string": "x" * 1_000, "replace_all": True},
            "FS_INVALID_ARGUMENT",
            "would be larger than the 10,485,760 bytes",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_cannot_be_edited_is_told_and_stays(
    tmp_path: Path, data: bytes, arguments: dict[str, object], code: str, says: str
) -> None:
    """F004: and there is no effect."""
    (tmp_path / "f").write_bytes(data)
    before = tree(tmp_path)
    async with asking(tmp_path) as ask:
        result = await ask("edit", file_path="f", **arguments)
    assert (result.code, result.effects) == (code, ())
    assert says in result.text
    assert tree(tmp_path) == before


async def test_a_file_that_is_missing_cannot_be_edited(tmp_path: Path) -> None:
    """F004: and is not made, and neither are folders on its way."""
    async with asking(tmp_path) as ask:
        for path in ("f", "new/f"):
            result = await ask("edit", file_path=path, old_string="a", new_string="b")
            assert (result.code, result.effects) == ("FS_NOT_FOUND", ())
            assert "Create it with write" in result.text
    assert tree(tmp_path) == {}


async def test_a_change_by_another_in_between_is_not_lost(tmp_path: Path) -> None:
    """F006, M021: the file is looked at once more right before it is replaced, also without a policy; by what is in it,
    too."""
    (tmp_path / "f").write_text("mine, old")

    async with asking(tmp_path) as ask:
        ask.meanwhile(lambda: (tmp_path / "f").write_text("mine, new"))
        result = await ask("edit", file_path="f", old_string="old", new_string="edited")
    assert result.code == "FS_STALE_VERSION"
    assert result.text.startswith("Error: f has changed since it was read")
    assert "— re-read the file, then retry" in result.text
    assert [effect.state for effect in result.effects] == [EffectState.FAILED]
    assert (tmp_path / "f").read_text() == "mine, new"


async def test_a_file_that_goes_in_between_does_not_come_back(tmp_path: Path) -> None:
    """F006: with its folder, too."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("old")

    def remove() -> None:
        (tmp_path / "d/f").unlink()
        (tmp_path / "d").rmdir()

    async with asking(tmp_path) as ask:
        ask.meanwhile(remove)
        result = await ask("edit", file_path="d/f", old_string="old", new_string="edited")
    assert result.is_error
    assert [effect.state for effect in result.effects] == [EffectState.FAILED]
    assert tree(tmp_path) == {}
