"""Hostile argument texts, a million of them, thrown at the parser and at a tool.

Each text is judged a second time by `_strict_reader.py` and `_hostile_target.py`, which share no code with the
package. Both must take it or both refuse it, and what is taken must be the same down to the type of each number.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import attrs
import trio

from benchmarks._hostile_findings import Findings
from benchmarks._hostile_target import Ledger, Misfit, expected, target
from benchmarks._strict_reader import Refused, read, same
from benchmarks.hostile_texts import KIND_NAMES, HostileText, hostile_text
from trio_tools import CallView, ErrorCode, NotJSON, Tool, ToolCall, ToolResult, open_registry
from trio_tools.values import FrozenDict, FrozenList, parse_arguments

# Of each kind, the first text and then every so many-th goes through a registry too: a call costs as much as ten texts.
WHOLE_EVERY = 50
# Seconds of processor time that one text may take to be parsed and checked. A loop that stands still for longer is felt
# by everything else that runs on it.
LONGEST = 0.050
# Times that a text which took longer is measured again; the least counts. A first run also pays for memory that the
# system hands out, and for a processor that other programs share.
REPEATS = 4
# Characters of what the parser says of a text, and of what a model reads of a refused call, which may list many faults.
LONGEST_MESSAGE = 2_000
LONGEST_RESULT = 50_000
# Promises broken at which a run gives up.
ENOUGH = 10

Parse: TypeAlias = Callable[[str], Mapping[str, object]]
Clock: TypeAlias = Callable[[], float]
Execute: TypeAlias = Callable[[ToolCall], Awaitable[ToolResult]]


@attrs.define
class Tally:
    """What came of the texts so far."""

    kinds: Counter[str] = attrs.field(factory=Counter[str])
    accepted: int = 0
    fitting: int = 0
    calls: int = 0
    longest: float = 0.0  # seconds
    slowest: HostileText | None = None
    faults: list[str] = attrs.field(factory=list[str])

    @property
    def texts(self) -> int:
        return self.kinds.total()

    def took(self, text: HostileText, seconds: float) -> None:
        if seconds > self.longest:
            self.longest, self.slowest = seconds, text

    def blame(self, text: HostileText, faults: list[str]) -> None:
        self.faults += [f"seed {text.seed} ({text.kind}): {fault}" for fault in faults]

    def summary(self) -> str:
        slowest = "none" if self.slowest is None else f"seed {self.slowest.seed}, {self.slowest.kind}"
        return (
            f"{self.texts:,} texts, {self.accepted:,} accepted "
            f"({self.fitting:,} fit the tool), {self.texts - self.accepted:,} refused, {self.calls:,} whole calls, "
            f"longest {self.longest * 1000:.1f} ms ({slowest})"
        )


@attrs.frozen
class Verdict:
    """What the second reading says of a text: the object, if it is one, and what the body must get, if it fits."""

    arguments: dict[str, object] | None
    values: dict[str, object] | None


@attrs.frozen
class Outcome:
    """What the package made of a text, and how many seconds that took."""

    seconds: float
    arguments: Mapping[str, object] | None = None
    refusal: str | None = None
    problems: tuple[str, ...] = ()
    crash: Exception | None = None


def judge(text: str) -> Verdict:
    """The verdict of the second reading."""
    try:
        arguments = read(text)
    except Refused:
        return Verdict(None, None)
    try:
        return Verdict(arguments, expected(arguments))
    except Misfit:
        return Verdict(arguments, None)


def taken(text: str, aim: Tool, parse: Parse = parse_arguments, clock: Clock = time.thread_time) -> Outcome:
    """Parse and check a text as a call would. Garbage of the benchmark's own is not collected meanwhile."""
    arguments: Mapping[str, object] | None = None
    problems: list[str] = []
    gc.disable()
    began = clock()
    try:
        arguments = parse(text)
        if isinstance(arguments, FrozenDict):
            aim.signature.read(arguments, problems)
    except NotJSON as error:
        return Outcome(clock() - began, refusal=str(error))
    except Exception as error:
        return Outcome(clock() - began, crash=error)
    else:
        return Outcome(clock() - began, arguments, None, tuple(problems))
    finally:
        gc.enable()


def least_seconds(act: Callable[[], object]) -> float:
    """The least seconds of processor time that this takes, measured again only if it takes long."""

    def once() -> float:
        gc.disable()
        began = time.thread_time()
        try:
            act()
            return time.thread_time() - began
        finally:
            gc.enable()

    seconds = once()
    for _ in range(REPEATS):
        if seconds > LONGEST:
            seconds = min(seconds, once())
    return seconds


def broken(outcome: Outcome, verdict: Verdict) -> list[str]:
    """The promises that the parser broke on a text, in words; none is what we promise."""
    if outcome.crash is not None:
        return [f"crashed with {outcome.crash!a:.300}"]
    faults: list[str] = []
    if outcome.arguments is None:
        faults += _unsayable("the refusal", outcome.refusal or "", LONGEST_MESSAGE)
        if verdict.arguments is not None:
            faults.append(f"refused, though it is sound: {outcome.refusal!a:.300}")
    elif verdict.arguments is None:
        faults.append("accepted, though a rule refuses it")
    elif not same(outcome.arguments, verdict.arguments):
        faults.append("read as another value than is written")
    elif not _is_frozen(outcome.arguments):
        faults.append("a part of it can be changed")
    elif bool(outcome.problems) != (verdict.values is None):
        faults.append(f"the check says {list(outcome.problems)[:3]!a:.300}, the table of types otherwise")
    return faults


def _is_frozen(value: object) -> bool:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, FrozenDict):
            left += one.values()
        elif isinstance(one, FrozenList):
            left += one
        elif isinstance(one, (dict, list)):
            return False
    return True


def _unsayable(what: str, text: str, most: int) -> list[str]:
    """What keeps a model from being told this text."""
    faults = [] if 0 < len(text) <= most else [f"{what} has {len(text):,} characters"]
    try:
        text.encode()
    except UnicodeEncodeError:
        faults.append(f"{what} is not valid UTF-8")
    return faults


def check_text(
    text: HostileText,
    aim: Tool,
    tally: Tally,
    parse: Parse = parse_arguments,
    clock: Clock = time.thread_time,
) -> Verdict:
    """Check one text against the second reading, and note what came of it."""
    verdict, outcome = judge(text.text), taken(text.text, aim, parse, clock)
    seconds = outcome.seconds
    for _ in range(REPEATS):
        if seconds > LONGEST:
            seconds = min(seconds, taken(text.text, aim, parse, clock).seconds)
    tally.kinds[text.kind] += 1
    tally.accepted += verdict.arguments is not None
    tally.fitting += verdict.values is not None
    tally.took(text, seconds)
    tally.blame(text, broken(outcome, verdict))
    if seconds > LONGEST:
        tally.blame(text, [f"took {seconds * 1000:.1f} ms"])
    return verdict


async def check_call(
    text: HostileText,
    verdict: Verdict,
    execute: Execute,
    ledger: Ledger,
    observed: list[ToolResult],
) -> list[str]:
    """The promises that a whole call with this text broke, in words."""
    before = ledger.entered
    observed.clear()
    try:
        result = await execute(ToolCall("aim", text.text, id=str(text.seed)))
    except Exception as error:
        return [f"the call raised {error!a:.300}"]
    entered = ledger.entered - before
    faults = _unsayable("the result", result.text, LONGEST_RESULT)
    if len(observed) != 1 or observed[0] is not result:
        faults.append(f"{len(observed)} results were published for one call")
    if verdict.values is None:
        name = None if result.error is None else result.error.name
        if (name, result.code) != ("ToolArgsError", ErrorCode.INVALID_ARGS):
            faults.append(f"the call must be refused, and came to {result.code} of {name}")
        if result.dispatched or entered:
            faults.append(f"refused, yet dispatched is {result.dispatched} and the body was entered {entered} times")
    elif result.error is not None or not result.dispatched or entered != 1:
        faults.append(f"the call fits, and came to {result.text!a:.300}; the body was entered {entered} times")
    elif not same(ledger.values, verdict.values):
        faults.append("the body got other values than were written")
    return faults


async def check_texts(texts: Callable[[int], HostileText], seeds: range, tally: Tally, whole_every: int) -> None:
    """Check the texts of these seeds; of each kind the first, and then every so many-th, in a whole call too."""
    ledger, observed = Ledger(), list[ToolResult]()
    aim = target(ledger)

    def observe(_: CallView, result: ToolResult) -> None:
        observed.append(result)

    async with open_registry() as registry:
        registry.register(aim)
        registry.add_observer(observe)

        def execute(call: ToolCall) -> Awaitable[ToolResult]:
            return registry.execute(call, scope=trio.CancelScope())

        for seed in seeds:
            text = texts(seed)
            verdict = check_text(text, aim, tally)
            if tally.kinds[text.kind] % whole_every == 1:
                tally.calls += 1
                tally.blame(text, await check_call(text, verdict, execute, ledger, observed))
            if len(tally.faults) >= ENOUGH:
                return


def arguments(texts: int) -> Findings:
    """Check so many texts, each by its own seed, and say what was found."""
    began, tally = time.perf_counter(), Tally()
    trio.run(check_texts, hostile_text, range(texts), tally, WHOLE_EVERY)
    absent = [] if tally.faults else [kind for kind in KIND_NAMES if not tally.kinds[kind]]
    faults = [*tally.faults, *(f"no text of this kind occurred: {kind}" for kind in absent)]
    return Findings("arguments", tally.summary(), tuple(faults), time.perf_counter() - began)
