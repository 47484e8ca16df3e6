"""Nothing is read twice: what fits and what does not, however deep, in time that grows with its size."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Annotated, Any, Literal

import attrs
import pytest
from annotated_types import Predicate
from declared import of

# Levels of nesting: were each read twice at the level around it, that would be a million times.
LEVELS = 60

calls: list[object] = []


def _counted(value: object) -> bool:
    calls.append(value)
    return value != "no"


Counted = Annotated[str, Predicate(_counted)]


@attrs.define
class Link:
    word: Counted
    rest: Link | None = None


@attrs.define
class Branch:
    words: dict[str, list[tuple[Counted, Branch | None]]]


@attrs.define
class Left:
    """Told from `Right` only by what stands last, and so it reads all that is inside before it is refused."""

    inside: Left | Right | None
    word: Counted
    kind: Literal["left"]


@attrs.define
class Right:
    inside: Left | Right | None
    word: Counted
    kind: Literal["right"]


@pytest.fixture(autouse=True)
def count() -> Iterator[None]:
    calls.clear()
    yield
    calls.clear()


def links(last: object) -> object:
    value: dict[str, object] = {"word": last}
    for _ in range(LEVELS):
        value = {"word": "yes", "rest": value}
    return value


def branches(last: object) -> object:
    value: object = {"words": {"a": [[last, None]]}}
    for _ in range(LEVELS // 4):
        value = {"words": {"a": [["yes", value]]}}
    return value


def sides(last: object) -> object:
    value: dict[str, object] = {"inside": None, "word": last, "kind": "right"}
    for _ in range(LEVELS):
        value = {"inside": value, "word": "yes", "kind": "right"}
    return value


@pytest.mark.parametrize(("annotation", "made"), [(Link, links), (Branch, branches), (Left | Right, sides)])
@pytest.mark.parametrize("last", ["yes", "no", 5])
def test_what_is_deep_down_is_read_a_few_times_at_most(annotation: Any, made: Any, last: object) -> None:
    """D28, R117: by one hook that stops at the first misfit, and by one that tells all, and by each arm of a union."""
    violations = of(annotation).violations({"x": made(last)})
    assert (violations == []) is (last == "yes")
    assert len(calls) <= 6 * (LEVELS + 1)


def test_a_union_remembers_nothing_of_one_reading_in_another() -> None:
    """R117: nor of one thread in another."""
    one = of(Left | Right)
    problems: list[list[str]] = []

    def look(last: object) -> None:
        problems.extend(one.violations({"x": sides(last)}) for _ in range(20))

    threads = [Thread(target=look, args=(last,)) for last in ("yes", "no", "yes")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [not found for found in problems].count(True) == 40
    look("yes")
    assert problems[-20:] == [[]] * 20
