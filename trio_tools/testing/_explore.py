"""Explorations: a call, or a turn of calls, is made again and again, and ended in every way at every step."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf

from trio_tools.pipeline import checked
from trio_tools.policies import with_timeout
from trio_tools.registry import AnyPlugin, RegistryOptions, in_order_of_need
from trio_tools.testing._case import Case, Mode
from trio_tools.testing._checks import CHECKS
from trio_tools.testing._exploration import Exploration
from trio_tools.testing._limits import Limits
from trio_tools.testing._plan import Check, Plan, is_watched
from trio_tools.testing._probe import watched
from trio_tools.testing._reachable import reachable
from trio_tools.testing._report import Report
from trio_tools.testing._services import service_sources
from trio_tools.testing._surroundings import Surroundings, private_surroundings
from trio_tools.tool import Body, Tool
from trio_tools.tool import tool as declare
from trio_tools.values import Session, ToolCall, check_seconds

# Times the steps, and the seconds, of the undisturbed call that it may take to settle once something has ended it.
BOUND = 3
# Seconds that an exploration may take: far more than a tool on the virtual clock needs, and bearable in a test.
SECONDS = 60.0
# Runs of a turn: some seconds' worth, and each step and mode of a turn of three calls a few times.
RUNS = 500


def explore_cancellation(
    tool: Tool | Body | str,
    arguments: Mapping[str, object] | str = "",
    *,
    plugins: Iterable[AnyPlugin] = (),
    services: Iterable[object] | Mapping[type[object], object] = (),
    session: Session | None = None,
    check: Check | None = None,
    allow: Collection[str] = (),
    seeds: int = 1,
    bound: float = BOUND,
    seconds: float = SECONDS,
) -> Report:
    """Prove that a tool stops when it is told to: make the call once undisturbed, then end it at every step in every
    `Mode`, each time in a registry of its own, and hold each run against every promise.

    Arguments: `tool`, a tool, a typed function, or the name of a tool that one of `plugins` brings; `arguments`, as in
    a `ToolCall`; `plugins`, opened anew for each run behind the timeout policy; `services`, for the tool to `require`:
    classes and functions make one for each run, other objects are shared by all; `session`, on whose behalf;
    `check(run)`, of your own, sync or async, called after each run: it objects by raising, or by returning False or a
    text; `allow`, names of checks that the tool may break, which the report then lists as unproved; `seeds`, how many
    orders of tasks to try; `bound`, how many times the steps and seconds of the undisturbed call it may take to settle
    (30 steps and 30 seconds at least); `seconds`, real ones, after which no more runs are begun.

    Tools that use threads, processes or sockets are run on the real clock, and the report says what that leaves
    unproved. The environment variable `TRIO_TOOLS_REPLAY` has one case run alone.

    Raises `BrokenPromiseError`, an `AssertionError`, with everything that was found; `ValueError` for a call that could
    not run at all, `TypeError` for what is no tool, and `RuntimeError` inside of Trio: it runs Trio itself.
    """
    __tracebackhide__ = True
    declared = tool if isinstance(tool, str) else _declared(tool)
    call = ToolCall(declared if isinstance(declared, str) else declared.name, arguments, id="explored")
    tools = () if isinstance(declared, str) else (declared,)
    with private_surroundings() as surroundings:
        plan = plan_of(
            tools=tools,
            calls=(call,),
            plugins=plugins,
            services=services,
            session=session,
            check=check,
            surroundings=surroundings,
        )
        exploration = Exploration(plan, call.name, _limits(bound, seconds), allowed=_checks(allow))
        return exploration.report(lambda steps: _all_cases(steps, range(_count("seeds", seeds))))


def explore_turn(
    tools: Iterable[Tool | Body],
    calls: Iterable[ToolCall],
    *,
    plugins: Iterable[AnyPlugin] = (),
    services: Iterable[object] | Mapping[type[object], object] = (),
    session: Session | None = None,
    check: Check | None = None,
    allow: Collection[str] = (),
    runs: int = RUNS,
    seed: int = 0,
    seeds: int = 10,
    max_parallel_calls: int = 10,
    bound: float = BOUND,
    seconds: float = SECONDS,
) -> Report:
    """The same for a turn of several calls, by samples: of all steps, modes and `seeds` (orders of tasks), `runs` are
    drawn, as `seed` says, or all if there are no more. `bound` is a factor, `seconds` are real ones.

    Arguments: `tools`, tools and typed functions that the `calls` name; those that plugins bring need not be listed.
    The others are as for `explore_cancellation`, `bound` (a factor) and `seconds` too. Its promises hold for each call,
    and for the turn that it gives one result per call in call order.

    Raises as `explore_cancellation` does, `ValueError` for a turn without calls, and `TypeError` for a seed that is no
    whole number.
    """
    __tracebackhide__ = True
    declared = tuple(map(_declared, tools))
    called = tuple(map(checked, calls))
    if not called:
        raise ValueError("a turn without calls has nothing to explore")
    name = "+".join(call.name for call in called)
    _count("runs", runs)
    if isinstance(seed, bool) or not isinstance(seed, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"seed is a whole number, not {seed!r}")
    with private_surroundings() as surroundings:
        options = RegistryOptions(max_parallel_calls=max_parallel_calls)
        plan = plan_of(
            tools=declared,
            calls=called,
            plugins=plugins,
            services=services,
            session=session,
            check=check,
            options=options,
            surroundings=surroundings,
        )
        exploration = Exploration(plan, name, _limits(bound, seconds), allowed=_checks(allow))
        return exploration.report(lambda steps: _drawn(_all_cases(steps, range(_count("seeds", seeds))), runs, seed))


def plan_of(
    *,
    tools: tuple[Tool, ...],
    calls: tuple[ToolCall, ...],
    surroundings: Surroundings,
    plugins: Iterable[AnyPlugin] = (),
    services: Iterable[object] | Mapping[type[object], object] = (),
    session: Session | None = None,
    check: Check | None = None,
    options: RegistryOptions | None = None,
) -> Plan:
    """What is explored, of what its users say."""
    sources = tuple(service_sources(services))
    roots = [*(one.body for one in tools), *(one.pool for one in tools), *(source.make for source in sources)]
    return Plan(
        calls=calls,
        tools=tuple(map(watched, tools)),
        plugins=tuple(in_order_of_need(with_timeout(tuple(plugins)))),
        services=sources,
        session=session,
        check=_checked(check),
        options=RegistryOptions() if options is None else options,
        surroundings=surroundings,
        held=tuple(one for one in reachable(roots) if is_watched(one)),
    )


def _checked(check: Check | None) -> Check | None:
    if check is not None and not callable(check):  # pyright: ignore[reportUnnecessaryComparison]
        raise TypeError(f"check is a function of the run, not {check!r}")
    return check


def _declared(one: Tool | Body) -> Tool:
    if isinstance(one, Tool):
        return one
    if not callable(one):
        raise TypeError(f"a tool, a typed function or the name of a plugin's tool can be explored, not {one!r}")
    return declare(one)


def _limits(bound: float, seconds: float) -> Limits:
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not 1 <= bound < inf:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"bound is a factor of 1 or more, not {bound!r}")
    return Limits(bound=bound, seconds=check_seconds("seconds", seconds))


def _checks(names: Collection[str]) -> tuple[str, ...]:
    listed = (names,) if isinstance(names, str) else tuple(names)
    for name in listed:
        if name not in CHECKS:
            raise ValueError(f"allow names {name!r}, and the checks are {', '.join(CHECKS)}")
    return listed


def _count(name: str, number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"{name} must be a positive whole number, not {number!r}")
    return number


def _all_cases(steps: Callable[[int], int], seeds: Sequence[int]) -> list[Case]:
    """Every mode at every step, under each order of tasks; so many `steps` each had."""
    return [Case(mode, step, seed) for seed in seeds for step in range(1, steps(seed) + 1) for mode in Mode]


def _drawn(cases: list[Case], runs: int, seed: int) -> list[Case]:
    return cases if len(cases) <= runs else random.Random(seed).sample(cases, runs)
