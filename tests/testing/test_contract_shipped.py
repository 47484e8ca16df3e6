"""What comes with trio_tools keeps the contracts that are for everybody."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from trio_tools.journal import journal_in_memory, memory_journal
from trio_tools.pipeline import Recorder
from trio_tools.policies import logging_plugin, timeout
from trio_tools.policies._timeout import enforce
from trio_tools.registry import AnyPlugin
from trio_tools.testing import Promise, plugin_contract, recorder_contract, wrapper_contract
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.toolkits.shell import shell

# Ways to end a call of each stock tool, drawn: the kernel's own tests try them all.
RUNS = 12

SHIPPED: list[AnyPlugin] = [
    timeout,
    logging_plugin,
    files(FilesConfig(root=Path(__file__).parent)),
    shell,
    journal_in_memory,
]
PROMISES = [(plugin.name, promise) for plugin in SHIPPED for promise in plugin_contract(plugin)]


@pytest.mark.parametrize("promise", [pytest.param(one, id=f"{name}: {one}") for name, one in PROMISES])
def test_a_plugin_that_comes_with_it_keeps_its_promise(promise: Promise) -> None:
    promise()


@pytest.mark.parametrize("promise", wrapper_contract(lambda: enforce, claims=("TOOL_TIMEOUT", 5), runs=RUNS), ids=str)
def test_the_wrapper_of_the_timeout_policy_keeps_its_promise(promise: Promise) -> None:
    promise()


@asynccontextmanager
async def recording() -> AsyncGenerator[Recorder]:
    async with memory_journal() as kept:
        yield kept.record


@pytest.mark.parametrize("promise", recorder_contract(recording, runs=RUNS), ids=str)
def test_the_recorder_of_a_journal_keeps_its_promise(promise: Promise) -> None:
    promise()
