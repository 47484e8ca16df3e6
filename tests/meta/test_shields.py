"""Shields: each one has a bound and a reason beside it."""

import ast
from collections.abc import Mapping

import pytest
from house import comments_of, dotted, expect_none, modules, named_nodes, nodes_of, tree_of

# Shields without a bound, by module and function, each with the reason why waiting for ever is right there.
# One that is not found any more must go.
UNBOUNDED: dict[tuple[str, str], str] = {
    ("trio_tools/pipeline/_action.py", "_performed"): "an irreversible step: bounded by its action, whose end is told",
    ("trio_tools/pipeline/_action.py", "_entered"): "the same in a thread, which nothing can cut",
    ("trio_tools/pipeline/_next.py", "Door.at_rest"): "quiescence: bounded by the body, which its scopes cancel",
    (
        "trio_tools/registry/_lifetime.py",
        "Host._held",
    ): "order of leaving: bounded by the block, lifted by left()",
}

# Lines above a shield in which its reason is looked for.
NEAR = 3

_SCOPES = {"CancelScope", "move_on_after", "move_on_at", "fail_after", "fail_at"}
_BOUNDS = {"deadline", "relative_deadline", "seconds"}
_ENDLESS = {"inf", "math.inf", "float('inf')", "None"}


def _bounded(call: ast.Call) -> bool:
    bounds = [keyword.value for keyword in call.keywords if keyword.arg in _BOUNDS]
    if not dotted(call.func).endswith("CancelScope"):
        bounds += call.args[:1]  # move_on_after(seconds)
    return any(ast.unparse(bound) not in _ENDLESS for bound in bounds)


def _may_be_true(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and not value.value)


def _shield(node: ast.AST) -> bool | None:
    """Whether what may raise a shield is bounded; None if it raises none."""
    if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in _SCOPES:
        shields = [keyword.value for keyword in node.keywords if keyword.arg == "shield"]
        return _bounded(node) if any(_may_be_true(value) for value in shields) else None
    if isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Attribute) and one.attr == "shield" for one in node.targets
    ):
        return False if _may_be_true(node.value) else None
    return None


def unbounded(path: str, source: str) -> dict[tuple[str, str], int]:
    """Shields without a bound in the same call: module and function, and the line."""
    if "shield" not in source:
        return {}
    return {
        (path, qualname): getattr(node, "lineno", 0)
        for qualname, node in named_nodes(tree_of(source))
        if _shield(node) is False
    }


def unexplained(path: str, source: str) -> list[str]:
    """Shields without a comment on their line or the few above."""
    if "shield" not in source:
        return []
    comments = comments_of(source)
    lines = [getattr(node, "lineno", 0) for node in nodes_of(source) if _shield(node) is not None]
    return [
        f"{path}:{line}: a shield without a word on why"
        for line in sorted(lines)
        if not any(at in comments for at in range(line - NEAR, line + 1))
    ]


def against(found: Mapping[tuple[str, str], int], allowed: Mapping[tuple[str, str], str]) -> list[str]:
    """Where the shields without a bound and the list of those that may be differ, either way."""
    return [
        *(
            f"{path}:{line}: a shield without a bound, in {name}"
            for (path, name), line in found.items()
            if (path, name) not in allowed
        ),
        *(
            f"{path}: {name} has no unbounded shield any more: take it off"
            for path, name in allowed
            if (path, name) not in found
        ),
        *(
            f"{path}: {name} is listed without a reason"
            for (path, name), reason in allowed.items()
            if not reason.strip()
        ),
    ]


def test_shields_are_bounded() -> None:
    found = {
        place: line for path, source in modules("trio_tools").items() for place, line in unbounded(path, source).items()
    }
    expect_none(against(found, UNBOUNDED))


def test_shields_are_explained() -> None:
    expect_none([one for path, source in modules("trio_tools").items() for one in unexplained(path, source)])


@pytest.mark.parametrize(
    "line",
    [
        "with trio.CancelScope(shield=True): pass",
        "with CancelScope(shield=flag): pass",
        "with trio.CancelScope(shield=True, deadline=math.inf): pass",
        "with trio.move_on_after(inf, shield=True): pass",
        "scope.shield = True",
        "scope.shield = flag",
    ],
)
def test_a_shield_without_a_bound_is_found(line: str) -> None:
    source = f"class A:\n    async def f(self):\n        {line}\n"
    assert unbounded("x.py", source) == {("x.py", "A.f"): 3}
    assert len(unexplained("x.py", source)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "with trio.CancelScope(shield=True, relative_deadline=grace): pass",
        "with trio.CancelScope(deadline=trio.current_time() + 5, shield=True): pass",
        "with trio.move_on_after(5, shield=True): pass",
        "with trio.fail_after(seconds=5, shield=True): pass",
        "with trio.CancelScope(): pass",
        "scope.shield = False",
    ],
)
def test_a_shield_with_a_bound_is_let_through(line: str) -> None:
    assert unbounded("x.py", f"async def f():\n    {line}\n") == {}


def test_a_reason_counts_only_when_it_is_near() -> None:
    shield = "with trio.CancelScope(shield=True, relative_deadline=5):\n    pass\n"
    assert len(unexplained("x.py", shield)) == 1
    assert len(unexplained("x.py", "# too far\n\n\n\n" + shield)) == 1
    assert unexplained("x.py", "# so that a redactor is never cut off\nasync_ = 1\n\n" + shield) == []
    assert unexplained("x.py", shield.replace(":\n", ":  # never cut off\n", 1)) == []
    assert unexplained("x.py", "with trio.CancelScope():\n    pass\n") == []


def test_an_allowed_shield_passes_only_while_it_is_there() -> None:
    place = ("x.py", "f")
    assert against({place: 3}, {place: "what was begun must end"}) == []
    assert len(against({place: 3}, {})) == 1
    assert len(against({}, {place: "what was begun must end"})) == 1
    assert len(against({place: 3}, {place: ""})) == 1
