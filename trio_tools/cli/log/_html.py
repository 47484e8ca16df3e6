"""HTML that can hold no text unescaped: an element takes texts, which it escapes, and other elements."""

from __future__ import annotations

import html
from collections.abc import Iterable

import attrs

from trio_tools.cli._printable import shown_text

# Elements that have neither content nor an end.
_VOID = frozenset({"meta"})


@attrs.frozen
class Html:
    """Markup. Made by `element`, and by nothing that others wrote."""

    source: str


def element(tag: str, *children: Html | str | Iterable[Html], **attributes: str) -> Html:
    """An element with these children. In the names of attributes `_` stands for a hyphen, but for one at the end, which
    sets them apart from words of Python: `class_`, `aria_label`."""
    written = "".join(f' {_attribute(name)}="{escaped(value)}"' for name, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{''.join(map(_source, children))}</{tag}>")


def _attribute(name: str) -> str:
    return name.removesuffix("_").replace("_", "-")


def _source(child: Html | str | Iterable[Html]) -> str:
    if isinstance(child, Html):
        return child.source
    if isinstance(child, str):
        return escaped(child)
    return "".join(one.source for one in child)


def escaped(text: str) -> str:
    """The text for an element or an attribute. What is not plainly visible (NUL, escape sequences, direction marks) is
    shown as its number, but for line ends and tabs."""
    return html.escape(shown_text(text), quote=True)


def foreign(text: str, *, limit: int, tag: str = "bdi") -> Html:
    """What others wrote, set apart so that letters written from right to left move nothing around them; cut to `limit`
    characters, and then how many are left out."""
    if len(text) <= limit:
        return element(tag, text)
    left_out = f" [{len(text) - limit:,} of {len(text):,} characters left out]"
    return element(tag, text[:limit], element("i", left_out, class_="cut"))
