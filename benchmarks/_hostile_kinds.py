"""Kinds of short hostile texts: each a function that writes one, sound but for the fault that it is named by, or near
enough to a fault that a hasty reader refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from benchmarks._hostile_grammar import Writer, escaped
from benchmarks._hostile_pieces import (
    BAD_ESCAPES,
    BAD_NUMBERS,
    BLANKS,
    COMMENTS,
    CONSTANTS,
    DUNDERS,
    FENCES,
    FOREIGN_SPACES,
    HALVES,
    KEYS,
    LETTERS,
    NOT_OBJECTS,
    TRAILS,
    WORDS_OF_OTHERS,
)

Kind: TypeAlias = Callable[[Writer], str]


def _pick(writer: Writer, among: tuple[str, ...]) -> str:
    return writer.rng.choice(among)


def sound(writer: Writer) -> str:
    return writer.arguments() if writer.rng.random() < 0.7 else writer.around(writer.value(3))


def repeated_key(writer: Writer) -> str:
    """At the top, inside, or between others; spelt alike or with escapes; with the same value or another."""
    rng = writer.rng
    members = [("label", writer.string()), *writer.members(1)]
    again = rng.choice(members)
    pairs = [f"{writer.spelt(key)}:{value}" for key, value in members]
    spelt = f'"{"".join(map(escaped, again[0]))}"' if rng.random() < 0.5 else writer.spelt(again[0])
    pairs.insert(rng.randint(0, len(pairs)), f"{spelt}:{rng.choice((again[1], writer.value(1)))}")
    doubled = writer.joined(pairs)
    return doubled if rng.random() < 0.5 else writer.around(doubled)


def constant(writer: Writer) -> str:
    return writer.around(_pick(writer, CONSTANTS))


def bad_number(writer: Writer) -> str:
    return writer.around(_pick(writer, BAD_NUMBERS))


def odd_float(writer: Writer) -> str:
    """Fractions and exponents of great length, finite or not."""
    rng = writer.rng
    digits = "".join(rng.choices("0123456789", k=rng.choice((17, 40, 400, 770, 2000))))
    sign, exponent = (
        rng.choice(("", "-")),
        rng.choice(("", "e5", "E-400", "e+308", "e309", "e-99999999999", "e0000000000001")),
    )
    return writer.around(f"{sign}{rng.choice(('0', '1', '9' * rng.choice((308, 309, 310, 5000))))}.{digits}{exponent}")


def long_integer(writer: Writer) -> str:
    """Just under, at and over the most digits that are turned to text and back; with and without a point."""
    rng = writer.rng
    digits = rng.choice("123456789") + rng.choice("0123456789") * (rng.choice((4298, 4299, 4299, 4300, 4301, 4400)) - 1)
    return writer.around(rng.choice(("", "-")) + digits + rng.choice(("", "", "", ".0", "e1", "e-4299")))


def nested(writer: Writer, levels: int) -> str:
    """An object so many levels deep: of arrays, of objects or of both; now and then not closed, or closed wrongly."""
    rng, style = writer.rng, writer.rng.choice(("[", "{", "both"))
    opened: list[str] = ["{"] + [rng.choice("[{") if style == "both" else style for _ in range(levels - 1)]
    text = "".join('{"a":' if bracket == "{" else "[" for bracket in opened)
    inner = rng.choice(("0", '"]}[{"', '"\\"[[[["', "null"))
    closing = "".join("}" if bracket == "{" else "]" for bracket in reversed(opened))
    match rng.randrange(8):
        case 0:
            return text + inner + closing[: rng.randint(0, len(closing) - 1)]
        case 1:
            return text + inner + closing[::-1]
        case _:
            return text + inner + closing


def deep(writer: Writer) -> str:
    return nested(writer, writer.rng.choice((198, 199, 200, 200, 201, 201, 202, 300)))


def brackets_in_strings(writer: Writer) -> str:
    rng = writer.rng
    brackets = "".join(rng.choices('[]{}"\\:,', k=rng.randint(1, 600)))
    return writer.around(writer.array([writer.spelt(brackets), "[]", "{}"]))


def half_character(writer: Writer) -> str:
    """One half of a pair, as an escape or raw, in a value or a key; also pairs that are whole."""
    half = f'"{writer.rng.choice(("", "a"))}{_pick(writer, HALVES)}{writer.rng.choice(("", "b"))}"'
    return writer.around(half if writer.rng.random() < 0.6 else f"{{{half}:{writer.value(1)}}}")


def control(writer: Writer) -> str:
    """NUL and other control characters, raw or escaped, inside a string or outside."""
    letter = chr(writer.rng.choice((0, 0, 1, 8, 9, 10, 11, 13, 27, 31, 127, 128, 159)))
    if writer.rng.random() < 0.7:
        return writer.around(f'"a{writer.rng.choice((letter, escaped(letter)))}b"')
    return inserted(writer, letter)


def inserted(writer: Writer, piece: str) -> str:
    """A piece somewhere in a sound text."""
    text = sound(writer)
    at = writer.rng.randint(0, len(text))
    return text[:at] + piece + text[at:]


def foreign_space(writer: Writer) -> str:
    space = writer.rng.choice(FOREIGN_SPACES)
    return writer.rng.choice((space + sound(writer), sound(writer) + space, inserted(writer, space)))


def byte_order_mark(writer: Writer) -> str:
    return writer.rng.choice(("\ufeff", "\ufffe", "\xef\xbb\xbf")) + sound(writer)


def trailing(writer: Writer) -> str:
    return sound(writer) + writer.gap() + _pick(writer, TRAILS)


def fenced(writer: Writer) -> str:
    return _pick(writer, FENCES).replace("{}", sound(writer))


def cut_off(writer: Writer) -> str:
    text = sound(writer)
    return text[: writer.rng.randint(0, len(text))]


def two_objects(writer: Writer) -> str:
    return sound(writer) + writer.rng.choice(("", " ", ",", "\n", ";")) + sound(writer)


def comment(writer: Writer) -> str:
    return inserted(writer, _pick(writer, COMMENTS))


def single_quotes(writer: Writer) -> str:
    text = sound(writer)
    return text.replace('"', "'", writer.rng.choice((-1, 2))) if writer.rng.random() < 0.8 else text.replace('"', "")


def word_of_another_language(writer: Writer) -> str:
    return writer.around(_pick(writer, WORDS_OF_OTHERS))


def stray_comma(writer: Writer) -> str:
    text = sound(writer)
    places = [at for at, letter in enumerate(text) if letter in "{}[],:"]
    at = writer.rng.choice(places)
    return writer.rng.choice(
        (text[:at] + "," + text[at:], text[: at + 1] + "," + text[at + 1 :], text[:at] + text[at + 1 :])
    )


def not_an_object(writer: Writer) -> str:
    if writer.rng.random() < 0.3:
        return writer.array([sound(writer)])
    return writer.gap() + _pick(writer, NOT_OBJECTS) + writer.gap()


def blank(writer: Writer) -> str:
    return writer.gap() + _pick(writer, BLANKS) + writer.gap()


def bad_escape(writer: Writer) -> str:
    return writer.around(f'"a{_pick(writer, BAD_ESCAPES)}{writer.rng.choice(("", "b", "0041"))}"')


def storm(writer: Writer) -> str:
    """Quotes and backslashes in any order, alone or in an object."""
    noise = "".join(writer.rng.choices('"\\u{}[]:,0an ', weights=(9, 9, *[1] * 11), k=writer.rng.randint(1, 80)))
    return writer.rng.choice((noise, f'{{"label":"{noise}"}}', f'{{"{noise}":0}}', f'{{"label":{noise}}}'))


def mutated(writer: Writer) -> str:
    """A sound text in which some characters were changed, dropped, doubled or swapped."""
    rng = writer.rng
    letters = list(sound(writer))
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(letters))
        match rng.randrange(4):
            case 0:
                letters[at] = rng.choice(LETTERS)
            case 1:
                letters[at] = ""
            case 2:
                letters[at] *= 2
            case _:
                other = rng.randrange(len(letters))
                letters[at], letters[other] = letters[other], letters[at]
    return "".join(letters)


def foreign_key(writer: Writer) -> str:
    """Names that mean something to Python or JavaScript, or to the tool itself: its injected parameter among them."""
    members = [("label", writer.string()), (_pick(writer, DUNDERS), writer.value(1))]
    writer.rng.shuffle(members)
    return writer.object(members) if writer.rng.random() < 0.8 else writer.around(writer.object(members))


def long_string(writer: Writer) -> str:
    rng = writer.rng
    text = f'"{writer.spelt(rng.choice(LETTERS))[1:-1] * rng.choice((300, 1000, 5000))}"'
    return writer.around(text) if rng.random() < 0.7 else f'{{"label":"",{text}:{writer.value(0)}}}'


def many_keys(writer: Writer) -> str:
    """Many keys, one of them perhaps twice, once spelt with an escape."""
    rng = writer.rng
    pairs = [f'"{rng.choice(KEYS[:4])}{at}":{at}' for at in range(rng.choice((40, 150)))]
    if rng.random() < 0.5:
        again = rng.choice(pairs)
        pairs.insert(rng.randint(0, len(pairs)), again if rng.random() < 0.5 else f'"{escaped(again[1])}{again[2:]}')
    return writer.rng.choice(('{"label":"","opts":{%s}}', "{%s}")) % ",".join(pairs)
