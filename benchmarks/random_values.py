"""Random arguments near a type: values that fit, then disturbed at a place, as models do."""

from __future__ import annotations

from benchmarks._kinds import Dice, foreign, retyped
from benchmarks._kinds_records import Record
from trio_tools.values import JSONValue

# Chances of a slip at each place. Mostly none, so that deep values fit now and then.
SLIPS = (0.0, 0.0, 0.0, 0.05, 0.15, 0.5)


def random_arguments(kind: Record, dice: Dice) -> dict[str, JSONValue]:
    """Arguments for a function with these parameters: they fit, or nearly do."""
    dice.slip, dice.deep = dice.choice(SLIPS), True
    value = kind.draw(dice)
    if not isinstance(value, dict):
        value = {}
    if dice.one_in(4):
        _disturb(value, dice)
    return value


def _disturb(value: dict[str, JSONValue], dice: Dice) -> None:
    """Change one place: another type, null, left out, twice."""
    at: JSONValue = value
    while places := _places(at):
        step, inner = dice.choice(places)
        if not _places(inner) or dice.one_in(3):
            _replace(at, step, inner, dice)
            return
        at = inner


def _places(value: JSONValue) -> list[tuple[str | int, JSONValue]]:
    """What stands one step down, and where."""
    if isinstance(value, dict):
        return [*value.items()]
    return [*enumerate(value)] if isinstance(value, list) else []


def _replace(at: JSONValue, step: str | int, inner: JSONValue, dice: Dice) -> None:
    match dice.randrange(5):
        case 0:
            changed: JSONValue = foreign(dice)
        case 1:
            changed = None
        case 2:
            changed = [inner]
        case _:
            changed = retyped(inner, dice)
    if isinstance(at, dict) and isinstance(step, str):
        if dice.one_in(5):
            at[f"{step} "] = at.pop(step)
        else:
            at[step] = changed
    elif isinstance(at, list) and isinstance(step, int):
        if dice.one_in(5):
            at.append(inner)
        else:
            at[step] = changed
