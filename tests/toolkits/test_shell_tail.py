"""What is kept of a stream: the tail, and a file that never raises."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trio_tools.toolkits.shell._output import SpillFile, SpillFolder, Tail


@given(st.lists(st.binary(max_size=30)), st.integers(1, 50))
def test_the_tail_is_the_end_of_what_was_added_and_the_file_gets_all_of_it(reads: list[bytes], limit: int) -> None:
    """B026: whatever the sizes of the reads; nothing is lacking as long as everything fits."""
    tail, filed, whole = Tail(limit), b"", b"".join(reads)
    for data in reads:
        filed += tail.add(data)
        assert len(tail.kept()) <= limit
    assert tail.total == len(whole)
    assert tail.kept() == whole[-limit:]
    assert filed == (whole if len(whole) > limit else b"")


def test_a_file_is_made_by_the_first_write_and_holds_what_its_limit_allows(tmp_path: Path) -> None:
    """B020, B026."""
    file = SpillFile(SpillFolder(tmp_path, 1000), 10)
    assert (file.path, file.is_open, file.is_full) == (None, False, False)
    file.write(b"12345678")
    assert (file.is_open, file.is_full) == (True, False)
    file.write(b"9abcdef")
    assert (file.written, file.is_full) == (10, True)
    file.write(b"more")
    file.close()
    file.close()
    assert file.path is not None
    assert file.path.read_bytes() == b"123456789a"
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_without_a_folder_there_is_no_file() -> None:
    file = SpillFile(SpillFolder(None, 1000), 10)
    file.write(b"1")
    file.close()
    assert (file.path, file.is_full, file.written) == (None, True, 0)


def test_what_all_files_may_have_together_is_no_more_for_the_next(tmp_path: Path) -> None:
    """B020: it gets the first bytes of its stream, and the one after it no file at all."""
    folder = SpillFolder(tmp_path, 10)
    first, second, third = (SpillFile(folder, 8) for _ in range(3))
    first.write(b"123456")
    second.write(b"abcdef")
    second.write(b"gh")
    first.write(b"7")  # what it would have now has a hole
    third.write(b"x")
    for file in (first, second, third):
        file.close()
        assert file.is_full
    assert first.path is not None
    assert second.path is not None
    assert (first.path.read_bytes(), second.path.read_bytes()) == (b"123456", b"abcd")
    assert (third.path, third.place, third.written) == (None, None, 0)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_that_failed_takes_nothing_from_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B026."""

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    folder = SpillFolder(tmp_path, 10)
    failed, other = SpillFile(folder, 10), SpillFile(folder, 10)
    failed.write(b"12345")
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fail)
        failed.write(b"67890")
    other.write(b"1234567890")
    other.close()
    assert (failed.path, other.written) == (None, 10)


@pytest.mark.parametrize("call", ["open", "write", "close"])
def test_a_file_that_fails_is_removed_and_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """B026: a full disk, for instance."""

    def fail(fd: int, *_: object) -> int:
        if call == "close":
            real_close(fd)
        raise OSError(28, "No space left on device")

    real_close = os.close
    file = SpillFile(SpillFolder(tmp_path, 1000), 10)
    if call == "close":
        file.write(b"1")
    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        file.write(b"23")
        file.close()
    assert (file.path, file.is_full, file.is_open) == (None, True, False)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_exists_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B026: exclusive, and no link is followed."""
    target = tmp_path / "target"
    target.touch()
    (tmp_path / "guessed").symlink_to(target)

    def guess(_: int) -> str:
        return "guessed"

    monkeypatch.setattr("secrets.token_hex", guess)
    file = SpillFile(SpillFolder(tmp_path, 1000), 10)
    file.write(b"1")
    assert file.path is None
    assert target.read_bytes() == b""
