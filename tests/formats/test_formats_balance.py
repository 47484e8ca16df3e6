"""What is done to a conversation that does not balance, case by case, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from balance_rules import Message, unanswered

from trio_tools.formats import NotATranscript, balance

USER: Message = {"role": "user", "content": "go on"}
UNKNOWN = (
    "Error: tool call aborted\n"
    "There is no record of how this call ended. It may have run: check what it has done before you repeat it."
)


def asks(*ids: str | None, **more: object) -> Message:
    """An assistant's message for OpenAI with calls of `x`."""
    calls = [{"id": one, "type": "function", "function": {"name": "x", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def told(own_id: str | None, said: str = "ok", **more: object) -> Message:
    return {"role": "tool", "tool_call_id": own_id, "content": said, **more}


def uses(*ids: str | None, before: tuple[Message, ...] = ()) -> Message:
    """An assistant's message for Anthropic with calls of `x`."""
    return {
        "role": "assistant",
        "content": [*before, *({"type": "tool_use", "id": one, "name": "x", "input": {}} for one in ids)],
    }


def result(own_id: str | None, said: str = "ok", **more: object) -> Message:
    return {"type": "tool_result", "tool_use_id": own_id, "content": said, **more}


def text(said: str) -> Message:
    return {"type": "text", "text": said}


def by_user(*blocks: Message) -> Message:
    return {"role": "user", "content": [*blocks]}


def lost(own_id: str) -> Message:
    return result(own_id, is_error=True) | {"content": [text(UNKNOWN)]}


def after(*messages: Message, form: str | None = None) -> tuple[list[Any], list[str]]:
    """What becomes of these messages, and what is said of it."""
    outcome = balance(messages, form)
    assert unanswered(outcome.messages, outcome.form or "openai") == []
    assert balance(outcome.messages, form).changes == ()
    return outcome.messages, [str(one) for one in outcome.changes]


MOVED = "result moved: results stand right behind their calls, in call order"
ADDED = 'result of "x" added: it has none, and whether it ran is not known'


def test_b36_a_call_without_a_result_gets_one_that_does_not_say_that_it_never_ran() -> None:
    assert after(USER, asks("a", "b", "c"), told("a"), USER) == (
        [USER, asks("a", "b", "c"), told("a"), told("b", UNKNOWN), told("c", UNKNOWN), USER],
        [f"messages[1].tool_calls[1]: {ADDED}", f"messages[1].tool_calls[2]: {ADDED}"],
    )
    assert after(USER, uses("a", "b"), by_user(result("b"))) == (
        [USER, uses("a", "b"), by_user(lost("a"), result("b"))],
        [f"messages[1].content[0]: {ADDED}"],
    )


def test_in_plain_it_may_have_had_effects() -> None:
    messages, changes = after({"calls": [{"name": "x"}]})
    assert messages[1].items() >= {"id": None, "tool": "x", "code": "ABORTED", "dispatched": True}.items()
    assert messages[1]["text"] == UNKNOWN
    assert changes == [f"messages[0].calls[0]: {ADDED}"]


def test_a_result_that_nobody_asked_for_is_removed() -> None:
    """Also one that stands before its call: a later turn's calls may have the ids of an earlier one's."""
    assert after(told("a"), asks("a"), told("a"), told("z")) == (
        [asks("a"), told("a")],
        [
            'messages[0]: result removed: no call before it has the id "a"',
            'messages[3]: result removed: no call before it has the id "z"',
        ],
    )
    assert after(by_user(result("q"), text("t")), by_user(result("q"))) == (
        [by_user(text("t"))],
        [
            'messages[0].content[0]: result removed: no call before it has the id "q"',
            'messages[1].content[0]: result removed: no call before it has the id "q"',
        ],
    )


@pytest.mark.parametrize(
    ("first", "second", "stays", "removed", "why"),
    [
        ("one", "two", "two", 1, "messages[2], that came later"),
        ("Error: tool call aborted", "sent", "sent", 1, "messages[2], that tells of no failure"),
        ("sent", "Error: tool call aborted", "sent", 2, "messages[1], that tells of no failure"),
        ("Error: a", "Error: b", "Error: b", 1, "messages[2], that came later"),
        (UNKNOWN, "sent", "sent", 1, "messages[2], that tells of no failure"),
    ],
)
def test_of_two_results_stays_the_later_that_is_no_failure(
    first: str, second: str, stays: str, removed: int, why: str
) -> None:
    """A success that was recorded must not be forgotten for an abort that was made up: it would be done twice."""
    messages, changes = after(asks("a"), told("a", first), told("a", second))
    assert messages == [asks("a"), told("a", stays)]
    assert changes[0] == f"messages[{removed}]: result removed: the call has another result, {why}"


def test_anthropics_mark_of_a_failure_counts_as_its_text_does() -> None:
    kept, failed = result("a", "sent"), result("a", "no", is_error=True)
    assert after(uses("a"), by_user(kept, failed))[0] == [uses("a"), by_user(kept)]
    assert after(uses("a"), by_user(result("a") | {"content": [text("Error: x")]}, kept))[0] == [
        uses("a"),
        by_user(kept),
    ]


def test_results_are_moved_right_behind_their_calls_in_call_order() -> None:
    assert after(asks("a", "b"), told("b"), USER, told("a"), asks("c"), told("c")) == (
        [asks("a", "b"), told("a"), told("b"), USER, asks("c"), told("c")],
        [f"messages[1]: {MOVED}", f"messages[3]: {MOVED}"],
    )


def test_for_anthropic_all_results_of_a_turn_stand_at_the_head_of_one_message() -> None:
    assert after(uses("a", "b"), by_user(text("t"), result("b")), by_user(result("a"), text("u"))) == (
        [uses("a", "b"), by_user(result("a"), result("b"), text("t")), by_user(text("u"))],
        [f"messages[1].content[1]: {MOVED}", f"messages[2].content[0]: {MOVED}"],
    )
    assert after(uses("a"), {**USER, "x": 1}, by_user(result("a"))) == (
        [uses("a"), {**by_user(result("a"), text("go on")), "x": 1}],
        [f"messages[2].content[0]: {MOVED}"],
    )
    assert after(uses("a"), {"role": "user", "content": " "})[0] == [uses("a"), by_user(lost("a"))]
    assert after(uses("a"), {"role": "user"})[0] == [uses("a"), {"content": [lost("a")], "role": "user"}]
    assert after(uses("a"), uses("b"))[0] == [uses("a"), by_user(lost("a")), uses("b"), by_user(lost("b"))]


def test_an_id_that_is_absent_or_an_earlier_calls_is_made_anew_on_its_result_too() -> None:
    messages, changes = after(
        asks("a", None), told("a"), told(None, "two"), asks("a", "a"), told("a", "three"), told("a")
    )
    assert messages == [
        asks("a", "call_1"),
        told("a"),
        told("call_1", "two"),
        asks("a_1", "a_2"),
        told("a_1", "three"),
        told("a_2"),
    ]
    assert changes == [
        'messages[0].tool_calls[1]: id "call_1" given: it had none',
        'messages[3].tool_calls[0]: id "a_1" given: an earlier call has "a"',
        'messages[3].tool_calls[1]: id "a_2" given: an earlier call has "a"',
    ]
    bare: Message = {"type": "tool_use", "name": "x", "input": {}}
    messages, _ = after(by_user(text("t")), {"role": "assistant", "content": [bare]}, by_user({"type": "tool_result"}))
    assert messages[1:] == [
        {"role": "assistant", "content": [{**bare, "id": "call_1"}]},
        by_user({"type": "tool_result", "tool_use_id": "call_1"}),
    ]


def test_a_made_id_is_none_that_stands_further_on() -> None:
    messages, _ = after(asks(None), asks("call_1"), told("call_1"))
    assert [one["tool_calls"][0]["id"] for one in messages if "tool_calls" in one] == ["call_2", "call_1"]


def test_a_result_that_names_no_call_is_told_by_its_tool_or_by_being_the_only_one() -> None:
    two = asks("a", "b")
    two["tool_calls"][1]["function"]["name"] = "y"
    assert after(two, told("a"), told(""))[0] == [two, told("a"), told("b")]
    assert after(two, told(None, name="y"))[0] == [two, told("a", UNKNOWN), told("b", name="y")]
    assert after(asks("a"), told(None)) == (
        [asks("a"), told("a")],
        ['messages[1]: id "a" given: it named no call, and can answer only this one'],
    )


def test_one_that_may_answer_several_calls_is_removed() -> None:
    messages, changes = after(asks("a", "b"), told(None))
    assert messages == [asks("a", "b"), told("a", UNKNOWN), told("b", UNKNOWN)]
    assert changes[2] == "messages[1]: result removed: it names no call, and which one it answers cannot be told"


def test_one_that_names_its_call_stands_before_one_that_was_taken_to_be_its() -> None:
    """Also if it tells of a failure, and the other does not."""
    messages = [USER, asks("a"), told(None, "sent"), asks("b"), told("b"), told("a", "Error: refused")]
    outcome = balance(messages, "openai")
    assert outcome.messages == [USER, asks("a"), told("a", "Error: refused"), asks("b"), told("b")]
    assert outcome.changes[0].what == "result removed"
    assert outcome.changes[0].why == "the call has another result, messages[5], that names it"


def test_what_a_stream_that_was_cut_leaves_is_removed() -> None:
    hollow: tuple[object, ...] = (None, "", " ", [])
    for content in hollow:
        empty: Message = {
            "role": "assistant",
            "content": content,
            "tool_calls": None,
            "refusal": None,
            "annotations": [],
        }
        assert after(USER, empty, USER) == ([USER, USER], ["messages[1]: message removed: it says nothing"])
    for more in ({"reasoning_content": "hm"}, {"refusal": "no"}, {"audio": {"id": "a"}}):
        assert after({"role": "assistant", "content": None, **more})[1] == []


def test_openais_old_calls_are_answered_by_their_names() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "x", "arguments": "{}"}}
    answer = {"role": "function", "name": "x", "content": "ok"}
    assert after(old, USER, answer, old, {"role": "function", "name": "y", "content": ""}) == (
        [old, answer, USER, old, {"role": "function", "name": "x", "content": UNKNOWN}],
        [
            f"messages[2]: {MOVED}",
            f"messages[3].function_call: {ADDED}",
            'messages[4]: result removed: no call before it has the name "y"',
        ],
    )
    custom: Message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "x"}}]}
    assert after(custom)[0] == [custom, told("c", UNKNOWN)]


def test_what_a_provider_runs_himself_and_what_he_thinks_stay_where_they_are() -> None:
    server: tuple[Message, ...] = (
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []},
        {"type": "redacted_thinking", "data": "d"},
    )
    assert after(uses(before=server))[1] == []
    messages, _ = after(uses("a", "a", before=server))
    assert messages == [uses("a", "a_1", before=server), by_user(lost("a"), lost("a_1"))]


def test_in_plain_ids_may_repeat_and_the_position_tells_which_call_a_result_is_of() -> None:
    turn = {"calls": [{"id": "a", "name": "x"}, {"id": "a", "name": "x"}, {"name": "y"}]}
    second = {"id": "a", "tool": "x", "text": "two", "position": 1}
    messages, changes = after(turn, {"id": None, "tool": "y", "text": ""}, second)
    assert messages[2:] == [second, {"id": None, "tool": "y", "text": ""}]
    assert messages[1]["text"] == UNKNOWN
    assert changes == [f"messages[0].calls[0]: {ADDED}", f"messages[1]: {MOVED}", f"messages[2]: {MOVED}"]
    named = {"id": None, "call_id": None, "tool": "x", "text": ""}
    assert after({"calls": [{"id": "a", "name": "x"}]}, named)[0][1] == {**named, "id": "a", "call_id": "a"}


def test_where_there_are_no_calls_the_form_is_nobodys() -> None:
    assert balance([USER, {"role": "assistant", "content": "hi"}]).form is None
    assert balance([USER], "openai").form == "openai"
    assert balance([]).messages == []


@pytest.mark.parametrize(
    ("messages", "form", "error"),
    [
        ([1], None, "messages[0] must be an object, not a number"),
        (
            [{"role": "user", "content": {1}}],
            None,
            "messages[0] is not JSON: Object of type set is not JSON serializable",
        ),
        ([{"role": "user", "content": float("inf")}], None, "messages[0] is not JSON: Out of range float values"),
        ([USER, asks("a")], "anthropic", "messages[1] is in the form openai, where anthropic is wanted: a transcript"),
        ([uses("a"), told("a")], None, "messages[1] is in the form openai, and messages[0] in anthropic: a transcript"),
        (
            [{"role": "assistant", "tool_calls": [{"id": 5}]}],
            None,
            "messages[0].tool_calls[0].id must be a string, not a number",
        ),
        ([{**asks("a"), "role": "user"}], None, "messages[0].tool_calls[0] stands in a message of the role user"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(messages: list[Any], form: str | None, error: str) -> None:
    with pytest.raises(NotATranscript) as caught:
        balance(messages, form)
    assert str(caught.value).startswith(error)


def test_a_form_that_there_is_not_is_the_callers_mistake() -> None:
    with pytest.raises(
        ValueError, match="there is no form 'gemini' of transcripts: it must be one of plain, openai, a"
    ):
        balance([], "gemini")
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(NotATranscript, match=r"messages\[0\] is nested too deep"):
        balance([nested])
