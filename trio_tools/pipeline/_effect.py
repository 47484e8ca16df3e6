"""Effects: how one begins, how it ends, and what is known of one that was made before.

Before it, whatever waits can be cut. At its door is one last look. Past it the action runs to its end, whatever is
cancelled meanwhile (`_action.py`), and what came of it is recorded and stands in the result.

How far it got changes in `call.effects` at once; whatever is awaited comes before or after.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import NoReturn

import attrs
import trio

from trio_tools.pipeline._carried import Zone, is_inside
from trio_tools.pipeline._faults import run_async, run_sync
from trio_tools.pipeline._keys import EffectLedger
from trio_tools.pipeline._look import is_given_up
from trio_tools.pipeline._record import record_effect_begun, record_effect_ended
from trio_tools.pipeline._state import CallState
from trio_tools.tool import MAX_RESULT_BYTES
from trio_tools.values import (
    Effect,
    EffectState,
    EffectUnknownError,
    ErrorCode,
    JSONValue,
    ToolError,
    exception_error,
    says_unknown,
    to_plain,
)


@attrs.define(eq=False)
class Begun:
    """An effect that has begun: of which call, at which place among its effects, and the zone that its action is."""

    call: CallState
    place: int
    zone: Zone

    @property
    def effect(self) -> Effect:
        """How far it has got."""
        return self.call.effects[self.place]

    @property
    def is_under_way(self) -> bool:
        """Whether its action has neither returned nor raised."""
        return self.effect.state is EffectState.BEGUN

    def is_interrupted(self, thrown: BaseException) -> bool:
        """Whether what its action raised is, or holds, a Ctrl-C."""
        return self.call.turn.fault_in(thrown).interrupt is not None

    def stands(self, state: EffectState, *, receipt: JSONValue = None, error: str | None = None) -> None:
        """Note how far it has got by now."""
        effects = self.call.effects
        now = attrs.evolve(self.effect, state=state, receipt=receipt, error=error)
        self.call.effects = (*effects[: self.place], now, *effects[self.place + 1 :])

    def returned(self, answer: object) -> JSONValue:
        """Its action has: the answer is its receipt. What cannot be one is the body's failure, and the effect went
        through."""
        if issubclass(type(answer), Awaitable):
            if inspect.iscoroutine(answer):
                answer.close()
            self.stands(EffectState.UNKNOWN, error="its action returned what is yet to be awaited")
            kind = type(answer).__name__
            raise TypeError(f"the action of {self.effect.name!r} returned an awaitable, {kind}: await it in there")
        try:
            receipt = run_sync(_written, answer)
        except BaseException as thrown:  # NotJSON, or whatever an accessor raised
            failure = self.call.turn.fault_in(thrown).failure
            why = "Ctrl-C" if failure is None else exception_error(failure, ErrorCode.TOOL_FAILED).message
            self.stands(EffectState.COMMITTED, error=f"its receipt cannot be kept: {why}")
            raise
        self.stands(EffectState.COMMITTED, receipt=receipt)
        return receipt

    def broke_off(self, thrown: BaseException) -> None:
        """Its action has raised. A failure, unless it says otherwise itself, or was stopped and nobody can say how far
        it had got. If it has returned before, what came of that stands."""
        if not self.is_under_way:
            return
        fault = self.call.turn.fault_in(thrown)
        if fault.interrupt is not None:
            self.stands(EffectState.UNKNOWN, error="Ctrl-C came in the middle of it")
        elif fault.failure is None:
            self.stands(EffectState.UNKNOWN, error="a scope of its own was cancelled in the middle of it")
        else:
            state = EffectState.UNKNOWN if says_unknown(fault.failure) else EffectState.FAILED
            self.stands(state, error=exception_error(fault.failure, ErrorCode.TOOL_FAILED).message)

    def ran_out(self, seconds: float) -> EffectUnknownError:
        """Its bound was up before it had ended. What is returned is to be raised."""
        self.stands(EffectState.UNKNOWN, error=f"it had not ended after {seconds:g} s")
        return EffectUnknownError(f"{self.effect.name} was begun, and had not ended after {seconds:g} s")


def _written(answer: object) -> JSONValue:
    return to_plain(answer, max_bytes=MAX_RESULT_BYTES)


def check_where(call: CallState, name: str) -> None:
    """Raise `RuntimeError` for an effect where nothing would wait for it: in a task that is not inside of its call."""
    if not is_inside(call):
        why = "it has settled" if call.over else "this task is in a job, or in a nursery from elsewhere"
        raise RuntimeError(f"an effect ({name!r}) is made inside of its own call, and {why}")


async def begin(call: CallState, name: str, key: str | None) -> Begun | Effect:
    """Begin an effect, if it is not known of it that it was made before under this key: then that is returned, with its
    receipt, and stands among those of this call too. Who gets one that has begun is to `end` it.

    Raises `EffectUnknownError` for a key whose effect has begun before and never ended, and `ToolError` if the effect
    cannot be asked after or recorded, or the call was given up behind a shield.

    **Cancellation**: raised before it has begun.
    """
    if key is None:
        return await _begun(call, Effect(name, EffectState.BEGUN))
    keys = call.turn.core.keys
    await keys.take(name, key)
    begun: Begun | None = None
    try:
        known = await _known(call, name, key)
        if known is not None:
            return _given_back(call, known)
        begun = await _begun(call, Effect(name, EffectState.BEGUN, key=key))
        return begun
    finally:
        if begun is None:
            keys.release(name, key)


async def end(begun: Begun) -> None:
    """Record how an effect ended, and let its key go.

    **Cancellation**: not raised; recorders have a bound of their own.
    """
    call, effect = begun.call, begun.effect
    keys = call.turn.core.keys
    if effect.key is not None and _ledger(call) is None:  # which keeps it where there is one, and need not be in memory
        keys.remember(effect)
    try:
        if call.heard:
            await record_effect_ended(call, effect)
    finally:
        if effect.key is not None:
            keys.release(effect.name, effect.key)


def _ledger(call: CallState) -> EffectLedger | None:
    return call.turn.core.services.find(EffectLedger)  # type: ignore[type-abstract]  # a protocol stands for its services


async def _known(call: CallState, name: str, key: str) -> Effect | None:
    ledger = _ledger(call)
    if ledger is None:
        return call.turn.core.keys.ended(name, key)
    try:
        known: object = await run_async(ledger.effect, name, key)
        if known is not None and not isinstance(known, Effect):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"it answered {type(known).__name__}, not an Effect or None")
    except BaseException as thrown:
        failure = call.turn.fault_in(thrown).failure
        if failure is None:
            raise
        why = exception_error(failure, ErrorCode.TOOL_FAILED).message
        raise ToolError(f"{name} was not begun: nobody can say whether it was done before: {why}") from thrown
    if known is None or known.state is EffectState.FAILED:
        return None
    return attrs.evolve(known, name=name, key=key)


def _given_back(call: CallState, known: Effect) -> Effect:
    effect = attrs.evolve(known, earlier=True, call=None)
    if effect.state is not EffectState.COMMITTED:
        why = effect.error or "nobody saw its end"
        effect = attrs.evolve(effect, state=EffectState.UNKNOWN, error=f"it was begun before, under this key: {why}")
    call.effects = (*call.effects, effect)
    if effect.state is EffectState.UNKNOWN:
        raise EffectUnknownError(
            f"{effect.name} was begun before, under the same key, and nobody knows whether it went through: "
            "it is not done again until somebody has looked, and decided"
        )
    return effect


async def _begun(call: CallState, effect: Effect) -> Begun:
    if await is_given_up(call):
        await _refuse(effect.name)
    begun = Begun(call, len(call.effects), Zone(effect.name))
    call.effects = (*call.effects, effect)
    if call.heard:
        unrecorded = await record_effect_begun(call, effect)
        given_up = unrecorded is None and await is_given_up(call)
        if unrecorded is not None or given_up:
            why = "the call was given up first" if unrecorded is None else unrecorded.message
            begun.stands(EffectState.FAILED, error=f"it never began: {why}")
            await record_effect_ended(call, begun.effect)
            if unrecorded is not None:
                raise ToolError(unrecorded.message)
            await _refuse(effect.name)
    return begun


async def _refuse(name: str) -> NoReturn:
    await trio.lowlevel.checkpoint_if_cancelled()
    # A shield of the body's own hides the scopes that have been cancelled. A Cancelled from within it is one that Trio
    # has not sent: the next nursery would take it for its own and swallow it, and the body go on as if all was done.
    raise ToolError(f"{name} was not begun: the call was given up before it, behind a shield of the tool's own")
