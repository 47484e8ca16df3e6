"""Messages of `trio-tools schema`: targets that cannot be found or are no tools, and arguments that are refused."""

from __future__ import annotations

from message_run import Row, row

HOSTILE = "\x1b[31m\r\n\u202e\udcff"
LONG = "a" * 10_000
SHOP = """
import sys
from trio_tools import Tool
import attrs

def search(query: str, limit: int = 5) -> str:
    '''Search.'''
    return query

def untyped(x): ...

def leaving(size: int) -> None: ...

class Card:
    @property
    def name(self): raise ValueError("no\\x1b name")

@attrs.frozen
class Exiting:
    size: int = attrs.field(validator=lambda *_: sys.exit(3))

def exiting(what: Exiting) -> None: ...

card = Card()
worse = Tool(name="worse", parameters={"properties": {"a": {"type": "dict"}}}, body=lambda arguments: None)
odd = Tool(name="odd", parameters={"properties": {"a": {"not": {}}}}, body=lambda arguments: None)
number = 5
"""

SCHEMA: tuple[Row, ...] = (
    row(
        "schema shop",
        '"shop" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema :x",
        '":x" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop:",
        '"shop:" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema .x:y",
        '".x:y" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema 'shop_of_rows:nothing\x1b'",
        'there is no "nothing\\x1b" in FOLDER/shop_of_rows.py',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:number",
        '"shop_of_rows:number" is a value of type int, and neither a function nor a Tool',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:untyped",
        'tool "untyped", parameter "x": needs an annotation, so that the model can be told its type',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:Card",
        "Card is a class, and a class is not a tool; write a function that makes one",
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:card.name",
        'cannot look up "name" in shop_of_rows: ValueError: no\\x1b name',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:worse '{}'",
        'not a JSON Schema that can be checked: "dict" is no type of JSON Schema, at $.properties.a.type',
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:odd --form openai-strict",
        (
            "tool 'odd' does not go into the form openai-strict: $.properties.a: this form has no optional keys, "
            "and this one has no default to tell; give it a default that JSON can show, or let it be null"
        ),
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:search --form telex",
        (
            '--form: there is no form "telex"; there are openai, openai-strict, openai-responses, '
            "openai-responses-strict, anthropic, gemini, mcp"
        ),
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        'schema shop_of_rows:exiting \'{"what": {"size": 1}}\'',
        "code of shop_of_rows:exiting tried to exit, with 3",
        out=None,
        files={"shop_of_rows.py": SHOP},
    ),
    row("schema nowhere_at_all:x", "cannot import nowhere_at_all: there is no module nowhere_at_all"),
    row("schema nowhere.py:x", "cannot import nowhere.py: there is no such file"),
    row(
        "schema lacking.py:x",
        "cannot import lacking.py: there is no module nothing_of_this_name",
        files={"lacking.py": "import nothing_of_this_name"},
    ),
    row(
        "schema broken.py:x",
        "cannot import broken.py: RuntimeError: no \\x1b[31mred",
        files={"broken.py": "raise RuntimeError('no \\x1b[31mred')"},
    ),
    row(
        "schema leaving.py:x",
        "cannot import leaving.py: SystemExit: 3",
        files={"leaving.py": "import sys; sys.exit(3)"},
    ),
    row(
        "schema bad.py:x",
        "cannot import bad.py: SyntaxError: '(' was never closed (bad.py, line 1)",
        files={"bad.py": "def f("},
    ),
    row(
        ("schema", HOSTILE),
        ('"\\x1b[31m\\x0d\\x0a\\u202e\\udcff" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search'),
    ),
    row(
        ("schema", LONG),
        ('"' + LONG[:497] + '..." must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search'),
    ),
)

REFUSED: tuple[Row, ...] = (
    row(
        'schema shop_of_rows:search \'{"query": 5, "limt\\u001b": 1}\'',
        out=(
            "{",
            '  "name": "search",',
            '  "description": "Search.",',
            '  "parameters": {',
            '    "type": "object",',
            '    "properties": {',
            '      "query": {',
            '        "type": "string"',
            "      },",
            '      "limit": {',
            '        "type": "integer",',
            '        "default": 5',
            "      }",
            "    },",
            '    "additionalProperties": false,',
            '    "required": [',
            '      "query"',
            "    ]",
            "  }",
            "}",
            'refused: "query" must be a string',
            'refused: unknown property "limt\\x1b" (known: "query", "limit")',
        ),
        status=1,
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:search '[1]'",
        out=(
            "{",
            '  "name": "search",',
            '  "description": "Search.",',
            '  "parameters": {',
            '    "type": "object",',
            '    "properties": {',
            '      "query": {',
            '        "type": "string"',
            "      },",
            '      "limit": {',
            '        "type": "integer",',
            '        "default": 5',
            "      }",
            "    },",
            '    "additionalProperties": false,',
            '    "required": [',
            '      "query"',
            "    ]",
            "  }",
            "}",
            "refused: not a JSON object: $: arguments must be one JSON object, not an array",
        ),
        status=1,
        files={"shop_of_rows.py": SHOP},
    ),
    row(
        "schema shop_of_rows:search '{\"query\": '",
        out=(
            "{",
            '  "name": "search",',
            '  "description": "Search.",',
            '  "parameters": {',
            '    "type": "object",',
            '    "properties": {',
            '      "query": {',
            '        "type": "string"',
            "      },",
            '      "limit": {',
            '        "type": "integer",',
            '        "default": 5',
            "      }",
            "    },",
            '    "additionalProperties": false,',
            '    "required": [',
            '      "query"',
            "    ]",
            "  }",
            "}",
            "refused: not a JSON object: $: Expecting value at character 10",
        ),
        status=1,
        files={"shop_of_rows.py": SHOP},
    ),
)
