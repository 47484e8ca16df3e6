"""What a model reads: blocks of text, images and JSON."""

from __future__ import annotations

import json
from typing import TypeAlias

import attrs

from trio_tools.values._freeze import freeze
from trio_tools.values._json import JSONValue, check_text
from trio_tools.values._plain import to_plain

_ENCODER = json.JSONEncoder(ensure_ascii=False)


@attrs.frozen
class Text:
    """A block of text."""

    text: str


@attrs.frozen
class Image:
    """A block that holds a picture: `data` in base64, and its `media_type` such as `image/png`. Whether it is
    base64 is not looked at."""

    data: str
    media_type: str


def _as_json(value: object) -> JSONValue:
    return to_plain(value)


@attrs.frozen
class Json:
    """A block that holds a JSON value, or one that becomes JSON by the rules for results. Raises `NotJSON` if it is
    neither."""

    value: JSONValue = attrs.field(converter=_as_json)


ContentBlock: TypeAlias = Text | Image | Json
Content: TypeAlias = tuple[ContentBlock, ...]


def as_content(content: str | tuple[object, ...]) -> Content:
    """Blocks from a text or a tuple of blocks. Raises `TypeError` for anything else, and `NotJSON` for text that UTF-8
    cannot carry."""
    if isinstance(content, str):
        return (Text(check_text(content)),) if content else ()
    if not isinstance(content, tuple):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(_NO_CONTENT)
    return tuple(_checked(block) for block in content)


_NO_CONTENT = "content must be a string or a tuple of Text, Image and Json blocks"


def _checked(block: object) -> ContentBlock:
    match block:
        case Text(str() as text):
            check_text(text)
        case Image(str() as data, str() as media_type):
            check_text(data)
            check_text(media_type)
        case Json():
            pass
        case Image(data, _) if type(data) is not str:
            raise TypeError("the data of an Image is base64 text: write base64.b64encode(...).decode()")
        case _:
            raise TypeError(_NO_CONTENT)
    return block


def block_value(block: ContentBlock) -> JSONValue:
    """A block as JSON: what `value` holds of a success that is content."""
    match block:
        case Text(text):
            return freeze({"type": "text", "text": text})
        case Json(value):
            return freeze({"type": "json", "value": value})
        case Image(data, media_type):
            return freeze({"type": "image", "data": data, "media_type": media_type})


def size_in_bytes(content: Content) -> int:
    """Bytes that a model's request carries of this content, but for the request's own spelling of it."""
    texts = (block.data + block.media_type if isinstance(block, Image) else _block_text(block) for block in content)
    return sum(len(text) if text.isascii() else len(text.encode()) for text in texts)


def as_text(content: Content) -> str:
    """The text blocks joined by newlines; JSON as its text, an image as `[image content]`."""
    if len(content) == 1 and type(content[0]) is Text:
        return content[0].text
    return "\n".join(_block_text(block) for block in content)


def _block_text(block: ContentBlock) -> str:
    match block:
        case Text(text):
            return text
        case Json(value):
            return _ENCODER.encode(value)
        case Image():
            return "[image content]"


def render(value: JSONValue) -> Content:
    """The content of a success: a string is its own text (and an empty one no block), anything else its JSON text."""
    if type(value) is str:
        return (Text(value),) if value else ()
    if type(value) is int:
        return (Text(str(value)),)
    return (Text(_ENCODER.encode(value)),)
