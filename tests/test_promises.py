"""Every promise has a test, and every id that a test names is a promise."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path

import pytest
from promises import CASES, CITABLE, DECISIONS, GAPS, RULES

TESTS = Path(__file__).parent
MANIFEST = {**RULES, **DECISIONS, **CASES}

# Tests of a case: itself, and three variants beyond its letter, since its whole kind must come out right.
TESTS_OF_A_CASE = 4
# Characters below which a reason for a gap says nothing.
REASON = 15

# Not \b: in a test's name the neighbour is an underscore, and an id may end a word there.
_ID = re.compile(r"(?<![A-Za-z0-9])([RTLMBF][0-9]{3}|[RTLMBX]T[0-9]{1,2}b?|D[0-9]{1,2})(?![A-Za-z0-9])")
_ID_IN_NAME = re.compile(_ID.pattern, re.IGNORECASE)
_CASE = re.compile(r"(?<![a-z0-9])cases?[\s_]+b([0-9]{2})(?![0-9])", re.IGNORECASE)


def ids_in(text: str, *, is_name: bool = False) -> set[str]:
    """The ids that a docstring names, or, in either case of letters, a test's name."""
    plain = (_ID_IN_NAME if is_name else _ID).findall(text)
    ids = {one[:-1].upper() + "b" if one[-1] in "bB" else one.upper() for one in plain}
    return ids | {f"case B{number}" for number in _CASE.findall(text)}


def _size(values: ast.expr) -> int:
    """How many there are in a literal list; what is computed counts for one."""
    if isinstance(values, ast.List | ast.Tuple) and not any(isinstance(one, ast.Starred) for one in values.elts):
        return len(values.elts)
    return 1


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """How many tests its parametrize decorators make of one."""
    marks = [one for one in node.decorator_list if isinstance(one, ast.Call)]
    return prod(
        _size(values)
        for mark in marks
        if ast.unparse(mark.func).endswith("mark.parametrize")
        for values in [*mark.args[1:2], *(keyword.value for keyword in mark.keywords if keyword.arg == "argvalues")]
    )


def _tests(
    tree: ast.Module | ast.ClassDef, around: frozenset[str], times: int
) -> Iterator[tuple[str, frozenset[str], int]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            words = ids_in(ast.get_docstring(node) or "") | ids_in(node.name, is_name=True)
            yield from _tests(node, around | words, times * _parameters(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            words = ids_in(ast.get_docstring(node) or "") | ids_in(node.name, is_name=True)
            yield node.name, around | words, times * _parameters(node)


def found_in(source: str) -> list[tuple[str, frozenset[str], int]]:
    """Each test of a source: its name, the ids that it or its class names, and how many tests its parameters make."""
    return list(_tests(ast.parse(source), frozenset(), 1))


def cited(sources: Iterable[str]) -> Counter[str]:
    """How many tests name each id."""
    count: Counter[str] = Counter()
    for source in sources:
        for _, ids, times in found_in(source):
            count.update(dict.fromkeys(ids, times))
    return count


def untested(manifest: Iterable[str], gaps: Mapping[str, str], count: Mapping[str, int]) -> list[str]:
    return [one for one in manifest if one not in gaps and not count.get(one)]


def closed_gaps(gaps: Mapping[str, str], count: Mapping[str, int]) -> list[str]:
    return [one for one in gaps if count.get(one)]


def unknown(manifest: Iterable[str], count: Mapping[str, int]) -> list[str]:
    return sorted(set(count) - set(manifest) - CITABLE)


def thin_cases(cases: Iterable[str], count: Mapping[str, int]) -> list[str]:
    return [f"{one}: {count.get(one, 0)}" for one in cases if count.get(one, 0) < TESTS_OF_A_CASE]


@pytest.fixture(scope="module")
def count() -> Counter[str]:
    """What the tests of this repository name."""
    return cited(path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("*.py")))


def _expect_none(what: str, ids: list[str]) -> None:
    if ids:
        pytest.fail(f"{what} ({len(ids)}): {', '.join(ids)}", pytrace=False)


def test_every_promise_has_a_test_or_a_reason(count: Counter[str]) -> None:
    _expect_none("no test names", untested(MANIFEST, GAPS, count))


def test_no_gap_has_a_test(count: Counter[str]) -> None:
    _expect_none("tested by now, take them off GAPS", closed_gaps(GAPS, count))


def test_no_test_names_what_is_no_promise(count: Counter[str]) -> None:
    _expect_none("named by tests, but not in the manifest", unknown(MANIFEST, count))


def test_every_case_is_tested_beyond_its_letter(count: Counter[str]) -> None:
    _expect_none(f"fewer than {TESTS_OF_A_CASE} tests of", thin_cases(CASES, count))


def test_every_gap_is_a_promise_and_has_a_reason() -> None:
    assert GAPS.keys() <= MANIFEST.keys()
    assert [one for one, reason in GAPS.items() if len(reason.strip()) < REASON] == []


def test_the_manifest_is_whole_and_each_promise_is_another() -> None:
    assert Counter(one[0] for one in RULES) == {"R": 70, "T": 24, "L": 24, "M": 9, "B": 35, "F": 11}
    assert list(DECISIONS) == [f"D{number}" for number in range(1, 31)]
    titles = [*RULES.values(), *DECISIONS.values(), *CASES.values()]
    assert [title for title in titles if not title.strip()] == []
    assert [title for title, times in Counter(titles).items() if times > 1] == []
    assert all(ids_in(one) == {one} for one in MANIFEST)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def test_r900_holds(): ...", {"R900": 1}),
        ("async def test_x():\n    '''Proves R900, T901 and (D77).'''", {"R900": 1, "T901": 1, "D77": 1}),
        ("def test_x_case_b77(): ...", {"case B77": 1}),
        ("def test_x():\n    '''As in case B77: no.'''", {"case B77": 1}),
        ("class TestA:\n    '''R900'''\n    def test_x(self): ...\n    def test_y(self): ...", {"R900": 2}),
        ("@pytest.mark.parametrize('a', [1, 2, 3])\ndef test_case_b77(a): ...", {"case B77": 3}),
        (
            "@mark.parametrize('a', (1, 2))\n@mark.parametrize('b', [1, 2])\ndef test_case_b77(a, b): ...",
            {"case B77": 4},
        ),
        ("@pytest.mark.parametrize('a', range(9))\ndef test_case_b77(a): ...", {"case B77": 1}),
        ("@pytest.mark.parametrize('a', [*many])\ndef test_case_b77(a): ...", {"case B77": 1}),
        ("def test_tt99b():\n    '''RT98'''", {"TT99b": 1, "RT98": 1}),
    ],
)
def test_what_a_test_names_is_found(source: str, found: dict[str, int]) -> None:
    assert cited([source]) == found


@pytest.mark.parametrize(
    "source",
    [
        "'''R900'''\n# R900\nR900 = 'case B77'",
        "def r900_but_no_test():\n    '''R900'''",
        "def test_x():\n    'R900' == R900",
        "def test_x():\n    '''PR900, R9001, R90, B77, FB077, r900, 3D99, UTF16D12x.'''",
    ],
)
def test_what_no_test_names_is_not_found(source: str) -> None:
    assert cited([source]) == {}


def test_each_check_finds_what_it_is_for() -> None:
    count = cited(["def test_r900(): ...\ndef test_case_b77(): ...\ndef test_rt3(): ..."])
    assert untested(["R900", "R901", "R902"], {"R902": "later work"}, count) == ["R901"]
    assert closed_gaps({"R900": "later work", "R902": "later work"}, count) == ["R900"]
    assert unknown(["R900"], count) == ["case B77"]
    assert thin_cases(["case B77", "case B78"], count) == ["case B77: 1", "case B78: 0"]
    assert thin_cases(["case B77"], {"case B77": TESTS_OF_A_CASE}) == []
