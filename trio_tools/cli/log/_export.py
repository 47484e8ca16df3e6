"""`trio-tools log export`: sessions as a page in a file, which is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import attrs

from trio_tools.cli._given import STDIN
from trio_tools.cli._outlet import write_all
from trio_tools.cli._printable import json_text, named
from trio_tools.cli._status import Refused
from trio_tools.cli._stdout import say
from trio_tools.cli._whole import cannot_write, whole
from trio_tools.cli.log._axis import charts
from trio_tools.cli.log._opening import found, with_journal
from trio_tools.cli.log._page import SessionLog, page
from trio_tools.journal import Journal


@attrs.frozen(kw_only=True)
class ExportRequest:
    """These `sessions` of a `journal`, or all of them if none is named, as a page in the file `html`; one that is there
    already stays, unless `overwrite`.

    Raises `Refused` for standard output, where a page of private things has no mode, and may come in part.
    """

    journal: Path
    sessions: tuple[str, ...]
    html: Path
    overwrite: bool = False
    as_json: bool = False

    def __attrs_post_init__(self) -> None:
        if str(self.html) == STDIN:
            raise Refused("--html takes the name of a file; a page is not written to standard output")

    def answer(self) -> int:
        """Write it, and print what is in it. Raises `Refused` for a session that there is not, for a file that is there
        or cannot be written, and for the journal's own."""
        if _is_of(self.journal, self.html):
            raise Refused(f'"{named(str(self.html))}" is a file of the journal; give another name')
        if not self.overwrite and os.path.lexists(self.html):
            raise _there_already(self.html)
        return with_journal(self.journal, self._exported)

    async def _exported(self, journal: Journal) -> None:
        if self.sessions:
            wanted = [await found(journal, one) for one in dict.fromkeys(self.sessions)]
        else:
            wanted = [one.session for one in await journal.sessions()]
        logs = [SessionLog(session=one, turns=charts(await journal.calls(one))) for one in wanted]
        write_page(self.html, page(logs, title=self.journal.name).encode(), overwrite=self.overwrite)
        calls = sum(len(turn.lines) for one in logs for turn in one.turns)
        if self.as_json:
            say(json_text({"file": str(self.html), "sessions": len(logs), "calls": calls}))
            return
        say(f"wrote {named(str(self.html))}; sessions: {len(logs)}, calls: {calls}")


def _is_of(journal: Path, html: Path) -> bool:
    """Whether that is the file that the journal is in, or one that is put beside it."""
    files = [f"{journal}{end}" for end in ("", "-wal", "-shm", ".lock")]
    return os.path.exists(html) and any(os.path.exists(one) and os.path.samefile(one, html) for one in files)


def write_page(file: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a page that only its owner may read, whole or not at all; what is there already stays, unless it is to be
    overwritten. Raises `Refused` where that cannot be done."""
    try:
        with whole(str(file), mode=0o600, put=os.replace if overwrite else os.link) as descriptor:
            write_all(descriptor, [content])
    except FileExistsError:
        raise _there_already(file) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise cannot_write(str(file), error) from None


def _there_already(file: Path) -> Refused:
    return Refused(f'"{named(str(file))}" is there already; --overwrite replaces it')
