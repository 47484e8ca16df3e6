"""What comes with trio_tools keeps the contracts that are for everybody."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import gettempdir

import pytest

from trio_tools.journal import JournalConfig, journal, journal_in_memory, memory_journal
from trio_tools.pipeline import PostPolicy, Recorder
from trio_tools.policies import RetryConfig, SpillConfig, logging_plugin, retry, spill, timeout
from trio_tools.policies._retry import repeating
from trio_tools.policies._spill import Spilling
from trio_tools.policies._spill_folder import SpillFolder
from trio_tools.policies._timeout import enforce
from trio_tools.registry import AnyPlugin
from trio_tools.testing import Promise, plugin_contract, post_policy_contract, recorder_contract, wrapper_contract
from trio_tools.toolkits.files import FilesConfig, files, read_before_write
from trio_tools.toolkits.shell import _tiers, shell
from trio_tools.toolkits.todo import TodoConfig, todo

# Ways to end a call of each stock tool, drawn: the kernel's own tests try them all.
RUNS = 12

FILES = files(FilesConfig(root=Path(__file__).parent))
SHIPPED: list[AnyPlugin] = [
    timeout,
    logging_plugin,
    retry,
    FILES,
    shell,
    journal_in_memory,
    spill(SpillConfig(directory=Path(gettempdir()))),
    todo(TodoConfig(several_in_progress=False)),
]
PROMISES = [
    *((plugin.name, promise) for plugin in SHIPPED for promise in plugin_contract(plugin)),
    *((read_before_write.name, promise) for promise in plugin_contract(read_before_write, beside=[FILES])),
]


class Forgetful(set[object]):
    """Nothing stays in it."""

    def add(self, element: object, /) -> None:
        """Not done."""


@pytest.mark.parametrize("promise", [pytest.param(one, id=f"{name}: {one}") for name, one in PROMISES])
def test_a_plugin_that_comes_with_it_keeps_its_promise(promise: Promise, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell's also while it finds out whether commands can be supervised, which it does once."""
    monkeypatch.setattr(_tiers, "_FOUND_TO_WORK", Forgetful())
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


@pytest.mark.parametrize("code", ["TOOL_FAILED", "HTTP_BUSY"])
def test_the_wrapper_of_the_retry_policy_keeps_its_promise(code: str) -> None:
    """Round failures that it repeats by itself, and round those of a code that its config names."""
    config = RetryConfig(attempts=3, codes=("TOOL_FAILED", "TOOL_TIMEOUT", "WRAPPER_FAILED", "HTTP_BUSY"))
    for promise in wrapper_contract(lambda: repeating(config), retries=(code, config.attempts), runs=RUNS):
        promise()


@asynccontextmanager
async def spilling() -> AsyncGenerator[PostPolicy]:
    config = SpillConfig(directory=Path(gettempdir()), max_inline_bytes=1_024)
    folder = SpillFolder(config.directory, config.max_total_bytes)
    try:
        yield Spilling(config, folder, list).review
    finally:
        await folder.remove()


def test_the_spill_policy_keeps_its_promises() -> None:
    """F011, R076: two that fit, and one that is saved, under a name that is never the same."""
    for promise in post_policy_contract(spilling, values=["a", "b", "long " * 1_000]):
        promise()


def test_the_journal_in_a_file_keeps_its_promises_and_is_of_one_registry(tmp_path: Path) -> None:
    """A second writer of the same file is refused, also in the same process."""
    promises = plugin_contract(journal(JournalConfig(path=tmp_path / "calls.db", durability="normal")))
    (twice,) = [promise for promise in promises if str(promise) == "It opens in two registries at once"]
    for promise in promises:
        if promise is not twice:
            promise()
    with pytest.raises(AssertionError, match="is being written by this process already"):
        twice()
