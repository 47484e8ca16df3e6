"""The objects that a tool can get its hands on: from its function, its services, and what these hold.

Looked through are closures, defaults, globals that the code names, attributes, and what is in containers; not modules
and classes, which hold everything.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Iterable, Iterator

# Objects that one walk looks at: far more than a tool with its collaborators has, and milliseconds at most.
MOST_OBJECTS = 20_000

# Packages whose objects are not looked into: a task or a nursery holds the whole run.
_CLOSED = {"trio", "trio_tools", "asyncio", "logging", "hypothesis", "_pytest", "pytest"}

_LEAVES = (str, bytes, bytearray, int, float, complex, bool, type(None), type, types.ModuleType, range)


def reachable(roots: Iterable[object]) -> Iterator[object]:
    """Every object that can be reached from these, each once, nearest first, `MOST_OBJECTS` at most."""
    seen: dict[int, object] = {}
    waiting: deque[object] = deque(roots)
    while waiting and len(seen) < MOST_OBJECTS:
        one = waiting.popleft()
        if isinstance(one, _LEAVES) or id(one) in seen:
            continue
        seen[id(one)] = one
        yield one
        waiting += _held(one)


def _held(one: object) -> Iterable[object]:
    match one:
        case types.FunctionType():
            held: Iterable[object] = _of_function(one)
        case types.MethodType():
            held = (one.__func__, one.__self__)
        case functools.partial():
            held = (one.func, one.args, one.keywords)  # pyright: ignore[reportUnknownMemberType]
        case types.CellType():
            held = _content(one)
        case dict():
            held = list(one.values())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple() | set() | frozenset() | deque():
            held = list(one)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _ if type(one).__module__.partition(".")[0] in _CLOSED:
            held = ()
        case _:
            held = _of_instance(one)
    return held


def _of_function(function: types.FunctionType) -> Iterator[object]:
    yield from function.__closure__ or ()
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from function.__dict__.values()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)


def _content(cell: types.CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()  # empty still


def _of_instance(one: object) -> Iterator[object]:
    attributes: object = getattr(one, "__dict__", None)
    if isinstance(attributes, dict):
        yield from list(attributes.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    for kind in type(one).__mro__:
        slots: object = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots if isinstance(slots, (tuple, list)) else ():  # pyright: ignore[reportUnknownVariableType]
            member: object = kind.__dict__.get(_mangled(kind, str(name)))  # pyright: ignore[reportUnknownArgumentType]
            if isinstance(member, types.MemberDescriptorType):
                try:
                    yield member.__get__(one, type(one))
                except AttributeError:
                    continue  # not set


def _mangled(kind: type, name: str) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{kind.__name__.lstrip('_')}{name}" if private else name
