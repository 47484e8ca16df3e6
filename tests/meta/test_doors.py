"""Doors: what a folder's `__init__` may hold."""

import ast

import pytest
from house import expect_none, modules, tree_of, walk


def _names_of(node: ast.Assign) -> list[str] | None:
    """The literal names of `__all__ = [...]`, if it is one."""
    if [ast.unparse(target) for target in node.targets] != ["__all__"] or not isinstance(
        node.value, ast.List | ast.Tuple
    ):
        return None
    names = [one.value for one in node.value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return names if len(names) == len(node.value.elts) else None


def doors(path: str, source: str) -> list[str]:
    """What a door holds beside its docstring, re-exports and an `__all__` of exactly these."""
    if not path.endswith("/__init__.py"):
        return []
    tree = tree_of(source)
    found: list[str] = []
    if not ast.get_docstring(tree):
        found.append(f"{path}: a door says in a docstring what the room is for")
    imported: list[str] = []
    shown: list[str] | None = None
    for node in tree.body[1:] if ast.get_docstring(tree) else tree.body:
        if isinstance(node, ast.ImportFrom):
            imported += [alias.asname or alias.name for alias in node.names if node.module != "__future__"]
        elif isinstance(node, ast.Assign) and shown is None and (names := _names_of(node)) is not None:
            shown = names
        else:
            found.append(f"{path}:{node.lineno}: a door only re-exports, but has: {ast.unparse(node)[:60]}")
    shown = shown or []
    found += [f"{path}: {name} is imported, but not in __all__" for name in sorted(set(imported) - set(shown))]
    found += [f"{path}: {name} is in __all__, but not imported" for name in sorted(set(shown) - set(imported))]
    found += [f"{path}: {name} is in __all__ twice" for name in sorted({one for one in shown if shown.count(one) > 1})]
    private = sorted(name for name in shown if name.startswith("_") and not name.endswith("__"))
    return found + [f"{path}: {name} is private and in __all__" for name in private]


def without_door(paths: set[str]) -> list[str]:
    """Folders of modules that have no `__init__`."""
    folders = {path.rpartition("/")[0] for path in paths}
    return sorted(folder for folder in folders if f"{folder}/__init__.py" not in paths)


def test_doors_only_re_export() -> None:
    expect_none(walk(doors, "trio_tools"))


def test_every_folder_has_a_door() -> None:
    expect_none(without_door(set(modules("trio_tools"))))


GOOD = '"""A room."""\n\nfrom trio_tools.x._y import a, b as c\n\n__all__ = ["c", "a"]\n'


@pytest.mark.parametrize(
    ("source", "word"),
    [
        (GOOD.replace('"""A room."""', ""), "docstring"),
        (GOOD + "import os\n", "import os"),
        (GOOD + "def main() -> None: ...\n", "def main"),
        (GOOD + "VERSION = 1\n", "VERSION"),
        (GOOD + '__all__ += ["d"]\n', "__all__ +="),
        (GOOD + '"""Stray."""\n', "Stray"),
        (GOOD.replace('"c", ', ""), "not in __all__"),
        (GOOD.replace('"c"', '"c", "d"'), "not imported"),
        (GOOD.replace('"c"', '"c", "c"'), "twice"),
        (GOOD.replace("b as c", "b as _c").replace('"c"', '"_c"'), "private"),
        (GOOD.replace('["c", "a"]', "sorted(['c', 'a'])"), "sorted"),
        ("", "docstring"),
    ],
)
def test_a_door_that_holds_more_or_less_is_found(source: str, word: str) -> None:
    assert any(word in problem for problem in doors("trio_tools/x/__init__.py", source))


def test_a_plain_door_is_let_through() -> None:
    assert doors("trio_tools/x/__init__.py", GOOD) == []
    assert (
        doors("trio_tools/cli/__init__.py", '"""Start."""\nfrom trio_tools.cli._main import main\n__all__ = ["main"]')
        == []
    )
    assert doors("trio_tools/x/_y.py", "import os\nA = 1\n") == []


def test_a_folder_without_a_door_is_found() -> None:
    assert without_door({"trio_tools/__init__.py", "trio_tools/x/_y.py"}) == ["trio_tools/x"]
    assert without_door({"trio_tools/__init__.py", "trio_tools/_open.py"}) == []
