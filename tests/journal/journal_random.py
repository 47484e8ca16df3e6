"""Random records: turns of valid calls, whose events are mixed as parallel calls mix them, cut off anywhere."""

from __future__ import annotations

from random import Random

import attrs
from journal_contract import Made, call

from trio_tools import (
    CallEvent,
    CallSettled,
    Effect,
    EffectEnded,
    EffectState,
    ErrorCode,
    ErrorInfo,
    JSONValue,
    Text,
    ToolResult,
)

# Of each, so many at most: small enough to be read when it fails, large enough that all meet.
TURNS, CALLS, EFFECTS, LEVELS = 3, 3, 3, 2
ARGUMENTS: tuple[JSONValue, ...] = (
    "",
    "{}",
    '{"to": "ada"}',
    '{"cut',
    "[]",
    {"to": "bob", "n": [1, None]},
    '{"lone": "\\ud800"}',
)


@attrs.define
class Script:
    """What a call does: its events but the last, and the calls that it makes, each before one of them."""

    made: Made
    events: list[CallEvent]
    nested: list[Script] = attrs.field(factory=list["Script"])
    named: list[Effect] = attrs.field(factory=list[Effect])


def random_record(rng: Random) -> list[CallEvent]:
    """The events of some turns, in an order in which they may come, up to where the process was killed."""
    events: list[CallEvent] = []
    running = [_turn(rng, f"t{turn}", None, 0) for turn in range(rng.randint(1, TURNS))]
    threads = [_steps(rng, script) for turn in running for script in turn]
    for turn in running:  # all calls of a turn are accepted before anything of it runs
        events += [script.made.accepted(rng.choice(ARGUMENTS)) for script in turn]
    while threads:
        steps = rng.choice(threads)
        if steps:
            events.append(steps.pop(0))
        else:
            threads.remove(steps)
    return events[: rng.randint(0, len(events))] if rng.random() < 0.8 else events


def _turn(rng: Random, name: str, parent: str | None, level: int) -> list[Script]:
    session = rng.choice(("s", "s", "other", None)) if parent is None else "s"
    count = rng.randint(1, CALLS if parent is None else 1)
    return [_script(rng, call(f"{name}/{place}", session=session, parent=parent), level) for place in range(count)]


def _script(rng: Random, made: Made, level: int) -> Script:
    if rng.random() < 0.2:
        return Script(made, [made.decided("no")] if rng.random() < 0.5 else [])
    script = Script(made, [made.decided(), made.dispatching()])
    for number in range(rng.randint(0, EFFECTS)):
        key = rng.choice((None, f"{made.place}-{number}"))
        state = rng.choice((EffectState.COMMITTED, EffectState.FAILED, EffectState.UNKNOWN))
        script.events += [made.begun(f"e{number}", key), made.ended(state, f"e{number}", key, receipt=number)]
    if level < LEVELS and rng.random() < 0.4:
        script.nested = _turn(rng, f"{made.ref.turn}-{made.ref.position}", made.place, level + 1)
    return script


def _steps(rng: Random, script: Script) -> list[CallEvent]:
    """The events of a call behind its acceptance, with those of the calls that it makes in between."""
    steps, place = list(script.events), rng.randint(min(2, len(script.events)), len(script.events))
    inner: list[CallEvent] = []
    for one in script.nested:
        inner += [one.made.accepted(rng.choice(ARGUMENTS)), *_steps(rng, one)]
    steps[place:place] = inner
    ended = {event.effect.name: event.effect for event in script.events if isinstance(event, EffectEnded)}
    own = list(ended.values())
    nested = [attrs.evolve(effect, call=effect.call or one.made.place) for one in script.nested for effect in one.named]
    script.named = [*own, *nested]
    return [*steps, _settled(rng, script)]


def _settled(rng: Random, script: Script) -> CallSettled:
    if rng.random() < 0.7:
        return script.made.settled(effects=tuple(script.named))
    ref, error = script.made.ref, ErrorInfo("E", ErrorCode.TOOL_FAILED, "no")
    content = (Text("Error: no"),)
    result = ToolResult(ref.call_id, ref.tool, content, None, error, dispatched=True, effects=tuple(script.named))
    return script.made.settled(result)
