"""What wrappers promise that retry, and that answer calls themselves: how often the body of a call runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from trio_tools.pipeline import Wrapper
from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, Registry
from trio_tools.testing._case import Mode
from trio_tools.testing._services import ServiceSource
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh
from trio_tools.testing.contracts._scene import Scene, Sight, explored
from trio_tools.testing.contracts._stock import Attempts, echo, failing_with, hanging_once
from trio_tools.testing.contracts._wrapper_kinds import Kinds
from trio_tools.tool import Tool
from trio_tools.values import ErrorCode, ToolCall


def retrying(make: Callable[[], Wrapper], kinds: Kinds, runs: int) -> list[Promise]:
    """What a wrapper promises that calls the body again when it has failed."""
    if kinds.retries is None:
        return []
    code, most = kinds.retries
    own = None if code == ErrorCode.TOOL_FAILED else code
    plugin = Fresh(make, Registry.add_wrapper).plugin()
    always = cache(lambda: explored([_scene("always failing", failing_with(own, times=most + 1), plugin)], runs))
    once = cache(lambda: explored([_scene("failing once", failing_with(own, times=1), plugin, ended=False)], 0))
    hanging = cache(lambda: explored([_scene("hanging once", hanging_once, plugin, ended=False)], 0))
    promises = [
        Promise(
            f"It makes {most} attempts of a call that fails with {code} each time",
            "count attempts from the first one, and look at result.code",
            lambda: _attempts(always(), most),
        ),
        Promise(
            "It makes no attempt once a call was ended, or a budget outside of it ran out",
            "leave the loop when call_next() gives an abort; wait between attempts where a Cancelled goes through",
            lambda: _attempts_after(always()),
        ),
    ]
    if most > 1:
        promises += [
            Promise(
                "It makes no attempt after one that succeeds",
                "return the result at once when result.error is None",
                lambda: _attempts(once(), 2),
            ),
            Promise(
                "Each attempt has a scope of its own",
                "open the scope that bounds an attempt inside of the loop: one that has run out stays cancelled",
                lambda: _scopes(hanging()),
            ),
        ]
    return promises


def _scene(name: str, one: Tool, plugin: AnyPlugin, *, ended: bool = True) -> Scene:
    return Scene(
        name=name,
        tools=(one,),
        calls=(ToolCall(one.name),),
        plugins=(timeout, plugin),
        sources=(ServiceSource(Attempts, Attempts),),
        modes=tuple(Mode) if ended else (),
    )


def _attempts(sights: list[Sight], expected: int) -> Iterator[str]:
    yield from sights[0].found("settles")
    for life in sights[0].lives:
        if len(life.entries) != expected:
            yield f"{sights[0].words}: it made {len(life.entries)} attempts, and should make {expected}"


def _attempts_after(sights: list[Sight]) -> Iterator[str]:
    for sight in sights:
        for life in sight.lives:
            late = [moment for moment in life.entries if life.ended is not None and moment > life.ended]
            if late:
                yield f"{sight.words}: it made {len(late)} more after that"


def _scopes(sights: list[Sight]) -> Iterator[str]:
    yield from sights[0].found("settles")
    for life in sights[0].lives:
        if life.result is not None and life.result.code in (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH):
            yield (
                "it ended the first attempt, which hung, and the next, which would have succeeded, was cut as it "
                f"began: the call came to {life.result.code}"
            )


# --- those that answer calls themselves ----------------------------------------------------------------------------


def answering(make: Callable[[], Wrapper], kinds: Kinds, runs: int) -> list[Promise]:
    """What a wrapper promises that answers the so-manieth of equal calls itself."""
    first = kinds.short_circuits
    if first is None:
        return []
    plugin = Fresh(make, Registry.add_wrapper).plugin()
    calls = (ToolCall("echo", {"text": "a", "seconds": 0.05}),) * first
    scene = Scene(
        name="equal calls",
        tools=(echo,),
        calls=calls,
        plugins=(timeout, plugin),
        modes=(Mode.BUDGET,),
    )
    sights = cache(lambda: explored([scene], runs))
    promises = [
        Promise(
            f"Of equal calls it answers number {first} itself, and runs the body of those before",
            "return dispatch.success(...) or dispatch.failure(...) without call_next(), from the call on that the "
            "contract is told",
            lambda: _answers(sights()),
        )
    ]
    if first > 1:
        promises.append(
            Promise(
                "It answers no call with what became of one that was ended",
                "keep results only whose error is None",
                lambda: _kept(sights()),
            )
        )
    return promises


def _answers(sights: list[Sight]) -> Iterator[str]:
    yield from sights[0].found("settles")
    lives = sights[0].lives
    for life in lives:
        expected = 0 if life.position + 1 == len(lives) else 1
        if len(life.entries) != expected:
            times = f"{len(life.entries)} times instead of {expected}"
            yield f"equal calls, undisturbed: the body of call {life.position + 1} ran {times}"


def _kept(sights: list[Sight]) -> Iterator[str]:
    for sight in sights:
        if not any(life.ended is not None for life in sight.lives):
            continue
        for life, own in zip(sight.lives, sight.undisturbed.lives, strict=True):
            if life.ended is None and life.result and own.result and life.result.text != own.result.text:
                yield f"{sight.words}: call {life.position + 1}, which was not, reads {life.result.text!r}"
