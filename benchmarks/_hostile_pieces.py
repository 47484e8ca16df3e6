"""The pieces that hostile texts are made of: sound ones, and for each fault what it may look like."""

from __future__ import annotations

# Characters that a text may hold, from harmless to awkward: quotes, escapes, controls that must be escaped, separators
# that other languages take for line ends, private use, noncharacters, beyond the basic plane.
LETTERS = (
    *"abcdefghijklmnopqrstuvwxyz0123456789 .,:;-_/[]{}()<>&%$#@!?'`~^|*+=",
    *'"\\\b\f\n\r\t\x00\x01\x1f\x7f\x80\x85\xa0\xad\xe9\u0130\u200b\u200d\u2028\u2029\u3000\u4f60\ue000\ufeff\ufffd\uffff',
    *"\U0001f600\U0001d4d0\U0010ffff\u0661\uff11\u0301\u202e",
)
WORDS = ("", "a", "path", "123", '{"k":5}', "true", "null", "[[[[", "}}", '\\"', "/etc/passwd", "\\u0041", "NaN", "\\")
KEYS = ("a", "b", "id", "path", "", " ", "0", "constructor", "label", "\u4f60", "\U0001f600", "a.b", "$ref", '"', "\\")
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
SPACES = (" ", "\n", "\t", "\r", "  ", "\r\n", " \n\t ")
NUMBERS = (
    *("0", "-0", "1", "-1", "3.0", "-0.0", "0e0", "0E+0", "1e1", "1E-1", "1e+05", "0.1", "2.5", "1e25", "12345678901"),
    *("9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740992.0"),
    *("9007199254740994.0", "1234567890123456789", "18446744073709551616", "1e308", "1.7976931348623157e308", "-1e308"),
    *("5e-324", "2.2250738585072011e-308", "1e-400", "0.1000000000000000055511151231257827", "1e0000000000000000001"),
)

# What is no JSON, or none that may be guessed at. Each tuple is of one kind of fault, with near misses that are sound.
CONSTANTS = ("NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "1e999", "-1e999", "1E400", "9e99999999999999999999")
BAD_NUMBERS = (
    *("01", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "0x10", "1_000", "--1", "-01", "1.2.3", "0b1", "1e5.0", "00"),
    *("\u0661", "1\u0662", "\uff11", "1.\u0661", "1e\u0665", "-\u0661", "\u00b2", "1,5", "Infinity1", "-NaN", "0-"),
)
BAD_ESCAPES = (
    *("\\x41", "\\u12", "\\uZZZZ", "\\u 041", "\\u+041", "\\u0x41", "\\a", "\\'", "\\0", "\\\n", "\\U0001F600", "\\"),
    *("\\u00", "\\u\u0661\u0661\u0661\u0661", "\\u{41}", "\\N{DIGIT ONE}", "\\v", "\\u-041", "\\u00_1", "\\ud83d\\u"),
)
HALVES = (
    *(
        "\\ud83d",
        "\\ude00",
        "\\uD83D",
        "\\uDE00",
        "\\ude00\\ud83d",
        "\\ud83d\\ud83d",
        "\\ud83dx\\ude00",
        "\\ud83d \\ude00",
    ),
    *("\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ude00", "\ud83d\\ude00", "\\ud83d\ude00", "\\ud83d\\ud83d\\ude00"),
    *("\\ud83d\\ude00", "\\\\ud83d", "\\ud7ff", "\\ue000", "\\udbff\\udfff", "\\ud83d\\u0041", "\\ud83d\\\\ude00"),
)
FOREIGN_SPACES = "\x00\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029\u200b\u3000\ufeff\u2060"
TRAILS = ("}", "]", ",", "x", "null", "{}", "[]", "0", '"', "\\", ";", "\x00", "\xa0", "//", "\ufeff", "```", "\n{}")
FENCES = (
    "```json\n{}\n```",
    "```{}```",
    "json {}",
    "Arguments: {}",
    "({})",
    "{};",
    "x = {}",
    "<a>{}</a>",
    "'{}'",
    "\x1e{}",
)
COMMENTS = ("/* a */", "// a\n", "# a\n", "<!-- a -->", "-- a\n", "/**/")
WORDS_OF_OTHERS = (
    "None",
    "True",
    "False",
    "undefined",
    "TRUE",
    "Null",
    "nil",
    "NULL",
    "tru",
    "nulll",
    "truefalse",
    "...",
)
NOT_OBJECTS = (
    "[]",
    "[{}]",
    "42",
    "0",
    "-1",
    "1.5",
    '"x"',
    '""',
    '"{}"',
    "true",
    "false",
    "[null]",
    "1e999",
    "NaN",
    '"\\ud83d"',
)
BLANKS = (
    "",
    " ",
    "\n",
    "\t \r\n",
    "null",
    " null\n",
    "\nnull",
    "{}",
    " { } ",
    "{\t}",
    "\xa0",
    "\u2003",
    "\x1c",
    "\ufeff",
    "\x00",
)
DUNDERS = (
    *("__proto__", "constructor", "prototype", "__class__", "__init__", "__dict__", "__builtins__", "__len__", "items"),
    *(
        "ctx",
        "self",
        "context",
        "cls",
        "args",
        "kwargs",
        "*args",
        "**kwargs",
        "return",
        "target",
        "LABEL",
        "label ",
        "\u017fabel",
    ),
)
