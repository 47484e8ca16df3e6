"""Whether a call may overlap with others of its turn: asked late, and answered by a literal True only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, codes, nap, naps

from trio_tools import ToolCall, open_registry, tool
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.toolkits.shell import ShellConfig, shell


async def test_whether_a_call_is_parallel_is_asked_late(autojump_clock: MockClock) -> None:
    """L003: what has started keeps its mode; then refilling stops, the pool drains, and the next is a barrier."""
    modes = {"all": True}

    def parallel(arguments: object) -> bool:
        return modes["all"]

    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        registry.unregister("nap")
        registry.register(tool(name="nap", parallel=parallel)(bodies.sleep))
        calls = [nap("a", 1), nap("b", 4), nap("c", 1), nap("d", 1)]

        def note(position: int, result: object) -> None:
            modes["all"] = position != 0

        await registry.execute_turn(calls, scope=trio.CancelScope(), on_settled=note)
    # c was exclusive when a had ended and made room; when b had ended as well, all were parallel again
    assert bodies.entered == {"a": 0, "b": 0, "c": 4, "d": 4}


async def test_a_tool_that_is_replaced_meanwhile_is_asked_as_it_is_now(autojump_clock: MockClock) -> None:
    """L003, D25: each call takes its tool when it starts."""

    def swap(position: int, result: object) -> None:
        if position == 0:
            registry.unregister("nap")
            registry.register(tool(name="nap")(bodies.sleep))

    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        calls = [nap("a", 1), nap("b", 4), nap("c", 1), nap("d", 1)]
        await registry.execute_turn(calls, scope=trio.CancelScope(), on_settled=swap)
    assert bodies.entered == {"a": 0, "b": 0, "c": 4, "d": 5}


def _raise(arguments: object) -> bool:
    raise KeyError("path")


def _exit(arguments: object) -> bool:
    raise SystemExit(1)


@pytest.mark.parametrize(
    ("answer", "overlaps"),
    [
        (True, True),
        (False, False),
        (1, False),
        ("yes", False),
        (None, False),
        ([0], False),
        (_raise, False),
        (_exit, False),
    ],
)
async def test_only_a_literal_true_is_parallel(answer: object, overlaps: bool, autojump_clock: MockClock) -> None:
    """R116: any doubt is exclusive."""

    def parallel(arguments: Mapping[str, object]) -> object:
        assert arguments["label"] in {"a", "b"}
        return answer(arguments) if callable(answer) else answer

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.unregister("nap")
        registry.register(tool(name="nap", parallel=parallel)(bodies.sleep))
        results = await registry.execute_turn(naps("ab"), scope=trio.CancelScope())
    assert (bodies.most, codes(results)) == (2 if overlaps else 1, [None, None])


async def test_parallel_is_what_is_read_only_unless_it_says_otherwise(autojump_clock: MockClock) -> None:
    """R116"""
    most: list[int] = []
    async with open_registry() as registry:
        for name, tried in {
            "reads": tool(name="t", read_only=True),
            "writes": tool(name="t"),
            "reads alone": tool(name="t", read_only=True, parallel=False),
        }.items():
            bodies = Bodies(registry)
            registry.register(tried(bodies.sleep))
            calls = [ToolCall("t", {"label": name + label}) for label in "ab"]
            await registry.execute_turn(calls, scope=trio.CancelScope())
            most.append(bodies.most)
            for one in ("t", "nap", "alone"):
                registry.unregister(one)
    assert most == [2, 1, 1]


@pytest.mark.parametrize("odd", [ToolCall("nothing"), ToolCall("nap", '{"label": 3}'), ToolCall("nap", "{")])
async def test_a_call_that_cannot_run_is_a_barrier(odd: ToolCall, autojump_clock: MockClock) -> None:
    """R116, L006: and its result stands in its place."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        results = await registry.execute_turn([nap("a"), odd, nap("b")], scope=trio.CancelScope())
    assert bodies.entered == {"a": 0, "b": 1}
    assert [result.is_error for result in results] == [False, True, False]


async def test_which_tools_of_ours_are_parallel(tmp_path: Path) -> None:
    """L022, D20: those that only read, glob and grep among them; a shell is exclusive."""
    everything = ("read", "glob", "grep", "write", "edit")
    ours = (files(FilesConfig(root=tmp_path, tools=everything)), shell(ShellConfig(root=tmp_path)))
    async with open_registry(plugins=ours) as registry:
        parallel = {name: one.parallel for name, one in registry.tools.items()}
    assert parallel == {
        "read": True,
        "glob": True,
        "grep": True,
        "write": False,
        "edit": False,
        "bash": False,
        "bash_output": True,
        "bash_kill": False,
    }
