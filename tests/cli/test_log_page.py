"""The page of a session: all is there, what others wrote is text and nothing else, and nothing is loaded or run."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from journal_records import CALLS, HOSTILE, SESSION, effect, record

from trio_tools import Session
from trio_tools.cli._printable import shown_text
from trio_tools.cli.log._account import TEXT_LENGTH
from trio_tools.cli.log._axis import charts
from trio_tools.cli.log._html import element, foreign
from trio_tools.cli.log._page import SessionLog, page
from trio_tools.journal import CallRecord
from trio_tools.values import EffectState

# All that a page is made of. None of them loads or runs anything.
HARMLESS = {
    *("html", "head", "meta", "title", "style", "body", "section", "h1", "h2", "h3", "h4", "p", "div", "span"),
    *("strong", "i", "bdi", "pre", "table", "thead", "tbody", "tr", "th", "td", "a", "details", "summary"),
    *("dl", "dt", "dd", "svg", "rect", "line", "path", "text"),
}
# Their attributes: none is an event, and `href` leads to a place on the page alone.
QUIET = {
    *("lang", "charset", "name", "content", "http-equiv", "class", "id", "href", "role", "aria-label", "aria-hidden"),
    *("x", "y", "x1", "x2", "y1", "y2", "d", "width", "height"),
}


class Reader(HTMLParser):
    """A page as a browser reads it: elements, attributes, and the texts between them."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all_of(self, tag: str) -> list[str]:
        return [text for inside, text in self.texts if inside == tag]


def read(*calls: CallRecord, session: Session | None = SESSION, title: str = "agent.db") -> Reader:
    return Reader(page([SessionLog(session=session, turns=charts(calls))], title=title))


HOSTILE_CALL = record(
    "t/0",
    HOSTILE,
    dispatched=[0],
    settled=1,
    code="TOOL_FAILED",
    call_id=HOSTILE,
    arguments={HOSTILE: HOSTILE},
    text=HOSTILE,
    effects=[
        effect(HOSTILE, EffectState.COMMITTED, 0.1, 0.2, key=HOSTILE, receipt={HOSTILE: [HOSTILE]}),
        effect("pay", EffectState.FAILED, 0.3, 0.4, error=HOSTILE),
    ],
)


def hostile() -> Reader:
    return read(HOSTILE_CALL, session=Session(HOSTILE, HOSTILE), title=HOSTILE)


def test_nothing_is_loaded_or_run_whatever_is_in_it() -> None:
    for found in (read(*CALLS), hostile()):
        assert set(found.tags) <= HARMLESS
        assert {name for name, _ in found.attributes} <= QUIET
        assert all(re.fullmatch(r"#s\d+-c\d+", value) for name, value in found.attributes if name == "href")


def test_the_style_loads_nothing_and_is_the_only_one_that_its_policy_lets_hold() -> None:
    found = read(*CALLS)
    (style,) = found.all_of("style")
    assert not re.search(r"url\(|@import|expression|<", style)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert ("content", policy) in found.attributes


def test_what_others_wrote_is_there_as_text_in_every_place() -> None:
    found = hostile()
    shown = shown_text(HOSTILE)
    places = [tag for tag, text in found.texts if shown in text]
    # heading, session, owner, and of the account tool, id, effect and key; in rows and bars it is cut
    assert (places.count("title"), places.count("bdi"), places.count("pre")) == (1, 7, 2)
    assert sum(HOSTILE.partition('"')[0] in text for text in found.all_of("pre")) == 4


def test_no_character_of_it_is_invisible() -> None:
    source = page([SessionLog(session=Session(HOSTILE), turns=charts([HOSTILE_CALL]))], title=HOSTILE)
    assert all(one.isprintable() or one in "\n\t" for one in source)


def test_letters_from_right_to_left_are_set_apart_from_what_is_around_them() -> None:
    found = read(record("t/0", "\u05e9\u05dc\u05d5\u05dd", settled=1), session=Session("\u0639"))
    foreigners = [tag for tag, text in found.texts if re.search("[\u0590-\u06ff]", text)]
    assert set(foreigners) == {"bdi"}


def test_every_call_has_a_row_a_bar_and_an_account_that_the_row_leads_to() -> None:
    found = read(*CALLS)
    assert found.tags.count("details") == len(CALLS)
    assert [value for name, value in found.attributes if name == "role"] == ["img"] * len(CALLS)
    ids = [value for name, value in found.attributes if name == "id"]
    links = [value.removeprefix("#") for name, value in found.attributes if name == "href"]
    assert ids == links
    assert len(set(ids)) == len(CALLS)


def test_a_bar_says_in_words_what_it_shows() -> None:
    labels = [value for name, value in read(*CALLS).attributes if name == "aria-label"]
    assert labels[1] == "waits 500ms; runs 1.7s; effect committed at 1.9s: mail.send"
    assert labels[2] == "waits 2.2s; runs 900ms; cancelled at 2.9s"
    assert labels[7] == "waits 100ms; runs 900ms; end not seen; effect unknown at 1.0s: mail.send"


def test_outcomes_have_signs_that_say_the_same_as_their_colours() -> None:
    outcomes = [text for tag, text in read(*CALLS).texts if tag == "span" and re.match("[\u2713\u2717\u25a0?] ", text)]
    assert outcomes[:9] == [
        "\u2713 ok",
        "\u2713 ok",
        "\u25a0 ABORTED by caller",
        "\u25a0 ABORTED_BEFORE_DISPATCH by caller",
        "\u2713 ok",
        "\u2717 TOOL_FAILED",
        "\u2713 ok",
        "? ABORTED by crash",
        "? unsettled",
    ]


def test_an_account_tells_arguments_text_and_receipts() -> None:
    call = record(
        "t/0",
        "mail",
        arguments='{"to": "ann"',
        settled=1,
        text="sent",
        effects=[effect("mail.send", EffectState.COMMITTED, 0.1, 0.2, key="m-1", receipt={"id": 7}, resolved=60)],
    )
    found = read(call)
    assert found.all_of("pre") == ['{"to": "ann"', "sent", '{\n  "id": 7\n}']
    shown = "".join(text for _, text in found.texts)
    assert (
        "mail.send with key m-1: committed (begun after 100ms, ended after 200ms, decided 2026-11-30 17:06:12 UTC)"
        in shown
    )


def test_a_text_that_is_too_long_is_cut_and_says_by_how_much() -> None:
    found = read(record("t/0", settled=1, text="x" * (1 << 20)))
    (cut,) = found.all_of("i")
    assert cut == f" [{(1 << 20) - TEXT_LENGTH:,} of 1,048,576 characters left out]"
    assert "x" * TEXT_LENGTH in found.all_of("pre")


def test_calls_for_no_session_have_a_section_too() -> None:
    assert "Calls for no session" in read(*CALLS, session=None).all_of("h2")


@pytest.mark.parametrize("text", ["<b>", '"', "'", "&amp;", "]]>", "-->", "</style>"])
def test_no_text_is_markup(text: str) -> None:
    found = Reader(element("p", text, class_=text).source)
    assert (found.tags, found.attributes, found.texts) == (["p"], [("class", text)], [("p", text)])


def test_a_text_is_cut_before_it_is_escaped() -> None:
    assert foreign("&&&", limit=2).source == '<bdi>&amp;&amp;<i class="cut"> [1 of 3 characters left out]</i></bdi>'
