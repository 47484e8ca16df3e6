"""Values that bodies return and that are hard to write down: they lie, raise, change, or have no end."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple


@dataclasses.dataclass
class Knot:
    inner: object = None


class Pair(NamedTuple):
    a: int
    b: str


class Said(str):
    """Text that shows something else than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        return "a lie"

    __repr__ = __str__


class Measured(float):
    """A number that answers wrongly, as those of number libraries may."""

    def __abs__(self) -> Measured:
        return Measured(0)

    def __lt__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "1.0"


class Kept(Enum):
    SET = frozenset({1})
    OPAQUE = object()


class Shy:
    """A value that cannot be shown."""

    def __init__(self, thrown: BaseException | None = None, shown: str = "") -> None:
        self.thrown, self.shown = thrown, shown

    def __repr__(self) -> str:
        if self.thrown is not None:
            raise self.thrown
        return self.shown


class Proxy:
    """Stands for something that is out of reach: whatever it is asked for, it raises."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("no application is bound")


class Agreeable:
    """Has every attribute that it is asked for, as remote objects do."""

    def __getattr__(self, name: str) -> object:
        return Agreeable()


class Awaitable:
    """Can be awaited, and has a `close` that is not ours to call."""

    def __init__(self) -> None:
        self.is_closed = False

    def __await__(self) -> Generator[None]:
        yield

    def close(self) -> None:
        self.is_closed = True
        raise ConnectionError("closed by a stranger")


class Broken(Mapping[str, object]):
    """A mapping whose members raise."""

    def __init__(self, thrown: BaseException) -> None:
        self.thrown = thrown

    def __getitem__(self, key: str) -> object:
        raise self.thrown

    def __iter__(self) -> Iterator[str]:
        return iter(("a",))

    def __len__(self) -> int:
        return 1


class Meddling(Mapping[str, object]):
    """A mapping that, when it is read, lets a thread do something to what it is in, and waits for it."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        self.meddle = meddle

    def __getitem__(self, key: str) -> object:
        thread = threading.Thread(target=self.meddle)
        thread.start()
        thread.join()
        return key

    def __iter__(self) -> Iterator[str]:
        return iter(("a",))

    def __len__(self) -> int:
        return 1


def knotted(knot: Callable[[Any], object]) -> object:
    made = Knot()
    made.inner = knot(made)
    return made


def in_itself() -> dict[str, object]:
    made: dict[str, object] = {"a": 1}
    made["b"] = [made]
    return made


def nested(levels: int, around: Callable[[object], object]) -> object:
    made: object = 1
    for _ in range(levels):
        made = around(made)
    return made


def numbers() -> Iterator[int]:
    yield 1


async def later() -> AsyncGenerator[int]:
    yield 1


async def answer() -> int:
    return 1
