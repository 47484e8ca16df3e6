"""`trio-tools log unknown` and `log resolve`: effects of which nobody knows whether they went through, and what
somebody has found out."""

from __future__ import annotations

import json
from pathlib import Path

import attrs

from trio_tools.cli._listing import Listing
from trio_tools.cli._printable import complain, json_text, named
from trio_tools.cli._status import Refused
from trio_tools.cli._stdout import say
from trio_tools.cli.log._facts import effect_facts, unknown_facts
from trio_tools.cli.log._moment import moment
from trio_tools.cli.log._opening import with_journal
from trio_tools.journal import Journal
from trio_tools.values import JSONValue, parse_arguments


@attrs.frozen(kw_only=True)
class UnknownRequest:
    """The effects of a `journal` that wait for a decision, for people or `as_json`. Who only reads cannot say of a call
    without a result whether it is under way or was cut off: that there are such calls is told beside them."""

    journal: Path
    as_json: bool = False

    def answer(self) -> int:
        """Print them. Raises `Refused` if the journal cannot be read."""
        return with_journal(self.journal, self._told)

    async def _told(self, journal: Journal) -> None:
        effects = await journal.unknown()
        if unsettled := sum(one.unsettled for one in await journal.sessions()):
            complain(
                f"calls without a result: {unsettled}; if no process writes this journal any more, effects of theirs "
                "wait too: `trio-tools log show` names them, and `trio-tools log resolve` decides on them"
            )
        if self.as_json:
            say(json_text([unknown_facts(one) for one in effects], indent=2))
            return
        rows = [
            (
                one.name,
                one.key,
                moment(one.begun),
                "" if one.ref.session is None else one.ref.session.id,
                one.ref.tool,
                one.error or "",
            )
            for one in effects
        ]
        heads = ("effect", "key", "begun", "session", "tool", "why")
        table = Listing(heads=heads, rows=rows, typed=frozenset({0, 1}))
        say(table.drawn() if rows else "no effect waits for a decision")


@attrs.frozen(kw_only=True)
class ResolveRequest:
    """What became of the effect of this `name` and `key`: `committed`, with a `receipt` as JSON text if there is one,
    or `failed`.

    Raises `Refused` unless it is just one of the two, and for a receipt of what has failed, or that is no JSON.
    """

    journal: Path
    name: str
    key: str
    committed: bool = False
    failed: bool = False
    receipt: str | None = None
    as_json: bool = False

    def __attrs_post_init__(self) -> None:
        if self.committed == self.failed:
            raise Refused("say what became of the effect: --committed if it went through, --failed if it did not")
        if self.failed and self.receipt is not None:
            raise Refused("--receipt is of an effect that went through, and not for --failed")
        self.read_receipt()

    def read_receipt(self) -> JSONValue:
        """The receipt; None if there is none. Raises `Refused` for what is no JSON."""
        if self.receipt is None:
            return None
        try:
            json.loads(self.receipt)  # finds what is wrong where it is; what it lets pass is read strictly
            return parse_arguments(f'{{"receipt": {self.receipt}}}')["receipt"]
        except (ValueError, RecursionError) as error:
            raise Refused(f"--receipt must be JSON: {named(str(error))}") from None

    def answer(self) -> int:
        """Have it written, and print what is known from now on. Raises `Refused` for an effect that is not unknown, and
        where the journal cannot be written."""
        return with_journal(self.journal, self._resolved, decides=True)

    async def _resolved(self, journal: Journal) -> None:
        effect = await journal.resolve(self.name, self.key, committed=self.committed, receipt=self.read_receipt())
        if self.as_json:
            say(json_text(effect_facts(effect)))
            return
        say(f"{named(effect.name)} with key {named(self.key)}: {effect.state.value}")
