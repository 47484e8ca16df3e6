"""What a wrapper is for, as its author says: claiming an outcome, retrying, answering calls itself."""

from __future__ import annotations

import attrs

from trio_tools.values import ErrorCode, check_seconds, is_own_code


@attrs.frozen(kw_only=True)
class Kinds:
    """The kinds that a wrapper is of.

    Raises `ValueError` for a number out of range, and for a code that no call can have.
    """

    claims: tuple[str, float] | None  # a code, and seconds
    retries: tuple[str, int] | None  # a code, and attempts in all
    short_circuits: int | None

    def __attrs_post_init__(self) -> None:
        """Look at what is given. Raises `ValueError` for a number out of range and a code that no call can have."""
        if self.claims is not None:
            code, seconds = self.claims
            check_seconds("the seconds of claims", seconds)
            if not is_own_code(code) and code not in ErrorCode.__members__:
                raise ValueError(f"claims: {code!r} is no code of a failure")
        if self.retries is not None:
            code, attempts = self.retries
            if not is_own_code(code) and code != ErrorCode.TOOL_FAILED:
                raise ValueError(f"retries: no tool can fail with {code!r}; name TOOL_FAILED, or a code of your own")
            if attempts < 1:
                raise ValueError(f"retries: a wrapper makes 1 attempt at least, not {attempts!r}")
        if self.short_circuits is not None and self.short_circuits < 1:
            raise ValueError(f"short_circuits counts calls from 1, not from {self.short_circuits!r}")

    @property
    def claimed(self) -> tuple[str, ...]:
        """The code that it claims, if it claims."""
        return () if self.claims is None else (self.claims[0],)
