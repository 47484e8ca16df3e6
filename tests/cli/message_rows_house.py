"""Messages about options of a plugin of somebody else, in a file and by flags."""

from __future__ import annotations

from message_plugins import HOUSE
from message_run import Row, row

OPTIONS: tuple[Row, ...] = (
    row(
        "check c.toml",
        "c.toml: [plugins.house] rooms: must be >= 1: 0",
        files={"c.toml": "[plugins.house]\nrooms = 0"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] rooms: must be an integer, not a string",
        files={"c.toml": "[plugins.house]\nrooms = '3'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] rooms: must be an integer, not a number",
        files={"c.toml": "[plugins.house]\nrooms = 3.0"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        'c.toml: [plugins.house] colour: must be one of "red", "green"',
        files={"c.toml": "[plugins.house]\ncolour = 'blue'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] names[1]: must be a string, not an integer",
        "c.toml: [plugins.house] names[2]: must be a string, not a boolean",
        files={"c.toml": "[plugins.house]\nnames = ['a', 1, true]"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] pair: must be an array of integer, then string: 2 values, not 1",
        files={"c.toml": "[plugins.house]\npair = [1]"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] plan.a: must be an integer, not a string",
        files={"c.toml": "[plugins.house]\nplan = {a = 'x'}"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] plan: must be a table, not an integer",
        files={"c.toml": "[plugins.house]\nplan = 1"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] address: must be good",
        files={"c.toml": "[plugins.house]\naddress = 'bad'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] address: the plugin's code tried to exit the process",
        files={"c.toml": "[plugins.house]\naddress = 'worse'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] odd: the plugin asks for a type that no config can give: <class 'complex'>",
        files={"c.toml": "[plugins.house]\nodd = 1"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] address: the environment variable NOT_SET is not set",
        files={"c.toml": "[plugins.house]\naddress = '${NOT_SET} ${x'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] address: the environment variable NOT_SET is not set",
        files={"c.toml": "[plugins.house]\naddress = '${NOT_SET}'"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        (
            "c.toml: [plugins.house] address: ${ must be followed by the name of a variable and }; write $${ for "
            "a literal ${"
        ),
        files={"c.toml": "[plugins.house]\naddress = '${'"},
        plugins={"house": HOUSE},
    ),
    row(
        (
            "check c.toml --set plugins.house.names=x --set plugins.house.pair=x --set plugins.house.plan=x "
            "--set plugins.house.size=x"
        ),
        "--set plugins.house.names: is no TOML value; the option takes: array of string",
        "--set plugins.house.pair: is no TOML value; the option takes: array of integer, then string",
        "--set plugins.house.plan: is no TOML value; the option takes: table of integer",
        "--set plugins.house.size: is no TOML value; the option takes: one of 1, 2",
        files={"c.toml": "[plugins.house]"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml",
        (
            "c.toml: [plugins.house] address: is refused by the plugin, whose words are withheld: they may show "
            "a value of the environment"
        ),
        'c.toml: [plugins.house] colour: must be one of "red", "green"',
        files={"c.toml": "[plugins.house]\naddress = '${SECRET}'\ncolour = '$${'"},
        plugins={"house": HOUSE},
        environment={"SECRET": "bad"},
    ),
    row(
        "check c.toml",
        "c.toml: [plugins.house] names[0]: this option takes no ${...}; write $${ for a literal ${",
        files={"c.toml": "[plugins.house]\nnames = ['${HOME}']"},
        plugins={"house": HOUSE},
    ),
    row(
        "check c.toml --set plugins.house.rooms=0 --set plugins.house.rom=1 --set plugins.house.colour=blue",
        '--set plugins.house.rom: unknown option; did you mean "rooms"?',
        "--set plugins.house.rooms: must be >= 1: 0",
        '--set plugins.house.colour: must be one of "red", "green"',
        files={"c.toml": "[plugins.house]"},
        plugins={"house": HOUSE},
    ),
)
