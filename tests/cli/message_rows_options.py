"""Messages about arguments and options, and about what they name."""

from __future__ import annotations

from message_run import Row, row

# A line that every shell can carry, and no terminal should obey.
HOSTILE = "\x1b[31m\r\n\u202e\udcff"
LONG = "a" * 10_000
TURN = b'{"calls": []}\n'

PARSER: tuple[Row, ...] = (
    row("run", 'Command "run" parameter FILE requires an argument (trio-tools run --help says what there is)'),
    row("run a b", '"b" is an argument too many (trio-tools run --help says what there is)'),
    row("run a --tols x", "Unknown option: --tols. Did you mean --tools? (trio-tools run --help says what there is)"),
    row(
        "jog",
        (
            'Unknown command "jog". Did you mean "log"? Available commands: run, call, tools, config, check, '
            "completion, schema, log, ... (trio-tools --help says what there is)"
        ),
    ),
    row(
        "--nope",
        (
            'Unknown command "--nope". Available commands: run, call, tools, config, check, completion, '
            "schema, log, ... (trio-tools --help says what there is)"
        ),
    ),
    row(
        "run a --timeout soon",
        ('Invalid value for --timeout: unable to convert "soon" into float (trio-tools run --help says what there is)'),
    ),
    row(
        "run a --timeout",
        'Command "run" parameter --timeout requires an argument (trio-tools run --help says what there is)',
    ),
    row(
        "run a --timeout 1 --timeout 2",
        "Parameter --timeout specified multiple times (trio-tools run --help says what there is)",
    ),
    row("tools x", '"x" is an argument too many (trio-tools tools --help says what there is)'),
    row(
        "tools --json=3",
        ('Invalid value for --json: unable to convert "3" into bool (trio-tools tools --help says what there is)'),
    ),
    row(
        "tools --no-json",
        "Unknown option: --no-json. Did you mean --json? (trio-tools tools --help says what there is)",
    ),
    row("call", 'Command "call" parameter NAME requires an argument (trio-tools call --help says what there is)'),
    row("call a b c", '"c" is an argument too many (trio-tools call --help says what there is)'),
    row("config -x", "Unknown option: -x (trio-tools config --help says what there is)"),
    row("check", 'Command "check" parameter CONFIG requires an argument (trio-tools check --help says what there is)'),
    row("check a b", '"b" is an argument too many (trio-tools check --help says what there is)'),
    row(
        "completion",
        ('Command "completion" parameter SHELL requires an argument (trio-tools completion --help says what there is)'),
    ),
    row(
        "schema",
        (
            'Command "schema" parameter MODULE:FUNCTION requires an argument (trio-tools schema --help says what '
            "there is)"
        ),
    ),
    row("schema a b c", '"c" is an argument too many (trio-tools schema --help says what there is)'),
    row(
        ("run", "a", HOSTILE),
        ('"\\x1b[31m\\x0d\\x0a\\u202e\\udcff" is an argument too many (trio-tools run --help says what there is)'),
    ),
    row(
        (HOSTILE,),
        (
            'Unknown command "\\x1b[31m \\u202e\\udcff". Available commands: run, call, tools, config, check, '
            "completion, schema, log, ... (trio-tools --help says what there is)"
        ),
    ),
    row(
        ("run", "a", "--timeout", HOSTILE),
        (
            'Invalid value for --timeout: unable to convert "\\x1b[31m \\u202e\\udcff" into float (trio-tools run '
            "--help says what there is)"
        ),
    ),
)

OPTIONS: tuple[Row, ...] = (
    row("run a --tools read,rm", '--tools: there is no tool "rm"; there are read, write, edit, glob, grep, bash'),
    row("run a --tools ''", '--tools: there is no tool ""; there are read, write, edit, glob, grep, bash'),
    row("run a --tools read,read", '--tools: "read" stands more than once'),
    row(("run", "a", "--root", ""), "--root must be a path, and is empty"),
    row(("call", "a", "--config="), "--config must be a path, and is empty"),
    row("run a --parallel 0", "--parallel must be a positive whole number, not 0"),
    row("run a --parallel 1.5", '--parallel must be a whole number, not "1.5"'),
    row("run a --parallel many", '--parallel must be a whole number, not "many"'),
    row("run a --timeout 0", "--timeout must be a positive number of seconds, not 0"),
    row("run a --timeout -1", "--timeout must be a positive number of seconds, not -1"),
    row("run a --timeout nan", "--timeout must be a positive number of seconds, not nan"),
    row("run a --timeout 1e400", "--timeout must be a positive number of seconds, not inf"),
    row("call read --timeout 0", "--timeout must be a positive number of seconds, not 0"),
    row("run a --root nowhere", '--root must be a folder, and "nowhere" is none'),
    row("run a --format telex", '--format: there is no form "telex"; there are plain, openai, anthropic'),
    row(
        "tools --schemas telex",
        (
            '--schemas: there is no form "telex"; there are openai, openai-strict, openai-responses, '
            "openai-responses-strict, anthropic, gemini, mcp"
        ),
    ),
    row("tools --json --pipeline", "--json, --schemas and --pipeline show different things; ask for one of them"),
    row("completion tcsh", 'there is no completion for "tcsh"; there is for bash, zsh, fish'),
    row(
        "run a --config x --tools read",
        "--tools is for runs without --config and TRIO_TOOLS_CONFIG; use --set plugins.NAME.OPTION=VALUE",
    ),
    row(
        "run a --config x --root .",
        "--root is for runs without --config and TRIO_TOOLS_CONFIG; use --set plugins.NAME.OPTION=VALUE",
    ),
    row("run a --set timeout", '--set takes KEY=VALUE, such as plugins.shell.timeout=60, and not "timeout"'),
    row("run a --set =1", '--set takes KEY=VALUE, such as plugins.shell.timeout=60, and not "=1"'),
    row(
        "run a --set colour=1",
        "--set colour: unknown; there are defaults, registry.OPTION, plugins.NAME and plugins.NAME.OPTION",
    ),
    row(
        "run a --set plugins.shell.timeout=1",
        "--set plugins.shell.timeout: plugin shell is not listed; there are files",
    ),
    row("run a --set plugins.shell=false", "--set plugins.shell: must be true, which switches the plugin on"),
    row("tools --set plugins.file.root=x", '--set plugins.file.root: plugin file is not listed; did you mean "files"?'),
    row(
        "tools --set registry.max_parallel_calls=0",
        "--set registry.max_parallel_calls: must be a positive integer, not 0",
    ),
    row(
        "tools --tools bash --set plugins.shell.timeout=x",
        "--set plugins.shell.timeout: is no TOML value; the option takes: number",
    ),
    row("tools --set defaults=maybe", "--set defaults: is no TOML value; the option takes: boolean"),
    row(
        ("run", "a", "--tools", HOSTILE),
        '--tools: there is no tool "\\x1b[31m\\x0d\\x0a\\u202e\\udcff"; there are read, write, edit, glob, grep, bash',
    ),
    row(
        ("run", "a", "--parallel", HOSTILE),
        '--parallel must be a whole number, not "\\x1b[31m\\x0d\\x0a\\u202e\\udcff"',
    ),
    row(("run", "a", "--root", HOSTILE), '--root must be a folder, and "\\x1b[31m\\x0d\\x0a\\u202e\\udcff" is none'),
    row(
        ("run", "a", "--format", HOSTILE),
        '--format: there is no form "\\x1b[31m\\x0d\\x0a\\u202e\\udcff"; there are plain, openai, anthropic',
    ),
    row(
        ("run", "a", "--set", HOSTILE),
        ('--set takes KEY=VALUE, such as plugins.shell.timeout=60, and not "\\x1b[31m\\x0d\\x0a\\u202e\\udcff"'),
    ),
    row(
        ("run", "a", "--tools", LONG),
        ('--tools: there is no tool "' + LONG[:497] + '..."; there are read, write, edit, glob, grep, bash'),
    ),
    row(
        ("run", "a", "--set", LONG),
        ('--set takes KEY=VALUE, such as plugins.shell.timeout=60, and not "' + LONG[:497] + '..."'),
    ),
    row(("completion", LONG), ('there is no completion for "' + LONG[:497] + '..."; there is for bash, zsh, fish')),
)

SOURCES: tuple[Row, ...] = (
    row("run nowhere", 'cannot read "nowhere": No such file or directory'),
    row("run .", 'cannot read ".": it is a folder'),
    row("run 'nul\x00'", 'cannot read "nul\\x00": embedded null byte'),
    row(("run", HOSTILE), 'cannot read "\\x1b[31m\\x0d\\x0a\\u202e\\udcff": No such file or directory'),
    row(("run", LONG), ('cannot read "' + LONG[:497] + '...": File name too long')),
    row("run -", "cannot read standard input: it is closed", stdin=None),
    row("call read -", "cannot read standard input: it is closed", stdin=None),
    row("schema os:getpid -", "cannot read standard input: it is closed", out=None, stdin=None),
    row(
        "call read -",
        "cannot read standard input: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        stdin=b"\xff",
    ),
    row("run turns", "standard output is closed", files={"turns": b'{"calls": []}\n'}, stdout="closed"),
    row("config files", "cannot write to standard output: No space left on device", status=1, stdout="full"),
    row("--help", "cannot write to standard output: No space left on device", status=1, stdout="full"),
    row(
        "run -",
        "cannot write to standard output: No space left on device",
        status=1,
        stdin=b'{"calls":\n',
        stdout="full",
    ),
    row(
        "call nothing",
        "there is no such tool; `trio-tools tools` lists those that there are",
        "cannot write to standard output: No space left on device",
        status=1,
        stdout="full",
    ),
    row(
        "call reed",
        'did you mean "read"?; `trio-tools tools` lists those that there are',
        out=('Error: unknown tool "reed"',),
        status=1,
    ),
    row(
        "call bash",
        "--tools bash would bring it; `trio-tools tools` lists those that there are",
        out=('Error: unknown tool "bash"',),
        status=1,
    ),
)
