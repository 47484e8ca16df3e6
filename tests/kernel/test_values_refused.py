"""Documents that are not what they should be: refused with a ValueError that says so, and nothing is coerced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from intake_tools import ANY_EVENT, CALLS, EVENTS, FAILURE, SUCCESS, document, kind_of, reading

from trio_tools import Text, ToolCall, ToolResult, from_json, to_json
from trio_tools.values import FORMAT_VERSION


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, 99, 0, None, "1", "2", [1]])
@pytest.mark.parametrize("data", [CALLS[0], SUCCESS, EVENTS[0]], ids=["call", "result", "event"])
def test_another_version_is_refused(data: Any, version: object) -> None:
    """D1: not guessed at; the text says which version it is."""
    with pytest.raises(ValueError, match="version") as caught:
        from_json(kind_of(data), {**document(data), "version": version})
    assert repr(version) in str(caught.value)


def test_a_document_without_a_version_is_refused() -> None:
    """D1."""
    written = document(SUCCESS)
    del written["version"]
    with pytest.raises(ValueError, match="version"):
        from_json(ToolResult, written)


@pytest.mark.parametrize("kind", [ToolCall, ToolResult, ANY_EVENT], ids=["call", "result", "event"])
@pytest.mark.parametrize("garbage", [None, [], "x", 5, "{}", b"{}"], ids=repr)
def test_what_is_no_document_is_refused(kind: Any, garbage: object) -> None:
    """D1: with a ValueError that says so."""
    with pytest.raises(ValueError, match="not a JSON object"):
        from_json(kind, garbage)


def _put(**members: object) -> Callable[[dict[str, Any]], None]:
    return lambda written: written.update(members)


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda written: written.pop(name)


WRONG_RESULTS: list[tuple[str, Callable[[dict[str, Any]], None]]] = [
    ("tool", _drop("tool")),
    ("content", _drop("content")),
    ("extra", _put(extra=1)),
    ("tool", _put(tool=None)),
    ("tool", _put(tool=5)),
    ("call_id", _put(call_id=7)),
    ("dispatched", _put(dispatched="false")),
    ("dispatched", _put(dispatched=None)),
    ("concludes_turn", _put(concludes_turn="no")),
    ("cause", _put(cause="weather")),
    ("content", _put(content="text")),
    ("content", _put(content=[{"type": "film"}])),
    ("content", _put(content=[{"text": "no type"}])),
    ("content", _put(content=[{"type": "text", "text": 5}])),
    ("content", _put(content=["text"])),
    ("error", _put(error="boom")),
    ("error", _put(error={"name": "E", "code": "E_E"})),
    ("error", _put(error={"name": "E", "code": "E_E", "message": None})),
    ("effects", _put(effects=[{"name": "e", "state": "odd"}])),
    ("effects", _put(effects="ab")),
    ("contexts", _put(contexts="ab")),
    ("superseded", _put(superseded={"content": [], "extra": 1})),
    ("value", _put(value=float("nan"))),
    ("value", _put(value="\ud800")),
    ("value", _put(value={1: 2})),
]


def spoilt(data: Any, spoil: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    written = document(data)
    spoil(written)
    return written


def test_a_result_with_a_wrong_member_is_refused() -> None:
    """D1: with a ValueError that names it; nothing is coerced, least of all whether the body ran."""
    read = [(named, reading(ToolResult, spoilt(SUCCESS, spoil))) for named, spoil in WRONG_RESULTS]
    assert [named for named, back in read if not isinstance(back, str)] == []
    assert [back for named, back in read if named not in str(back) and "field missing" not in str(back)] == []


WRONG_EVENTS: list[Callable[[dict[str, Any]], None]] = [
    _drop("event"),
    _put(event="party"),
    _put(event=None),
    _put(event=5),
    _put(event=["accepted"]),
    _put(event="settled"),
    _drop("ref"),
    _put(at="noon"),
    _put(at="1.5"),
    _put(at=None),
    _put(at=float("inf")),
    _put(at=float("nan")),
    _put(ref={"turn": "t", "position": "2", "call_id": None, "tool": "work"}),
    _put(ref={"turn": "t", "position": 2.5, "call_id": None, "tool": "work"}),
    _put(ref=None),
]


@pytest.mark.parametrize("spoil", WRONG_EVENTS[:5])
def test_an_event_of_no_kind_is_refused(spoil: Callable[[dict[str, Any]], None]) -> None:
    """D29: with a ValueError, whatever a damaged journal holds."""
    with pytest.raises(ValueError, match=r"\w+"):
        from_json(ANY_EVENT, spoilt(EVENTS[0], spoil))


def test_an_event_with_a_wrong_member_is_refused() -> None:
    """D29: with a ValueError; nothing is coerced."""
    read = [reading(ANY_EVENT, spoilt(EVENTS[0], spoil)) for spoil in WRONG_EVENTS[5:]]
    assert [back for back in read if not isinstance(back, str)] == []


def test_a_call_with_a_wrong_member_is_refused() -> None:
    """D1: with a ValueError; nothing is coerced."""
    wrong = [_drop("name"), *(_put(name=name) for name in (5, None)), _put(id=5), _put(metadata=[])]
    wrong += [_put(arguments=arguments) for arguments in ([1], None, 5)]
    read = [reading(ToolCall, spoilt(CALLS[0], spoil)) for spoil in wrong]
    assert [back for back in read if not isinstance(back, str)] == []


def test_a_whole_number_that_would_be_rounded_is_refused() -> None:
    """D1: what a document says stands for itself: 2**53 + 1 is no float."""
    written = document(EVENTS[0])
    written["at"] = 2**53 + 1
    with pytest.raises(ValueError, match=r"expected float @ \$\.at"):
        from_json(kind_of(EVENTS[0]), written)
    written["at"] = 2**53
    assert document(from_json(kind_of(EVENTS[0]), written)) == written


@attrs.frozen
class Loud(Text):
    """A block of somebody's own kind."""


def test_a_block_of_a_kind_that_nobody_could_read_is_not_written() -> None:
    """D1: what is derived from a block is another kind."""
    with pytest.raises(KeyError):
        to_json(ToolResult("c1", "work", (Loud("hi"),)))


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
members = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=100)
@given(data=st.sampled_from([CALLS[0], SUCCESS, FAILURE, *EVENTS]), member=members, draw=st.data())
def test_no_document_crashes_the_reader(data: Any, member: object, draw: st.DataObject) -> None:
    """D1, D29: one member is replaced by anything; it is refused with a ValueError, or it stands in what comes back."""
    written = document(data)
    name = draw.draw(st.sampled_from(sorted(written)))
    written[name] = member
    try:
        back = from_json(kind_of(data), written)
    except ValueError as error:
        said = str(error)
        assert said
        return
    assert document(back) == written
