"""Random trees, contents and expressions, hostile on purpose, and a ripgrep to search them with."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from trio_tools.toolkits.files._engine import choose_engine
from trio_tools.toolkits.files._ripgrep import Ripgrep


def the_ripgrep() -> Ripgrep:
    """The one that the extra `test` brings. Skips where the kernel cannot shut it in; fails where it is not there."""
    found = _found()
    if isinstance(found, RuntimeError):
        if "Linux 5.13" in str(found):
            pytest.skip(str(found))
        raise found
    return found


@cache
def _found() -> Ripgrep | RuntimeError:
    try:
        found = choose_engine("ripgrep")
    except RuntimeError as error:
        return error
    assert found is not None
    return found


# what lines are made of: few letters, that they match; every line end; what is not UTF-8, and what nearly is
_PIECES = [
    *(b"a", b"b", b"ab", b"aab ", b"_", b" ", b"\t", b"=", b"(", b"A", b"\xc3\xa9", b"\xc3\x89", b"\xe6\x97\xa5"),
    *(b"\n", b"\n", b"\r\n", b"\r", b"\r\r\n", b"\n\n", b"\v", b"\f", b"\x1c", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8"),
    *(b"\xff", b"\xc3", b"\xe6\x97", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"\x1b[2J", b"a" * 300),
]
_LONG = [b"a" * 5_000, b"ab " * 20_000, b"\xe6\x97\xa5" * 700, b"x" * 130_000, b"a" * 131_072 + b"b", b"\0"]
CONTENTS = st.builds(
    bytes.__add__,
    st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"\xff\xfea\0b\0"]),
    st.lists(st.sampled_from(_PIECES) | st.sampled_from(_PIECES + _LONG), max_size=14).map(b"".join),
)

_NAMES = [
    *(b"a", b"b.py", b"c.txt", b".hidden", b"-e", b"two\nlines", b"./a", b"rg: x: no (os error 13)", b"caf\xe9.py"),
    *(b"caf\xc3\xa9", b"{a,b}", b"[x]", b"*", b"\\", b"1\n2", b"!a", b" ", b".git", b".gitignore", b"x.PY", b":0:"),
]
_FOLDERS = [b"sub", b"sub/deep", b".git", b"sub/.git", b"sub/CVS/x", b".github", b"d.py", b"new\nline", b"\xff"]


def _place(folder: bytes, name: bytes) -> bytes:
    return b"/".join(one for one in (folder, name.replace(b"/", b"")) if one)


PLACES = st.builds(_place, st.sampled_from([b"", *_FOLDERS]), st.sampled_from(_NAMES))
TREES = st.dictionaries(PLACES, CONTENTS, min_size=1, max_size=12)

_ATOMS = [
    *("a", "b", "ab", "A", ".", "é", "日", "_", " ", "=", "\\(", "\\t", "\\x41", "\\u00e9", "\\\\", "{", "}"),
    *(
        "\\w",
        "\\W",
        "\\d",
        "\\D",
        "\\s",
        "\\S",
        "\\b",
        "^",
        "$",
        "[ab]",
        "[^a]",
        "[a-z]",
        "[^\\w\\s]",
        "[\\W_]",
        "[é-日]",
    ),
    *("[\\x00-\\x1f]", "[^\\x00-\\x7f]", "\\x85", "\\ufeff", "\\ufffd", "[-a]", "[]-]".replace("]-", "\\]-")),
]


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    times = st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{2,}", "{,2}", "{300}"])
    return (
        st.lists(inner, min_size=2, max_size=4).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format)
        | st.builds("(?:{}){}".format, inner, times)
    )


EXPRESSIONS = st.builds(
    str.__add__, st.sampled_from(["", "", "", "(?i)"]), st.recursive(st.sampled_from(_ATOMS), _larger)
)
INCLUDES = st.sampled_from(
    [
        None,
        None,
        "*",
        "*.py",
        "**/*",
        "sub/*",
        "sub/**",
        "*.{py,txt}",
        "[a-c]*",
        "\\*",
        "?",
        "{a,b.py}",
        "**/d*/**",
        "a*/.",
        "./a",
        "!x",
    ]
)


def plant(root: Path, tree: dict[bytes, bytes]) -> None:
    """Write the files that fit: one whose folder is a file already is left out."""
    for place, content in tree.items():
        path = os.path.join(os.fsencode(root), place)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
