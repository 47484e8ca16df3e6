"""What a validator says of arguments, in the words that all tools use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trio_tools.tool._shape import Problem
from trio_tools.values import safe

if TYPE_CHECKING:
    from jsonschema_rs import ReferencingError, ValidationError

# Characters of a validator's own words, which may quote a whole value.
SHOWN_WORDS = 300
# Characters of a list of what is allowed: a model is to see all of it, but for one that nobody would read.
SHOWN_VALUES = 4_000

_NOUNS = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
    "object": "an object",
    "array": "an array",
}


def problem_of(error: ValidationError) -> Iterator[Problem]:
    """The problems that one error of the validator stands for."""
    path = tuple(reversed(error.instance_path))
    kind: Any = error.kind
    match kind.name:
        case "required":
            yield Problem(path=_inside(error, kind.property), before="missing required property ")
        case "additionalProperties" | "unevaluatedProperties":
            for name in kind.unexpected:
                yield Problem(path=_inside(error, name), before="unknown property ")
        case "type":
            yield Problem(f" must be {' or '.join(_NOUNS.get(one, one) for one in _listed(kind.types))}", path)
        case "enum":
            yield Problem(f" must be one of {_json(kind.options)}", path)
        case "const":
            yield Problem(f" must be {_json(kind.expected_value)}", path)
        case "oneOf":
            yield Problem(f" must match exactly one oneOf branch (matched {_matched(kind)})", path)
        case _:
            yield Problem(f": {_cut(safe(error.message))}", path)


def _inside(error: ValidationError, name: str) -> tuple[str | int, ...]:
    return (name, *reversed(error.instance_path))


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return safe(text if len(text) <= SHOWN_VALUES else text[:SHOWN_VALUES] + "...")


def words_of(error: ValidationError | ReferencingError) -> str:
    """What is wrong with a schema, and where in it."""
    path: list[str | int] = getattr(error, "instance_path", [])
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    said = str(error).partition("\n")[0]
    if path and path[-1] == "type":  # in its own words it is "not valid under any of the schemas"
        said = f"{_json(getattr(error, 'instance', None))} is no type of JSON Schema"
    if said.startswith("Unknown meta-schema: "):
        said = f"{said.split()[2].rstrip('.')} names no known draft; leave $schema out, or name one"
    return _cut(safe(f"{said}, at ${place}" if path else said))


def _cut(words: str) -> str:
    return words if len(words) <= SHOWN_WORDS else words[:SHOWN_WORDS] + "..."


def _matched(kind: Any) -> int:
    return sum(not branch for branch in kind.context)
