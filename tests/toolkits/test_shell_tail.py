"""What is kept of a stream: the tail, and a file that never raises."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trio_tools.toolkits.shell._output import SpillFile, Tail


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
    file = SpillFile(tmp_path, 10)
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
    file = SpillFile(None, 10)
    file.write(b"1")
    file.close()
    assert (file.path, file.is_full, file.written) == (None, True, 0)


@pytest.mark.parametrize("call", ["open", "write", "close"])
def test_a_file_that_fails_is_removed_and_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """B026: a full disk, for instance."""

    def fail(fd: int, *_: object) -> int:
        if call == "close":
            real_close(fd)
        raise OSError(28, "No space left on device")

    real_close = os.close
    file = SpillFile(tmp_path, 10)
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
    file = SpillFile(tmp_path, 10)
    file.write(b"1")
    assert file.path is None
    assert target.read_bytes() == b""
