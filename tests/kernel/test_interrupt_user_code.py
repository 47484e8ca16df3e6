"""Ctrl-C in code of the user's, at each of the seams (D17)."""

from __future__ import annotations

import signal

import pytest
import trio

from trio_tools import CallNext, Dispatch, ToolCall, ToolResult, open_registry, tool


@pytest.mark.parametrize("stage", ["policy", "wrapper", "post", "observer", "on_settled", "finalizer"])
def test_ctrl_c_in_user_code_at_any_stage_loses_no_result(stage: str) -> None:
    """D17: whatever of the user's it lands in, three results are published and the bare exception goes on."""
    published: list[ToolResult] = []

    def strike(*_: object) -> None:
        if not struck:
            struck.append(stage)
            signal.raise_signal(signal.SIGINT)

    struck: list[str] = []

    async def striking_wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        strike()
        return await call_next()

    @tool(finalize_content=strike if stage == "finalizer" else None, read_only=True)
    async def target(a: int) -> int:
        await trio.lowlevel.checkpoint()
        return a

    async def main() -> None:
        async with open_registry() as registry:
            registry.register(target)
            registry.add_observer(lambda view, result: published.append(result))
            if stage == "policy":
                registry.add_pre_policy(strike)
            if stage == "wrapper":
                registry.add_wrapper(striking_wrapper)
            if stage == "post":
                registry.add_post_policy(strike)
            if stage == "observer":
                registry.add_observer(strike)
            await registry.execute_turn(
                [ToolCall("target", {"a": n}) for n in range(3)],
                scope=trio.CancelScope(),
                on_settled=strike if stage == "on_settled" else None,
            )

    with pytest.raises(KeyboardInterrupt) as raised:
        trio.run(main)
    assert type(raised.value) is KeyboardInterrupt
    assert len(published) == 3
    assert struck == [stage]
