"""What the tests of this folder share: a tool of one parameter, and what comes of one value for it."""

from __future__ import annotations

import inspect
from typing import Any

from trio_tools import Tool, tool
from trio_tools.values import freeze_mapping


def of(annotation: Any, default: object = inspect.Parameter.empty) -> Tool:
    """A tool whose one parameter, `x`, has this annotation."""

    async def take(**arguments: object) -> None:
        """Never run here."""

    parameter = inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    take.__annotations__ = {"x": annotation}
    setattr(take, "__signature__", inspect.Signature([parameter]))  # noqa: B010 - checkers know no such attribute
    return tool(take)


def schema_of(annotation: Any, default: object = inspect.Parameter.empty) -> Any:
    """What a model is told of such a parameter."""
    properties: Any = of(annotation, default).parameters["properties"]
    return properties["x"]


def read(annotation: Any, value: object) -> Any:
    """What a body gets for this value. Raises `AssertionError`, with the violations, if it is refused."""
    problems: list[str] = []
    values = of(annotation).signature.read(freeze_mapping({"x": value}), problems)
    assert problems == [], problems
    return values["x"]


def refusal(annotation: Any, value: object) -> str:
    """The one violation that is told of this value."""
    (violation,) = of(annotation).violations({"x": value})
    return violation
