"""The commands and their options. No `from __future__ import annotations`: the parser reads annotations, and those
here name what is imported late. Each command imports what answers it, and pays for no other."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trio_tools.cli._given import STDIN, bare, form_in, path_in, tools_in, whole_number
from trio_tools.cli._help import ABOUT, CALL, CHECK, COMPLETION, CONFIG, RUN, SCHEMA, TOOLS
from trio_tools.cli._printable import named
from trio_tools.cli._repair_options import add_repair
from trio_tools.cli._request import Request
from trio_tools.cli._status import Refused
from trio_tools.cli.log import add_log, options_behind

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError, Token

    from trio_tools.cli._setting import Setting


def parse(arguments: Sequence[str]) -> Request | None:
    """What was asked for; None if it was help or the version, which are printed.

    Raises `Refused` for arguments that cannot be used, and where the parser is not installed.
    """
    try:
        from cyclopts import CycloptsError
    except ModuleNotFoundError as error:
        raise Refused(f"the command line needs {error.name}; install it: pip install 'trio-tools[cli]'") from None
    try:
        tokens = [STDIN if one == "-" else one for one in arguments]  # the parser takes a bare hyphen for an option
        parsed: Request | None = app()(options_behind(tokens), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise Refused(_words(error)) from None
    return parsed


@cache
def app() -> "App":
    """The parser with all commands, made once: that takes longer than to parse."""
    from cyclopts import App

    made = App(
        name="trio-tools",
        version=_version,
        version_format="plaintext",  # as Markdown it is the same, and takes a fifth of the time that it takes to start
        help=ABOUT,
        help_format="markdown",
        result_action="return_value",
    )
    _add_run(made)
    _add_call(made)
    _add_tools(made)
    _add_configs(made)
    _add_schema(made)
    add_log(made)
    add_repair(made)
    return made


def _add_run(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(help_epilogue=RUN)
    def run(
        file: Annotated[Path, Parameter(name="FILE")],
        /,
        *,
        config: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_CONFIG", converter=_path)] = None,
        options: Annotated[tuple[str, ...], Parameter(name="--set", negative="", show_default=False)] = (),
        tools: str | None = None,
        root: Annotated[Path | None, Parameter(converter=_path)] = None,
        parallel: Annotated[int | None, Parameter(converter=_whole_number)] = None,
        timeout: float | None = None,
        form: Annotated[str | None, Parameter(name="--format")] = None,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        session: str | None = None,
    ) -> Request:
        """Run turns of tool calls: JSON lines in, JSON lines out.

        Each line is a turn: `{"calls": [{"id": ..., "name": ..., "arguments": {...}}]}`, or an assistant's message as
        OpenAI or Anthropic write it, and is answered in its own form.

        Args:
            file: Where the turns are, one a line; `-` for standard input.
            config: A config file, which says what plugins there are. None is read unless it is named.
            options: An option of the config, over what the file says: `--set plugins.shell.timeout=60`.
            tools: Without a config: which of read, glob, grep, write, edit and bash there are; default: the first
                three. `write` and `edit` change files below the root; `bash` runs anything, confined by nothing.
            root: Without a config: the folder that the file tools are confined to, and that bash starts in; default:
                the working folder.
            parallel: How many calls of a turn may run at once; default: 10.
            timeout: Seconds for the whole run.
            form: The form of all lines: plain, openai or anthropic. Without it each line's is found by itself.
            journal: A file to record all calls in. `trio-tools log` reads it.
            session: What they are recorded as. Without it a new name is made up, and told if there is a journal.
        """
        from trio_tools.cli._run import RunRequest

        setting = _setting(config, options, tools, root, parallel=parallel, journal=journal)
        return RunRequest(setting=setting, file=str(file), form=form_in(form), timeout=timeout, session=session)


def _add_call(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(help_epilogue=CALL)
    def call(
        name: Annotated[str, Parameter(name="NAME")],
        arguments: Annotated[str, Parameter(name="JSON", show_default=False)] = "",
        /,
        *,
        config: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_CONFIG", converter=_path)] = None,
        options: Annotated[tuple[str, ...], Parameter(name="--set", negative="", show_default=False)] = (),
        tools: str | None = None,
        root: Annotated[Path | None, Parameter(converter=_path)] = None,
        timeout: float | None = None,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
        journal: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_JOURNAL")] = None,
        session: str | None = None,
    ) -> Request:
        """Call one tool, and print what a model would read of its result.

        Args:
            name: The tool's name; `trio-tools tools` lists them.
            arguments: Its arguments, as a model would write them; `-` for standard input.
            config: A config file, which says what plugins there are. None is read unless it is named.
            options: An option of the config, over what the file says: `--set plugins.shell.timeout=60`.
            tools: Without a config: which of read, glob, grep, write, edit and bash there are; default: the first
                three.
            root: Without a config: the folder of these tools; default: the working folder.
            timeout: Seconds for the call.
            as_json: Print the whole result, as a line of JSON.
            journal: A file to record the call in. `trio-tools log` reads it.
            session: What it is recorded as. Without it a new name is made up, and told if there is a journal.
        """
        from trio_tools.cli._call import CallRequest

        return CallRequest(
            setting=_setting(config, options, tools, root, journal=journal),
            name=bare(name),
            arguments=arguments,
            as_json=as_json,
            timeout=timeout,
            session=session,
        )


def _add_tools(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(name="tools", help_epilogue=TOOLS)
    def list_tools(
        *,
        config: Annotated[Path | None, Parameter(env_var="TRIO_TOOLS_CONFIG", converter=_path)] = None,
        options: Annotated[tuple[str, ...], Parameter(name="--set", negative="", show_default=False)] = (),
        tools: str | None = None,
        root: Annotated[Path | None, Parameter(converter=_path)] = None,
        as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
        schemas: Annotated[str | None, Parameter(name="--schemas")] = None,
        pipeline: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    ) -> Request:
        """List the tools, or show what stands round each call.

        Args:
            config: A config file, which says what plugins there are. None is read unless it is named.
            options: An option of the config, over what the file says: `--set plugins.shell.timeout=60`.
            tools: Without a config: which of read, glob, grep, write, edit and bash there are; default: the first
                three.
            root: Without a config: the folder of these tools; default: the working folder.
            as_json: All that is known of each, as JSON.
            schemas: What a provider is told of them, in its form: openai, openai-strict, openai-responses,
                openai-responses-strict, anthropic, gemini, mcp.
            pipeline: Policies, wrappers, recorders and observers, in the order in which a call meets them.
        """
        from trio_tools.cli._tools import ToolsRequest

        setting = _setting(config, options, tools, root)
        return ToolsRequest(setting=setting, as_json=as_json, schemas=schemas, pipeline=pipeline)


def _add_configs(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(help_epilogue=CONFIG)
    def config(*names: Annotated[str, Parameter(name="NAME")]) -> Request:
        """Print a config file with every option of every plugin that is installed.

        Args:
            names: Only these plugins, switched on. Without names all of them, each commented out.
        """
        from trio_tools.cli._config import ConfigRequest

        return ConfigRequest(names=tuple(map(bare, names)))

    @app.command(help_epilogue=CHECK)
    def check(
        file: Annotated[Path, Parameter(name="CONFIG")],
        /,
        *,
        options: Annotated[tuple[str, ...], Parameter(name="--set", negative="", show_default=False)] = (),
    ) -> Request:
        """Tell everything that is wrong with a config file.

        Args:
            file: The config file.
            options: An option over what the file says, as for `run`.
        """
        from trio_tools.cli._config import CheckRequest

        return CheckRequest(file=file, options=options)

    @app.command(help_epilogue=COMPLETION)
    def completion(shell: Annotated[str, Parameter(name="SHELL")], /) -> Request:
        """Print the script with which a shell completes these commands and options.

        Args:
            shell: bash, zsh or fish.
        """
        from trio_tools.cli._completion import SHELLS, CompletionRequest

        return CompletionRequest(shell=bare(shell), script=lambda: app.generate_completion(shell=SHELLS[shell]))


def _add_schema(app: "App") -> None:
    from cyclopts import Parameter

    @app.command(help_epilogue=SCHEMA)
    def schema(
        target: Annotated[str, Parameter(name="MODULE:FUNCTION")],
        arguments: Annotated[str | None, Parameter(name="JSON")] = None,
        /,
        *,
        form: str | None = None,
    ) -> Request:
        """Print what a model is told of a function, and what would be refused of some arguments.

        Args:
            target: A function or a Tool in an importable module, also of the working folder, or in a FILE.py.
            arguments: Arguments as a model would write them, `-` for standard input.
            form: A provider's form instead of our own: openai, openai-strict, openai-responses,
                openai-responses-strict, anthropic, gemini, mcp.
        """
        from trio_tools.cli._schema import SchemaRequest

        return SchemaRequest(target=target, arguments=arguments, form=form)


def _words(error: "CycloptsError") -> str:
    """What the parser says, on one line, and where there is more."""
    from cyclopts import UnusedCliTokensError

    command = " ".join(("trio-tools", *(error.command_chain or ())))
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        words = f'"{named(error.unused_tokens[0])}" is an argument too many'
    else:
        words = named(" ".join(str(error).split()))
        words = words if words.endswith("...") else words.removesuffix(".")  # of many commands it lists but some
    return f"{words} ({command} --help says what there is)"


def _setting(
    config: Path | None,
    options: tuple[str, ...],
    tools: str | None,
    root: Path | None,
    *,
    parallel: int | None = None,
    journal: Path | None = None,
) -> "Setting":
    from trio_tools.cli._setting import Setting

    names = None if tools is None else tools_in(tools)
    return Setting(config=config, options=options, tools=names, root=root, parallel=parallel, journal=journal)


def _whole_number(_: object, tokens: "Sequence[Token]") -> int:
    """The parser itself would take 1.5 for 2."""
    return whole_number("--parallel", tokens[0].value)


def _path(_: object, tokens: "Sequence[Token]") -> Path:
    """The parser itself would take nothing for the working folder."""
    return path_in(tokens[0].keyword or "a path", tokens[0].value)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("trio-tools")
    except PackageNotFoundError:
        return "unknown (not installed)"
