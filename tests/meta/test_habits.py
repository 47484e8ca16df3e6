"""Habits that are not ours: sleeping tests, silent skips, bare excepts, global registries, unexplained ignores."""

import ast
import re
from collections.abc import Iterator

import pytest
from house import ROOT, Checker, comments_of, dotted, expect_none, nodes_of, tracked, tree_of, walk

# What looks like an offence in the text of a module is looked for in its tree; most have nothing of the kind.
_SLEEP = re.compile(r"\btime\s*\.\s*sleep\b|\bfrom\s+time\b")
_BARE = re.compile(r"\bexcept\s*[:\\]")
_IGNORE = re.compile(r"(type|pyright):\s*ignore(?!\[[\w, -]+\])")
# Written in parts, or this file would be the first offender.
_MACHINE = re.compile(rb"/(?<![\w.~-]/)(?:" + b"work" + rb"/|tmp/" + rb"v\b)")


def sleeps(path: str, source: str) -> list[str]:
    """Real sleeping in tests; those of real processes and threads live in tests/real."""
    if path.startswith("tests/real/") or not _SLEEP.search(source):
        return []
    found: list[int] = []
    for node in nodes_of(source):
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            found += [node.lineno for one in node.names if one.name == "sleep"]
        elif isinstance(node, ast.Attribute) and dotted(node) == "time.sleep":
            found.append(node.lineno)
    return [f"{path}:{line}: a test that sleeps for real" for line in found]


def silent_skips(path: str, source: str) -> list[str]:
    """Tests that are skipped, or expected to fail, without a reason."""
    if "skip" not in source and "xfail" not in source:
        return []
    marks = {"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail"}
    calls = {"pytest.skip", "pytest.xfail"}
    explained: set[ast.expr] = set()
    for node in nodes_of(source):
        if isinstance(node, ast.Call):
            reasons = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
            if dotted(node.func) in calls:
                reasons += node.args[:1]
            if any(not (isinstance(one, ast.Constant) and not one.value) for one in reasons):
                explained.add(node.func)
    return [
        f"{path}:{node.lineno}: {dotted(node)} without a reason"
        for node in nodes_of(source)
        if isinstance(node, ast.Attribute) and dotted(node) in marks | calls and node not in explained
    ]


def bare_excepts(path: str, source: str) -> list[str]:
    if not _BARE.search(source):
        return []
    return [
        f"{path}:{node.lineno}: except without a type"
        for node in nodes_of(source)
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]


def _module_level(tree: ast.Module) -> Iterator[tuple[str, int, ast.expr | None]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((ast.unparse(target), node.lineno, node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and not dotted(node.annotation).endswith("TypeAlias"):
            yield ast.unparse(node.target), node.lineno, node.value


def global_registries(path: str, source: str) -> list[str]:
    """A registry, or state that is called one, which belongs to the module and not to whoever opened it."""
    tree = tree_of(source)
    found: list[str] = []
    for name, line, value in _module_level(tree):
        made = isinstance(value, ast.Call) and dotted(value.func).split(".")[-1] == "Registry"
        if made or ("registr" in name.lower() and not isinstance(value, ast.Constant)):
            found.append(f"{path}:{line}: {name} is a global registry")
    return found + [
        f"{path}:{node.lineno}: global {', '.join(node.names)}"
        for node in nodes_of(source)
        if isinstance(node, ast.Global) and any("registr" in name.lower() for name in node.names)
    ]


def ignores_without_code(path: str, source: str) -> list[str]:
    if not _IGNORE.search(source):
        return []  # nor is there in a comment
    return [
        f"{path}:{line}: an ignore that does not say of what"
        for line, comment in comments_of(source).items()
        if _IGNORE.search(comment)
    ]


def casts(path: str, source: str) -> list[str]:
    if "cast" not in source:
        return []
    found: list[int] = []
    for node in nodes_of(source):
        if isinstance(node, ast.ImportFrom) and node.module in {"typing", "typing_extensions"}:
            found += [node.lineno for one in node.names if one.name == "cast"]
        elif isinstance(node, ast.Attribute) and dotted(node) in {"typing.cast", "t.cast", "typing_extensions.cast"}:
            found.append(node.lineno)
    return [f"{path}:{line}: a cast is a claim that nobody checks" for line in found]


def machine_paths(path: str, content: bytes) -> list[str]:
    """Paths of the machine that this was written on."""
    if not _MACHINE.search(content):
        return []
    lines = content.split(b"\n")
    return [f"{path}:{number}: a path of one machine" for number, line in enumerate(lines, 1) if _MACHINE.search(line)]


@pytest.mark.parametrize("checker", [bare_excepts, ignores_without_code])
def test_package_and_tests_have_good_habits(checker: Checker) -> None:
    expect_none(walk(checker, "trio_tools", "tests"))


@pytest.mark.parametrize("checker", [global_registries, casts])
def test_the_package_has_good_habits(checker: Checker) -> None:
    expect_none(walk(checker, "trio_tools"))


@pytest.mark.parametrize("checker", [sleeps, silent_skips])
def test_tests_have_good_habits(checker: Checker) -> None:
    expect_none(walk(checker, "tests"))


def test_no_file_names_a_path_of_one_machine() -> None:
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in tracked()}
    assert {"pyproject.toml", "tests/meta/test_habits.py"} <= files.keys()
    expect_none([problem for path, content in files.items() for problem in machine_paths(path, content)])


SEEDED: list[tuple[Checker, str]] = [
    (sleeps, "import time\ntime.sleep(1)"),
    (sleeps, "from time import monotonic, sleep"),
    (silent_skips, "@pytest.mark.skip\ndef test_a(): pass"),
    (silent_skips, "@pytest.mark.xfail(strict=True)\ndef test_a(): pass"),
    (silent_skips, "@pytest.mark.skipif(True)\ndef test_a(): pass"),
    (silent_skips, "pytest.skip()"),
    (silent_skips, "pytest.xfail('')"),
    (bare_excepts, "try:\n    a\nexcept:\n    pass"),
    (global_registries, "from x import Registry\nr = Registry()"),
    (global_registries, "_registry: dict[str, int] = {}"),
    (global_registries, "default_registry = ContextVar('r')"),
    (global_registries, "def f():\n    global _registry"),
    (ignores_without_code, "a = 1  # type: ignore"),
    (ignores_without_code, "a = 1  # pyright: ignore - it is wrong"),
    (casts, "from typing import Any, cast"),
    (casts, "import typing\na = typing.cast(int, b)"),
]
GOOD: list[tuple[Checker, str]] = [
    (sleeps, "import time, trio\ntime.monotonic()\nawait_ = trio.sleep(1)\na = 'time.sleep(1)'"),
    (
        silent_skips,
        "@pytest.mark.skipif(True, reason='needs a terminal')\ndef test_a():\n    pytest.skip('no terminal')",
    ),
    (silent_skips, "@pytest.mark.parametrize('a', [1])\ndef test_a(a): pass"),
    (bare_excepts, "try:\n    a\nexcept BaseException:\n    raise"),
    (
        global_registries,
        "Registrar: TypeAlias = object\nREGISTRY_TABLE = 'registry'\ndef f():\n    registry = Registry()",
    ),
    (
        ignores_without_code,
        "a = 1  # type: ignore[arg-type, misc]\nb = 2  # pyright: ignore[reportX]\nc = '# type: ignore'",
    ),
    (casts, "from typing import Any\na = memoryview(b).cast('B')\ndef cast(): pass"),
]


@pytest.mark.parametrize(("checker", "source"), SEEDED)
def test_a_bad_habit_is_found(checker: Checker, source: str) -> None:
    assert len(checker("tests/test_x.py", source)) == 1


@pytest.mark.parametrize(("checker", "source"), GOOD)
def test_its_good_twin_is_let_through(checker: Checker, source: str) -> None:
    assert checker("tests/test_x.py", source) == []


def test_tests_of_real_processes_may_sleep() -> None:
    assert sleeps("tests/real/test_x.py", "import time\ntime.sleep(1)") == []


def test_a_path_of_one_machine_is_found() -> None:
    home, environment = b"/" + b"work/x", b"/tmp" + b"/v/bin"
    assert len(machine_paths("a", b"\xff\ncd " + home + b"\n" + environment)) == 2
    assert machine_paths("a", b"docs/work/x /tmp/values https://x.org/work/y") == []
