"""What a contract is: promises, each with a name, that a test calls one by one or all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

# Instances of one broken promise that are shown: one mistake shows in many, and the first say it.
SHOWN = 3


@attrs.frozen(eq=False)
class Promise:
    """One promise of a contract; call it to have it proved. `name` is what is promised, in a sentence, and `advice`
    what to do where it is broken."""

    name: str
    advice: str = attrs.field(repr=False)
    _look: Callable[[], Iterable[str]] = attrs.field(repr=False)

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> None:
        """Prove it, on registries that are opened for that.

        Raises `AssertionError` saying what happened, what should have, and what to do; and `RuntimeError` inside of
        Trio: it runs Trio itself.
        """
        broken = list(dict.fromkeys(self._look()))
        if broken:
            more = [f"... and {len(broken) - SHOWN} more like these"] if len(broken) > SHOWN else []
            lines = [f"broken: {self.name}", *broken[:SHOWN], *more, f"what to do: {self.advice}"]
            raise AssertionError("\n  ".join(lines))


def check_contract(promises: Iterable[Promise]) -> None:
    """Have every promise of a contract proved, also after one is found broken.

    Raises `AssertionError` with every one that is broken, and what the thing under contract raises as it is made.
    """
    broken: list[str] = []
    for promise in promises:
        try:
            promise()
        except AssertionError as found:
            broken.append(str(found))
    if broken:
        raise AssertionError("\n".join((f"{len(broken)} promises are broken", *broken)))
