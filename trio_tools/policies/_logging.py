"""The logging plugin: one line for each call on stdlib logging, and the traceback of what a body or a policy raised.

Handlers, formats and levels are the program's. The fields of a record are its attributes too, for a formatter that
writes JSON. What a tool said or was told is in none of them, unless the config asks for arguments.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import attrs

from trio_tools.pipeline import SettledView
from trio_tools.policies._naming import named
from trio_tools.registry import Registry, option, plugin, true_or_false
from trio_tools.values import JobNotice, JobStatus, JSONValue, ToolError, ToolResult, one_line

# Characters of why a job failed: nobody else may be told.
ERROR_LENGTH = 500

calls = logging.getLogger("trio_tools.calls")
failures = logging.getLogger("trio_tools.failures")
jobs = logging.getLogger("trio_tools.jobs")


def _characters(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{attribute.name} must be a positive whole number of characters, not {value!r}")


@attrs.frozen(kw_only=True)
class LoggingConfig:
    """What is logged of calls, beside their names, codes and times.

    Attributes:
        arguments: Whether arguments are logged, as JSON. They may hold secrets.
        max_argument_characters: How much of them is.
    """

    arguments: bool = attrs.field(default=False, validator=true_or_false)
    max_argument_characters: int = attrs.field(default=1_000, validator=_characters, metadata=option(unit="characters"))


@attrs.frozen
class _Log:
    config: LoggingConfig

    def settled(self, call: SettledView, result: ToolResult) -> None:
        """One line at INFO for each call; for one whose body, wrapper or policy failed, its traceback at ERROR before
        it, or at DEBUG if it is a `ToolError`, which the tool's author has meant."""
        fields = self._fields(call, result)
        name = named(call.name, call.id)
        raised = call.exception
        if raised is not None:
            level = logging.DEBUG if isinstance(raised, ToolError) else logging.ERROR
            failures.log(level, "call %s: %s", name, type(raised).__name__, exc_info=raised, extra=fields)
        if calls.isEnabledFor(logging.INFO):
            more = f", arguments {self._told(call)}" if self.config.arguments else ""
            calls.info("call %s: %s in %.3f s%s", name, _ending(result), call.seconds, more, extra=fields)

    def ended(self, notice: JobNotice) -> None:
        """One line at INFO for each job, at WARNING if it failed."""
        level = logging.WARNING if notice.status is JobStatus.FAILED else logging.INFO
        fields = {
            "job": notice.job,
            "job_name": notice.name,
            "session": None if notice.session is None else notice.session.id,
            "owner": None if notice.session is None else notice.session.owner,
            "status": notice.status.value,
            "seconds": notice.seconds,
        }
        name, why = named(notice.name, notice.job), ""
        if notice.error is not None:
            why = f": {one_line(notice.error.message, limit=ERROR_LENGTH)}"
        jobs.log(level, "job %s: %s in %.3f s%s", name, notice.status, notice.seconds, why, extra=fields)

    def _fields(self, call: SettledView, result: ToolResult) -> dict[str, object]:
        session = call.session
        fields: dict[str, object] = {
            "tool": call.name,
            "call_id": call.id,
            "session": None if session is None else session.id,
            "owner": None if session is None else session.owner,
            "nested": call.parent is not None,
            "code": None if result.code is None else str(result.code),
            "cause": None if result.cause is None else result.cause.value,
            "dispatched": result.dispatched,
            "effects": [one.name for one in result.effects],
            "seconds": call.seconds,
        }
        if self.config.arguments:
            fields["arguments"] = self._told(call)
        return fields

    def _told(self, call: SettledView) -> str:
        written = "unreadable" if call.arguments is None else _json(call.arguments)
        return one_line(written, limit=self.config.max_argument_characters)


def _json(arguments: Mapping[str, JSONValue]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _ending(result: ToolResult) -> str:
    code = "ok" if result.code is None else str(result.code)
    return code if result.cause is None else f"{code} by {result.cause.value}"


@plugin("logging", config=LoggingConfig)
@asynccontextmanager
async def logging_plugin(registry: Registry, config: LoggingConfig) -> AsyncGenerator[None]:
    """Log each call in one line on the logger `trio_tools.calls`, each job on `trio_tools.jobs`, and what a body
    raised, with its traceback, on `trio_tools.failures`.

    **Cancellation**: leaving takes the observers off.
    """
    log = _Log(config)
    with registry.add_observer(log.settled), registry.add_job_observer(log.ended):
        yield
