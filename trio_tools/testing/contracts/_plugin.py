"""The contract of plugins: opened and left, again and again, in every way that a registry can come to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from trio_tools.registry import AnyPlugin, in_order_of_need
from trio_tools.testing.contracts._contract import Promise
from trio_tools.testing.contracts._lifetimes import Lifetime, Lifetimes
from trio_tools.tool import Tool

# Steps of opening, using and leaving at which something is done, of each kind: all that there are, with some to spare.
RUNS = 200


def plugin_contract(plugin: AnyPlugin, *, beside: Iterable[AnyPlugin] = (), runs: int = RUNS) -> tuple[Promise, ...]:
    """What every plugin promises.

    Arguments: `plugin`, with its config, or without one to be opened with its defaults; `beside`, the plugins that it
    requires; `runs`, at how many steps of opening, using and leaving it something ends the registry, drawn if there are
    more.

    Promises are proved on the virtual clock, unless the plugin uses threads, processes or sockets.

    Raises `ValueError` and `TypeError` as `open_registry` does, for plugins that cannot be put in order.
    """
    in_order_of_need((*beside, plugin))
    lifetimes = Lifetimes(plugin, tuple(beside), runs)
    return (*_of_itself(lifetimes), *_of_leaving(lifetimes), *_of_ends(lifetimes))


def _of_itself(lifetimes: Lifetimes) -> Iterator[Promise]:
    yield Promise(
        "It opens with the config that it is given, or with its defaults",
        "give each option of its config a default that works, or give the contract a plugin with its config",
        lambda: _raised([lifetimes.once()]),
    )
    yield Promise(
        "Its tools have descriptions, and schemas that every provider takes",
        "write a docstring for each tool, and leave out what the forms of providers cannot say",
        lambda: _schemas(lifetimes.once()),
    )
    yield Promise(
        "It opens in two registries at once",
        "keep what it has in the plugin's own function, not in its module",
        lambda: _if_usable(lifetimes, lambda: _raised([lifetimes.twice_at_once()])),
    )


def _of_leaving(lifetimes: Lifetimes) -> Iterator[Promise]:
    yield Promise(
        "Opened and left again and again, it leaves nothing: no task, thread, process, descriptor or file",
        "close in finally or with a context manager what the plugin has opened, and end what it has started",
        lambda: _left([lifetimes.again_and_again()]),
    )
    yield Promise(
        "What it added at seams is gone when it has left",
        "add with a with statement: with registry.add_wrapper(...): yield",
        lambda: _remaining(lifetimes.once(), "seams"),
    )
    yield Promise(
        "Its tools are gone when it has left",
        "register with a with statement: with registry.register(...): yield",
        lambda: _remaining(lifetimes.once(), "tools"),
    )
    yield Promise(
        "Its services are gone when it has left",
        "provide with a with statement: with registry.provide(Service, service): yield",
        lambda: _remaining(lifetimes.once(), "services"),
    )


def _of_ends(lifetimes: Lifetimes) -> Iterator[Promise]:
    yield Promise(
        "What ends the registry comes out, and nothing of its own: a cancel, Ctrl-C or a crash beside it, at any step "
        "of opening, use and leaving, a plugin after it that fails to open, an error of the block",
        "let Cancelled go on, and leave as if you had been open for long: nothing may have been used yet",
        lambda: _if_usable(lifetimes, lambda: _raised(lifetimes.ended())),
    )
    yield Promise(
        "However the registry is ended, it leaves nothing behind, and takes back what it added",
        "put try right behind what is to be undone, and shield with a bound a clean-up that awaits",
        lambda: _if_usable(lifetimes, lambda: _behind(lifetimes)),
    )


# --- judging -------------------------------------------------------------------------------------------------------


def _if_usable(lifetimes: Lifetimes, look: Callable[[], Iterator[str]]) -> Iterator[str]:
    """What is found, of a plugin that can be opened at all: else another promise tells of it."""
    if not any(_raised([lifetimes.once()])):
        yield from look()


def _raised(lives: Iterable[Lifetime]) -> Iterator[str]:
    for life in lives:
        if life.take.gave_up is not None:
            yield f"{life.words}: {life.take.gave_up}"
        elif life.failures:
            yield from (f"{life.words}: {one}" for one in life.failures)
        elif not life.ended_right:
            thrown = life.take.raised
            yield f"{life.words}: " + ("nothing came out" if thrown is None else f"{thrown!r} came out")


def _left(lives: Iterable[Lifetime]) -> Iterator[str]:
    for life in lives:
        yield from (f"{life.words}: {one.words} was left behind" for one in life.take.left)


def _remaining(life: Lifetime, *kinds: str) -> Iterator[str]:
    for kind in kinds:
        yield from (f"{life.words}: {one} is still there" for one in life.remaining[kind])


def _behind(lifetimes: Lifetimes) -> Iterator[str]:
    """What is left by those that something ended, and not by one that nothing did."""
    once, again = lifetimes.once(), lifetimes.again_and_again()
    kept = {one.kind for one in (*once.take.left, *again.take.left)}
    kinds = [kind for kind in once.remaining if not once.remaining[kind]]
    for life in lifetimes.ended():
        yield from (f"{life.words}: {one.words} was left behind" for one in life.take.left if one.kind not in kept)
        yield from _remaining(life, *kinds)


def _schemas(life: Lifetime) -> Iterator[str]:
    for one in life.tools:
        if not one.description.strip():
            yield f"the tool {one.name} has no description"
        yield from _unsaid(one)


def _unsaid(one: Tool) -> Iterator[str]:
    from trio_tools.formats import FORMS, NotInForm

    for name, form in FORMS.items():
        if name.endswith("-strict"):
            continue  # a choice of whoever sends it, and not for every tool
        try:
            form(one.schema())
        except NotInForm as error:
            yield f"the tool {one.name} cannot be told in the form {name}: {error}"
