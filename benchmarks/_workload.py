"""The work that both sides do: the bodies, their arguments, and what must come of them."""

from __future__ import annotations

import json
from typing import Any

import trio

ADD_ARGUMENTS = {"a": 2, "b": 3}
ADD_TEXT = json.dumps(ADD_ARGUMENTS)
ADD_ANSWER = 5

# 20 objects of 5 fields: a search result or a page of rows, the size at which validation sets the price.
RECORDS = 20
RECORDS_TEXT = json.dumps(
    {
        "items": [
            {"id": i + 7, "name": f"record number {i}", "price": i * 1.25, "tags": ["x", f"t{i}"], "active": i % 2 == 0}
            for i in range(RECORDS)
        ]
    }
)
RECORDS_ANSWER = 7 + RECORDS


async def add(a: int, b: int) -> int:
    """Add two numbers: the least a tool can do, so that all that is measured is the way there and back."""
    return a + b


def add_sync(a: int, b: int) -> int:
    """Add two numbers, in a worker thread."""
    return a + b


async def ingest(items: list[dict[str, Any]]) -> int:
    """Take in records."""
    return int(items[0]["id"]) + len(items)


async def fail(a: int, b: int) -> int:
    """Fail, as tools do."""
    raise ValueError(f"cannot add {a} and {b}")


class Gate:
    """Counts the bodies that have begun, and holds them until they are cancelled."""

    def __init__(self) -> None:
        self.missing = 0
        self.full = trio.Event()

    def expect(self, bodies: int) -> None:
        """Start a new count: `full` is set when that many bodies have begun."""
        self.missing = bodies
        self.full = trio.Event()

    async def park(self) -> None:
        """Be counted, then stay until cancelled."""
        self.missing -= 1
        if not self.missing:
            self.full.set()
        await trio.sleep_forever()
