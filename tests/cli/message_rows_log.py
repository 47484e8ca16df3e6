"""Messages about journals, and what is asked of them."""

from __future__ import annotations

from journal_made import NAME, content, cut_off, damaged
from message_rows_options import HOSTILE, LONG
from message_run import Row, row

HELP = "(trio-tools log {} --help says what there is)"
WHICH = "say which journal: --journal FILE, or the variable TRIO_TOOLS_JOURNAL"
WHOSE = "name a session, or give --without-session for the calls that were made for none"
NOT_THERE = "there is no session {} in this journal; `trio-tools log` lists its sessions"
WHAT = "say what became of the effect: --committed if it went through, --failed if it did not"
EXISTING = {NAME: content()}


def about(command: str, *err: str, out: tuple[str, ...] | None = (), status: int = 2) -> Row:
    """A row about a journal that there is."""
    return row(f"log {command} --journal {NAME}", *err, out=out, status=status, files=EXISTING)


PARSER: tuple[Row, ...] = (
    row("log shwo", '"shwo" is an argument too many (trio-tools log --help says what there is)'),
    row("log show a b", f'"b" is an argument too many {HELP.format("show")}'),
    row("log unknown x", f'"x" is an argument too many {HELP.format("unknown")}'),
    row("log resolve a", f'Command "log resolve" parameter KEY requires an argument {HELP.format("resolve")}'),
    row("log export a", f'Command "log export" parameter --html requires an argument {HELP.format("export")}'),
)

JOURNALS: tuple[Row, ...] = (
    *(row(f"log{one}", WHICH) for one in ("", " show s1", " unknown", " purge s1", " export --html p.html")),
    row("log resolve a b --failed", WHICH),
    row("log --journal nowhere", 'there is no journal "nowhere"; a run makes one: trio-tools run --journal FILE'),
    row(
        ("log", "--journal", HOSTILE),
        'there is no journal "\\x1b[31m\\x0d\\x0a\\u202e\\udcff"; a run makes one: trio-tools run --journal FILE',
    ),
    row("log", WHICH, environment={"TRIO_TOOLS_JOURNAL": ""}),
    row("log --journal /", "journal / cannot be opened: it is a folder, not a plain file"),
    row(
        "run t --session ''",
        "--session must not be empty",
        files={"t": b""},
        environment={"TRIO_TOOLS_JOURNAL": NAME},
    ),
    row(
        "run t --session s1",
        "--session is what calls are recorded as: add --journal FILE, or list the plugin journal",
    ),
)

SESSIONS: tuple[Row, ...] = (
    about("show", WHOSE),
    about("show s1 --without-session", WHOSE),
    about("purge", WHOSE),
    about("show s2", NOT_THERE.format('"s2"')),
    about(
        "export s1 s2 --html p.html", 'there is no session "s2" in this journal; `trio-tools log` lists its sessions'
    ),
    row(
        ("log", "show", LONG, "--journal", NAME),
        NOT_THERE.format(f'"{LONG[:497]}..."'),
        files=EXISTING,
    ),
    row(
        "log show --without-session --journal x.db",
        "there is no call without a session in this journal; `trio-tools log` lists its sessions",
        files={"x.db": content(for_nobody=False)},
    ),
    about("export --html -", "--html takes the name of a file; a page is not written to standard output"),
    row(
        "log export --html page --journal x.db",
        '"page" is there already; --overwrite replaces it',
        files={"x.db": content(), "page": b""},
    ),
    about(f"export --html {NAME}", f'"{NAME}" is a file of the journal; give another name'),
    about(f"export --html ./{NAME} --overwrite", f'"{NAME}" is a file of the journal; give another name'),
    about("export --html no/p.html", 'cannot write "no/p.html": No such file or directory', status=1),
    row(
        "log unknown --journal x.db",
        "calls without a result: 1; if no process writes this journal any more, effects of theirs wait too: "
        "`trio-tools log show` names them, and `trio-tools log resolve` decides on them",
        out=("no effect waits for a decision",),
        status=0,
        files={"x.db": cut_off()},
    ),
    about(
        "",
        "effects that wait for a decision: 2; `trio-tools log unknown` lists them",
        out=None,
        status=0,
    ),
)

BROKEN = "agent.db: entry 10 is damaged: it is not what was written: its checksum differs"

DAMAGE: tuple[Row, ...] = tuple(
    row(f"log {command} --journal {NAME}", BROKEN, out=None, status=1, files={NAME: damaged()})
    for command in ("show s1", "show s1 --json", "unknown", "export --html p.html", "purge s1")
)

DECISIONS: tuple[Row, ...] = (
    about("resolve mail.send m-2", WHAT),
    about("resolve mail.send m-2 --committed --failed", WHAT),
    about(
        "resolve mail.send m-2 --failed --receipt 1",
        "--receipt is of an effect that went through, and not for --failed",
    ),
    about(
        "resolve mail.send m-2 --committed --receipt r-7",
        "--receipt must be JSON: Expecting value: line 1 column 1 (char 0)",
    ),
    about("resolve mail.send m-2 --committed --receipt NaN", "--receipt must be JSON: $: NaN is not JSON"),
    about(
        """resolve mail.send m-2 --committed --receipt '{"a": 1, "a": 2}'""",
        '--receipt must be JSON: $: the key "a" stands more than once',
    ),
    about(
        "resolve mail.send m-1 --failed",
        "the effect 'mail.send' with key 'm-1' is not unknown: it went through",
    ),
)
