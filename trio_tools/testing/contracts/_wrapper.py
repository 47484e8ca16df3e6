"""The contract of wrappers: tried round stock tools, inside and outside of the timeout policy, ended at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from math import inf

from trio_tools.pipeline import Wrapper, take_apart
from trio_tools.policies import timeout
from trio_tools.registry import Registry
from trio_tools.testing._case import Mode
from trio_tools.testing._life import Life
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh
from trio_tools.testing.contracts._scene import Scene, Sight, explored, holding, leaving, settling
from trio_tools.testing.contracts._stock import STOCK, cleaning, echo, parallel_echo, slow
from trio_tools.testing.contracts._wrapper_attempts import answering, retrying
from trio_tools.testing.contracts._wrapper_claims import claiming
from trio_tools.testing.contracts._wrapper_kinds import Kinds
from trio_tools.values import ErrorCode, ToolCall, ToolResult, exception_error

# Ways to end a call of each stock tool that are tried: all that there are, with some to spare.
RUNS = 200

_ABORTS = (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH)
# Two calls that are not equal, and overlap if they may: the second is the shorter one.
_PAIR = (ToolCall("echo", {"text": "a", "seconds": 0.2}), ToolCall("echo", {"text": "b", "seconds": 0.15}))


def wrapper_contract(
    make: Callable[[], Wrapper],
    *,
    claims: tuple[str, float] | None = None,
    retries: tuple[str, int] | None = None,
    short_circuits: int | None = None,
    shields: float = 0.0,
    runs: int = RUNS,
) -> tuple[Promise, ...]:
    """What every wrapper promises, and what those of its kind do besides.

    Arguments: `make`, which gives a new wrapper for each run; `claims`, the code of the outcome that it claims and the
    seconds after which it does (a tool declares them as its `timeout` if the code is `TOOL_TIMEOUT`); `retries`, the
    code of a failure that it tries again (`TOOL_FAILED`: that of a tool that gives none), and how many attempts it
    makes of a tool that always fails so; `short_circuits`, which of equal calls, made one after the other, is the first
    that it answers itself (1: every call, 2: what a cache does); `shields`, the most seconds that it holds up a call
    that was ended; `runs`, how many ways to end a call of each stock tool are tried, drawn if there are more.

    The runs are made when the first promise is called, on the virtual clock unless the wrapper uses threads, processes
    or sockets; all promises judge the same ones.

    Raises `ValueError` for a number that is out of range, and a code that no tool can give.
    """
    if not 0 <= shields < inf:
        raise ValueError(f"shields must be a finite number of seconds, 0 or more, not {shields!r}")
    kinds = Kinds(claims=claims, retries=retries, short_circuits=short_circuits)
    setting = _Setting(make, kinds, runs)
    return (
        *_of_the_body(setting),
        *_of_the_end(setting, shields),
        *_of_its_keeping(setting),
        *claiming(make, kinds),
        *retrying(make, kinds, runs),
        *answering(make, kinds, runs),
    )


def _of_the_body(setting: _Setting) -> Iterator[Promise]:
    yield Promise(
        "It gives a ToolResult, and does not fail itself, however the call ends",
        "return what call_next() gave, or dispatch.success(...) or dispatch.failure(...), on every path; let a "
        "Cancelled go on",
        lambda: _results(setting.sights()),
    )
    yield Promise(
        "It runs the body as often as it should: once, unless it retries or answers itself",
        "await call_next() once; a wrapper that retries or answers itself says so by retries= or short_circuits=",
        lambda: _once(setting.sights(), setting.kinds),
    )
    yield Promise(
        "It runs the body through call_next() alone",
        "never call dispatch.tool.body: what runs there is not awaited, not cut, and not told in the result",
        lambda: _through(setting.sights()),
    )
    yield Promise(
        "It enters no body once the call has been ended",
        "do not try again, and do nothing else, once call_next() has given an abort",
        lambda: _late(setting.sights()),
    )


def _of_the_end(setting: _Setting, shields: float) -> Iterator[Promise]:
    yield Promise(
        "A call with it settles however it is ended, and a Ctrl-C goes on",
        "let Cancelled and KeyboardInterrupt go on; give every shield a bound",
        lambda: settling(setting.sights()),
    )
    yield Promise(
        f"It holds up a call that was ended for no longer than its shields, {shields:g} seconds",
        "let a Cancelled go on at once, give a shield a shorter bound, or say by shields= how long it takes",
        lambda: holding(setting.sights(), shields),
    )
    yield Promise(
        "A call that its caller ended comes to an abort",
        "give back the abort that call_next() gave; a failure of your own is for time that you have claimed",
        lambda: _aborted(setting.sights(), setting.kinds),
    )
    yield Promise(
        "A budget of the tool that runs out stays TOOL_TIMEOUT, whether it is inside or outside of it",
        "give back the result that call_next() gave when its code is TOOL_TIMEOUT",
        lambda: _timed_out(setting.sights(), setting.kinds),
    )


def _of_its_keeping(setting: _Setting) -> Iterator[Promise]:
    yield Promise(
        "It leaves nothing behind: no task, thread, process or descriptor, and no permit taken",
        "release in finally or with a context manager, and start tasks in a nursery of the wrapper's own",
        lambda: leaving(setting.sights()),
    )
    yield Promise(
        "A call has its own result, and not that of one before it",
        "keep results by the name and the arguments of their call, or keep none",
        lambda: _own(setting.pairs(), "one after the other"),
    )
    yield Promise(
        "Two calls at once do not share what it keeps of them",
        "keep what belongs to a call in local variables, not in the wrapper's attributes",
        lambda: _own(setting.pairs(), "at once"),
    )


class _Setting:
    """The runs of one contract, made when they are first asked for."""

    def __init__(self, make: Callable[[], Wrapper], kinds: Kinds, runs: int) -> None:
        self._make = make
        self.kinds = kinds
        self.sights = cache(lambda: explored(self._scenes(), runs))
        self.pairs = cache(lambda: explored(self._pairs(), 0))

    def _scenes(self) -> Iterator[Scene]:
        fresh = Fresh(self._make, Registry.add_wrapper)
        for one in STOCK:
            yield Scene(
                name=one.name,
                tools=(one,),
                calls=(ToolCall(one.name),),
                plugins=(timeout, fresh.plugin()),
                sources=(fresh.source(),),
                modes=tuple(Mode),
            )
        if self.kinds.retries is None:  # one that retries may make a further attempt of a call that timed out
            for one in (slow, cleaning):
                yield Scene(
                    name=f"{one.name} with the timeout policy inside",
                    tools=(one,),
                    calls=(ToolCall(one.name),),
                    plugins=(fresh.plugin(), timeout),
                    sources=(fresh.source(),),
                    modes=(Mode.BUDGET, Mode.BUDGET_FIRST),
                )

    def _pairs(self) -> Iterator[Scene]:
        plugins = (timeout, Fresh(self._make, Registry.add_wrapper).plugin())
        for call in _PAIR:
            yield Scene(name="alone", tools=(echo,), calls=(call,), plugins=plugins)
        yield Scene(name="one after the other", tools=(echo,), calls=_PAIR, plugins=plugins)
        yield Scene(name="at once", tools=(parallel_echo,), calls=_PAIR, plugins=plugins)


def _judged(sights: Iterable[Sight]) -> Iterator[tuple[Sight, Life, ToolResult]]:
    """Every call that has come to a result which is not the wrapper's own failure."""
    for sight in sights:
        for life in sight.lives:
            if life.result is not None and not _has_failed(life.result):
                yield sight, life, life.result


def _has_failed(result: ToolResult) -> bool:
    """Whether the wrapper has: a failure that it makes with `dispatch.failure` is none."""
    error = result.error
    return error is not None and error.code == ErrorCode.WRAPPER_FAILED and error.name != "ToolError"


def _results(sights: Iterable[Sight]) -> Iterator[str]:
    for sight in sights:
        for life in sight.lives:
            if life.result is not None and life.result.error is not None and _has_failed(life.result):
                yield f"{sight.words}: it came to {life.result.error.name}: {life.result.error.message}"


def _once(sights: Iterable[Sight], kinds: Kinds) -> Iterator[str]:
    expected = 0 if kinds.short_circuits == 1 else 1
    for sight, life, _ in _judged(sights):
        tried_again = kinds.retries is not None and life.name == "failing"
        if sight.run.case is None and len(life.entries) != expected and not tried_again:
            yield f"{sight.words}: the body ran {len(life.entries)} times instead of {expected}"


def _through(sights: Iterable[Sight]) -> Iterator[str]:
    for sight, life, result in _judged(sights):
        if life.entries and not result.dispatched:
            yield f"{sight.words}: the body ran, and the result says dispatched=False"


def _late(sights: Iterable[Sight]) -> Iterator[str]:
    for sight, life, _ in _judged(sights):
        if life.ended is not None and life.entries and life.entries[-1] > life.ended:
            yield f"{sight.words}: the body was entered after that"


def _aborted(sights: Iterable[Sight], kinds: Kinds) -> Iterator[str]:
    for sight, life, result in _judged(sights):
        if life.cancelled is not None and life.out_of_budget is None and result.code not in _allowed(life, kinds):
            yield f"{sight.words}: it came to {_shown(result)}"


def _allowed(life: Life, kinds: Kinds) -> tuple[str, ...]:
    """The codes that may stand over an end by the caller: the body's own failure, and what was claimed before."""
    failure = None if life.raised is None else take_apart(life.raised).failure
    own = () if failure is None else (exception_error(failure, ErrorCode.TOOL_FAILED).code,)
    return (*_ABORTS, *own, *kinds.claimed)


def _timed_out(sights: Iterable[Sight], kinds: Kinds) -> Iterator[str]:
    for sight, life, result in _judged(sights):
        if life.out_of_budget is not None and result.code not in (ErrorCode.TOOL_TIMEOUT, *kinds.claimed):
            yield f"{sight.words}: it came to {_shown(result)}"


def _own(sights: Iterable[Sight], scene: str) -> Iterator[str]:
    alone = [life.result.text for sight in sights if sight.scene == "alone" for life in sight.lives if life.result]
    for sight in sights:
        if sight.scene != scene:
            continue
        for life in sight.lives:
            call, own = _PAIR[life.position], alone[life.position]
            if life.result is not None and life.result.text != own:
                yield f"two calls {scene}: that of {call.arguments} reads {life.result.text!r}, and alone {own!r}"


def _shown(result: ToolResult) -> str:
    return "a success" if result.code is None else str(result.code)
