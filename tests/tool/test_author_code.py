"""Code of a tool's author that runs while arguments are read or a result is written: it takes nobody down with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import attrs
import pytest
import trio
from annotated_types import Predicate

from trio_tools import (
    Dispatch,
    ErrorCode,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.pipeline import CallNext


def _exit(value: object) -> bool:
    raise SystemExit(3)


interrupts: list[object] = []


def _interrupt(value: object) -> bool:
    interrupts.append(value)
    raise KeyboardInterrupt


def _fail(value: object) -> bool:
    raise RuntimeError("out of order")


@attrs.define
class Exiting:
    x: int = attrs.field()

    def __attrs_post_init__(self) -> None:
        _exit(self)


@attrs.define
class Interrupting:
    x: int = attrs.field()

    def __attrs_post_init__(self) -> None:
        _interrupt(self)


class Accessors(Mapping[str, object]):
    """A result whose members are code."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __getitem__(self, name: str) -> object:
        return self.answer(name)

    def __iter__(self) -> Iterator[str]:
        return iter("a")

    def __len__(self) -> int:
        return 1


@tool
async def fine() -> str:
    return "fine"


async def turn_with(declared: Any, arguments: dict[str, object]) -> tuple[ToolResult, ...]:
    """The results of a turn of this tool and of one that is fine; all of them published."""
    published: list[ToolResult] = []
    async with open_registry() as registry:
        registry.register(declared)
        registry.register(fine)
        registry.add_observer(lambda view, result: published.append(result))
        calls = [ToolCall(declared.name, arguments), ToolCall("fine")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert len(published) == 2
    return results


@pytest.mark.parametrize(
    "annotation", [Annotated[int, Predicate(_exit)], Annotated[int, Predicate(_fail)], Exiting], ids=str
)
async def test_what_fails_while_arguments_are_read_is_that_calls_refusal(annotation: Any) -> None:
    """D26, case B18: also an exit; the body does not run, and the sibling is fine."""

    async def take(x: Any) -> None:
        pytest.fail("the body ran")

    take.__annotations__["x"] = annotation
    refused, other = await turn_with(tool(take), {"x": {"x": 1} if annotation is Exiting else 1})
    assert (refused.code, refused.dispatched, other.value) == (ErrorCode.INVALID_ARGS, False, "fine")


@pytest.mark.parametrize("annotation", [Annotated[int, Predicate(_interrupt)], Interrupting], ids=str)
async def test_ctrl_c_while_arguments_are_read_settles_the_calls_and_goes_on_bare(annotation: Any) -> None:
    """D17: as at any other place."""

    async def take(x: Any) -> None:
        pytest.fail("the body ran")

    take.__annotations__["x"] = annotation
    interrupts.clear()
    with pytest.raises(KeyboardInterrupt):
        await turn_with(tool(take), {"x": {"x": 1} if annotation is Interrupting else 1})
    assert len(interrupts) == 1  # and it does not run once more to settle the call


@pytest.mark.parametrize("answer", [_exit, _fail], ids=["exit", "error"])
async def test_what_fails_while_a_result_is_written_is_an_invalid_output(answer: Any) -> None:
    """R051, case B29: it says that the body ran, and the sibling is fine."""

    @tool(name="give")
    async def give() -> object:
        return {"a": Accessors(answer)}

    failed, other = await turn_with(give, {})
    assert (failed.code, failed.dispatched, other.value) == (ErrorCode.INVALID_TOOL_OUTPUT, True, "fine")
    assert failed.superseded is not None


@pytest.mark.parametrize(("contract", "code"), [(Exiting, None), (Interrupting, KeyboardInterrupt)])
async def test_a_contract_whose_class_fails_is_an_invalid_output(contract: Any, code: Any) -> None:
    """D22, D17."""

    @tool(name="give", output=contract)
    async def give() -> object:
        return {"x": 1}

    if code is not None:
        with pytest.raises(code):
            await turn_with(give, {})
        return
    failed, other = await turn_with(give, {})
    assert (failed.code, failed.dispatched, other.value) == (ErrorCode.INVALID_TOOL_OUTPUT, True, "fine")


async def test_arguments_that_cannot_be_read_for_another_attempt_say_that_the_body_has_run() -> None:
    """R043, D26: a validator that changes its mind is a failure of the tool, with what the attempt came to."""
    sent: list[int] = []

    def unsent(value: int) -> bool:
        return value not in sent

    async def take(x: Any) -> str:
        sent.append(x)
        return "sent"

    take.__annotations__["x"] = Annotated[int, Predicate(unsent)]

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        return await call_next()

    async with open_registry() as registry:
        registry.register(tool(take))
        registry.add_wrapper(twice)
        result = await registry.execute(ToolCall("take", {"x": 1}), scope=trio.CancelScope())
    assert (result.code, result.dispatched, result.cause) == (ErrorCode.TOOL_FAILED, True, None)
    assert result.superseded is not None
    assert result.superseded.value == "sent"
    assert "no further attempt" in result.text


async def test_a_described_or_optional_context_is_injected_and_a_return_annotation_checks_nothing() -> None:
    """D22, case B26: also one that names what is nowhere."""

    async def told(ctx: Annotated[ToolContext, "how to report"]) -> str:
        return ctx.call.name

    async with open_registry() as registry:
        told.__annotations__["return"] = "Nowhere"
        registry.register(told)
        assert registry.tools["told"].parameters["properties"] == {}
        assert (await registry.execute(ToolCall("told"), scope=trio.CancelScope())).value == "told"
