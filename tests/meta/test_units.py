"""Numbers say their unit: constants in a comment, floats in words."""

import ast
import re

import pytest
from house import FUNCTIONS, comments_of, dotted, expect_none, modules, tree_of, walk
from surface import Shown, is_marked, seeded, shown

# Characters of a comment, below which it gives a number no reason.
REASON = 15

_UNITS = re.compile(r"\b(milli)?seconds?\b|\bbytes?\b|\bcharacters?\b|\bunits?\b")


def _is_number(value: ast.expr | None) -> bool:
    """A number, or one computed of numbers."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    return isinstance(value, ast.BinOp) and _is_number(value.left) and _is_number(value.right)


def _reason(node: ast.stmt, comments: dict[int, str], lines: list[str]) -> str:
    """The comments on the lines of a statement, and the block of comment lines right above it."""
    texts = [comments.get(line, "") for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
    line = node.lineno - 1
    while line in comments and lines[line - 1].lstrip().startswith("#"):
        texts.append(comments[line])
        line -= 1
    return " ".join(text for text in texts if not text.startswith(("type:", "pyright:", "noqa")))


def bare_numbers(path: str, source: str) -> list[str]:
    """Module-level numbers without a comment on what they count, and why so many."""
    lines = source.splitlines()
    found: list[str] = []
    for node in tree_of(source).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not _is_number(node.value):
            continue
        comments = comments_of(source)
        if len(_reason(node, comments, lines)) < REASON:
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            found.append(f"{path}:{node.lineno}: {name} is a number without a unit or a reason")
    return found


def _is_float(annotation: ast.expr | None) -> bool:
    if annotation is None:
        return False
    text = ast.unparse(annotation).strip("'\"")
    parts = {part.strip() for part in re.sub(r"^(typing\.)?(Optional|Final|ClassVar)\[(.*)\]$", r"\3", text).split("|")}
    return "float" in parts and parts <= {"float", "int", "None"}


def _fields(one: ast.ClassDef) -> list[tuple[str, int]]:
    return [
        (dotted(node.target), node.lineno)
        for node in one.body
        if isinstance(node, ast.AnnAssign) and _is_float(node.annotation)
    ]


def _parameters(one: Shown) -> list[tuple[str, int]]:
    """Float parameters of a function, and a float property, which is a field to its user."""
    if not isinstance(one.node, FUNCTIONS):
        return []
    given = one.node.args
    found = [
        (arg.arg, arg.lineno)
        for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)
        if _is_float(arg.annotation)
    ]
    if is_marked(one.node, "property", "cached_property") and _is_float(one.node.returns):
        found.append((one.node.name, one.node.lineno))
    return found


def unitless_floats(one: Shown, source: str) -> list[str]:
    """Floats that are shown, and neither their name nor the words at them say of what."""
    floats = _fields(one.node) if isinstance(one.node, ast.ClassDef) else _parameters(one)
    return [
        f"{one.place}: {name} is a float of no unit"
        for name, line in floats
        if not name.startswith("_")
        and not name.endswith(("_seconds", "_bytes"))
        and name != "seconds"
        and not _UNITS.search(f"{one.words} {comments_of(source).get(line, '')}")
    ]


def test_constants_say_what_they_count() -> None:
    expect_none(walk(bare_numbers, "trio_tools"))


def test_floats_that_are_shown_say_their_unit() -> None:
    sources = modules("trio_tools")
    expect_none([found for one in shown(sources) for found in unitless_floats(one, sources[one.path])])


@pytest.mark.parametrize(
    "line",
    [
        "GRACE = 5",
        "GRACE: Final = -5.0",
        "GRACE = 2**10  # seconds",
        "GRACE = 5  # type: ignore[assignment]",
        "# seconds: what a redactor may take\n\nGRACE = 5",
        "OTHER = f()  # seconds: what a redactor may take\nGRACE = 5",
    ],
)
def test_a_bare_number_is_found(line: str) -> None:
    assert len(bare_numbers("x.py", line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "GRACE = 5  # seconds: what a redactor may take",
        "# seconds\n# what a redactor may take\nGRACE = 5",
        "GRACE = (\n    5  # seconds: what a redactor may take\n)",
        "DEBUG = True\nNAME = 'a'\nTABLE = {1: 2}\ndef f():\n    a = 5",
    ],
)
def test_an_explained_number_is_let_through(line: str) -> None:
    assert bare_numbers("x.py", line) == []


def _find(body: str) -> list[str]:
    return [found for one in seeded(body) for found in unitless_floats(one, body)]


@pytest.mark.parametrize(
    "body",
    [
        "def f(limit: float) -> None:\n    '''Wait.'''",
        "async def f(*, limit: 'float | None' = None) -> None:\n    '''Wait for a secondary limit.'''",
        "class A:\n    '''In seconds.'''\n    def f(self, limit: Optional[float]) -> None: ...",
        "class A:\n    '''A thing.'''\n    limit: float | None = None",
        "class A:\n    '''A thing.'''\n    def __init__(self, limit: float): ...",
        "class A:\n    '''A thing.'''\n    @property\n    def limit(self) -> float:\n        '''The limit.'''",
    ],
)
def test_a_float_without_a_unit_is_found(body: str) -> None:
    assert len(_find(body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "def f(limit: float) -> None:\n    '''Wait `limit` seconds.'''",
        "def f(limit_seconds: float, size_bytes: float, seconds: float) -> None:\n    '''Wait.'''",
        "class A:\n    '''A thing.'''\n    limit: float  # seconds since the start",
        "class A:\n    '''Waits `limit` seconds.'''\n    limit: float\n    def __init__(self, limit: float): ...",
        "def f(value: JSONValue, read: Callable[[float], float], data: list[float] | float) -> float:\n    '''Read.'''",
        "def _f(limit: float) -> None: ...\nclass A:\n    '''A thing.'''\n    def _f(self, limit: float): ...",
    ],
)
def test_a_float_with_a_unit_is_let_through(body: str) -> None:
    assert _find(body) == []
