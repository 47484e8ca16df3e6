"""Raw schemas: a tool whose parameters are JSON Schema by hand, as they come from other programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_origin

import attrs

from trio_tools.tool._bindings import parameter_hints
from trio_tools.tool._callables import is_coroutine, layers_of, names_of, parameters_of
from trio_tools.tool._canonical import canonical
from trio_tools.tool._check import SchemaCheck, is_small
from trio_tools.tool._shape import Problem
from trio_tools.tool._signature import is_context, shortened
from trio_tools.values import FrozenDict, JSONValue

# What the parameter may be annotated with that takes all arguments; or not at all.
_MAPPINGS = (dict, FrozenDict, Mapping)


@attrs.define(eq=False, repr=False)
class RawSignature:
    """A schema, and a body that takes its arguments by keyword, or as one mapping."""

    schema: FrozenDict
    context: str | None
    whole: str | None  # name of the one parameter that takes all arguments, if the body is of that kind
    known: frozenset[str] | None  # the names that the body takes; None if it takes any
    is_async: bool
    taken: frozenset[str]  # names that are bound already, and so are no argument's
    trusted: bool = True
    _check: SchemaCheck | None = None

    def prepare(self) -> None:
        """Compile the schema. Raises `ValueError` for one that is none, `ModuleNotFoundError` without the extra."""
        self._check = self._check or SchemaCheck(self.schema)

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        """The arguments as they are; what does not fit is appended to `problems`."""
        self.prepare()
        assert self._check is not None
        found = [str(_at_top(problem)) for problem in self._check.problems(arguments)]
        if self.whole is None and not found:
            found += [f'unknown property "{name}"' for name in arguments if not self._takes(name)]
        problems += shortened(found)
        if found and not is_small(arguments):
            problems.append("and there may be more")
        return {self.whole: arguments} if self.whole is not None else dict(arguments)

    def _takes(self, name: str) -> bool:
        return name not in self.taken and (self.known is None or name in self.known)

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
    hints: dict[str, Any] = parameter_hints(layers_of(body)[-1], name)
    contexts = [one.name for one in given if is_context(hints.get(one.name, one.annotation))]
    if len(contexts) > 1:
        raise TypeError(f'tool "{name}": a tool takes one context, not {len(contexts)}')
    rest = [one for one in given if one.name not in contexts]
    shown = schema.get("properties")
    properties = shown if isinstance(shown, dict) else {}  # else it is no schema, which `prepare` tells
    whole = rest[0].name if len(rest) == 1 and _is_whole(rest[0], hints, properties) else None
    taken = frozenset[str]()
    known = None
    if whole is None:
        taken = names_of(body) - {one.name for one in rest}
        clash = [one for one in properties if one in taken]
        if clash:
            raise TypeError(f'tool "{name}": the property "{clash[0]}" is a parameter that the body is given already')
        known = _checked(rest, schema, properties, name)
    context = contexts[0] if contexts else None
    return RawSignature(schema, context, whole, known, is_coroutine(body), taken)


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


def _at_top(problem: Problem) -> Problem:
    """A problem of the arguments themselves has no name to be told by."""
    return problem if problem.path else Problem(problem.after, ("$",), problem.before)
