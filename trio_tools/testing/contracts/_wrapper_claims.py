"""What a wrapper promises that claims an outcome: calls against the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import inf

import attrs
import trio

from trio_tools.pipeline import Wrapper
from trio_tools.registry import Registry, RegistryOptions, opened
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._fresh import Fresh
from trio_tools.testing.contracts._stage import Act, Stage
from trio_tools.testing.contracts._stock import stand_in
from trio_tools.testing.contracts._wrapper_kinds import Kinds
from trio_tools.values import ErrorCode, FrozenDict, ToolCall, ToolResult

# Part of the seconds after which a wrapper claims: those of a call in time, and of a caller that ends one earlier.
IN_TIME = 0.9
# The same, for a caller that ends a call after the wrapper's time has run out, while its body cleans up.
TOO_LATE = 1.1
# The same, for a body that cleans up whatever happens, from when it is cut.
CLEANING = 0.2


def claiming(make: Callable[[], Wrapper], kinds: Kinds) -> list[Promise]:
    """What a wrapper promises that claims an outcome when its time runs out."""
    if kinds.claims is None:
        return []
    claims = _Claims(make, *kinds.claims)
    return [
        Promise(
            f"A call that takes longer than its time comes to the outcome {claims.code}",
            "claim it: return await dispatch.within(seconds, call_next, ErrorInfo(...)) with that code",
            claims.code_stands,
        ),
        Promise(
            f"It claims after {claims.seconds:g} seconds, not before, and only of calls that take longer",
            "give dispatch.within the seconds that the contract is told",
            claims.in_time,
        ),
        Promise(
            "Its claim stands although the caller ends the call later, while the body cleans up",
            "claim with dispatch.within; a trio.move_on_after owns nothing once its caller has cancelled, too",
            claims.first_stands,
        ),
        Promise(
            "It claims nothing that its caller had ended before its time ran out",
            "claim with dispatch.within, which goes by time; do not decide by scope.cancel_called",
            claims.earlier_stands,
        ),
    ]


@attrs.frozen
class _Called:
    """How a call ended (None: it did not), and how long it took, in seconds, without its clean-up."""

    result: ToolResult | None
    seconds: float
    slack: float

    @property
    def code(self) -> str | None:
        return "NOTHING" if self.result is None else self.result.code

    @property
    def words(self) -> str:
        what = "a success" if self.code is None else str(self.code)
        return f"{what} after {self.seconds:g} seconds"


class _Claims:
    """Calls against the clock, without the timeout policy: a wrapper may be it."""

    def __init__(self, make: Callable[[], Wrapper], code: str, seconds: float) -> None:
        self.code = code
        self.seconds = seconds
        self._plugin = Fresh(make, Registry.add_wrapper).plugin()
        self._stage = Stage()
        self._endless = cache(lambda: self._called(inf))

    def code_stands(self) -> Iterator[str]:
        """Of a call that never ends of itself."""
        called = self._endless()
        if called.code != self.code:
            yield f"a call that never ends came to {called.words}, and should come to {self.code}"

    def in_time(self) -> Iterator[str]:
        """Neither before nor after its seconds."""
        called = self._called(IN_TIME * self.seconds)
        if called.code is not None:
            yield f"a call that takes {IN_TIME * self.seconds:g} seconds came to {called.words}, and should succeed"
        endless = self._endless()
        if abs(endless.seconds - self.seconds) > called.slack:
            yield f"a call that never ends was cut {endless.words}, and should be after {self.seconds:g} seconds"

    def first_stands(self) -> Iterator[str]:
        """Of a call that its caller ends after the claim, while the body cleans up."""
        at = TOO_LATE * self.seconds
        called, alone = self._called(inf, caller=at), self._endless()
        if called.code != alone.code:
            yield (
                f"a call that its caller ended after {at:g} seconds came to {called.words}; without that it came to "
                f"{alone.words}"
            )

    def earlier_stands(self) -> Iterator[str]:
        """Of a call that its caller ends before the claim, while the body cleans up beyond it."""
        at = IN_TIME * self.seconds
        called = self._called(inf, caller=at)
        if called.code != ErrorCode.ABORTED:
            yield f"a call that its caller ended after {at:g} seconds came to {called.words}, and should be ABORTED"

    def _called(self, lasting: float, *, caller: float = inf) -> _Called:
        """One call of a tool that works for so many seconds, whose caller ends it after so many."""
        take, called = self._stage.take(lambda: self._act(lasting, caller))
        if take.raised is not None:
            raise take.raised
        result, seconds = called[0] if called else (None, inf)
        return _Called(result, seconds, take.slack)

    def _act(self, lasting: float, caller: float) -> Act[list[tuple[ToolResult, float]]]:
        called: list[tuple[ToolResult, float]] = []
        cleaning = CLEANING * self.seconds if lasting == inf else 0

        async def work(_: FrozenDict) -> str:
            try:
                await trio.sleep(lasting)
            finally:
                # bounded by a part of the wrapper's seconds: what is tried is who owns the call meanwhile
                with trio.CancelScope(shield=True, relative_deadline=cleaning):
                    await trio.sleep(cleaning)
            return "worked"

        async def main() -> None:
            budget = self.seconds if self.code == ErrorCode.TOOL_TIMEOUT else None
            async with opened(RegistryOptions(), (self._plugin,), lambda kind, asker: ()) as registry:
                registry.register(stand_in("work", work, timeout=budget))
                began = trio.current_time()
                scope = trio.CancelScope(deadline=began + caller)
                result = await registry.execute(ToolCall("work"), scope=scope)
                called.append((result, trio.current_time() - began - cleaning))

        return Act(main=main, state=called)
