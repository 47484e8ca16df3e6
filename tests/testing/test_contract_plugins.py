"""The contract of plugins: good ones keep it, and each of its promises is broken by a plugin that breaks only that."""

from __future__ import annotations

import threading

import plugin_examples as them
import pytest
import trio
from contract_checks import broken

from trio_tools import Plugin
from trio_tools.testing import plugin_contract
from trio_tools.testing.contracts._stage import Act, Stage

# Steps at which something ends the registry: enough to see each mistake here.
RUNS = 5

BAD: dict[str, tuple[Plugin[them.Config], str]] = {
    "cannot open": (them.cannot_open, "It opens with the config"),
    "describes nothing": (them.describes_nothing, "Its tools have descriptions"),
    "names no provider takes": (them.names_no_provider_takes, "Its tools have descriptions"),
    "opens only once": (them.opens_only_once, "It opens in two registries at once"),
    "leaves a task": (them.leaves_a_task, "Opened and left again and again"),
    "leaves a wrapper": (them.leaves_a_wrapper, "What it added at seams"),
    "leaves a tool": (them.leaves_a_tool, "Its tools are gone"),
    "leaves a service": (them.leaves_a_service, "Its services are gone"),
    "has to be warm": (them.has_to_be_warm, "What ends the registry comes out"),
    "renames the cancel": (them.renames_the_cancel, "What ends the registry comes out"),
    "tries too late": (them.tries_too_late, "However the registry is ended"),
    "cleans up unshielded": (them.cleans_up_unshielded, "However the registry is ended"),
}


@pytest.mark.parametrize(("plugin", "promise"), BAD.values(), ids=BAD.keys())
def test_a_plugin_with_a_mistake_breaks_just_the_promise_that_is_about_it(
    plugin: Plugin[them.Config], promise: str
) -> None:
    found = broken(plugin_contract(plugin, runs=RUNS))
    assert [name.startswith(promise) for name in found] == [True], found


def test_a_good_plugin_keeps_every_promise_at_every_step() -> None:
    assert broken(plugin_contract(them.good)) == {}


def test_a_plugin_is_opened_with_what_it_requires() -> None:
    assert broken(plugin_contract(them.reports, beside=[them.good], runs=RUNS)) == {}
    with pytest.raises(ValueError, match="requires plugin"):
        plugin_contract(them.reports)


def test_every_promise_is_broken_by_some_example() -> None:
    names = [promise.name for promise in plugin_contract(them.good)]
    assert [name for name in names if not any(name.startswith(promise) for _, promise in BAD.values())] == []


def test_a_thread_that_works_for_somebody_else_leaves_the_clock_virtual() -> None:
    """It was there before. On the real clock a lifetime has other steps, and what is drawn of them may meet nothing."""
    begun, end = threading.Event(), threading.Event()

    def serve() -> None:
        begun.set()
        end.wait()

    async def nap() -> None:
        await trio.sleep(1)

    stage = Stage()
    other = threading.Thread(target=serve)
    other.start()
    begun.wait()
    try:
        take, _ = stage.take(lambda: Act(main=nap, state=None))
    finally:
        end.set()
        other.join()
    assert (stage.virtual, take.seconds, take.left) == (True, 1.0, [])
