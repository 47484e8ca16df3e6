"""Messages about configs: the file, its tables, variables, and options of our own plugins."""

from __future__ import annotations

from message_plugins import HOUSE, named
from message_run import Row, row

LONG = "a" * 10_000
# Keys that are all unknown, more than are told.
MANY = row(
    "check c.toml",
    *(f"c.toml: key{number}: unknown; there are defaults, registry, plugins" for number in range(100)),
    "and 3 problems more",
    files={"c.toml": "\n".join(f"key{number} = 1" for number in range(103))},
)
DEEP = "a = " + "[" * 5_000
TOO_LARGE = "#" * (1024 * 1024 + 1)

FILES: tuple[Row, ...] = (
    row("check c.toml", "c.toml: there is no such file"),
    row("run x", "c.toml: there is no such file", environment={"TRIO_TOOLS_CONFIG": "c.toml"}),
    row(
        "check c.toml",
        'c.toml: [plugins.files] root: must be the path of a directory, and is empty; the working directory is "."',
        'c.toml: [plugins.shell] root: must be the path of a folder, and is empty; the working folder is "."',
        'c.toml: [plugins.spill] directory: must be a path, and is empty; the working directory is "."',
        files={"c.toml": "[plugins.files]\nroot = ''\n[plugins.shell]\nroot = ''\n[plugins.spill]\ndirectory = ''"},
    ),
    row("tools", "TRIO_TOOLS_CONFIG must be a path, and is empty", environment={"TRIO_TOOLS_CONFIG": ""}),
    row("check .", ".: this is a folder, not a file"),
    row("check 'nul\x00'", "nul\\x00: cannot be read: embedded null byte"),
    row(("check", LONG), ("" + LONG[:197] + "...: cannot be read: File name too long")),
    row("check c.toml", "c.toml: line 1 is not UTF-8: byte 0xff", files={"c.toml": b"\xff"}),
    row(
        "check c.toml",
        "c.toml: is not TOML: Expected '=' after a key in a key/value pair (at end of document)",
        files={"c.toml": "a"},
    ),
    row("check c.toml", "c.toml: is nested too deep", files={"c.toml": DEEP}),
    row("check c.toml", "c.toml: is larger than 1048576 bytes; a config file is not", files={"c.toml": TOO_LARGE}),
    row("check c.toml/d", "c.toml/d: cannot be read: Not a directory", files={"c.toml": ""}),
)

TABLES: tuple[Row, ...] = (
    row(
        "check c.toml", "c.toml: colour: unknown; there are defaults, registry, plugins", files={"c.toml": "colour = 1"}
    ),
    row("check c.toml", 'c.toml: regstry: unknown; did you mean "registry"?', files={"c.toml": "regstry = 1"}),
    row("check c.toml", "c.toml: defaults: must be a boolean, not an integer", files={"c.toml": "defaults = 1"}),
    row("check c.toml", "c.toml: [plugins]: must be a table, not an integer", files={"c.toml": "plugins = 1"}),
    row(
        "check c.toml",
        "c.toml: [plugins.shell]: must be a table, not an integer",
        files={"c.toml": "[plugins]\nshell = 1"},
    ),
    row(
        "check c.toml",
        (
            "c.toml: [registry] max: unknown option; there are max_parallel_calls, policy_grace, observer_grace, "
            "recorder_grace"
        ),
        "c.toml: [registry] max_parallel_calls: must be a positive integer, not 0",
        "c.toml: [registry] policy_grace: must be a positive finite number of seconds, not nan",
        (
            "c.toml: [registry] observer_grace: must be a number that a float can hold; the nearest is "
            "9007199254740992.0"
        ),
        files={
            "c.toml": (
                "[registry]\nmax_parallel_calls = 0\npolicy_grace = nan\nmax = 1\nobserver_grace = 9007199254740993"
            )
        },
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.todo] several_in_progress: required, and missing",
        "c.toml: [plugins.todo] max_sessions: must be a positive whole number of sessions, not 0",
        "c.toml: [plugins.spill] directory: required, and missing",
        "c.toml: [plugins.spill] max_inline_bytes: must be a whole number of bytes from 1024, not 100",
        files={"c.toml": "[plugins.todo]\nmax_sessions = 0\n[plugins.spill]\nmax_inline_bytes = 100\n"},
    ),
    row(
        "check c.toml",
        'c.toml: [plugins.files] search_engine: must be one of "auto", "ripgrep", "python"',
        'c.toml: [plugins.shell] supervise: must be one of "auto", "always", "never"',
        "c.toml: [plugins.shell] max_background_jobs: must be a positive whole number of jobs, not 0",
        files={
            "c.toml": (
                "[plugins.files]\nroot = '.'\nsearch_engine = 'rg'\n"
                "[plugins.shell]\nsupervise = 'sometimes'\nmax_background_jobs = 0\n"
            )
        },
    ),
    row(
        "tools --config c.toml",
        'in plugin "spill", while it was opened: the directory of the spill policy cannot be used: No such file or '
        'directory; only its last part is made: "FOLDER/nowhere/at-all"',
        files={"c.toml": "[plugins.spill]\ndirectory = 'nowhere/at-all'\n"},
    ),
    row(
        "check c.toml",
        'c.toml: [plugins.shell] timeot: unknown option; did you mean "timeout"?',
        "c.toml: [plugins.shell] root: must be a string, not an integer",
        "c.toml: [plugins.shell] timeout: must be a positive finite number of seconds, not 0.0",
        "c.toml: [plugins.shell] grace: must be a number of at most 1.8e308",
        "c.toml: [plugins.shell] max_output_bytes: must be a positive whole number of bytes, not -1",
        files={
            "c.toml": (
                "[plugins.shell]\ntimeout = 0\nmax_output_bytes = -1\ntimeot = 1\nroot = 3\ngrace = "
                "1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                "0"
            )
        },
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.files] tools: must be any of read, write, edit, glob, grep: there is no 'rm'",
        files={"c.toml": "[plugins.files]\nroot = 'x'\ntools = ['rm']"},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.files] tools: must name one at least; leave it out for read, glob, grep",
        files={"c.toml": "[plugins.files]\nroot = 'x'\ntools = []"},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.files] root: required, and missing",
        "c.toml: [plugins.files] tools: must name each once, not as in read, read",
        "c.toml: [plugins.files] search_timeout: must be a positive finite number of seconds, not 0.0",
        files={"c.toml": "[plugins.files]\ntools = ['read', 'read']\nsearch_timeout = 0"},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.logging] arguments: must be a boolean, not an integer",
        ("c.toml: [plugins.logging] max_argument_characters: must be a positive whole number of characters, not 0"),
        files={"c.toml": "[plugins.logging]\nmax_argument_characters = 0\narguments = 1"},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.timeout] x: unknown option; there are none",
        files={"c.toml": "[plugins.timeout]\nx = 1"},
    ),
    row(
        "check c.toml",
        (
            'c.toml: [plugins.shel]: no such plugin is installed; did you mean "shell"? Installed: files, '
            "journal, logging, read_before_write, retry, shell, spill, timeout, todo"
        ),
        files={"c.toml": "[plugins.shel]"},
    ),
    row(
        "check c.toml",
        (
            'c.toml: [plugins."\\u001b[31m\\n"]: no such plugin is installed. Installed: files, '
            "journal, logging, read_before_write, retry, shell, spill, timeout, todo"
        ),
        files={"c.toml": "[plugins.'\\u001b[31m\\n']"},
    ),
    row(
        "check c.toml",
        'c.toml: "\\x1b\\u202e\\x0a": unknown; there are defaults, registry, plugins',
        files={"c.toml": '"\\u001b\\u202e\\n" = 1'},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.shell] root: this option takes no ${...}; write $${ for a literal ${",
        files={"c.toml": "[plugins.shell]\nroot = '${HOME}'\n"},
    ),
)

VARIABLES: tuple[Row, ...] = (
    row(
        "check c.toml",
        "TRIO_TOOLS_DEFAULT: sets nothing; TRIO_TOOLS_REGISTRY__OPTION and TRIO_TOOLS_PLUGINS__NAME__OPTION do",
        "TRIO_TOOLS_PLUGINS_SHELL_TIMEOUT: sets nothing; TRIO_TOOLS_REGISTRY__OPTION and "
        "TRIO_TOOLS_PLUGINS__NAME__OPTION do",
        files={"c.toml": "[plugins.shell]"},
        environment={
            "TRIO_TOOLS_PLUGINS_SHELL_TIMEOUT": "1",
            "TRIO_TOOLS_DEFAULT": "false",
            "TRIO_TOOLS_CALL": "for something else",
        },
    ),
    row(
        "check c.toml",
        "TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT: must be a positive finite number of seconds, not -1.0",
        files={"c.toml": "[plugins.shell]"},
        environment={"TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT": "-1"},
    ),
    row(
        "check c.toml",
        "TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT: is no TOML value; the option takes: number",
        files={"c.toml": "[plugins.shell]"},
        environment={"TRIO_TOOLS_PLUGINS__SHELL__TIMEOUT": "1\n\x1b[31m"},
    ),
    row(
        "check c.toml",
        'TRIO_TOOLS_PLUGINS__SHELL__TIMEOT: unknown option; did you mean "timeout"?',
        files={"c.toml": "[plugins.shell]"},
        environment={"TRIO_TOOLS_PLUGINS__SHELL__TIMEOT": "1"},
    ),
    row(
        "check c.toml",
        ("TRIO_TOOLS_PLUGINS__HOUSE__SAME_KEY: means both same_key and Same_key; set the one you mean in the file"),
        files={"c.toml": "[plugins.house]\n"},
        plugins={"house": HOUSE},
        environment={"TRIO_TOOLS_PLUGINS__HOUSE__SAME_KEY": "1"},
    ),
    row(
        "check c.toml",
        "TRIO_TOOLS_PLUGINS__A_B__X: means two plugins that are listed; set this option in the file",
        files={"c.toml": "[plugins.a-b]\n[plugins.a_b]\n"},
        environment={"TRIO_TOOLS_PLUGINS__A_B__X": "1"},
        plugins={"a-b": named("a-b"), "a_b": named("a_b")},
    ),
    row(
        "tools",
        'TRIO_TOOLS_REGISTRY__POLICY: unknown option; did you mean "policy_grace"?',
        "TRIO_TOOLS_DEFAULTS: is no TOML value; the option takes: boolean",
        environment={"TRIO_TOOLS_DEFAULTS": "perhaps", "TRIO_TOOLS_REGISTRY__POLICY": "1"},
    ),
)
