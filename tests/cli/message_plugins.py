"""Sources of plugins that the table of messages installs."""

from __future__ import annotations

import textwrap

# A plugin that any test may list, with an option of each kind that matters here.
HOUSE = """
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal
import attrs
from trio_tools import option, plugin

def not_bad(config, attribute, value):
    if value == "bad":
        raise ValueError(f"{attribute.name} must be good")
    if value == "worse":
        raise SystemExit(3)

@attrs.frozen(kw_only=True)
class Config:
    address: str = attrs.field(default="", validator=not_bad, metadata=option(environment=True))
    rooms: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    colour: Literal["red", "green"] = "red"
    names: list[str] = []
    pair: tuple[int, str] = (1, "a")
    plan: dict[str, int] = {}
    same_key: int = 0
    Same_key: int = 0
    odd: complex = 0j
    size: Literal[1, 2] = 1

@plugin("house", config=Config)
@asynccontextmanager
async def it(registry, config):
    yield
"""


def named(name: str) -> str:
    """A plugin of this name with one option."""
    return HOUSE.replace('"house"', f'"{name}"')


def plugin(body: str, *, name: str = "x", more: str = "", before: str = "") -> str:
    """The source of a plugin with this body."""
    return f"""
import sys
from contextlib import asynccontextmanager
import attrs, trio
from trio_tools import plugin

@attrs.frozen
class Config:
    pass

class Shop:
    pass

{before}

@plugin("{name}", config=Config{more})
@asynccontextmanager
async def it(registry, config):
{textwrap.indent(textwrap.dedent(body).strip(), "    ")}
"""


CRASHING = """
async def crash():
    await running.wait()
    raise ConnectionError("the line\\x1b[2J is dead")

running = trio.Event()

async def waits() -> str:
    '''Wait.'''
    running.set()
    await trio.sleep_forever()

with registry.register(waits):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash)
        yield
"""
SPEAKING = """
from trio_tools import Tool
odd = Tool(name="odd", parameters={"type": "object", "properties": {"a": {"not": {}}}}, body=lambda arguments: None)
with registry.register(odd):
    yield
"""


# A plugin whose own scope is cancelled while a tool of it runs, so that it ends before its time.
ENDING = """
with trio.CancelScope() as scope:
    async def ends() -> str:
        '''End it.'''
        scope.cancel()
        await trio.sleep_forever()

    with registry.register(ends):
        yield
"""
