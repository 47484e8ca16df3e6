"""Small files, small functions, and names that say something."""

import ast
from collections.abc import Mapping

from house import FUNCTIONS, expect_none, modules, named_nodes, nodes_of, tree_of, walk

# Lines of a module, tests too: about what one reads in one sitting.
MODULE_LINES = 300
# Lines of a function, from its `def` to its end: docstring and nested functions included, decorators not.
FUNCTION_LINES = 50
# Names that say nothing of what is in the room.
EMPTY_WORDS = {"util", "utils", "helper", "helpers", "common", "base", "manager", "managers"}

# Offenders that are known, each with the reason. These may only shrink: one that is no offender any more must go.
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}


def long_modules(path: str, source: str) -> list[str]:
    return [path] if len(source.splitlines()) > MODULE_LINES else []


def _is_long(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS) and (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION_LINES


def long_functions(path: str, source: str) -> list[str]:
    if not any(map(_is_long, nodes_of(source))):
        return []  # and so none needs its name
    return [f"{path}:{qualname}" for qualname, node in named_nodes(tree_of(source)) if _is_long(node)]


def against(offenders: list[str], known: Mapping[str, str]) -> list[str]:
    """Where a list of known offenders and the truth differ, either way."""
    return [
        *(f"{name} is too long" for name in offenders if name not in known),
        *(f"{name} is listed, but is too long no more: take it off" for name in known if name not in offenders),
        *(f"{name} is listed without a reason" for name, reason in known.items() if not reason.strip()),
    ]


def empty_words(path: str, source: str) -> list[str]:
    """Folders and files, and parts of their names, that are one of the empty words."""
    steps = path.removesuffix(".py").split("/")
    return [f"{path}: {step!r} names no thing" for step in steps if EMPTY_WORDS & set(step.lower().split("_"))]


def test_modules_are_short() -> None:
    expect_none(against(walk(long_modules, "trio_tools", "tests"), LONG_MODULES))


def test_functions_are_short() -> None:
    expect_none(against(walk(long_functions, "trio_tools"), LONG_FUNCTIONS))


def test_no_module_has_an_empty_name() -> None:
    expect_none(walk(empty_words, "trio_tools", "tests"))


def test_tests_are_seen_too() -> None:
    assert "tests/meta/test_sizes.py" in modules("tests")


def test_a_long_module_is_found() -> None:
    assert long_modules("x.py", "a = 1\n" * 301) == ["x.py"]
    assert long_modules("x.py", "a = 1\n" * 300) == []


def test_a_long_function_is_found() -> None:
    too_long = "class A:\n    async def f(self):\n" + "        a = 1\n" * 50
    assert long_functions("x.py", too_long) == ["x.py:A.f"]
    just_right = "@one\n@two\ndef f():\n" + "    a = 1\n" * 49
    assert long_functions("x.py", just_right) == []
    assert isinstance(ast.parse(just_right).body[0], FUNCTIONS)


def test_a_known_offender_passes_only_while_it_offends() -> None:
    assert against(["a"], {"a": "a table that reads better in one piece"}) == []
    assert against(["a"], {}) == ["a is too long"]
    assert len(against([], {"a": "a table that reads better in one piece"})) == 1
    assert len(against(["a"], {"a": " "})) == 1


def test_an_empty_name_is_found() -> None:
    for path in ("trio_tools/utils.py", "trio_tools/_common/x.py", "tests/call_helpers.py", "trio_tools/x/_base.py"):
        assert len(empty_words(path, "")) == 1, path
    assert empty_words("trio_tools/values/_based.py", "") == []
