"""What is asked of a journal's file. Each runs in a worker thread, on a connection that only reads."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable

import attrs

from trio_tools.journal._connect import found
from trio_tools.journal._fold import turn_in
from trio_tools.journal._records import SessionSummary
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import COLUMNS
from trio_tools.values import Session

_ROWS = f"SELECT {', '.join(COLUMNS)} FROM entries"
# What begins a call, or goes on with it: one that has any of these has been accepted, also if that entry is lost.
_OPENING = "kind IN ('accepted', 'decided', 'dispatching', 'effectbegun')"
_UNSETTLED = f"""
SELECT max(family), turn, position, max(session), max(parent) FROM entries WHERE turn IS NOT NULL
GROUP BY turn, position HAVING sum(kind = 'settled') = 0 AND sum(family > 0 AND {_OPENING}) > 0
"""
# The same of one session, whose rows its index finds.
_UNSETTLED_OF = f"""
SELECT count(*) FROM (
  SELECT 1 FROM entries WHERE session IS ? AND family > 0 AND turn IS NOT NULL
  GROUP BY turn, position HAVING sum(kind = 'settled') = 0 AND sum({_OPENING}) > 0
)"""
_CANDIDATES = """
SELECT name, key FROM entries WHERE key IS NOT NULL GROUP BY name, key
HAVING sum(kind = 'effectbegun') > 0 AND sum(coalesce(state, '') = 'committed') = 0
"""
_SESSIONS = """
WITH turns AS (
  SELECT min(seq) AS opening, max(seq) AS closing, sum(kind = 'accepted') AS calls
  FROM entries WHERE family > 0 AND turn IS NOT NULL GROUP BY turn
)
SELECT first.session, first.owner, first.parent, first.time, last.time, calls
FROM turns JOIN entries AS first ON first.seq = opening JOIN entries AS last ON last.seq = closing ORDER BY opening
"""
# The families that hold anything of a session: its index is read through.
_OF_SESSION = "SELECT DISTINCT family FROM entries WHERE session IS ? AND family > 0"
# What was decided on an effect of a key that a session has to do with.
_DECISIONS = f"""{_ROWS} WHERE kind = 'effectresolved' AND (name, key) IN (
  SELECT name, key FROM entries WHERE key IS NOT NULL AND family IN ({_OF_SESSION}) AND session IS ?
)"""


def session_rows(database: sqlite3.Connection, session: str | None) -> list[Row]:
    """The entries of a session, in order."""
    rows = found(database, f"{_ROWS} WHERE family IN ({_OF_SESSION}) AND session IS ?", (session, session))
    decisions = found(database, _DECISIONS, (session, session))
    return in_order({row[0]: row for row in (*rows, *decisions)}.values())


def in_order(rows: Iterable[Row]) -> list[Row]:
    """By their `seq`."""
    return sorted(rows, key=lambda row: int(row[0] or 0))


def keyed_rows(database: sqlite3.Connection, name: str, key: str) -> list[Row]:
    """The entries of an effect, in order."""
    return found(database, f"{_ROWS} WHERE name = ? AND key = ? ORDER BY seq", (name, key))


def perhaps_unknown(database: sqlite3.Connection) -> list[list[Row]]:
    """The entries of each effect that has begun and is not known to have gone through."""
    candidates = database.execute(_CANDIDATES).fetchall()
    return [keyed_rows(database, name, key) for name, key in candidates]


@attrs.frozen
class OpenCall:
    """A call without a result: which it is, and whose."""

    family: int
    turn: str
    position: int
    session: str | None
    parent: str | None


def unsettled_calls(database: sqlite3.Connection) -> list[OpenCall]:
    """The calls without a result."""
    return [OpenCall(*call) for call in database.execute(_UNSETTLED)]


def unsettled_of(database: sqlite3.Connection, session: str | None) -> int:
    """How many calls of a session have no result. What is written waits for this, so it reads nothing of others."""
    (calls,) = database.execute(_UNSETTLED_OF, (session,)).fetchone()
    return int(calls)


def unsettled_rows(database: sqlite3.Connection) -> list[Row]:
    """The entries of the turns that have such a call, and of those which the calls of these have made, in order."""
    calls = unsettled_calls(database)
    rows: list[Row] = []
    for family in sorted({call.family for call in calls}):
        rows += found(database, f"{_ROWS} WHERE family = ?", (family,))
    wanted = _with_theirs({call.turn for call in calls}, rows)
    return in_order(row for row in rows if row[_TURN] in wanted)


_TURN, _PARENT = COLUMNS.index("turn"), COLUMNS.index("parent")


def _with_theirs(turns: set[str], rows: Iterable[Row]) -> set[object]:
    """These turns, and those that their calls made, and so on. A turn is begun behind the call that makes it."""
    wanted: set[object] = set(turns)
    for row in in_order(rows):
        parent = row[_PARENT]
        if isinstance(parent, str) and turn_in(parent) in wanted:
            wanted.add(row[_TURN])
    return wanted


def session_summaries(database: sqlite3.Connection) -> list[SessionSummary]:
    """What there is, by the first call of each."""
    unsettled = Counter(call.session for call in unsettled_calls(database))
    sessions: dict[str | None, SessionSummary] = {}
    for session, owner, parent, first, last, calls in database.execute(_SESSIONS):
        known = sessions.get(session) or SessionSummary(
            session=None if session is None else Session(session, owner),
            first=first,
            last=last,
            turns=0,
            calls=0,
            unsettled=unsettled[session],
        )
        own = parent is None
        sessions[session] = attrs.evolve(
            known, last=max(known.last, last), turns=known.turns + own, calls=known.calls + own * calls
        )
    return list(sessions.values())
