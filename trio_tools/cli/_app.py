"""The commands and their options. No `from __future__ import annotations`: the parser reads annotations, and those
here name what is imported late."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trio_tools.cli._options import FILE_TOOLS, STDIN, Options, tools_in, whole_number
from trio_tools.cli._schema import SchemaQuestion
from trio_tools.cli._status import Refused

if TYPE_CHECKING:
    from cyclopts import App, Token

# Calls of a turn at once, what the registry itself takes.
PARALLEL = 10

_ABOUT = """Run the tool calls of an agent, turn by turn, and tell the truth about each.

Try `trio-tools run --help`."""

_ENDINGS = """**Ctrl-C** cancels the turn in hand and prints its results; a second one prints where each pending call is
stuck; a third leaves at once. When the time is up the calls that are left in FILE are answered as aborted before
dispatch.

**Exit status**: 0 if every line was a turn, whatever its results say; 2 if a line was not, or if an option or a file
cannot be used; 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP; 141 if nobody reads the
results any more; 1 if they cannot be written.

**Example**: `echo '{"calls": [{"name": "glob", "arguments": {"pattern": "*.md"}}]}' | trio-tools run -`"""


_VERDICT = """Without JSON there is the schema alone. With it a line follows for each thing that would be refused, or
one that says `accepted`. The function is not run; its module is imported, which runs what stands in it.

**Exit status**: 0 if there was nothing to refuse, 1 if there was, 2 if the function cannot be found or is no tool.

**Example**: `trio-tools schema mytools:search '{"query": "trio", "limit": 5}'`"""


def parse(arguments: Sequence[str]) -> Options | SchemaQuestion | None:
    """The options of a run, or what was asked of a schema; None if help or the version was asked for, and printed.

    Raises `Refused` for arguments that cannot be used, and where the parser is not installed.
    """
    try:
        from cyclopts import CycloptsError
    except ModuleNotFoundError as error:
        raise Refused(f"the command line needs {error.name}; install it: pip install 'trio-tools[cli]'") from None
    try:
        tokens = [STDIN if one == "-" else one for one in arguments]  # the parser takes a bare hyphen for an option
        parsed: object = _app()(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise Refused(" ".join(str(error).split())) from None
    return parsed if isinstance(parsed, (Options, SchemaQuestion)) else None


def _app() -> "App":
    from cyclopts import App, Parameter

    app = App(name="trio-tools", version=_version, help=_ABOUT, help_format="markdown", result_action="return_value")

    @app.command(help_epilogue=_ENDINGS)
    def run(
        file: Annotated[str, Parameter(name="FILE")],
        /,
        *,
        tools: str = ",".join(FILE_TOOLS),
        root: Path = Path("."),
        parallel: Annotated[int, Parameter(converter=_whole_number)] = PARALLEL,
        timeout: float | None = None,
    ) -> Options:
        """Run turns of tool calls: JSON lines in, JSON lines out.

        Each line is a turn, `{"calls": [{"id": ..., "name": ..., "arguments": {...}}]}`. Each call gets one line on
        standard output, in call order and as soon as it can be. A line that is not a turn gets
        `{"line": n, "error": "..."}` in its place, and the others still run. Blank lines are let pass.

        Args:
            file: Where the turns are, one a line; `-` for standard input.
            tools: Which tools there are: any of read, glob, grep and bash. `bash` runs anything, confined by nothing.
            root: The folder that read, glob and grep are confined to, and that bash starts in.
            parallel: How many calls of a turn may run at once.
            timeout: Seconds for the whole run.
        """
        return Options(file=file, tools=tools_in(tools), root=root, parallel=parallel, timeout=timeout)

    _add_schema(app)
    return app


def _add_schema(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(help_epilogue=_VERDICT)
    def schema(
        target: Annotated[str, Parameter(name="MODULE:FUNCTION")],
        arguments: Annotated[str | None, Parameter(name="JSON")] = None,
        /,
        *,
        form: str | None = None,
    ) -> SchemaQuestion:
        """Print what a model is told of a function, and what would be refused of some arguments.

        Args:
            target: A function or a Tool in an importable module, also of the working folder, or in a FILE.py.
            arguments: Arguments as a model would write them, `-` for standard input.
            form: A provider's form instead of our own: openai, openai-strict, openai-responses,
                openai-responses-strict, anthropic, gemini, mcp.
        """
        return SchemaQuestion(target=target, arguments=arguments, form=form)


def _whole_number(_: object, tokens: "Sequence[Token]") -> int:
    """The parser itself would take 1.5 for 2."""
    return whole_number("--parallel", tokens[0].value)


def _version() -> str:
    try:
        return version("trio-tools")
    except PackageNotFoundError:
        return "unknown (not installed)"
