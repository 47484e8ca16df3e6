"""What the help says below the options of each command. Markdown, which the parser renders."""

ABOUT = """Run the tool calls of an agent, turn by turn, and tell the truth about each.

`trio-tools run turns.jsonl` runs turns, `trio-tools call read '{"file_path": "README.md"}'` a single call.
`trio-tools COMMAND --help` says more."""

RUN = """**Ctrl-C** cancels the turn in hand and prints its results; a second one prints where each pending call is
stuck; a third leaves at once. When the time is up the calls that are left in FILE are answered as aborted before
dispatch.

**Exit status**: 0 if every line was a turn, whatever its results say; 2 if a line was not, or if an option, a config or
a file cannot be used; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP; 141 if nobody reads the results any more;
1 if they cannot be written, or if a plugin has failed.

**Example**: `echo '{"calls": [{"name": "glob", "arguments": {"pattern": "*.md"}}]}' | trio-tools run -`"""

CALL = """What others wrote is shown with its control characters escaped; `--json` loses nothing. **Ctrl-C** cancels the
call.

**Exit status**: 0 if it succeeded, 1 if its result is an error, and else as for `run`.

**Example**: `trio-tools call grep '{"pattern": "TODO"}' --root src`"""

TOOLS = """The plugins are opened, and left again; no tool is called.

**Example**: `trio-tools tools --config trio-tools.toml --pipeline`"""

CONFIG = """The plugins are imported, and not opened. The file turns nothing on until you take the `#` from before a
table and the options that you want to set.

**Example**: `trio-tools config shell logging > trio-tools.toml`"""

CHECK = """The plugins that it lists are imported, and not opened. Variables such as
`TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT=60` count as they do in a run.

**Exit status**: 0 if it can be used, 2 if not: then each thing that is wrong is one line, with file, table and key."""

COMPLETION = (
    """**Example**, for bash: `trio-tools completion bash > ~/.local/share/bash-completion/completions/trio-tools`"""
)

SCHEMA = """Without JSON there is the schema alone. With it a line follows for each thing that would be refused, or
one that says `accepted`. The function is not run; its module is imported, which runs what stands in it.

**Exit status**: 0 if there was nothing to refuse, 1 if there was, 2 if the function cannot be found or is no tool.

**Example**: `trio-tools schema mytools:search '{"query": "trio", "limit": 5}'`"""

LOG = """A journal can be read while an agent writes it. All of these take the file as `--journal FILE`, or from the
variable `TRIO_TOOLS_JOURNAL`. What others wrote is shown with its control characters escaped; `--json` loses nothing.

**Exit status**: 0; 1 if something in the file is damaged, which is told, and the rest shown; 2 if the journal cannot be
used.

**Example**: `trio-tools log --journal agent.db`"""

SHOW = """Every turn has a time axis of its own, in seconds from its first call. Times of day are UTC.

**Example**: `trio-tools log show s1 --journal agent.db`"""

PURGE = """Only while no agent writes the journal. The bytes are overwritten. Effects of which nobody knows whether they
went through keep their keys.

**Example**: `trio-tools log purge s1 --journal agent.db`"""

EXPORT = """The page holds arguments and outputs as the journal does: only its owner may read the file. It has no script
and loads nothing.

**Example**: `trio-tools log export s1 --html s1.html --journal agent.db`"""

UNKNOWN = """An effect is not known where the process ended while it went on, or its time ran out. Nothing is done again
under its key until somebody has looked and says so with `trio-tools log resolve`.

**Example**: `trio-tools log unknown --journal agent.db`"""

RESOLVE = """Only while no agent writes the journal.

**Example**: `trio-tools log resolve mail.send m-17 --committed --receipt '{"id": "<17@example.org>"}'`"""

REPAIR = """What was changed is told on standard error, a line for each change: where, what, and why. What is balanced
comes out as it was, to the byte. Nothing is run again: a result that is missing is told as unknown.

**Exit status**: 0 if it is balanced now; with `--check` 1 if it was not; 2 if it cannot be read; 1 if the output cannot
be written; 141 if nobody reads it any more.

**Example**: `trio-tools repair broken.json --output repaired.json`"""
