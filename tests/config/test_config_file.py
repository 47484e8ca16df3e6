"""The file itself: what cannot be read is one line that names it, however hostile it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from config_plugins import Site, site_in, write

from trio_tools.config import ConfigError, load_config


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


def problem(path: str | Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(path, environment={})
    (line,) = caught.value.problems
    assert line.isprintable()
    assert len(line) < 1_000
    return line


def of_bytes(content: bytes) -> str:
    Path("x.toml").write_bytes(content)
    return problem("x.toml")


def test_a_file_that_is_not_there_is_told(site: Site) -> None:
    assert problem("nowhere.toml") == "nowhere.toml: there is no such file"
    assert problem(Path("a\x1b\n") / "b") == "a\\x1b\\x0a/b: there is no such file"


def test_a_folder_is_told(site: Site) -> None:
    assert problem(".") == ".: this is a folder, not a file"


def test_what_is_below_a_file_is_told(site: Site) -> None:
    write("", "x.toml")
    assert problem("x.toml/y.toml") == "x.toml/y.toml: cannot be read: Not a directory"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_may_not_be_read_is_told(site: Site) -> None:
    write("", "x.toml")
    Path("x.toml").chmod(0)
    assert problem("x.toml") == "x.toml: cannot be read: Permission denied"


def test_a_name_that_no_file_can_have_is_told(site: Site) -> None:
    assert problem("a\0b") == "a\\x00b: cannot be read: embedded null byte"
    assert problem("x" * 5_000).endswith("x...: cannot be read: File name too long")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a = 1\nb = '\xff'", "line 2 is not UTF-8: byte 0xff"),
        ("a = 1".encode("utf-16"), "line 1 is not UTF-8: byte 0xff"),
        (b"a = 1\nb = = 2", "is not TOML: Invalid value (at line 2, column 5)"),
        (b"a = 'x", 'is not TOML: Expected "\'" (at end of document)'),
        (b"a = 1\na = 2", "is not TOML: Cannot overwrite a value (at end of document)"),
        (b"[a.b]\n[a.b]", "is not TOML: Cannot declare ('a', 'b') twice (at line 2, column 5)"),
        (b"a = \x1b[2J", "is not TOML: Invalid value (at line 1, column 5)"),
        (b"a = 2020-13-01", "is not TOML: Expected newline or end of document after a statement (at line 1, column 9)"),
        (b"\0", "is not TOML: Invalid statement (at line 1, column 1)"),
    ],
)
def test_what_is_not_toml_is_told_with_its_place(site: Site, content: bytes, words: str) -> None:
    assert of_bytes(content) == f"x.toml: {words}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a = " + b"[" * 100_000, "is nested too deep"),
        (b"a = 1" + b"0" * 10_000, "is not TOML: Exceeds the limit"),
        (b"#" * (1024 * 1024 + 1), "is larger than 1048576 bytes; a config file is not"),
    ],
    ids=["deep", "digits", "large"],
)
def test_what_would_cost_too_much_is_refused(site: Site, content: bytes, words: str) -> None:
    assert of_bytes(content).startswith(f"x.toml: {words}")


def test_an_endless_file_is_refused(site: Site) -> None:
    assert problem("/dev/zero") == "/dev/zero: is larger than 1048576 bytes; a config file is not"


def test_a_byte_order_mark_and_crlf_are_fine(site: Site) -> None:
    Path("x.toml").write_bytes(b"\xef\xbb\xbfdefaults = false\r\n[plugins.shell]\r\n")
    config = load_config("x.toml", environment={})
    assert (config.defaults, [one.name for one in config.plugins]) == (False, ["shell"])


def test_a_file_is_found_only_where_it_was_said_to_be(site: Site) -> None:
    write("defaults = false")
    assert load_config(None, environment={}).defaults is True


def test_many_unknown_tables_are_told_at_once(site: Site) -> None:
    content = "".join(f"[plugins.x{number}]\ny = 1\n" for number in range(20_000))
    with pytest.raises(ConfigError) as caught:
        load_config(write(content), environment={})
    assert len(caught.value.problems) == 101
