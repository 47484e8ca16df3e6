"""Words at the doors: what is shown has a docstring, which says what cancelling does and what is raised."""

import ast
import re
from collections.abc import Callable
from typing import TypeAlias

import pytest
from house import FUNCTIONS, dotted, expect_none, modules
from surface import Shown, is_dunder, is_marked, seeded, shown

ShownChecker: TypeAlias = Callable[[Shown], list[str]]

# What a plain function gives back that is to be awaited or entered.
_AWAITED = re.compile(r"\b(Awaitable|Coroutine|Async(Iterator|Iterable|Generator)|(Abstract)?AsyncContextManager)\b")
# Raised by us at our own mistakes, which no caller is to expect.
_OUR_FAULT = {"AssertionError"}


def without_docstring(one: Shown) -> list[str]:
    """Shown, and not a word on it. Dunders have theirs from the language; of a private base only the methods show."""
    if one.node.name.startswith("_") or ast.get_docstring(one.node):
        return []
    return [f"{one.place} has no docstring"]


def _is_async(one: Shown) -> bool:
    if isinstance(one.node, ast.ClassDef):
        return False  # its methods are looked at one by one
    if isinstance(one.node, ast.AsyncFunctionDef) or is_marked(one.node, "asynccontextmanager"):
        return True
    return one.node.returns is not None and bool(_AWAITED.match(ast.unparse(one.node.returns).strip("'\"")))


def silent_on_cancellation(one: Shown) -> list[str]:
    """Async, and no word on what a cancel in the middle of it does."""
    if not _is_async(one) or "**Cancellation**" in one.words:
        return []
    return [f"{one.place} is async and has no **Cancellation** part"]


def _raised(node: ast.AST) -> set[str]:
    """The classes of explicit raises, nested functions included, those caught again on the spot not."""
    names: set[str] = set()
    if isinstance(node, ast.Try | ast.TryStar):
        inside = {name for one in node.body for name in _raised(one)}
        caught = {dotted(part) for one in node.handlers if one.type for part in ast.walk(one.type)}
        rest = [*node.handlers, *node.orelse, *node.finalbody]
        return (inside - caught).union(*(_raised(one) for one in rest))
    if isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = dotted(raised).split(".")[-1]
        if name[:1].isupper() and name not in _OUR_FAULT:
            names.add(name)
    return names.union(*(_raised(child) for child in ast.iter_child_nodes(node)))


def silent_on_raises(one: Shown) -> list[str]:
    """Raises by name what its words do not name."""
    is_init = one.node.name in {"__init__", "__attrs_post_init__", "__new__", "__call__"}
    if not isinstance(one.node, FUNCTIONS) or (one.owner is not None and is_dunder(one.node.name) and not is_init):
        return []
    missing = [name for name in sorted(_raised(one.node)) if not re.search(rf"\b{name}\b", one.words)]
    return [f"{one.place} raises {name} and does not say so" for name in missing]


@pytest.mark.parametrize("checker", [without_docstring, silent_on_cancellation, silent_on_raises])
def test_what_is_shown_is_explained(checker: ShownChecker) -> None:
    expect_none([problem for one in shown(modules("trio_tools")) for problem in checker(one)])


def test_the_surface_is_seen() -> None:
    names = {one.name for one in shown(modules("trio_tools"))}
    assert {
        "ToolCall",
        "ToolCall.__attrs_post_init__",
        "tool",
        "ToolContext.execute",
        "_AnyContext.report_progress",
    } <= names


def test_the_surface_follows_doors_bases_and_last_definitions() -> None:
    sources = {
        "trio_tools/__init__.py": "from trio_tools.x import A\n__all__ = ['A']",
        "trio_tools/x/__init__.py": "from trio_tools.x._y import A\n__all__ = ['A']",
        "trio_tools/x/_y.py": "from ._z import Base\nclass A(Base[int], Out):\n    def b(self): ...\ndef _c(): ...",
        "trio_tools/x/_z.py": (
            "class Base:\n    def c(self): ...\n    @c.setter\n    def c(self): ...\n    def _d(self): ..."
        ),
    }
    assert [one.name for one in shown(sources)] == ["A", "A.b", "Base", "Base.c"]
    overloads = "@overload\ndef f(): ...\n@overload\ndef f(a): ...\ndef f(a=1): ..."
    assert [one.node.lineno for one in seeded(overloads)] == [5]


def _find(checker: ShownChecker, body: str) -> list[str]:
    return [problem for one in seeded(body) for problem in checker(one)]


CLASS = 'class A:\n    """A thing.{words}"""\n'
SEEDED: list[tuple[ShownChecker, str]] = [
    (without_docstring, "def f(): ..."),
    (without_docstring, "class A: ..."),
    (without_docstring, CLASS + "    def f(self): ..."),
    (without_docstring, CLASS + "    @property\n    def f(self): ..."),
    (silent_on_cancellation, "async def f():\n    '''Cancels well.'''"),
    (silent_on_cancellation, "@asynccontextmanager\nasync def f():\n    '''Open it.'''\n    yield"),
    (silent_on_cancellation, "def f() -> AbstractAsyncContextManager[int]:\n    '''Open it.'''"),
    (silent_on_cancellation, "def f() -> 'Awaitable[int]':\n    '''Wait for it.'''"),
    (silent_on_cancellation, CLASS + "    async def f(self): ..."),
    (silent_on_cancellation, CLASS + "    async def __aenter__(self): ..."),
    (silent_on_raises, "def f():\n    '''Does it.'''\n    raise ValueError('no')"),
    (silent_on_raises, "def f():\n    '''Raises OtherValueError.'''\n    raise ValueError"),
    (silent_on_raises, "def f():\n    '''Does it.'''\n    def g():\n        raise x.NotJSON('no')"),
    (
        silent_on_raises,
        "def f():\n    '''Does it.'''\n    try:\n        pass\n    except A:\n        raise B from None",
    ),
    (silent_on_raises, CLASS + "    def __init__(self):\n        raise TypeError('no')"),
    (
        silent_on_raises,
        CLASS.replace("{words}", " Raises `TypeError`.") + "    def f(self):\n        raise TypeError('no')",
    ),
]
GOOD: list[tuple[ShownChecker, str]] = [
    (without_docstring, CLASS + "    def __init__(self): ...\n    def _f(self): ...\ndef _g(): ..."),
    (without_docstring, "class _B: ...\n" + CLASS.replace("A:", "A(_B):")),
    (silent_on_cancellation, "async def f():\n    '''Wait.\n\n    **Cancellation**: nothing has happened.\n    '''"),
    (silent_on_cancellation, "def f() -> int:\n    '''Count.'''\ndef g(a: Callable[[], Awaitable[int]]) -> None: ..."),
    (silent_on_cancellation, "def f() -> Callable[[], Awaitable[int]]:\n    '''Make one.'''"),
    (
        silent_on_cancellation,
        CLASS.replace("{words}", " **Cancellation**: closed.") + "    async def __aenter__(self): ...",
    ),
    (silent_on_raises, "def f():\n    '''Raises `ValueError` for no.'''\n    raise ValueError('no')"),
    (
        silent_on_raises,
        "def f():\n    '''Does it.'''\n    try:\n        raise A\n    except (A, B) as error:\n        raise",
    ),
    (silent_on_raises, "def f():\n    '''Does it.'''\n    raise error.inside('a') from None\ndef _g():\n    raise A"),
    (silent_on_raises, "def f():\n    '''Does it.'''\n    raise AssertionError('unreachable')"),
    (
        silent_on_raises,
        CLASS.replace("{words}", " Raises `TypeError`.") + "    def __init__(self):\n        raise TypeError('no')",
    ),
]


@pytest.mark.parametrize(("checker", "body"), SEEDED)
def test_a_missing_word_is_found(checker: ShownChecker, body: str) -> None:
    assert len(_find(checker, body)) == 1


@pytest.mark.parametrize(("checker", "body"), GOOD)
def test_its_good_twin_is_let_through(checker: ShownChecker, body: str) -> None:
    assert _find(checker, body) == []
