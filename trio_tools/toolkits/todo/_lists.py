"""The lists of tasks: what one must be, and which ones are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias, get_args

import attrs
from attrs.validators import in_, instance_of

from trio_tools.values import Session, ToolError

# Tasks of one list. More than this is no plan that a model can follow, and each write sends all of it again.
MAX_TASKS = 100
# Characters of one task: some lines. What takes more belongs into a file.
MAX_TASK_CHARS = 500
# Problems that one message names: with the tenth mended, a model sees what is wrong with the rest.
MAX_PROBLEMS = 10

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


# Its words are read by models, as part of the tool's schema.
@attrs.frozen
class Todo:
    """One task.

    Attributes:
        content: What is to be done, in a line.
        status: How far it is.
    """

    content: str = attrs.field(validator=instance_of(str))
    status: TodoStatus = attrs.field(validator=in_(get_args(TodoStatus)))


class TodoLists:
    """The list of each session: `registry.require(TodoLists)` while the plugin is open.

    Lists are in memory only, and gone when the plugin closes. No method waits: each list is always a whole one.
    """

    def __init__(self, *, several_in_progress: bool, max_sessions: int) -> None:
        self._several_in_progress = several_in_progress
        self._max_sessions = max_sessions
        self._lists: dict[Session, tuple[Todo, ...]] = {}  # the one that was written last is at the end

    def of(self, session: Session) -> tuple[Todo, ...]:
        """The tasks of a session, in the order in which they were written; none if it has no list, or has it no
        more."""
        return self._lists.get(session, ())

    def replace(self, session: Session, todos: Iterable[Todo]) -> tuple[Todo, ...]:
        """Put this in place of a session's list, as `todo_write` does; an empty one takes the list away. Contents are
        trimmed, and the list is returned as it is kept.

        Raises `ToolError` with code `TODO_INVALID` for tasks that make no list; then the old list stays.
        """
        listed = tuple(attrs.evolve(one, content=one.content.strip()) for one in todos)
        problems = list(_problems(listed, several_in_progress=self._several_in_progress))
        if problems:
            more = len(problems) - MAX_PROBLEMS
            told = problems if more <= 0 else [*problems[:MAX_PROBLEMS], f"and {more} more"]
            raise ToolError(f"invalid todos: {'; '.join(told)}", code="TODO_INVALID")
        self._lists.pop(session, None)
        if listed:
            self._lists[session] = listed
        while len(self._lists) > self._max_sessions:
            del self._lists[next(iter(self._lists))]
        return listed


def _problems(todos: tuple[Todo, ...], *, several_in_progress: bool) -> Iterator[str]:
    """What is wrong with tasks whose contents are trimmed."""
    if len(todos) > MAX_TASKS:
        yield f"at most {MAX_TASKS} tasks are kept (got {len(todos)})"
        return
    first: dict[str, int] = {}
    for place, one in enumerate(todos):
        if not one.content:
            yield f"todos[{place}].content must be a non-empty string"
        elif len(one.content) > MAX_TASK_CHARS:
            yield f"todos[{place}].content must be at most {MAX_TASK_CHARS} characters (got {len(one.content)})"
        elif (earlier := first.setdefault(one.content, place)) != place:
            yield f"todos[{place}].content must be unique: todos[{earlier}] has the same"
    in_progress = Counter(one.status for one in todos)["in_progress"]
    if in_progress > 1 and not several_in_progress:
        yield f"at most one task may be in_progress (got {in_progress})"
