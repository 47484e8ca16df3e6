"""Texts of the source that no bad input brings on a terminal, by the reason."""

from __future__ import annotations

UNTOLD: dict[str, set[tuple[str, str]]] = {
    "told where the extra is not installed, or trio_tools itself: test_cli_options.py": {
        ("cli/_app.py", "the command line needs {}; install it: pip install 'trio-tools[cli]'"),
        ("cli/_app.py", "unknown (not installed)"),
    },
    "told of input that is good": {
        ("cli/_config.py", "no problem found; plugins that are on: {}"),
        ("cli/_tools.py", "by arguments"),
        ("cli/_tools.py", "nothing stands round a call"),
        ("cli/_tools.py", "what it does"),
        ("policies/_logging.py", "the body of {} raised {}"),
        ("policies/_logging.py", "call {}: {} in {} s{}"),
        ("policies/_logging.py", "job {}: {} in {} s"),
        ("policies/_logging.py", ", arguments {}"),
        ("policies/_logging.py", "{} by {}"),
        ("formats/_message.py", "Error: {}"),
    },
    "told of a disk or a device that fails while standard input is read": {("cli/_source.py", "standard input")},
    "why a scope is cancelled; only a debugger shows it": {
        ("cli/_run.py", "the run is over"),
        ("cli/_run.py", "nobody reads the results"),
        ("cli/_run.py", "results cannot be written"),
        ("cli/_stop.py", "the run has ended"),
        ("registry/_lifetime.py", 'plugin "{}" crashed'),
    },
    "a mark, a name or a type, and not printed": {
        ("cli/_opening.py", "in plugin "),
        ("cli/_schema.py", "trio-tools schema {}"),
        ("config/_document.py", "value = {}"),
        ("config/_reader.py", "value = {}"),
        ("config/_reader.py", "replaced from the environment"),
        ("config/_reader.py", "itself: the text is a variable's own value"),
        ("config/_toml.py", "value = {}"),
        ("registry/_plugin.py", "Callable[[Registry, C], AbstractAsyncContextManager[None]]"),
    },
    "prose of the file that `trio-tools config` prints": {
        (
            "config/_document.py",
            "A plugin is on when its table is here. They join in the order of their tables, and leave in reverse.",
        ),
        ("config/_document.py", "Requires {}."),
        ("config/_document.py", "May hold ${NAME}, which is replaced from the environment."),
        ("config/_document.py", "Not set by default."),
        ("config/_document.py", "Default: {}."),
        ("config/_types.py", "any value"),
    },
    "caught, and then the default is left out of that file": {
        ("config/_toml.py", "TOML has no form for {}"),
        ("config/_toml.py", "TOML has no form for a lone surrogate"),
        ("config/_toml.py", "cannot be written exactly: {}"),
    },
    "caught, and then told as a type that no config can give": {("config/_converter.py", "only the type itself")},
    "told to who calls from Python; a config's types, names and tables are right by then": {
        ("toolkits/files/_config.py", 'tools must be a list of names, such as ["{}"], not the string "{}"'),
        ("toolkits/files/_config.py", "root must be the path of a directory, not {}"),
        ("registry/_plugin.py", 'plugin "{}" takes a {}, not {}'),
        ("registry/_plugin.py", "plugins must be made with @plugin, not {}"),
        ("registry/_plugin.py", 'plugin "{}" is listed more than once'),
        ("formats/_turn.py", "there is no form {} of turns: it must be one of {}"),
    },
    "of writing what only a program that asks a model writes": {
        ("formats/_anthropic_turn.py", "a message with results must have at least one"),
        ("formats/_anthropic_turn.py", "a message with tool calls must have at least one"),
        ("formats/_anthropic_turn.py", "arguments{}"),
        ("formats/_anthropic_turn.py", "give one JSON object, one that holds the text for instance"),
        ("formats/_message.py", "the call had no id, so no answer can name it"),
        ("formats/_message.py", "the call has no id, so no answer can name it"),
        ("formats/_message.py", "give it one"),
        ("formats/_message.py", "call a tool that there is"),
        ("formats/_openai_turn.py", "a message with tool calls must have at least one"),
        ("formats/_openai_turn.py", "arguments{}"),
        ("formats/_openai_turn.py", "give arguments that JSON can carry"),
    },
}
