"""Raw schemas: a tool whose parameters are JSON Schema by hand, as they come from other programs.

Validated by jsonschema-rs, offline: a `$ref` is never fetched, wherever it points. It is an extra, imported when the
first such tool is made ready.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, get_origin
from urllib.parse import unquote

import attrs

from trio_tools.tool._bindings import hints_of
from trio_tools.tool._callables import is_coroutine, layers_of, parameters_of
from trio_tools.tool._shape import SHOWN_VIOLATIONS, Misfit, Problem, Shape
from trio_tools.tool._signature import is_context, shortened
from trio_tools.tool._violations import problem_of, words_of
from trio_tools.values import FrozenDict, JSONValue, freeze_mapping, subschemas, thaw

if TYPE_CHECKING:
    from jsonschema_rs import Validator

# What the parameter may be annotated with that takes all arguments; or not at all.
_MAPPINGS = (dict, FrozenDict, Mapping)

# References to references at the root. A real schema has one; a circle has no end.
_HOPS = 20


def canonical(schema: Mapping[str, object]) -> FrozenDict:
    """A frozen copy of a schema of arguments, with a plain `type: object` at its top.

    Raises `ValueError` for one that no arguments fit or that refers to anything outside itself, and `NotJSON`.
    """
    root: dict[str, JSONValue] = dict(freeze_mapping(schema))
    for _ in range(_HOPS):
        reference = root.pop("$ref", None)
        if reference is None:
            break
        target = _target(root, reference)
        twice = sorted((target.keys() & root.keys()) - {"description", "title", "default"})
        if twice:
            raise ValueError(f"the $ref at the root says {twice[0]!r}, and so does what stands beside it")
        root = {**target, **root}
    else:
        raise ValueError("the $ref at the root leads to no end")
    kind = root.pop("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise ValueError(f"arguments are always an object, and the schema asks for {kind!r}")
    root = {"type": "object", **root}
    for inner in subschemas(root):
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            place = inner.get(keyword)
            if isinstance(place, str) and not place.startswith("#"):
                raise ValueError(f"the {keyword} {place!r} lies outside the schema, and is never fetched")
        if inner is not root and isinstance(inner.get("$id"), str):
            raise ValueError(f"a schema with an $id of its own inside ({inner['$id']!r}): references would mislead")
    return freeze_mapping(root)


def _target(root: dict[str, JSONValue], reference: JSONValue) -> dict[str, JSONValue]:
    found: JSONValue = root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise ValueError(f"the $ref {reference!r} at the root leads nowhere within the schema")
    for step in reference.removeprefix("#/").split("/"):
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            raise ValueError(f"the $ref {reference!r} at the root leads nowhere within the schema")
        found = found[name]
    if not isinstance(found, dict):
        raise ValueError(f"the $ref {reference!r} at the root leads to no schema")
    return found


def validator_of(schema: Mapping[str, JSONValue]) -> Validator:
    """Compile a schema. Raises `ValueError` for one that is none, and `ModuleNotFoundError` without the extra."""
    try:
        import jsonschema_rs
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "a raw JSON Schema needs jsonschema-rs; install it: pip install 'trio-tools[schema]'"
        ) from None
    try:
        return jsonschema_rs.validator_for(thaw(schema), offline=True, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        raise ValueError(f"not a JSON Schema that can be checked: {words_of(error)}") from None


def shape_of_schema(schema: Mapping[str, object]) -> Shape:
    """The shape of a raw schema, for `output`. Raises as `validator_of` does."""
    frozen = freeze_mapping(schema)
    validator = validator_of(frozen)

    def read(value: JSONValue, _: object) -> object:
        found = list(_problems(validator, value))
        if found:
            raise Misfit(found)
        return value

    return Shape(schema=thaw(frozen), noun="what its schema takes", hook=read)


def _problems(validator: Validator, value: JSONValue) -> Iterator[Problem]:
    if not validator.is_valid(value):
        for error in islice(validator.iter_errors(value), SHOWN_VIOLATIONS):
            yield from problem_of(error)


@attrs.define(eq=False, repr=False)
class RawSignature:
    """A schema, and a body that takes its arguments by keyword, or as one mapping."""

    schema: FrozenDict
    context: str | None
    whole: str | None  # name of the one parameter that takes all arguments, if the body is of that kind
    known: frozenset[str] | None  # the names that the body takes; None if it takes any
    is_async: bool
    trusted: bool = True
    _validator: Validator | None = None

    def prepare(self) -> None:
        """Compile the schema. Raises `ValueError` for one that is none, `ModuleNotFoundError` without the extra."""
        self._validator = self._validator or validator_of(self.schema)

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        """The arguments as they are; what does not fit is appended to `problems`."""
        self.prepare()
        assert self._validator is not None
        found = [str(problem) for problem in _problems(self._validator, arguments)]
        if self.known is not None and not found:
            found += [f'unknown property "{name}"' for name in arguments if name not in self.known]
        problems += shortened(found)
        return {self.whole: arguments} if self.whole is not None else dict(arguments)

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        """The values and the context as keyword arguments."""
        return (), values if self.context is None else {**values, self.context: context}


def raw_signature(body: Callable[..., object], parameters: FrozenDict, name: str) -> RawSignature:
    """How a body takes the arguments of a raw schema: by keyword, or, if its one parameter is for a mapping and has a
    name that the schema does not know, all of them there. Raises `TypeError` for a body that could not be called, and
    `ValueError` for a schema that `canonical` refuses."""
    try:
        schema = canonical(parameters)
    except ValueError as error:
        raise ValueError(f'tool "{name}": {error}') from None
    given = parameters_of(body, name)
    hints: dict[str, Any] = hints_of(layers_of(body)[-1], f'tool "{name}"')
    contexts = [one.name for one in given if is_context(hints.get(one.name, one.annotation))]
    if len(contexts) > 1:
        raise TypeError(f'tool "{name}": a tool takes one context, not {len(contexts)}')
    rest = [one for one in given if one.name not in contexts]
    shown = schema.get("properties")
    properties = shown if isinstance(shown, dict) else {}  # else it is no schema, which `prepare` tells
    whole = rest[0].name if len(rest) == 1 and _is_whole(rest[0], hints, properties) else None
    known = None
    if whole is None:
        known = _checked(rest, schema, properties, name)
    context = contexts[0] if contexts else None
    return RawSignature(schema, context, whole, known, is_coroutine(body))


def _is_whole(parameter: inspect.Parameter, hints: dict[str, Any], properties: Mapping[str, JSONValue]) -> bool:
    hint = hints.get(parameter.name, object)
    by_name = (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    takes_mapping = hint in (object, Any) or (get_origin(hint) or hint) in _MAPPINGS
    return parameter.kind in by_name and parameter.name not in properties and takes_mapping


def _checked(
    given: list[inspect.Parameter], schema: FrozenDict, properties: Mapping[str, JSONValue], name: str
) -> frozenset[str] | None:
    """The names that a body takes by keyword; None for any. Raises `TypeError` if the schema may give others, or not
    those that it needs."""
    takes_any = any(one.kind is one.VAR_KEYWORD for one in given)
    names = {one.name for one in given if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    required = schema.get("required", [])
    for one in given:
        place = f'tool "{name}", parameter "{one.name}"'
        if one.kind is one.POSITIONAL_ONLY:
            raise TypeError(f"{place}: the arguments of a raw schema are given by keyword")
        needed = one.name in names and one.default is one.empty
        if needed and not (isinstance(required, list) and one.name in required):
            raise TypeError(
                f"{place}: it has no default, and the schema does not require it; give it one, or list it in required"
            )
    missing = [one for one in properties if one not in names]
    if missing and not takes_any:
        raise TypeError(f'tool "{name}": the body has no parameter for the property "{missing[0]}", and no **kwargs')
    return None if takes_any else frozenset(names)
