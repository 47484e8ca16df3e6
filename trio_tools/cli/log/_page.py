"""Sessions as one page that needs nothing else: no script, no network, no file beside it.

Its policy says so to the browser as well: nothing may be loaded, and no style holds but the one in it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence

import attrs

from trio_tools.cli._column import MAX_INDENT
from trio_tools.cli.log._account import NAME_LENGTH, account
from trio_tools.cli.log._axis import Chart, Line, Mark, Span, Stretch
from trio_tools.cli.log._html import Html, element, foreign
from trio_tools.cli.log._line import bar, mark, stretch
from trio_tools.cli.log._meanings import MEANINGS, shown_in
from trio_tools.cli.log._moment import moment
from trio_tools.cli.log._outcome import Tone, cause_of, lasting, tone_of, waited, word_of
from trio_tools.cli.log._style import STYLE
from trio_tools.values import Session

# Characters of a name in a row. More of it is told below the row.
ROW_LENGTH = 60
# What says the same as the colour of an outcome.
SIGNS = {Tone.GOOD: "\u2713", Tone.BAD: "\u2717", Tone.STOPPED: "\u25a0", Tone.OPEN: "?"}


@attrs.frozen(kw_only=True)
class SessionLog:
    """A session, None for the calls that were made for none, and its turns."""

    session: Session | None
    turns: Sequence[Chart]


def page(logs: Sequence[SessionLog], *, title: str) -> str:
    """The page."""
    body = element(
        "body",
        element("h1", foreign(title, limit=NAME_LENGTH)),
        element("p", _count(logs), class_="faint"),
        [_section(number, one) for number, one in enumerate(logs, 1)],
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title[:NAME_LENGTH]),
        Html(f"<style>{STYLE}</style>"),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en').source}\n"


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _count(logs: Sequence[SessionLog]) -> str:
    turns = sum(len(one.turns) for one in logs)
    calls = sum(len(chart.lines) for one in logs for chart in one.turns)
    return f"Sessions: {len(logs)}. Turns: {turns}. Calls: {calls}. Times of day are UTC."


def _section(number: int, log: SessionLog) -> Html:
    of = f"s{number}-c"
    return element("section", _heading(log.session), _calls(of, log), _legend(log), *_turns(of, log))


def _heading(session: Session | None) -> Html:
    if session is None:
        return element("h2", "Calls for no session")
    owner = () if session.owner is None else (element("span", " of "), foreign(session.owner, limit=NAME_LENGTH))
    return element("h2", "Session ", foreign(session.id, limit=NAME_LENGTH), *owner)


def _calls(of: str, log: SessionLog) -> Html:
    heads = {"#": "number", "turn": "number", "tool": "", "outcome": "", "waited": "number", "took": "number", "id": ""}
    head = element("tr", [element("th", name, class_=kind) for name, kind in heads.items()])
    rows = [_row(of, chart, line) for chart in log.turns for line in chart.lines]
    return element("div", element("table", element("thead", head), element("tbody", rows)), class_="wide")


def _row(of: str, chart: Chart, line: Line) -> Html:
    ref = line.call.ref
    link = element("a", str(line.number), href=f"#{of}{line.number}")
    return element(
        "tr",
        element("td", link, class_="number"),
        element("td", str(chart.number), class_="number"),
        element("td", foreign(ref.tool, limit=ROW_LENGTH), class_=_indent(line)),
        element("td", _outcome(line)),
        element("td", lasting(waited(line.call)), class_="number"),
        element("td", line.lasted, class_="number"),
        element("td", foreign(ref.call_id or "", limit=ROW_LENGTH)),
    )


def _outcome(line: Line) -> Html:
    tone = tone_of(line.call)
    cause = cause_of(line.call)
    by = "" if cause is None else f" by {cause.value}"
    return element("span", f"{SIGNS[tone]} {word_of(line.call)}{by}", class_=f"outcome {tone.name.lower()}")


def _indent(line: Line) -> str:
    return f"tool in{min(line.depth, MAX_INDENT)}"


def _turns(of: str, log: SessionLog) -> Iterator[Html]:
    for chart in log.turns:
        calls = f"{len(chart.lines)} call{'' if len(chart.lines) == 1 else 's'}, {lasting(chart.seconds)}"
        yield element("h3", f"Turn {chart.number} ", element("span", f"{moment(chart.began)}, {calls}", class_="faint"))
        ticks = [element("span", lasting(chart.seconds * part)) for part in (0, 0.5, 1)]
        yield element("div", element("div", ticks, class_="ticks"), class_="axis")
        yield from (_call(of, line, chart.seconds) for line in chart.lines)


def _call(of: str, line: Line, seconds: float) -> Html:
    summary = element(
        "summary",
        element("span", str(line.number), class_="number"),
        element("span", foreign(line.call.ref.tool, limit=ROW_LENGTH), class_=_indent(line)),
        element("span", bar(line, seconds), class_="line"),
        _outcome(line),
        element("span", line.lasted, class_="number took"),
    )
    return element("details", summary, account(line), id=f"{of}{line.number}")


def _legend(log: SessionLog) -> Html:
    return element("div", [_meaning(of) for of in shown_in(log.turns)], class_="legend")


def _meaning(of: Span | Mark) -> Html:
    drawn = mark(of, "50%", MEANINGS[of]) if isinstance(of, Mark) else stretch(Stretch(of, 0, 1), 1)
    return element("span", element("svg", drawn, class_="bar", aria_hidden="true"), MEANINGS[of])
