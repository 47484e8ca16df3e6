"""The contract of pre-policies: asked about ordinary and odd calls, alone and two at once, and ended at every step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cache

import attrs
import trio

from trio_tools.pipeline import CallView, PrePolicy
from trio_tools.policies import timeout
from trio_tools.registry import Registration, Registry, RegistryOptions, opened
from trio_tools.testing._case import Mode
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh
from trio_tools.testing.contracts._odd_calls import odd_calls
from trio_tools.testing.contracts._scene import Scene, Sight, breaking, explored, holding, leaving
from trio_tools.testing.contracts._stage import Act, Stage
from trio_tools.testing.contracts._stock import WORK, slow, stand_in
from trio_tools.values import Allow, Ask, Decision, Deny, ErrorCode, FrozenDict, ToolCall, ToolResult, thaw

# Ways to end an explored call that are tried: all that there are, with some to spare.
RUNS = 200
# Calls of the author's that are explored; all are asked about.
EXPLORED = 3


def pre_policy_contract(
    make: Callable[[], PrePolicy],
    *,
    calls: Iterable[ToolCall] = (),
    denies: Iterable[ToolCall] = (),
    runs: int = RUNS,
) -> tuple[Promise, ...]:
    """What every pre-policy promises.

    Arguments: `make`, which gives a new policy for each run; `calls`, which it is asked about besides those that come
    with the contract, of tools of any name: stand-ins, which take any arguments, are put in their place; `denies`,
    calls that it must not let through; `runs`, how many ways to end a call are tried, drawn if there are more.

    Promises are proved on the virtual clock, unless the policy uses threads, processes or sockets.
    """
    denied = tuple(denies)
    asking = _Asking(make, (*calls, *denied), denied)
    sights = cache(lambda: explored(asking.scenes(), runs))
    return (*_of_answers(asking), *_of_ends(sights))


def _of_answers(asking: _Asking) -> Iterator[Promise]:
    yield Promise(
        "It answers Allow, Deny, Ask or None",
        "return Allow(), Deny(reason) or Ask(reason), with a text for the reason, or nothing",
        lambda: _wrong_answers(asking.one_by_one()),
    )
    yield Promise(
        "It decides on every call, whatever its name and its arguments are",
        "look before you take: arguments may lack what you expect, and hold what you do not",
        lambda: _failures(asking.one_by_one()),
    )
    yield Promise(
        "It leaves the arguments as they are",
        "never change what a view shows; a wrapper may answer a call in another way",
        lambda: _changes(asking.one_by_one()),
    )
    yield Promise(
        "It decides about two calls at once as it would about each alone",
        "keep what belongs to a call in local variables, not in the policy's attributes",
        asking.mixed_up,
    )
    if asking.denied:
        yield Promise(
            "It denies what it is there for, and the body does not run",
            "return Deny(reason) for the calls that the contract is told",
            lambda: _let_through(asking.one_by_one(), asking.denied),
        )


def _of_ends(sights: Callable[[], list[Sight]]) -> Iterator[Promise]:
    yield Promise(
        "It does not hold up a call that was ended",
        "wait where a Cancelled goes through: nothing is to be decided any more",
        lambda: holding(sights()),
    )
    yield Promise(
        "A call with it keeps every promise, however it is ended",
        "let Cancelled and KeyboardInterrupt go on: catch Exception, never BaseException",
        lambda: breaking(sights()),
    )
    yield Promise(
        "It leaves nothing behind: no task, thread, process or descriptor, and no permit taken",
        "release in finally or with a context manager, and start no task that outlives the answer",
        lambda: leaving(sights()),
    )


# --- asking --------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class _Asked:
    """One call that it was asked about, and what came of it."""

    words: str
    call: ToolCall
    answer: object = None
    raised: Exception | None = None
    before: object = None  # the arguments
    after: object = None
    result: ToolResult | None = None


class _Asking:
    """Has new policies asked, in registries of stand-ins."""

    def __init__(
        self, make: Callable[[], PrePolicy], calls: tuple[ToolCall, ...], denied: tuple[ToolCall, ...]
    ) -> None:
        self.denied = denied
        self._make = make
        self._calls = calls
        self._stage = Stage()
        self._now: list[_Asked] = []
        self.one_by_one = cache(lambda: self._asked([*odd_calls(), *((str(one.name), one) for one in calls)]))

    def mixed_up(self) -> Iterator[str]:
        """Calls of which another was being decided at the same time."""
        pair = self._pair()
        alone = [asked for words, call in pair for asked in self._asked([(words, call)])]
        for one, other in zip(alone, self._asked(pair, at_once=True), strict=True):
            if one.answer != other.answer or type(one.raised) is not type(other.raised):
                yield f"the call of {one.call.name}: alone it answers {one.answer!r}, and at once {other.answer!r}"

    def _pair(self) -> list[tuple[str, ToolCall]]:
        own = [*self.denied[:1], ToolCall("ordinary", {"text": "a"}), *self._calls, ToolCall("other", {"text": "b"})]
        return [(one.name, one) for one in own[:2]]

    def scenes(self) -> Iterator[Scene]:
        """What is explored: an ordinary call, and some of the author's."""
        fresh = Fresh(self._make, Registry.add_pre_policy)
        tools = {one.name: stand_in(one.name, _works) for one in self._calls[:EXPLORED]}
        for call in (ToolCall(slow.name), *self._calls[:EXPLORED]):
            yield Scene(
                name=call.name,
                tools=(tools.get(call.name, slow),),
                calls=(call,),
                plugins=(timeout, fresh.plugin()),
                sources=(fresh.source(),),
                modes=tuple(Mode),
            )

    def _asked(self, calls: list[tuple[str, ToolCall]], *, at_once: bool = False) -> list[_Asked]:
        take, asked = self._stage.take(lambda: self._act(calls, at_once=at_once))
        if take.raised is not None:
            raise take.raised
        if take.gave_up is not None:
            asked[-1].raised = RuntimeError(take.gave_up)
        return asked

    def _act(self, calls: list[tuple[str, ToolCall]], *, at_once: bool) -> Act[list[_Asked]]:
        asked = [_Asked(words, call) for words, call in calls]
        by_id = {str(number): one for number, one in enumerate(asked)}
        fresh = Fresh(self._make, lambda registry, policy: _watched(registry, policy, by_id))

        async def execute(registry: Registry, own: str) -> None:
            call = attrs.evolve(by_id[own].call, id=own)
            by_id[own].result = await registry.execute(call, scope=trio.CancelScope())

        async def main() -> None:
            async with opened(RegistryOptions(), (fresh.plugin(),), lambda kind, asker: ()) as registry:
                for name in {call.name for _, call in calls}:
                    registry.register(stand_in(name, _works))
                async with trio.open_nursery() as nursery:
                    for own in by_id:
                        if at_once:
                            nursery.start_soon(execute, registry, own)
                        else:
                            await execute(registry, own)

        return Act(main=main, state=asked)


async def _works(_: FrozenDict) -> str:
    await trio.sleep(WORK)
    return "worked"


def _watched(registry: Registry, policy: PrePolicy, by_id: dict[str, _Asked]) -> Registration:
    """Put the policy in, and note what it answers."""

    async def watched(view: CallView) -> Decision:
        asked = by_id[str(view.id)]
        asked.before = _copied(view)
        try:
            answer = policy(view)
            if isinstance(answer, Awaitable):
                answer = await answer
        except Exception as thrown:
            asked.raised = thrown
            raise
        finally:
            asked.after = _copied(view)
        asked.answer = answer
        return answer

    return registry.add_pre_policy(watched)


def _copied(view: CallView) -> object:
    return None if view.arguments is None else thaw(view.arguments)


# --- judging -------------------------------------------------------------------------------------------------------


def _wrong_answers(all_asked: list[_Asked]) -> Iterator[str]:
    for asked in all_asked:
        match asked.answer:
            case None | Allow() | Deny(str()) | Ask(str() | None):
                continue
            case _:
                yield f"{asked.words}: it answered {asked.answer!r}"


def _failures(all_asked: list[_Asked]) -> Iterator[str]:
    for asked in all_asked:
        if asked.raised is not None:
            yield f"{asked.words}: it raised {type(asked.raised).__name__}: {asked.raised}"


def _changes(all_asked: list[_Asked]) -> Iterator[str]:
    for asked in all_asked:
        if asked.before != asked.after:
            yield f"{asked.words}: {asked.before!r} before it was asked, and {asked.after!r} after"


def _let_through(all_asked: list[_Asked], denied: tuple[ToolCall, ...]) -> Iterator[str]:
    for asked in all_asked:
        code = None if asked.result is None else asked.result.code
        if any(asked.call is one for one in denied) and code not in (ErrorCode.DENIED, ErrorCode.POLICY_FAILED):
            yield f"the call of {asked.call.name} with {asked.call.arguments!r} ran: it answered {asked.answer!r}"
