"""How the house-rule tests read the source: as text and syntax trees, never by running it.

A checker is a plain function over a path (relative, `trio_tools/values/_json.py`) and a source; it gives back one line
of text per offence. So each can be tried on a few seeded lines, and must be: a check that cannot fail is worthless.
"""

import ast
import io
import os
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

Checker: TypeAlias = Callable[[str, str], list[str]]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

ROOT = Path(__file__).parents[2]
# what git ignores, and git itself
_UNTRACKED = {
    *(".git", ".venv", "__pycache__", "dist", "build", "node_modules"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".coverage"),
}


def tracked(folder: str = ".") -> Iterator[Path]:
    """Every file below a folder of the repository that git does not ignore, in order. What it ignores is not gone
    into: an environment in it has more files than all the rest."""
    for place, folders, files in os.walk(ROOT / folder):
        folders[:] = sorted(filter(_is_tracked, folders))
        paths = (Path(place, name) for name in sorted(filter(_is_tracked, files)))
        yield from (path for path in paths if path.is_file())


def _is_tracked(name: str) -> bool:
    return name not in _UNTRACKED and not name.endswith(".egg-info")


@cache
def modules(folder: str) -> dict[str, str]:
    """Path and source of each Python file below a folder of the repository."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in tracked(folder)
        if path.suffix == ".py"
    }


@cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """Every node of its tree."""
    return tuple(ast.walk(tree_of(source)))


@cache
def comments_of(source: str) -> dict[int, str]:
    """The comment on each line that has one, by line number, without its hash."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def walk(checker: Checker, *folders: str) -> list[str]:
    """All that a checker finds in the modules of these folders."""
    return [found for folder in folders for path, source in modules(folder).items() for found in checker(path, source)]


def expect_none(offences: list[str]) -> None:
    """Fail with every offence on a line of its own, none cut off."""
    if offences:
        pytest.fail("\n".join(["", *offences]), pytrace=False)


def named_nodes(tree: ast.AST, qualname: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node below `tree`, with the dotted name of the function or class that it stands in."""
    for child in ast.iter_child_nodes(tree):
        inside = qualname
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            inside = f"{qualname}.{child.name}".lstrip(".")
        yield inside, child
        yield from named_nodes(child, inside)


def dotted(node: ast.AST | None) -> str:
    """`a.b.c` of a chain of attributes; for anything else the part that is one, or nothing."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    return node.id if isinstance(node, ast.Name) else ""


def package_of(path: str) -> list[str]:
    """The package that a module's relative imports start from."""
    return path.split("/")[:-1]


def imported_module(path: str, node: ast.ImportFrom) -> str:
    """The absolute name of the module that `from ... import` reads, relative ones resolved."""
    if not node.level:
        return node.module or ""
    package = package_of(path)
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])
