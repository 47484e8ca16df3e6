"""What is seen of one run. Nothing here judges it."""

from __future__ import annotations

from typing import Any, TypeVar

import attrs

from trio_tools.testing._case import Case
from trio_tools.testing._clock import Doom
from trio_tools.testing._effects import Happening
from trio_tools.testing._leftovers import Leftover
from trio_tools.testing._life import Life
from trio_tools.testing._unwinding import Misstep
from trio_tools.values import ToolResult

S = TypeVar("S")


@attrs.frozen
class Heard:
    """Something that happened: at which moment, and in which call's body, if in one, or in a job that it started, which
    is to outlive the call; and whether there is a result to name it, as there is of the calls that a job makes."""

    moment: int
    life: Life | None
    happening: Happening
    of_job: bool = False
    has_result: bool = True


@attrs.define
class Zone:
    """An effect that a body has begun with `irreversible`: the moments of its beginning and, once it has one, its
    end."""

    name: str
    begun: int
    ended: int | None = None


@attrs.define(eq=False)
class Run:
    """One run of an exploration, as it went. A user's `check` reads `case`, `result` (or `results`), `happened` and
    `service(type)` of it."""

    case: Case | None  # None: nothing ended the call
    lives: list[Life]
    steps: int = 0
    seconds: float = 0.0  # on the run's clock
    ended: int | None = None  # the moment at which something had ended the call
    ended_at: float | None = None  # seconds on the run's clock
    place: str = ""  # where the task of the case's step was
    trace: list[str] = attrs.field(factory=list[str])
    plain: bool = True  # whether no plugin but the timeout policy has a say in results
    heard: list[Heard] = attrs.field(factory=list[Heard])
    zones: list[Zone] = attrs.field(factory=list[Zone])
    published: list[ToolResult] = attrs.field(factory=list[ToolResult])  # also those of calls that bodies made
    results: tuple[ToolResult, ...] = ()  # in call order; of a turn that Ctrl-C has ended those that it told of
    left: list[Leftover] = attrs.field(factory=list[Leftover])
    permits_kept: list[str] = attrs.field(factory=list[str])
    spoils: bool = False  # whether some of them are of what later runs share
    missteps: list[Misstep] = attrs.field(factory=list[Misstep])
    raised: BaseException | None = None  # by `execute`, which is to give results
    interrupt_sent: bool = False
    interrupted: bool = False  # whether Ctrl-C came out again
    saw_quiet: bool = False  # whether a task was in `wait_all_tasks_blocked`
    outside_work: bool = False  # whether a task waited for something that no virtual clock can hurry
    doom: Doom | None = None  # why the run was given up
    stuck: tuple[str, ...] = ()  # where its tasks were then
    objection: str | None = None  # of the user's check
    services: dict[type[Any], Any] = attrs.field(factory=dict[type[Any], Any])
    missing: list[type[Any]] = attrs.field(factory=list[type[Any]])  # services that were required, and are not there

    @property
    def result(self) -> ToolResult:
        """The result of the only, or the first, call. Raises `LookupError` if it has none."""
        found = self.lives[0].result
        if found is None:
            raise LookupError("the call has no result")
        return found

    @property
    def happened(self) -> tuple[Happening, ...]:
        """What effect recorders were told, in order."""
        return tuple(one.happening for one in self.heard)

    def service(self, kind: type[S]) -> S:
        """The service of this type that this run had. Raises `LookupError` if it had none."""
        if kind not in self.services:
            raise LookupError(f"no {kind.__qualname__} is among the services of this run")
        service: S = self.services[kind]
        return service
