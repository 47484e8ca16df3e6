"""What an approver saw, what the body got and what the record holds are one and the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest
import trio

from trio_tools import (
    CallView,
    Deny,
    ErrorCode,
    JSONValue,
    Registry,
    Session,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.journal import Journal, journal_in_memory

SEEN: dict[str, JSONValue] = {"path": "/data/a", "opts": {"tags": ["x"]}}
TEXT = '{"path": "/data/a", "opts": {"tags": ["x"]}}'


@attrs.define
class Approver:
    """Stands where an approver would: looks at the arguments, keeps them, and tries to change them at each moment."""

    before: list[object] = attrs.field(factory=list[object])
    after: list[object] = attrs.field(factory=list[object])
    refused: list[str] = attrs.field(factory=list[str])

    async def policy(self, call: CallView) -> None:
        self.before.append(plain(call.arguments))
        self._meddle(call.arguments)
        await trio.lowlevel.checkpoint()
        self._meddle(call.arguments)

    def observer(self, call: CallView, result: ToolResult) -> None:
        self.after.append(plain(call.arguments))
        self._meddle(call.arguments)

    def _meddle(self, arguments: Any) -> None:
        changes: tuple[Callable[[], object], ...] = (
            lambda: arguments.__setitem__("path", "/data/b"),
            lambda: arguments["opts"]["tags"].append("y"),
            lambda: arguments["opts"].update(tags=[]),
            lambda: arguments.pop("path"),
        )
        for change in changes:
            try:
                change()
            except (TypeError, AttributeError) as error:
                self.refused.append(type(error).__name__)


def plain(value: object) -> object:
    """A copy that nobody else holds."""
    return json.loads(json.dumps(value))


async def _run(registry: Registry, arguments: dict[str, object] | str) -> ToolResult:
    return await registry.execute(ToolCall("read", arguments), scope=trio.CancelScope(), session=Session("s"))


@pytest.mark.parametrize("as_text", [False, True])
async def test_all_see_the_arguments_that_were_approved_case_b23(as_text: bool) -> None:
    """Case B23: whoever tries to change them is refused, and the body has a copy of its own."""
    bodies: list[object] = []
    given: dict[str, object] = {"path": "/data/a", "opts": {"tags": ["x"]}}

    @tool
    async def read(path: str, opts: dict[str, list[str]]) -> str:
        bodies.append(plain({"path": path, "opts": opts}))
        opts["tags"].append("z")
        opts.pop("tags")
        return "read"

    approver = Approver()
    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(read)
        registry.add_pre_policy(approver.policy)
        registry.add_observer(approver.observer)

        async def late(call: CallView) -> None:
            given["path"] = "/data/c"  # the caller's own object, while the call is decided on

        registry.add_pre_policy(late)
        assert (await _run(registry, TEXT if as_text else given)).code is None
        (record,) = await registry.require(Journal).calls("s")
    assert (approver.before, bodies, approver.after) == ([SEEN], [SEEN], [SEEN])
    assert record.arguments == (TEXT if as_text else SEEN)
    assert len(approver.refused) == 12


@pytest.mark.parametrize("denies", [False, True])
async def test_a_key_that_is_repeated_is_never_two_things_case_b23(denies: bool) -> None:
    """Case B23 (c): nobody is asked and no body runs, and what the model wrote is in the record as it wrote it."""
    asked: list[object] = []
    text = '{"path":"/data/a","path":"/etc/passwd"}'

    @tool
    async def read(path: str, opts: dict[str, list[str]]) -> str:
        raise AssertionError("it must not run")

    def policy(call: CallView) -> Deny | None:
        asked.append(call.arguments)
        return Deny("no") if denies else None

    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(read)
        registry.add_pre_policy(policy)
        result = await _run(registry, text)
        (record,) = await registry.require(Journal).calls("s")
    assert (result.code, asked) == (ErrorCode.INVALID_ARGS, [])
    assert (record.arguments, record.dispatched, record.allowed, record.result) == (text, (), None, result)
