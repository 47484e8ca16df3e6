"""The commands of `trio-tools log` and their options. No `from __future__ import annotations`: the parser reads
annotations."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trio_tools.cli._given import bare
from trio_tools.cli._help import EXPORT, LOG, PURGE, RESOLVE, SHOW, UNKNOWN
from trio_tools.cli._request import Request
from trio_tools.cli._status import Refused

if TYPE_CHECKING:
    from cyclopts import App


def add_log(app: "App") -> None:
    """Add `log`, and what stands below it, to the commands of `trio-tools`."""
    from cyclopts import App

    log = App(name="log", help_epilogue=LOG)
    app.command(log)
    _add_sessions(log)
    _add_purge(log)
    _add_page(log)
    _add_unknown(log)
    _add_resolve(log)


def _add_sessions(log: "App") -> None:
    from cyclopts import Parameter

    @log.default
    def sessions(
        *,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """List the sessions of a journal, or look into one of them.

        Args:
            journal: The file that the journal is in.
            as_json: All that is known of each, as JSON.
        """
        from trio_tools.cli.log._sessions import SessionsRequest

        return SessionsRequest(journal=_file(journal), as_json=as_json)

    @log.command(help_epilogue=SHOW)
    def show(
        session: Annotated[str | None, Parameter(name="SESSION", show_default=False)] = None,
        /,
        *,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        without_session: Annotated[bool, Parameter(negative="", show_default=False)] = False,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """Show the calls of a session: a table, their effects, and each call as a bar on the time axis of its turn.

        Args:
            session: The session; `trio-tools log` lists them.
            journal: The file that the journal is in.
            without_session: The calls that were made for no session.
            as_json: All that is known of each call, as JSON.
        """
        from trio_tools.cli.log._sessions import ShowRequest

        return ShowRequest(journal=_file(journal), session=_session(session, without_session), as_json=as_json)


def _add_purge(log: "App") -> None:
    from cyclopts import Parameter

    @log.command(help_epilogue=PURGE)
    def purge(
        session: Annotated[str | None, Parameter(name="SESSION", show_default=False)] = None,
        /,
        *,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        without_session: Annotated[bool, Parameter(negative="", show_default=False)] = False,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """Remove a session, with all that the journal holds of it, for good.

        Args:
            session: The session; `trio-tools log` lists them.
            journal: The file that the journal is in.
            without_session: The calls that were made for no session.
            as_json: Print what went as a line of JSON.
        """
        from trio_tools.cli.log._sessions import PurgeRequest

        return PurgeRequest(journal=_file(journal), session=_session(session, without_session), as_json=as_json)


def _add_page(log: "App") -> None:
    from cyclopts import Parameter

    @log.command(help_epilogue=EXPORT)
    def export(
        *sessions: Annotated[str, Parameter(name="SESSION")],
        html: Path,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """Write sessions into a page that a browser shows without anything else.

        Args:
            sessions: Only these sessions. Without them all, and the calls that were made for none.
            html: The file for the page.
            journal: The file that the journal is in.
            overwrite: Replace that file if it is there.
            as_json: Print what was written as a line of JSON.
        """
        from trio_tools.cli.log._export import ExportRequest

        return ExportRequest(
            journal=_file(journal),
            sessions=tuple(map(bare, sessions)),
            html=html,
            overwrite=overwrite,
            as_json=as_json,
        )


def _add_unknown(log: "App") -> None:
    from cyclopts import Parameter

    @log.command(help_epilogue=UNKNOWN)
    def unknown(
        *,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """List the effects of which nobody knows whether they went through, and which wait for somebody to say so.

        Args:
            journal: The file that the journal is in.
            as_json: All that is known of each, as JSON.
        """
        from trio_tools.cli.log._decisions import UnknownRequest

        return UnknownRequest(journal=_file(journal), as_json=as_json)


def _add_resolve(log: "App") -> None:
    from cyclopts import Parameter

    @log.command(help_epilogue=RESOLVE)
    def resolve(
        name: Annotated[str, Parameter(name="NAME")],
        key: Annotated[str, Parameter(name="KEY")],
        /,
        *,
        committed: Annotated[bool, Parameter(negative="", show_default=False)] = False,
        failed: Annotated[bool, Parameter(negative="", show_default=False)] = False,
        receipt: str | None = None,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
    ) -> Request:
        """Say what became of an effect of which nobody knew.

        Args:
            name: The effect's name; `trio-tools log unknown` lists them.
            key: Its idempotency key.
            committed: It went through, and is not done again.
            failed: It did not go through, and may be done again.
            receipt: With --committed: what is given to whoever asks for it again, as JSON.
            journal: The file that the journal is in.
            as_json: Print what is known of it from now on, as a line of JSON.
        """
        from trio_tools.cli.log._decisions import ResolveRequest

        return ResolveRequest(
            journal=_file(journal),
            name=bare(name),
            key=bare(key),
            committed=committed,
            failed=failed,
            receipt=receipt,
            as_json=as_json,
        )


def options_behind(arguments: Sequence[str]) -> list[str]:
    """The arguments of the program as the parser takes them: `log --journal FILE show` is `log show --journal FILE`."""
    match arguments:
        case ["log", "--journal", file, *rest]:
            return ["log", *rest, "--journal", file]
        case ["log", option, *rest] if option.startswith("--journal="):
            return ["log", *rest, option]
        case _:
            return list(arguments)


def _file(journal: Path | None) -> Path:
    if journal is None or journal == Path():  # a variable that is set to nothing
        raise Refused("say which journal: --journal FILE, or the variable TRIO_TOOLS_JOURNAL")
    return journal


def _session(session: str | None, without_session: bool) -> str | None:
    if (session is None) != without_session:
        raise Refused("name a session, or give --without-session for the calls that were made for none")
    return None if session is None else bare(session)
