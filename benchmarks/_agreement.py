"""One random tool, compared on random arguments: what its schema takes, and what the run time takes and makes of it."""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import date, time
from enum import Enum
from typing import Any, TypeAlias

import attrs
import trio

from benchmarks._kinds import Dice, Kind, Nothing, Verdict, looser
from benchmarks._kinds_many import Either, parts_of
from benchmarks._kinds_records import Record
from benchmarks._random_functions import Subject, random_tool, shown
from benchmarks._schema_checks import faults, validator
from benchmarks.random_values import random_arguments
from trio_tools import ToolCall, open_registry
from trio_tools.values import MAX_DEPTH, JSONValue, freeze_mapping

Arguments: TypeAlias = dict[str, JSONValue]
Tamper: TypeAlias = Callable[[Subject], dict[str, JSONValue]]

# Values that are compared for one type: enough for most of its near misses, few enough for many types.
VALUES_OF_A_TYPE = 25
# Calls of Python within calls that judging a value as deep as any may take; the code under test has the usual 1,000.
ROOM = 10_000
# Seconds for all values of one type, which take some hundredths: more, and reading takes a power of the depth.
PATIENCE = 10
# Characters of a value in a report: it can be drawn again by its seed.
SHOWN = 300
# Types of most values, which are told apart by how they are written.
_SCALARS = frozenset({bool, int, float, str, type(None)})


@attrs.define
class Tally:
    """What was compared, and what came of it."""

    types: int = 0
    values: int = 0
    accepted: int = 0
    ambiguous: int = 0
    differences: Counter[str] = attrs.field(factory=Counter[str])
    faults: list[str] = attrs.field(factory=list[str])


@contextmanager
def room() -> Generator[None]:
    """Room on the stack for what judges, and only for that."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(ROOM)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def spell(value: object) -> object:
    """Equal only for values that are equal all through, of the same types: 1, 1.0 and True are three."""
    kind = type(value)
    if kind in _SCALARS:
        return kind, repr(value)
    if isinstance(value, Enum):
        return kind, value.name
    if isinstance(value, (list, tuple)):
        members: list[object] = [*value]
        return kind, tuple(spell(one) for one in members)
    if isinstance(value, (set, frozenset)):
        different: list[object] = [*value]
        return kind, frozenset(spell(one) for one in different)
    if isinstance(value, dict):
        pairs: dict[object, object] = {**value}
        return kind, frozenset((spell(key), spell(one)) for key, one in pairs.items())
    if attrs.has(kind):
        return kind, tuple((one.name, spell(getattr(value, one.name))) for one in attrs.fields(kind))
    if dataclasses.is_dataclass(value):
        return kind, tuple((one.name, spell(getattr(value, one.name))) for one in dataclasses.fields(value))
    return kind, value.isoformat() if isinstance(value, (date, time)) else repr(value)


def depth(value: JSONValue) -> int:
    """Levels of nesting; an empty container is one."""
    level, inside = 0, [value]
    while inside := [one for one in inside if isinstance(one, (dict, list))]:
        level += 1
        inside = [part for one in inside for part in (one.values() if isinstance(one, dict) else one)]
    return level


def judge(kind: Record, arguments: Arguments) -> Verdict:
    if depth(arguments) > MAX_DEPTH:
        return looser("depth")
    with room():
        return kind.judge(arguments)


@attrs.define
class Comparison:
    """One tool under comparison."""

    seed: int
    subject: Subject
    schema: dict[str, JSONValue]
    tally: Tally
    accepted: list[tuple[Arguments, dict[str, object]]] = attrs.field(factory=list[tuple[Arguments, dict[str, object]]])

    def fault(self, what: str, value: JSONValue = None) -> None:
        with room():
            sent = "" if value is None else f"; value {json.dumps(value)[:SHOWN]}"
        self.tally.faults.append(f"seed {self.seed}: {what}; type ({shown(self.subject)}){sent}")

    def compare(self, arguments: Arguments, shows: bool, dice: Dice) -> None:
        """One value: whether the schema takes it, whether the run time does, and whether that is as documented."""
        tool, expected = self.subject.tool, judge(self.subject.kind, arguments)
        self.tally.values += 1
        found = tool.violations(arguments)
        if dice.one_in(4):
            with room():
                written = json.dumps(arguments, ensure_ascii=dice.one_in(2))
            text = tool.violations(written)
            if text != found and not (text and "depth" in expected.looser):  # which is found on other ways, in text
                self.fault(f"read from text: {text[:3]}, from a mapping: {found[:3]}", arguments)
        if not found:
            self.tally.accepted += 1
        if not found and not shows:
            self.fault("the schema refuses what the run time takes", arguments)
        elif found and shows and not expected.looser:
            self.fault(f"the schema takes what the run time refuses ({'; '.join(found)[:SHOWN]})", arguments)
        elif (not found) != expected.taken:
            self.fault(f"by the table it {'fits' if expected.taken else 'does not fit'}: {found[:3]}", arguments)
        elif found and shows:
            self.tally.differences.update(expected.looser)
        elif not found:
            self._read(arguments, expected)

    def _read(self, arguments: Arguments, expected: Verdict) -> None:
        first, second = self.read(arguments), self.read(arguments)
        with room():
            if spell(first) != spell(expected.value):
                self.fault(f"read as {str(first)[:SHOWN]}, and not as {str(expected.value)[:SHOWN]}", arguments)
            elif spell(first) != spell(second):
                self.fault("read differently the second time", arguments)
            else:
                self.accepted.append((arguments, first))

    def read(self, arguments: Arguments) -> dict[str, object]:
        problems: list[str] = []
        values = self.subject.tool.signature.read(freeze_mapping(arguments), problems)
        assert not problems
        return values

    def run(self) -> None:
        """Run the calls that fit: the body gets these values and the real defaults, and what it returns fits again."""
        subject = self.subject
        subject.sent += [[*arguments] for arguments, _ in self.accepted]

        async def main() -> None:
            async with open_registry() as registry:
                registry.register(subject.tool)
                calls = [ToolCall(subject.tool.name, arguments) for arguments, _ in self.accepted]
                results = await registry.execute_turn(calls, scope=trio.CancelScope())
                for (arguments, values), result, received in zip(self.accepted, results, subject.received, strict=True):
                    if result.is_error:
                        self.fault(f"the call failed: {result.text[:SHOWN]}", arguments)
                    else:
                        self._given(arguments, values, received)
                        output = subject.output
                        self._returned(arguments, values, result.value if output is None else {output: result.value})

        trio.run(main)

    def _given(self, arguments: Arguments, values: dict[str, object], received: dict[str, object]) -> None:
        defaults = self.subject.defaults
        if any(received[name] is not default for name, default in defaults.items() if name not in arguments):
            self.fault("another default than the function's", arguments)
        with room():
            if spell({name: received[name] for name in arguments}) != spell(values):
                self.fault("the body got other values than those read", arguments)

    def _returned(self, arguments: Arguments, values: dict[str, object], returned: JSONValue) -> None:
        """What a body returns is read back as the same, unless an earlier arm of a union takes it."""
        if not isinstance(returned, dict):
            self.fault(f"returned as {returned!r}", arguments)
            return
        found = self.subject.tool.violations(returned)
        if found:
            self.fault(f"what the body returns does not fit: {found} in {json.dumps(returned)[:SHOWN]}", arguments)
            return
        again = self.read(returned)
        expected = judge(self.subject.kind, returned)
        with room():
            if spell(again) == spell(values):
                return
            if has_union(self.subject.kind) and spell(again) == spell(expected.value):
                self.tally.ambiguous += 1
                return
        self.fault(f"returned as {json.dumps(returned)[:SHOWN]}, which is read as {str(again)[:SHOWN]}", arguments)


def has_union(kind: Kind) -> bool:
    """Whether there are arms of which another may take what one of them wrote."""
    if isinstance(kind, Either) and sum(not isinstance(one, Nothing) for one in kind.arms) > 1:
        return True
    inside = [one.kind for one in kind.fields] if isinstance(kind, Record) else parts_of(kind)
    return any(has_union(one) for one in inside)


class TooSlow(BaseException):
    """Reading took much longer than there is to read; no `except Exception` holds it up."""


@contextmanager
def patience() -> Generator[None]:
    """Give up what takes longer than `PATIENCE`."""

    def give_up(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def compare_one(seed: int, tally: Tally, tamper: Tamper | None = None) -> None:
    """Compare the tool that this seed names on the values that it names."""
    try:
        with patience():
            _compare_one(seed, tally, tamper)
    except TooSlow:
        tally.faults.append(f"seed {seed}: not done after {PATIENCE} seconds")


def _compare_one(seed: int, tally: Tally, tamper: Tamper | None) -> None:
    dice = Dice(seed)
    try:
        subject = random_tool(dice)
    except Exception as error:
        tally.faults.append(f"seed {seed}: cannot be declared: {type(error).__name__}: {error}")
        return
    tally.types += 1
    schema: dict[str, Any] = {**subject.tool.parameters}
    comparison = Comparison(seed, subject, schema if tamper is None else tamper(subject), tally)
    found = faults(comparison.schema)
    for what in found:
        comparison.fault(what)
    if found:
        return
    check = validator(comparison.schema)
    for _ in range(VALUES_OF_A_TYPE):
        arguments = random_arguments(subject.kind, dice)
        comparison.compare(arguments, check.is_valid(arguments), dice)
    comparison.run()
