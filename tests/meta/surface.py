"""What the house shows: every definition that a door re-exports, found where it is defined, with its in-house bases."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache

import attrs
from house import FUNCTIONS, Function, dotted, imported_module, nodes_of, tree_of


@attrs.frozen
class Shown:
    """A function or class, or a method of a shown class, that users may call."""

    path: str
    name: str
    node: Function | ast.ClassDef
    owner: ast.ClassDef | None = None

    @property
    def place(self) -> str:
        return f"{self.path}:{self.node.lineno}: {self.name}"

    @property
    def words(self) -> str:
        """Its docstring. What has none of its own by custom (`__init__`, `__aenter__`) has that of its class."""
        own = ast.get_docstring(self.node) or ""
        if self.owner is not None and is_dunder(self.node.name):
            return f"{own}\n{ast.get_docstring(self.owner) or ''}"
        return own


def is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


@cache
def _imported(path: str, source: str) -> dict[str, tuple[str, str]]:
    """The module and the name there of each name that a module imports from another."""
    return {
        alias.asname or alias.name: (imported_module(path, node), alias.name)
        for node in nodes_of(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _locate(sources: Mapping[str, str], path: str, name: str) -> tuple[str, Function | ast.ClassDef] | None:
    """Where a name of a module is defined, its imports followed; None if that is outside, or no function or class."""
    for _ in range(len(sources)):  # each module at most once: an import circle ends too
        # the last definition is the one that counts: what stands before it is its overloads
        for node in reversed(tree_of(sources[path]).body):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
                return path, node
        if name not in (imported := _imported(path, sources[path])):
            return None
        module, name = imported[name]
        file = module.replace(".", "/")
        found = next((one for one in (f"{file}.py", f"{file}/__init__.py") if one in sources), None)
        if found is None:
            return None
        path = found
    return None


def _door_names(sources: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, source in sources.items():
        if path.endswith("/__init__.py"):
            for node in tree_of(source).body:
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                    listed = [one for one in ast.walk(node.value) if isinstance(one, ast.Constant)]
                    yield from ((path, str(one.value)) for one in listed)


def is_marked(node: Function, *marks: str) -> bool:
    """Whether a function has one of these decorators, by the last part of their names."""
    names = (dotted(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list)
    return any(name.split(".")[-1] in marks for name in names)


def shown(sources: Mapping[str, str]) -> list[Shown]:
    """All that is shown, overloads and setters left out: their words stand at what they belong to."""
    todo = list(_door_names(sources))
    done: dict[tuple[str, str], Shown] = {}
    while todo:
        located = _locate(sources, *todo.pop())
        if located is None or (located[0], located[1].name) in done:
            continue
        path, node = located
        done[path, node.name] = Shown(path, node.name, node)
        if isinstance(node, ast.ClassDef):  # its bases' methods are its own
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
            todo += [(path, dotted(base)) for base in bases if dotted(base)]
    found: list[Shown] = []
    for one in sorted(done.values(), key=lambda one: (one.path, one.node.lineno)):
        found.append(one)
        if isinstance(one.node, ast.ClassDef):
            found.extend(_methods(one.path, one.node))
    return found


def _methods(path: str, owner: ast.ClassDef) -> Iterator[Shown]:
    for node in owner.body:
        if not isinstance(node, FUNCTIONS) or is_marked(node, "overload", "setter", "deleter"):
            continue
        if is_dunder(node.name) or not node.name.startswith("_"):
            yield Shown(path, f"{owner.name}.{node.name}", node, owner)


def seeded(body: str) -> list[Shown]:
    """What a house of one module shows, for trying a checker on a few lines. All its top-level names are exported."""
    names = [one.name for one in tree_of(body).body if isinstance(one, (*FUNCTIONS, ast.ClassDef))]
    exported = [name for name in names if not name.startswith("_")]
    door = f"from trio_tools.x._y import {', '.join(exported)}\n__all__ = {exported!r}"
    return shown({"trio_tools/x/__init__.py": door, "trio_tools/x/_y.py": body})
