"""What an unsettled call waits for, in words: worked out when somebody asks, from what the calls know anyway."""

from __future__ import annotations

from collections.abc import Sequence

from trio_tools.pipeline._state import CallState

# Calls that one sentence names. Who wants the others sees them among the pending ones.
MAX_NAMED = 3
# Characters of a name, and of an id, in a sentence. Usual ones fit, and a queue behind a name of a million is cheap.
MAX_NAME = 100


def waits_for(call: CallState, children: Sequence[CallState]) -> str | None:
    """Whom or what a call waits for, so far as the kernel knows: words that follow "waits for". `children` are the
    unsettled calls that its body has made. Names are as they came: to be escaped where they are shown."""
    if call.cause is not None and not call.over:
        return _cancelled(call, children)
    words: str | None = None
    match call.stage:
        case "queued" | "gate" if call.turn.accepting is not None:
            words = "a recorder"
        case "queued":
            words = _queued(call)
        case "gate":
            words = _at_gate(call)
        case "around":
            words = _around(call)
        case "dispatch" if call.last is not None:
            words = "a wrapper"  # the body has come back
        case "dispatch" if children:
            words = f"{_named(children)}, called by it"
        case "post":
            words = "a post-policy"
        case "settle":
            words = "a recorder" if call.result is None else "an observer"
        case _:
            pass  # its body does what only the body knows
    return words


def _cancelled(call: CallState, children: Sequence[CallState]) -> str:
    if children:
        return f"{_named(children)}, called by it, to come to rest (cancelled)"
    if call.stage == "dispatch" and call.last is None:
        return "its body to come to rest (cancelled)"
    return "its result (cancelled)"


def _queued(call: CallState) -> str | None:
    turn = call.turn
    first = turn.waiting()
    assert first is not None  # this one waits, at least
    if turn.deciding is not None:
        return f"the policies of {_name(turn.deciding)}"
    before = range(first.position - 1, -1, -1)
    if turn.exclusive:
        alone = next(turn.calls[place] for place in before if turn.calls[place].exclusive)
        return f"{_name(alone)} (runs alone)"
    if turn.active >= turn.core.max_parallel_calls:
        return f"a place ({turn.active} run, as many as may)"
    if not first.exclusive:
        return None  # its launch is at hand
    if first is not call:
        return f"{_name(first)} (to run alone)"
    running = [turn.calls[place] for place in before if not _has_ended(turn.calls[place])]
    return f"{_named(running[::-1])} to end, to run alone"


def _at_gate(call: CallState) -> str | None:
    if call.turn.deciding is call:
        return "a pre-policy"
    return "a recorder" if call.heard else None


def _around(call: CallState) -> str | None:
    limiter = call.awaits
    if limiter is None:
        recorded = call.heard and (call.holds is not None or not call.turn.core.wrappers.functions)
        return "a recorder" if recorded else "a wrapper"
    what = "a thread" if call.tool is None or call.tool.pool is None else "a token of its pool"
    taken = f"{what} ({limiter.borrowed_tokens} of {limiter.total_tokens} taken)"
    return taken if call.lender is None else f"{taken}, or for that of a call around it"


def _has_ended(call: CallState) -> bool:
    return call.result is not None and call.task is None


def _named(calls: Sequence[CallState]) -> str:
    names = [_name(call) for call in calls[:MAX_NAMED]]
    if len(calls) > MAX_NAMED:
        names.append(f"{len(calls) - MAX_NAMED} more")
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _name(call: CallState) -> str:
    name = call.name[:MAX_NAME]
    return name if call.call.id is None else f"{name} {call.call.id[:MAX_NAME]}"
