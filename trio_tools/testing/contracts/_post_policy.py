"""The contract of post-policies: shown every kind of result, alone and two at once, and put round explored calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cache

import attrs
import trio

from trio_tools.pipeline import CallView, PostPolicy
from trio_tools.policies import timeout
from trio_tools.registry import Registration, Registry, RegistryOptions, opened
from trio_tools.testing._case import Mode
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh, Make
from trio_tools.testing.contracts._odd_calls import odd_values
from trio_tools.testing.contracts._recorder_events import ODD_TEXTS
from trio_tools.testing.contracts._scene import Scene, Sight, breaking, explored, leaving
from trio_tools.testing.contracts._stage import Act, Stage
from trio_tools.testing.contracts._stock import WORK, failing, slow, stand_in
from trio_tools.tool import Tool
from trio_tools.values import (
    Block,
    Deny,
    FrozenDict,
    ReplaceContent,
    ReplaceValue,
    Review,
    ToolCall,
    ToolError,
    ToolResult,
    check_seconds,
)

# Seconds that a registry gives all post-policies of a call, unless it is told otherwise.
GRACE = 5.0
# Ways to end an explored call that are tried: all that there are, with some to spare.
RUNS = 200
# Seconds that a review may take here without being cut off: how long it takes is one promise among others.
NO_HURRY = 1_000.0


def post_policy_contract(
    make: Make[PostPolicy], *, values: Iterable[object] = (), grace: float = GRACE, runs: int = RUNS
) -> tuple[Promise, ...]:
    """What every post-policy promises.

    Arguments: `make`, which gives a new policy for each run, or an async context manager whose block has one; `values`
    of tools that it reviews besides those that come with the contract, such as one that holds what it is to withhold;
    `grace`, the seconds that it may take for one result, as the registry's `policy_grace`; `runs`, how many ways to
    end a call are tried, drawn if there are more.

    Promises are proved on the virtual clock, unless the policy uses threads, processes or sockets.

    Raises `ValueError` for a number of seconds that is not positive and finite.
    """
    reviewing = _Reviewing(make, tuple(values))
    sights = cache(lambda: explored(reviewing.scenes(), runs))
    return (*_of_reviews(reviewing, check_seconds("grace", grace)), *_of_calls(sights))


def _of_reviews(reviewing: _Reviewing, grace: float) -> Iterator[Promise]:
    yield Promise(
        "It answers ReplaceContent, ReplaceValue, Block or None",
        "return one of these made of a string or a tuple of blocks, or nothing to leave the result as it is",
        lambda: _wrong_answers(reviewing.reviews()),
    )
    yield Promise(
        "It reviews every result without failing, whatever its value, content and code are",
        "look before you take: a failure has no value, a success may have any, and content may be no text",
        lambda: _failures(reviewing.reviews()),
    )
    yield Promise(
        "It replaces no value of a failed result",
        "look at result.error first: a failure has content alone, and stays one",
        lambda: _unfailed(reviewing.reviews()),
    )
    yield Promise(
        f"It is done with a result within {grace:g} seconds",
        "give what you ask a bound of your own: one that overruns withholds the content",
        lambda: _slow(reviewing.reviews(), grace),
    )
    yield Promise(
        "What it withholds of a success it withholds of one that came too late, too",
        "review result.superseded as well: a call that timed out tells there what its body came to",
        lambda: _leaks(reviewing.reviews()),
    )
    yield Promise(
        "It reviews two results at once as it would each alone",
        "keep what belongs to a result in local variables, not in the policy's attributes",
        reviewing.mixed_up,
    )


def _of_calls(sights: Callable[[], list[Sight]]) -> Iterator[Promise]:
    yield Promise(
        "A call with it keeps every promise, however it is ended",
        "let KeyboardInterrupt go on: catch Exception, never BaseException",
        lambda: breaking(sights()),
    )
    yield Promise(
        "It leaves nothing behind: no task, thread, process or descriptor, and no permit taken",
        "release in finally or with a context manager, and start no task that outlives the answer",
        lambda: leaving(sights()),
    )


# --- reviewing -----------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class _Reviewed:
    """One call whose result it was shown, and what came of it."""

    words: str
    tool: Tool
    success: str | None = None  # the name of the call that came to the same in time
    shown: ToolResult | None = None
    answer: object = None
    raised: Exception | None = None
    seconds: float = 0.0  # on the run's clock
    result: ToolResult | None = None


class _Reviewing:
    """Has new policies review results, in registries of stand-ins."""

    def __init__(self, make: Make[PostPolicy], values: tuple[object, ...]) -> None:
        self._make = make
        self._values = [(f"value {number} of yours", value) for number, value in enumerate(values, 1)]
        self._stage = Stage()
        self.reviews = cache(lambda: self._reviewed(self._calls))

    def mixed_up(self) -> Iterator[str]:
        """Results of which another was being reviewed at the same time."""

        def pair() -> list[_Reviewed]:
            listed = [*self._values, ("the text 'a'", "a"), ("the text 'b'", "b")][:2]
            return [_Reviewed(words, _giving(f"success_{at}", value)) for at, (words, value) in enumerate(listed)]

        alone = [self._reviewed(lambda: pair()[:1])[0], self._reviewed(lambda: pair()[1:])[0]]
        for one, other in zip(alone, self._reviewed(pair, at_once=True), strict=True):
            if one.result is not None and other.result is not None and one.result.text != other.result.text:
                yield f"{one.words}: alone it reads {one.result.text!r}, and at once {other.result.text!r}"

    def scenes(self) -> Iterator[Scene]:
        """What is explored: a success and a failure."""
        fresh = Fresh(self._make, Registry.add_post_policy)
        for one in (slow, failing):
            yield Scene(
                name=one.name,
                tools=(one,),
                calls=(ToolCall(one.name),),
                plugins=(timeout, fresh.plugin()),
                sources=(fresh.source(),),
                modes=tuple(Mode),
            )

    def _calls(self) -> list[_Reviewed]:
        calls: list[_Reviewed] = []
        for number, (words, value) in enumerate((*odd_values(), *self._values)):
            name = f"success_{number}"
            calls.append(_Reviewed(words, _giving(name, value)))
            calls.append(_Reviewed(f"{words}, too late", _giving(f"late_{number}", value, late=True), success=name))
        for number, text in enumerate(ODD_TEXTS):
            calls.append(_Reviewed(f"a failure that reads {text[:20]!r}", _raising(f"failure_{number}", text)))
        calls.append(_Reviewed("a denial", _giving("denied", None)))
        return calls

    def _reviewed(self, calls: Callable[[], list[_Reviewed]], *, at_once: bool = False) -> list[_Reviewed]:
        take, reviews = self._stage.take(lambda: self._act(calls(), at_once=at_once))
        if take.raised is not None:
            raise take.raised
        if take.gave_up is not None:
            reviews[-1].raised = RuntimeError(take.gave_up)
        return reviews

    def _act(self, reviews: list[_Reviewed], *, at_once: bool) -> Act[list[_Reviewed]]:
        by_name = {one.tool.name: one for one in reviews}
        fresh = Fresh(self._make, lambda registry, policy: _watched(registry, policy, by_name))

        async def execute(registry: Registry, one: _Reviewed) -> None:
            one.result = await registry.execute(ToolCall(one.tool.name), scope=trio.CancelScope())

        async def main() -> None:
            options = RegistryOptions(policy_grace=NO_HURRY)
            async with opened(options, (timeout, fresh.plugin()), lambda kind, asker: ()) as registry:
                registry.add_pre_policy(lambda view: Deny("not allowed") if view.name == "denied" else None)
                for one in reviews:
                    registry.register(one.tool)
                async with trio.open_nursery() as nursery:
                    for one in reviews:
                        if at_once:
                            nursery.start_soon(execute, registry, one)
                        else:
                            await execute(registry, one)

        return Act(main=main, state=reviews)


def _giving(name: str, value: object, *, late: bool = False) -> Tool:
    """A tool that comes to this value, in time or too late."""

    async def body(_: FrozenDict) -> object:
        if late:
            # bounded by WORK: it stands for a body that has gone too far to stop when its budget runs out
            with trio.move_on_after(2 * WORK, shield=True):
                await trio.sleep(WORK)
        return value

    return stand_in(name, body, timeout=WORK / 2 if late else None)


def _raising(name: str, text: str) -> Tool:
    async def body(_: FrozenDict) -> object:
        raise ToolError(text)

    return stand_in(name, body)


def _watched(registry: Registry, policy: PostPolicy, by_name: dict[str, _Reviewed]) -> Registration:
    """Put the policy in, and note what it answers."""

    async def watched(view: CallView, result: ToolResult) -> Review:
        review = by_name[view.name]
        review.shown = result
        began = trio.current_time()
        try:
            answer = policy(view, result)
            if isinstance(answer, Awaitable):
                answer = await answer
        except Exception as thrown:
            review.raised = thrown
            raise
        finally:
            review.seconds = trio.current_time() - began
        review.answer = answer
        return answer

    return registry.add_post_policy(watched)


# --- judging -------------------------------------------------------------------------------------------------------


def _wrong_answers(reviews: list[_Reviewed]) -> Iterator[str]:
    for review in reviews:
        if not isinstance(review.answer, (ReplaceContent, ReplaceValue, Block, type(None))):
            yield f"{review.words}: it answered {review.answer!r}"


def _failures(reviews: list[_Reviewed]) -> Iterator[str]:
    for review in reviews:
        if review.raised is not None:
            yield f"{review.words}: it raised {type(review.raised).__name__}: {review.raised}"


def _unfailed(reviews: list[_Reviewed]) -> Iterator[str]:
    for review in reviews:
        shown = review.shown
        if shown is not None and shown.error is not None and isinstance(review.answer, ReplaceValue):
            yield f"{review.words}: the result is {shown.code}, and it answered {review.answer!r}"


def _slow(reviews: list[_Reviewed], grace: float) -> Iterator[str]:
    for review in reviews:
        if review.seconds >= grace:
            yield f"{review.words}: it took {review.seconds:g} seconds"


def _leaks(reviews: list[_Reviewed]) -> Iterator[str]:
    by_name = {review.tool.name: review for review in reviews}
    for late in reviews:
        success = None if late.success is None else by_name[late.success]
        if success is None or success.shown is None or success.result is None or late.result is None:
            continue
        if success.raised is not None:
            continue  # another promise tells of that
        text = success.shown.text
        if not text or text in success.result.text:
            continue  # it withholds nothing of this one
        superseded = "" if late.result.superseded is None else late.result.superseded.text
        if text in late.result.text or text in superseded:
            yield f"{late.words}: in time it reads {success.result.text!r}, and too late {late.result.text!r}"
