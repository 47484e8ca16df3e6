"""Arguments that a tool takes, for tests by Hypothesis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trio_tools.testing.schemas._draws import Draws
from trio_tools.testing.schemas._plans import Object, height_of
from trio_tools.testing.schemas._reader import Reader
from trio_tools.tool import Tool
from trio_tools.values import JSONValue, thaw

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# Drawn arguments that a tool has refused, without taking any, before it is said that no more will come. Hypothesis
# gives up, and says less, at 50 examples, for each of which it tries three.
_HOPELESS = 100
# Characters of what a tool says of arguments that it refuses.
_SHOWN = 300


def arguments(tool: Tool, /, **given: SearchStrategy[JSONValue]) -> SearchStrategy[dict[str, JSONValue]]:
    """The arguments that a tool takes, as a strategy of Hypothesis: dicts of JSON, drawn from its schema, each of which
    would reach the body.

        @given(arguments(search))
        def test_search(drawn): ...

    What the schema has no words for (a predicate, a bound on dates, what a class's validator asks) is found by trying.
    Where that is not enough, or a value must be one that exists, give the parameter a strategy of your own:
    `arguments(read, path=st.sampled_from(paths))`. One that is given is always there, optional or not.

    Values are small: four levels of nesting beyond those that the schema asks for, and as many members; texts up to 20
    characters longer than they must be. Of an open object that names its properties only these are drawn.

    Raises `ModuleNotFoundError` without Hypothesis (extra `testing`), or, for a raw schema, without the extra
    `schema`; `TypeError` for what is no tool or no strategy; `ValueError` for a name that is no parameter, and for a
    schema that no arguments fit or that cannot be followed (an anchor, a pattern that Python does not read). If
    the tool refuses all that is drawn the strategy raises `ValueError`, with what the tool said last.
    """
    try:
        from hypothesis import strategies
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "drawing arguments needs hypothesis; install it: pip install 'trio-tools[testing]'"
        ) from None
    if not isinstance(tool, Tool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"arguments are drawn for a Tool, not {type(tool).__name__}; make one by @tool")
    for name, one in given.items():
        if not isinstance(one, strategies.SearchStrategy):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{name}= must be a strategy of Hypothesis, not {type(one).__name__}")
    try:
        tool.signature.prepare()
        plans = Reader(thaw(tool.parameters)).top(given)
        if not any(height_of(plan) < math.inf for plan in plans):
            raise ValueError(f"no arguments fit its schema{_because(plans)}")
        drawn = Draws().whole(plans)
    except (ValueError, ModuleNotFoundError) as error:
        raise type(error)(f'tool "{tool.name}": {error}') from None
    if given:
        drawn = strategies.tuples(drawn, strategies.fixed_dictionaries(given)).map(lambda both: {**both[0], **both[1]})
    return drawn.filter(_Judge(tool))


def _because(plans: list[Object]) -> str:
    """The first property that must be there and cannot."""
    lost = [name for plan in plans for name, node in plan.required.items() if node.height == math.inf]
    return f": there is no value for {lost[0]!r}, which must be there" if lost else ""


class _Judge:
    """Whether the tool takes what was drawn. One that takes nothing is told of, rather than tried for ever."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._refused = 0
        self._taken = False

    def __call__(self, drawn: dict[str, JSONValue]) -> bool:
        violations = self._tool.violations(drawn)
        if not violations:
            self._taken = True
            return True
        self._refused += 1
        if not self._taken and self._refused >= _HOPELESS:
            raise ValueError(
                f'tool "{self._tool.name}": it refuses all arguments that are drawn for it: '
                f"{'; '.join(violations)[:_SHOWN]}. Give the parameter a strategy: arguments(tool, name=...)"
            )
        return False
