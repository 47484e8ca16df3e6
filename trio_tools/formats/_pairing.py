"""Which result answers which call.

A result belongs to the nearest message before it that has a call of its id: ids come again in later turns, and a result
never stands before its call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from trio_tools.formats._parts import Answer, Call, Message
from trio_tools.formats._span import shown


@attrs.frozen
class Pairing:
    """The answer of each call that has one, and why each other answer has no call."""

    answers: dict[Call, Answer]
    left: dict[Answer, str]


def paired(messages: Iterable[Message]) -> Pairing:
    """Pair the calls and answers of a transcript."""
    pairing = _Pairing()
    for message in messages:
        for answer in message.answers:
            pairing.add(answer)
        if message.calls:
            pairing.begin(message.calls)
    pairing.settle_nameless()
    return Pairing(pairing.answers, pairing.left)


class _Pairing:
    def __init__(self) -> None:
        self.answers: dict[Call, Answer] = {}
        self.left: dict[Answer, str] = {}
        self._latest: dict[tuple[bool, str], list[Call]] = {}  # of the last message that had a call of this key
        self._turn: Sequence[Call] = ()
        self._nameless: list[Answer] = []  # those since the last turn that name no call

    def begin(self, calls: Sequence[Call]) -> None:
        self.settle_nameless()
        self._turn = calls
        mine: dict[tuple[bool, str], list[Call]] = {}
        for call in calls:
            if call.id is not None:
                mine.setdefault((call.is_old, call.id), []).append(call)
        self._latest.update(mine)

    def add(self, answer: Answer) -> None:
        at = answer.position
        if at is not None and 0 <= at < len(self._turn) and self._turn[at].id == answer.id:
            self._give([self._turn[at]], answer)
        elif answer.id is None:
            self._nameless.append(answer)
        elif calls := self._latest.get((answer.is_old, answer.id)):
            self._give(calls, answer)
        else:
            what = "name" if answer.is_old else "id"
            self.left[answer] = f"no call before it has the {what} {shown(answer.id)}"

    def settle_nameless(self) -> None:
        """Give the results that name no call to the calls of the turn, where it can be told which: by the tools' names,
        or because there are as many as calls that are open."""
        nameless, self._nameless = self._nameless, []
        open_calls = [call for call in self._turn if call not in self.answers and not call.is_old]
        as_many = len(nameless) == len(open_calls)
        for place, answer in enumerate(nameless):
            named = [call for call in open_calls if answer.name is not None and call.name == answer.name]
            if as_many and answer.name in {None, open_calls[place].name}:
                named = [open_calls[place]]
            if len(named) == 1 and not answer.is_old:
                self._give(named, answer)
            else:
                self.left[answer] = "it names no call, and which one it answers cannot be told"

    def _give(self, calls: list[Call], answer: Answer) -> None:
        """To the first of the calls that is open, one of the tool that the answer names before others."""
        open_calls = [call for call in calls if call not in self.answers]
        call = next((one for one in open_calls if one.name == answer.name), (open_calls or calls[-1:])[0])
        other = self.answers.get(call)
        if other is None:
            self.answers[call] = answer
        elif other.id is None and answer.id is not None:  # the other was only taken to be this call's
            self.answers[call] = answer
            self.left[other] = f"the call has another result, {answer.span.place}, that names it"
        elif answer.is_failure and not other.is_failure:
            self.left[answer] = f"the call has another result, {other.span.place}, that tells of no failure"
        else:
            self.answers[call] = answer
            why = "that tells of no failure" if other.is_failure and not answer.is_failure else "that came later"
            self.left[other] = f"the call has another result, {answer.span.place}, {why}"
