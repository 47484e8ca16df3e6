"""The floors of the house: imports go down only, through doors, and late only for a reason."""

import ast
from collections.abc import Iterator

import pytest
from house import FUNCTIONS, dotted, expect_none, imported_module, modules, nodes_of, tree_of, walk

FLOORS = {
    "values": 0,
    "tool": 1,
    "formats": 1,
    "pipeline": 2,
    "registry": 2,
    "config": 3,
    "policies": 3,
    "toolkits": 3,
    "journal": 3,
    "mcp": 3,
    "testing": 4,
    "audit": 4,
    "the door": 5,  # trio_tools/__init__.py and the private modules beside it
    "cli": 6,
}
# Floor 2 is one thing in two rooms, how calls are carried and how plugins join: the registry drives the pipeline.
SIDEWAYS = {("registry", "pipeline")}
# Rooms that are divided; what stands in them without an underscore is a room again.
DIVIDED = {"cli", "testing", "toolkits"}

# Packages that may be imported inside a function, and why that is worth it.
LATE = {
    "docstring_parser": "needed once per declared tool that has a docstring, and slow to import for what it does",
    "cattrs": "heavy; a program that reads no results from JSON, and no arguments as classes, need not pay for it",
    "jsonschema_rs": "optional: only raw schemas need a validator",
    "importlib": "its metadata brings email and zipfile; a program that names no plugin need not pay for that",
    "cyclopts": "optional: the command line's parser",
    "trio_tools.config": "a tenth of the start; a program that names no config need not pay for it",
    "trio_tools.cli": "a fifth of the start; a command need not pay for what only another one does",
    "trio_tools.formats": "who reads no turns and proves no plugin need not pay for it",
    "trio_tools.journal": "a tenth of the start of a command; one that records nothing need not pay for it",
    "trio_tools.testing": "a session of pytest that uses no fixture of the plugin need not pay for it",
    "rich": "optional and heavy: the command line's screen",
    "hypothesis": "optional and heavy: only tests draw arguments",
    "pytest": "optional and heavy: only tests have fixtures",
    "trio": "its testing brings pytest where that is installed, a third of the start of whoever proves tools",
}
# What an extra brings: a plain installation has none of it, so only the command line, an extra itself, may rely on it.
OPTIONAL = {"cyclopts", "rich", "jsonschema_rs", "hypothesis", "pytest"}


# What pytest itself loads, so that it is there.
PYTEST_PLUGIN = "trio_tools/_pytest.py"


def room_of(module: list[str]) -> tuple[str, ...]:
    """The room that a module stands in: `("values",)`, `("toolkits", "files")`."""
    inner = module[1:]
    if not inner or inner[0].startswith("_"):
        return ("the door",)
    if inner[0] in DIVIDED and len(inner) > 1 and not inner[1].startswith("_"):
        return (inner[0], inner[1])
    return (inner[0],)


def module_of(path: str) -> list[str]:
    parts = path.removesuffix(".py").split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(path: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Line and dotted parts of every module that is imported; of `from room import _file`, the file."""
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = imported_module(path, node).split(".")
            for alias in node.names:
                private = alias.name.startswith("_") and parts[0] == "trio_tools"
                yield node.lineno, [*parts, alias.name] if private else parts


def wrong_way(path: str, source: str) -> list[str]:
    """Imports inside the house that go up, go sideways, reach past a door, or go out and in by the front door."""
    own = module_of(path)
    here = room_of(own)
    if here[0] not in FLOORS:
        return [f"{path}: the room {here[0]!r} has no floor"]
    found: list[str] = []
    for line, target in imports(path, source):
        if target[0] == "trio_tools" and (problem := _wrong(own, here, target)):
            found.append(f"{path}:{line}: {'.'.join(target)} {problem}")
    return found


def _wrong(own: list[str], here: tuple[str, ...], target: list[str]) -> str | None:
    there = room_of(target)
    if there[0] not in FLOORS:
        return "is in no room with a floor"
    if target == ["trio_tools"]:
        return None if here == ("cli",) else "is the front door; only cli stands outside"
    if here == there:
        door = ["trio_tools", *(() if here == ("the door",) else here)]
        return "is the room's own door: import the file" if target == door else None
    if here[0] == there[0]:
        return _wrong_in_divided(here, there, target)
    if FLOORS[there[0]] > FLOORS[here[0]]:
        return f"is above {here[0]}"
    if FLOORS[there[0]] == FLOORS[here[0]] and (here[0], there[0]) not in SIDEWAYS:
        return f"is beside {here[0]}"
    if len(target) > 1 + len(there) or there == ("the door",):
        return "is a file of another room: import from its door"
    return None


def _wrong_in_divided(here: tuple[str, ...], there: tuple[str, ...], target: list[str]) -> str | None:
    if len(here) == len(there):
        return f"is beside {'.'.join(here)}"
    if len(here) < len(there):  # the whole looks into a part
        return "is a file of another room: import from its door" if len(target) > 1 + len(there) else None
    return "is the room's own door: import the file" if len(target) == 1 + len(there) else None


def trio_in_values(path: str, source: str) -> list[str]:
    if room_of(module_of(path)) != ("values",):
        return []
    return [f"{path}:{line}: values know no trio" for line, target in imports(path, source) if target[0] == "trio"]


def _third_party(node: ast.AST) -> list[str]:
    """The packages that a statement imports; of our own, the room."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        parts = (node.module or "").split(".")
        return ["." if node.level else ".".join(parts[:2]) if parts[0] == "trio_tools" else parts[0]]
    return []


def late_imports(path: str, source: str) -> list[str]:
    """Imports inside functions of what is not in the list of packages worth it."""
    functions = [node for node in nodes_of(source) if isinstance(node, FUNCTIONS)]
    found = {
        (node.lineno, name)
        for node in nodes_of(source)
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any(function.lineno <= node.lineno <= (function.end_lineno or 0) for function in functions)
        for name in _third_party(node)
    }
    return [f"{path}:{line}: {name} is imported inside a function" for line, name in sorted(found) if name not in LATE]


def _at_start(parent: ast.AST) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported."""
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, FUNCTIONS) or (isinstance(node, ast.If) and dotted(node.test).endswith("TYPE_CHECKING")):
            continue
        if isinstance(node, ast.stmt):
            yield node
        yield from _at_start(node)


def optional_at_start(path: str, source: str) -> list[str]:
    """Extras imported as a module loads, outside the command line."""
    if room_of(module_of(path)) == ("cli",) or path == PYTEST_PLUGIN:
        return []
    return [
        f"{path}:{node.lineno}: {name} is optional"
        for node in _at_start(tree_of(source))
        for name in _third_party(node)
        if name in OPTIONAL
    ]


def test_the_house_is_seen() -> None:
    assert {"trio_tools/__init__.py", "trio_tools/values/__init__.py"} <= modules("trio_tools").keys()


def test_imports_go_down_and_through_doors() -> None:
    expect_none(walk(wrong_way, "trio_tools"))


def test_values_import_no_trio() -> None:
    expect_none(walk(trio_in_values, "trio_tools"))


def test_imports_inside_functions_are_of_listed_packages() -> None:
    expect_none(walk(late_imports, "trio_tools"))


def test_optional_packages_are_not_needed_to_start() -> None:
    expect_none(walk(optional_at_start, "trio_tools"))


@pytest.mark.parametrize(
    ("path", "source", "word"),
    [
        ("values/_json.py", "from trio_tools.tool import Tool", "above"),
        ("values/_json.py", "if TYPE_CHECKING:\n    from trio_tools.tool import Tool", "above"),
        ("tool/_tool.py", "from trio_tools.formats import openai", "beside"),
        ("tool/_tool.py", "from ..formats import openai", "beside"),
        ("pipeline/_run.py", "import trio_tools.registry", "beside"),
        ("policies/_timeout.py", "from trio_tools.toolkits.shell import bash", "beside"),
        ("tool/_tool.py", "def f():\n    from trio_tools.registry import Registry", "above"),
        ("tool/_tool.py", "from trio_tools.values._json import freeze", "file of another room"),
        ("tool/_tool.py", "from trio_tools.values import _json", "file of another room"),
        ("registry/_seams.py", "from trio_tools.pipeline.intake import intake", "file of another room"),
        ("cli/_main.py", "from trio_tools._open import open_registry", "file of another room"),
        ("values/_json.py", "from trio_tools.values import ToolCall", "own door"),
        ("values/_json.py", "from . import ToolCall", "own door"),
        ("toolkits/files/_read.py", "from trio_tools.toolkits import files", "own door"),
        ("toolkits/files/_read.py", "from trio_tools.toolkits.shell import bash", "beside"),
        ("toolkits/__init__.py", "from trio_tools.toolkits.shell._bash import bash", "file of another room"),
        ("registry/_seams.py", "from trio_tools import ToolCall", "front door"),
        ("_open.py", "import trio_tools", "front door"),
        ("values/_json.py", "from trio_tools.cellar import x", "no room"),
        ("cellar/__init__.py", "", "no floor"),
    ],
)
def test_an_import_that_goes_wrong_is_found(path: str, source: str, word: str) -> None:
    found = wrong_way(f"trio_tools/{path}", source)
    assert len(found) == 1
    assert word in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tool/_tool.py", "import attrs\nfrom trio_tools.values import ToolCall"),
        ("values/__init__.py", "from trio_tools.values._json import freeze"),
        ("values/_call.py", "from ._json import freeze"),
        ("registry/_seams.py", "from trio_tools.pipeline import run"),
        ("toolkits/files/_read.py", "from trio_tools.toolkits._paths import inside"),
        ("toolkits/__init__.py", "from trio_tools.toolkits.shell import bash"),
        ("__init__.py", "from trio_tools._open import open_registry\nfrom trio_tools.toolkits.shell import bash"),
        ("cli/_main.py", "from trio_tools import open_registry\nimport trio_tools"),
    ],
)
def test_an_import_that_goes_right_is_let_through(path: str, source: str) -> None:
    assert wrong_way(f"trio_tools/{path}", source) == []


def test_trio_is_found_in_values_only() -> None:
    assert len(trio_in_values("trio_tools/values/_call.py", "import trio\nfrom trio.lowlevel import checkpoint")) == 2
    assert trio_in_values("trio_tools/values/_call.py", "import trio_tools.values._json") == []
    assert trio_in_values("trio_tools/tool/_tool.py", "import trio") == []


def test_a_late_import_is_found_unless_listed() -> None:
    late = "async def f():\n    def g():\n        from json import dumps\n"
    assert late_imports("x.py", late) == ["x.py:3: json is imported inside a function"]
    assert late_imports("x.py", "import json\ndef f():\n    import docstring_parser\n") == []


def test_an_optional_package_is_found_at_start() -> None:
    source = "try:\n    import rich.table\nexcept ImportError:\n    import cyclopts\n"
    assert len(optional_at_start("trio_tools/tool/_tool.py", source)) == 2
    assert optional_at_start("trio_tools/cli/_main.py", source) == []
    late = "if TYPE_CHECKING:\n    import rich\ndef f():\n    import rich\n"
    assert optional_at_start("trio_tools/tool/_tool.py", late) == []
