"""`trio-tools log`, `log show` and `log purge`: which sessions there are, what one holds, and that it goes."""

from __future__ import annotations

from pathlib import Path

import attrs

from trio_tools.cli._printable import complain, json_text, named
from trio_tools.cli._stdout import say
from trio_tools.cli.log._axis import charts
from trio_tools.cli.log._bars import drawn
from trio_tools.cli.log._facts import call_facts, session_facts, whose
from trio_tools.cli.log._opening import found, with_journal
from trio_tools.cli.log._tables import call_table, effect_table, session_table
from trio_tools.journal import Journal


@attrs.frozen(kw_only=True)
class SessionsRequest:
    """The sessions of a `journal`, for people or `as_json`."""

    journal: Path
    as_json: bool = False

    def answer(self) -> int:
        """Print them. Raises `Refused` if the journal cannot be read."""
        return with_journal(self.journal, self._told)

    async def _told(self, journal: Journal) -> None:
        sessions = await journal.sessions()
        if self.as_json:
            say(json_text([session_facts(one) for one in sessions], indent=2))
            return
        say(session_table(sessions).drawn() if sessions else "no call has been recorded")
        if unknown := len(await journal.unknown()):
            complain(f"effects that wait for a decision: {unknown}; `trio-tools log unknown` lists them")


@attrs.frozen(kw_only=True)
class ShowRequest:
    """The calls of a `session` of a `journal`; None: those that were made for no session."""

    journal: Path
    session: str | None
    as_json: bool = False

    def answer(self) -> int:
        """Print them. Raises `Refused` for a session that there is not."""
        return with_journal(self.journal, self._told)

    async def _told(self, journal: Journal) -> None:
        calls = await journal.calls(await found(journal, self.session))
        if self.as_json:
            say(json_text([call_facts(one) for one in calls], indent=2))
            return
        turns = charts(calls)
        effects = effect_table(turns)
        parts = [call_table(turns).drawn(), *(() if effects is None else (effects.drawn(),)), drawn(turns)]
        say("\n\n".join(parts))


@attrs.frozen(kw_only=True)
class PurgeRequest:
    """A `session` of a `journal` that is to go; None: the calls that were made for no session."""

    journal: Path
    session: str | None
    as_json: bool = False

    def answer(self) -> int:
        """Remove it, and say how much that was. Raises `Refused` for a session that there is not, and where the
        journal cannot be written."""
        return with_journal(self.journal, self._purged, decides=True)

    async def _purged(self, journal: Journal) -> None:
        session = await found(journal, self.session)
        gone = await journal.purge(session)
        if self.as_json:
            say(json_text({**whose(session), "calls": gone}))
            return
        of = "no session" if session is None else f'session "{named(session.id)}"'
        say(f"removed what was recorded of {of}; calls: {gone}")
