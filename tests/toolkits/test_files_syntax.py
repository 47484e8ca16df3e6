"""The regular expressions of `grep`: what they mean, what is refused, and that each engine is told the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_trees import EXPRESSIONS

from trio_tools.toolkits.files._expression import Expression, compile_expression

REFUSED = {
    "(": "a ( is never closed",
    "a)": "a ) closes nothing",
    "[a": "a [ is never closed",
    "[]a]": "[] is an empty class",
    "[[:alpha:]]": "[:alpha:] is not known here",
    "[a&&b]": "&& stands in a class",
    "[b-a]": "[b-a has a range that does not run from low to high",
    "[a-\\w]": "has a range that does not run from low to high",
    "*": "there is nothing for * to repeat",
    "a|+": "there is nothing for + to repeat",
    "^*": "a beginning or an end cannot be repeated",
    "a**": "a repetition is followed by another, *",
    "a*+": "a repetition is followed by another, +",
    "a{2}{3}": "a repetition is followed by another",
    "a{2,1}": "{2,1} runs backwards",
    "a{1001}": "more than 1,000 times",
    "(a{100}){100}": "come to more than 1,000 characters",
    "(" * 60 + ")" * 60: "nested more than 40 deep",
    "(?=a)": "(?= opens look-ahead, which is not known here",
    "(?<!a)": "(?<! opens look-behind",
    "(?P<n>a)": "(?P< opens a group with a name",
    "(?>a)": "(?> opens an atomic group",
    "a(?i)": "(?i) is not known here, except for (?i) at the very beginning",
    "(?x)a": "(?x) is not known here",
    "(a)\\1": "\\1 is a reference back",
    "\\": "it ends in a backslash",
    "\\Aa": "\\A is not known here. Write ^",
    "a\\Z": "\\Z is not known here. Write $",
    "\\Ba": "\\B is not known here",
    "\\<a": "\\< is not known here. Write < or \\b",
    "\\pL": "\\p is not known here",
    "a\\nb": "\\n is in no line",
    "a\nb": "'\\n' is not in any line of text",
    "[\\x00]": "is not in any line of text",
    "\\xg0": "\\xg0 is not a character",
    "\\U00110000": "is not a character",
    "[\\b]": "\\b stands in a class",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_engines_read_differently_is_refused_by_name(pattern: str) -> None:
    """F009: the message says which piece it is, and mostly what to write instead."""
    with pytest.raises(ValueError, match=re.escape(REFUSED[pattern])):
        compile_expression(pattern)


@pytest.mark.parametrize(
    ("pattern", "line", "found"),
    [
        ("function () {", "function  {", True),
        (r"function \(\) {", "function () {", True),
        ("x{1,}y", "xxy", True),
        ("x{,2}y", "y", True),
        ("x{a}", "x{a}", True),
        ("a{2}", "a{2}", False),
        ("}]", "}]", True),
        (r"\.py$", "a.py", True),
        (r"\.py$", "a.pyc", False),
        (r"\w", "é", False),
        (r"\W", "é", True),
        ("^.$", "\U0001f600", True),
        ("(?i)été", "ÉTÉ", True),
        ("(?i)[^a]", "A", False),
        ("[a-]", "-", True),
        (r"[\w-]", "-", True),
        ("a|", "b", True),
        ("()", "", True),
        (r"\x41\u00e9", "Aé", True),
        ("a??b", "b", True),
        (r"\ba", "éa", True),
    ],
)
def test_what_an_expression_means(pattern: str, line: str, found: bool) -> None:
    """F008: braces that repeat nothing are themselves, classes with a name are of ASCII."""
    assert (compile_expression(pattern).find(line) >= 0) is found


LINES = st.lists(st.sampled_from("aab _=(A\té日\r\ufeff\udcff\x85"), max_size=12).map("".join)


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, st.lists(LINES, min_size=1, max_size=5))
def test_the_automaton_finds_what_re_finds(pattern: str, lines: list[str]) -> None:
    """F009: which of the two looks at a line is decided by its length, and must not be seen."""
    try:
        expression = compile_expression(pattern)
    except ValueError:
        return
    for line in lines:
        found = expression.plain.search(line)
        place = expression.automaton.find(line)
        assert (found is None) == (place < 0)
        if found is not None:
            assert line.rfind("\r", 0, found.start()) == line.rfind("\r", 0, place)
            assert expression.literal in line.encode(errors="surrogateescape")


@pytest.mark.parametrize(
    ("pattern", "literal", "quick"),
    [
        (r"def \w+\(", b"def ", 4_000),
        (r"^\s*import\s+\w+", b"import", 4_000),
        (r"(foo|bar)baz", b"baz", 1_000),
        ("a*a*a*b", b"b", 20),
        ("(a+)+bc", b"bc", 0),
        ("a?" * 30 + "b", b"b", 0),
        ("(?i)a", b"", 4_000),
    ],
)
def test_re_is_asked_where_it_is_surely_quick(pattern: str, literal: bytes, quick: int) -> None:
    """F009: for lines of about so many characters; longer ones are the automaton's."""
    expression: Expression = compile_expression(pattern)
    assert expression.literal == literal
    assert quick <= expression.longest <= quick * 6


def test_an_automaton_forgets_before_it_grows_large() -> None:
    """F009: a text of ever new characters costs time, not memory."""
    expression = compile_expression("(.)+x{3}y")
    text = "".join(map(chr, range(0x4E00, 0x9000))) * 4
    assert expression.automaton.find(text + "xxxy") == len(text) + 4
    assert expression.automaton.moves <= 50_000
