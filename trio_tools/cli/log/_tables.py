"""What a session holds as tables: its calls, and the effects that they had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trio_tools.cli._listing import Listing, Toned
from trio_tools.cli._printable import json_text
from trio_tools.cli.log._axis import Chart, Line
from trio_tools.cli.log._bars import indented
from trio_tools.cli.log._moment import moment
from trio_tools.cli.log._outcome import Tone, cause_of, is_open, lasting, tone_of, waited, word_of
from trio_tools.journal import SessionSummary
from trio_tools.values import Effect, EffectState


def session_table(sessions: Sequence[SessionSummary]) -> Listing:
    """What sessions there are."""
    rows = [
        (
            "(none)" if one.session is None else one.session.id,
            "" if one.session is None else one.session.owner or "",
            moment(one.first),
            lasting(one.last - one.first),
            str(one.turns),
            str(one.calls),
            Toned(str(one.unsettled), Tone.OPEN.value) if one.unsettled else "0",
        )
        for one in sessions
    ]
    heads = ("session", "owner", "began", "lasted", "turns", "calls", "unsettled")
    return Listing(heads=heads, rows=rows, numbers=frozenset({3, 4, 5, 6}), typed=frozenset({0}))


def call_table(charts: Sequence[Chart]) -> Listing:
    """The calls of a session; times are spans, from when each came."""
    rows = [_call_row(chart, line) for chart in charts for line in chart.lines]
    heads = ("#", "turn", "tool", "outcome", "by", "waited", "took", "id")
    return Listing(heads=heads, rows=rows, numbers=frozenset({0, 1, 5, 6}))


def _call_row(chart: Chart, line: Line) -> tuple[str | Toned, ...]:
    call = line.call
    cause = cause_of(call)
    return (
        str(line.number),
        str(chart.number),
        indented(line),
        Toned(word_of(call), tone_of(call).value),
        "" if cause is None else cause.value,
        lasting(waited(call)),
        line.lasted,
        call.ref.call_id or "",
    )


def effect_table(charts: Sequence[Chart]) -> Listing | None:
    """The effects of all calls, each with what is known of it, those too that a call was spared since an earlier one
    had them; None if there are none."""
    rows = [
        (str(line.number), *row) for chart in charts for line in chart.lines for row in (*_own(line), *_earlier(line))
    ]
    return (
        Listing(heads=("#", "effect", "key", "state", "receipt or error"), rows=rows, numbers=frozenset({0}))
        if rows
        else None
    )


def _own(line: Line) -> Iterator[tuple[str | Toned, ...]]:
    for one in line.call.effects:
        state = one.effect.state.value + (", decided later" if one.resolved is not None else "")
        yield _effect_row(one.effect, Toned(state, Tone.OPEN.value) if is_open(one.effect.state) else state)


def _earlier(line: Line) -> Iterator[tuple[str | Toned, ...]]:
    for one in () if line.call.result is None else line.call.result.effects:
        if one.earlier and one.call is None and one.state is EffectState.COMMITTED:
            yield _effect_row(one, "committed earlier")


def _effect_row(effect: Effect, state: str | Toned) -> tuple[str | Toned, ...]:
    told = effect.error if effect.error is not None else "" if effect.receipt is None else json_text(effect.receipt)
    return effect.name, effect.key or "", state, told
