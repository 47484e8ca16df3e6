"""Random functions, declared as tools: parameters of every kind, with and without defaults of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from benchmarks._kinds import Dice, Kind
from benchmarks._kinds_records import Field, Record, as_dict
from benchmarks._random_classes import a_value
from benchmarks._sample_types import Color
from benchmarks.random_types import random_kind
from trio_tools import Tool, tool

PARAMETERS = ("a", "b", "größe", "self", "type", "_hidden", "properties", "default")


def _endless() -> list[object]:
    around: list[object] = []
    around.append(around)
    return around


# Defaults that are of no type of the table, or that JSON cannot carry, or not within the type: each is still the
# default, and none may spoil the schema.
ODD_DEFAULTS: tuple[Callable[[], object], ...] = (
    *(object, set, list, dict, lambda: None, lambda: ..., lambda: float("nan"), lambda: float("inf"), lambda: b"\xff"),
    *(lambda: Color.RED, lambda: "\ud800", lambda: {1: 2}, lambda: 10**5000, lambda: [float("nan")], lambda: print),
    *(
        lambda: True,
        lambda: 1,
        lambda: 1.0,
        lambda: "1",
        lambda: 1e25,
        lambda: 2**53 + 1,
        lambda: int,
        _endless,
    ),
)


@attrs.define
class Subject:
    """One random tool: what it takes, its defaults, and what its body was given."""

    kind: Record
    tool: Tool
    defaults: dict[str, object]
    output: str | None  # the parameter that the body gives back, if its type is declared as that of the result too
    sent: list[list[str]] = attrs.field(factory=list[list[str]])  # names of the arguments of each call that will run
    received: list[dict[str, object]] = attrs.field(factory=list[dict[str, object]])


@attrs.frozen
class _Parameter:
    name: str
    kind: Kind
    section: int  # positional-only, either, keyword-only
    default: list[object]

    def source(self) -> str:
        return f"{self.name}=defaults[{self.name!r}]" if self.default else self.name


def _parameters(dice: Dice) -> list[_Parameter]:
    drawn: list[_Parameter] = []
    for name in dice.sample(PARAMETERS, dice.choice((1, 1, 2, 3))):
        kind = random_kind(dice)
        default: list[object] = []
        if dice.one_in(2):
            default = a_value(kind, dice) if dice.one_in(2) else [dice.choice(ODD_DEFAULTS)()]
        drawn.append(_Parameter(name, kind, dice.choice((0, 1, 1, 2)), default))
    # what is positional and has a default comes after what has none
    positional = sorted((one for one in drawn if one.section < 2), key=lambda one: (bool(one.default), one.section))
    section = 0
    ordered: list[_Parameter] = []
    for one in positional:
        section = max(section, one.section)
        ordered.append(attrs.evolve(one, section=section))
    return ordered + [one for one in drawn if one.section == 2]


def _source(parameters: list[_Parameter]) -> str:
    listed = [[one.source() for one in parameters if one.section == section] for section in (0, 1, 2)]
    first, second, third = listed
    parts = [*first, *(["/"] if first else []), *second, *(["*"] if third else []), *third]
    return f"async def body({', '.join(parts)}):\n    return keep(locals())\n"


def random_tool(dice: Dice) -> Subject:
    """Draw a function and declare it. Raises what the declaration raises."""
    parameters = _parameters(dice)
    defaults = {one.name: one.default[0] for one in parameters if one.default}
    fields = [Field(one.name, one.kind, not one.default) for one in parameters]
    output = parameters[0].name if len(parameters) == 1 and not defaults and dice.one_in(2) else None

    def keep(values: dict[str, object]) -> object:
        subject.received.append(values)
        if output is not None:
            return values[output]
        return {name: values[name] for name in subject.sent[len(subject.received) - 1]}

    space: dict[str, Any] = {"defaults": defaults, "keep": keep}
    exec(_source(parameters), space)
    body: Any = space["body"]
    body.__annotations__ = {one.name: one.kind.annotation for one in parameters}
    kind = Record(body, fields, as_dict)
    made = tool(body) if output is None else tool(body, output=parameters[0].kind.annotation)
    subject = Subject(kind, made, defaults, output)
    return subject


def shown(subject: Subject) -> str:
    """The parameters as text, for a report."""
    hints: dict[str, object] = subject.tool.body.__annotations__
    return ", ".join(f"{name}: {hint}" for name, hint in hints.items())
