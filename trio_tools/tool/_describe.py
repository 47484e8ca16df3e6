"""What is said of a tool, a parameter or a field: in annotations first, then in docstrings of any usual form."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable

from trio_tools.tool._callables import layers_of
from trio_tools.tool._shape import Shape
from trio_tools.values import JSONValue


def described_callable(function: Callable[..., object]) -> tuple[str, dict[str, str]]:
    """As `described`, of the function behind partials and decorators, or else of the object that is called."""
    layers = [one for one in layers_of(function) if not isinstance(one, functools.partial)]
    layers.sort(key=lambda one: not inspect.isroutine(one))
    return described(next((one for one in layers if inspect.getdoc(one)), None))


def described(owner: object) -> tuple[str, dict[str, str]]:
    """The description in a docstring, and those of parameters and attributes by name. A docstring that cannot be taken
    apart is the description as it stands."""
    docstring = inspect.getdoc(owner) if owner is not None and _has_own(owner) else None
    if not docstring:
        return "", {}
    if "\n" not in docstring and ":" not in docstring:
        return docstring.strip(), {}  # it has no parts in any form
    import docstring_parser

    try:
        parsed = docstring_parser.parse(docstring)
    except docstring_parser.ParseError:
        return docstring, {}
    members = {one.arg_name: one.description for one in parsed.params if one.description}
    parts = (parsed.short_description, parsed.long_description)
    return "\n\n".join(part for part in parts if part), members


def _has_own(owner: object) -> bool:
    """A class inherits its base's docstring, and a dataclass without one is given its signature."""
    if not isinstance(owner, type):
        return True
    text: object = vars(owner).get("__doc__")
    return isinstance(text, str) and not (dataclasses.is_dataclass(owner) and text.startswith(f"{owner.__name__}("))


def description_in(metadata: Iterable[object]) -> str | None:
    """The last description among metadata: a plain string, a `Doc`, or an object with a description of its own."""
    found: str | None = None
    for one in metadata:
        text: object = one
        if not isinstance(one, str):
            text = getattr(one, "documentation", None) or getattr(one, "description", None)
        found = text if isinstance(text, str) and text else found
    return found


def described_as(shape: Shape, description: str | None) -> dict[str, JSONValue]:
    """The schema of a shape with this description, and after it the bounds that a schema has no word for: a model is to
    know them all the same."""
    stop = "." if description and shape.untold and description[-1] not in ".!?" else ""
    text = f"{description or ''}{stop} {shape.untold}".strip()
    return {**shape.schema, "description": text} if text else shape.schema
