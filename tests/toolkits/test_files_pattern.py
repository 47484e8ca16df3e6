"""Glob patterns: what they mean, what they refuse, and that none is expensive."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trio_tools.toolkits.files._pattern import Pattern, compile_pattern
from trio_tools.values import ToolError


def inside(parts: Sequence[str]) -> list[str] | None:
    """As of a root at /home/root."""
    return list(parts[2:]) if list(parts[:2]) == ["home", "root"] else None


def matches(pattern: Pattern, path: str, top: Sequence[str] = ()) -> bool:
    """Whether a walk from `top` would come by a file of this path, and take it."""
    *folders, name = path.split("/")
    positions = pattern.start(top)
    for one in folders:
        positions = pattern.enter(positions, one)
    return bool(pattern.matcher(positions)(name))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", ".py", ".hidden.py"], ["a.pyc", "d/a.py", "apy"]),
        ("**/*.py", ["a.py", "d/a.py", "d/e/f/a.py"], ["d/a.pyc"]),
        ("**", ["a", "d/a", ".d/.a"], []),
        ("src/**", ["src/a", "src/d/a"], ["src", "a", "d/src/a"]),
        ("src/**/test/*.py", ["src/test/a.py", "src/d/e/test/a.py"], ["src/a.py", "src/test/d/a.py"]),
        ("**/a/**/b/**", ["a/b/x", "1/a/2/b/3/x", "a/a/b/b/x"], ["a/b", "b/a/x"]),
        ("**/**/x", ["x", "a/x", "a/b/x"], ["x/a"]),
        ("./a//b", ["a/b"], ["a"]),
        ("a?c", ["abc", "a\nc", "aéc"], ["ac", "abbc"]),
        ("a*b*c", ["abc", "axxbyyc", "abcbc"], ["acb", "ab"]),
        ("*a*a*", ["aa", "xaxax"], ["a", "xax"]),
        ("[a-cx]1", ["a1", "c1", "x1"], ["d1", "-1"]),
        ("[!a-c]1", ["d1", "!1"], ["a1"]),
        ("[^a]1", ["b1"], ["a1"]),
        ("[]]1", ["]1"], ["[1"]),
        ("[!]]1", ["a1"], ["]1"]),
        ("[a-]1", ["a1", "-1"], ["b1"]),
        ("[[&&~~||]1", ["[1", "&1", "~1", "|1"], ["a1"]),
        ("a.b+(c)$", ["a.b+(c)$"], ["axb+(c)$", "a.bb(c)"]),
        ("*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.t", "a.{ts,tsx}"]),
        ("{src,test/unit}/**/*.c", ["src/a.c", "test/unit/d/a.c"], ["test/a.c"]),
        ("{a,b{c,d}}x", ["ax", "bcx", "bdx"], ["bx", "cx"]),
        ("{a,**/b}", ["a", "b", "x/b", "x/y/b"], ["x/a"]),
        ("{,a}b", ["b", "ab"], ["a"]),
        ("[{,]a", ["{a", ",a"], ["a"]),
        (r"\*\{\[\!", ["*{[!"], ["a{[!"]),
        (r"a\\b", ["a\\b"], ["ab"]),
        (r"\!x", ["!x"], ["x"]),
        ("/home/root/src/*", ["src/a"], ["a", "home/root/src/a"]),
        ("{/home/root/a,b}", ["a", "b"], []),
    ],
)
def test_patterns_mean(pattern: str, yes: list[str], no: list[str]) -> None:
    """F008: `*`, `?`, classes, `**`, alternatives and escapes; names beginning with a dot are nothing special."""
    compiled = compile_pattern(pattern, inside)
    assert [path for path in (*yes, *no) if matches(compiled, path)] == yes


def test_an_absolute_pattern_counts_from_the_root() -> None:
    """F008: a relative one from the directory that is searched."""
    compiled = compile_pattern("{/home/root/src/**/a,b/a}", inside)
    assert matches(compiled, "x/a", ["src"])
    assert matches(compiled, "b/a", ["other"])
    assert not matches(compiled, "x/a", ["other"])


def test_a_pattern_without_a_slash_may_match_anywhere() -> None:
    """F008: as `include` of grep does."""
    compiled = compile_pattern("{*.py,docs/*.md}", inside, anywhere=True)
    assert matches(compiled, "a/b/c.py")
    assert matches(compiled, "docs/a.md")
    assert not matches(compiled, "x/docs/a.md")


def test_folders_that_cannot_hold_a_match_are_not_entered() -> None:
    """F008: so that `src/*.py` does not list the whole tree."""
    compiled = compile_pattern("{src/*.py,a/b}", inside)
    start = compiled.start(())
    assert compiled.enter(start, "src")
    assert not compiled.enter(start, "node_modules")
    assert not compiled.enter(compiled.enter(start, "src"), "x.py")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "is empty"),
        ("!*.py", "cannot exclude"),
        ("[a", "[ is never closed"),
        ("a/[b/c]", "[ is never closed"),
        ("[z-a]", "runs backwards"),
        ("{a,b", "{ is never closed"),
        ("a}b", "} closes nothing"),
        ("a\\", "ends in a backslash"),
        ("src/", "names a directory"),
        ("src/.", "names a directory"),
        ("*/.", "names a directory"),
        ("{a,b/./}", "names a directory"),
        (".", "names a directory"),
        ("/home/root", "names a directory"),
        ("x" * 1_001, "longer than 1,000"),
        ("{a,b}" * 10, "more than 64 patterns"),
        ("{" * 300 + "}" * 299, "{ is never closed"),
    ],
)
def test_bad_patterns_are_refused(pattern: str, why: str) -> None:
    """F009: with a code, and what is wrong with them."""
    with pytest.raises(ToolError) as caught:
        compile_pattern(pattern, inside)
    assert caught.value.code == "SEARCH_INVALID_PATTERN"
    assert why in caught.value.message


@pytest.mark.parametrize(
    "pattern", ["../*", "a/../../b", "/etc/*", "/home/rooted/*", "{a,/etc/passwd}", "/home/root/../*"]
)
def test_patterns_do_not_lead_out(pattern: str) -> None:
    """F003: neither upwards nor to another place."""
    with pytest.raises(ToolError) as caught:
        compile_pattern(pattern, inside)
    assert caught.value.code == "FS_OUTSIDE_ROOT"


def test_no_pattern_is_expensive() -> None:
    """F008: a row of stars would take a backtracking matcher years."""
    assert not matches(compile_pattern("*a" * 100 + "b", inside), "a" * 255)
    assert not matches(compile_pattern("**/a/" * 100 + "b", inside), "a/" * 255 + "c")
    assert matches(compile_pattern("{" * 400 + "a" + "}" * 400, inside), "a")


ATOMS = st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "**", "/"]), min_size=1, max_size=8)


def naive(pattern: str) -> re.Pattern[str]:
    """The same meaning as one backtracking expression."""
    rest = "/".join(part for part in pattern.split("/") if part)
    rest = re.sub(r"(?<![^/])\*\*(?=/)", "\1", rest)
    rest = re.sub(r"(?<![^/])\*\*\Z", "\2", rest)
    rest = re.sub(r"\*+", "[^/]*", rest.replace("[!a]", "\3")).replace("?", "[^/]")
    return re.compile(rest.replace("\1/", "(?:[^/]+/)*").replace("\2", "(?:[^/]+/)*[^/]+").replace("\3", "[^a/]"))


@given(ATOMS, st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4))
def test_walking_agrees_with_an_expression_of_the_whole_path(atoms: list[str], names: list[str]) -> None:
    """F008: carrying positions along finds the same files as matching whole paths."""
    pattern, path = "".join(atoms).strip("/"), "/".join(names)
    if pattern:
        assert matches(compile_pattern(pattern, inside), path) == bool(naive(pattern).fullmatch(path))
