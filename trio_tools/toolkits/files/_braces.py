"""Brace alternatives of a glob pattern: `{a,b}/*` means `a/*` and `b/*`."""

from __future__ import annotations

from itertools import pairwise

# Patterns that one may stand for. Three groups of four, or every extension of a project; more is hardly meant.
MAX_ALTERNATIVES = 64


def alternatives(pattern: str) -> list[str]:
    """The patterns without braces that a pattern stands for. Groups nest; escapes and classes are left alone.

    Raises `ValueError`, saying why, for a brace without its partner and for more than `MAX_ALTERNATIVES`.
    """
    whole: list[str] = []
    pending = [pattern]
    while pending:
        one = pending.pop()
        group = _first_group(one)
        if group is None:
            whole.append(one)
        else:
            start, *commas, end = group
            bounds = [start, *commas, end]
            options = (one[left + 1 : right] for left, right in pairwise(bounds))
            pending.extend(one[:start] + option + one[end + 1 :] for option in options)
        if len(whole) + len(pending) > MAX_ALTERNATIVES:
            raise ValueError(f"its braces stand for more than {MAX_ALTERNATIVES} patterns. Search in several steps")
    return whole


def _first_group(pattern: str) -> list[int] | None:
    """Where the first group opens, has its commas, and closes; None if there is no group."""
    found: list[int] = []
    depth = at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif character == "[":
            at = max(at, class_end(pattern, at))  # one that never closes is told of elsewhere
        elif character == "{":
            depth += 1
            if depth == 1:
                found = [at]
        elif character == "}":
            depth -= 1
            if depth < 0:
                raise ValueError("a } closes nothing. For the character itself write \\}")
            if depth == 0:
                return [*found, at]
        elif character == "," and depth == 1:
            found.append(at)
        at += 1
    if depth:
        raise ValueError("a { is never closed. For the character itself write \\{")
    return None


def class_end(pattern: str, at: int) -> int:
    """Where the class that opens at `at` closes, -1 if it does not. A `]` right at its start is one of the class."""
    return pattern.find("]", at + (3 if pattern[at + 1 : at + 2] in ("!", "^") else 2))
