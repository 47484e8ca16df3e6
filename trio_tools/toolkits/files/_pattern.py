"""Glob patterns, compiled so that a walk knows which directories can hold a match.

A pattern is a row of segments, one per name of a path. Walking down, a set of positions in the row is carried along;
where the set becomes empty nothing below can match, and the directory is not opened. No segment backtracks, so that a
hostile pattern costs no more than a plain one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs

from trio_tools.toolkits.files._braces import alternatives, class_end
from trio_tools.toolkits.files._failures import bad_pattern, outside_pattern

# Positions of a pattern that the names so far have led to.
Positions: TypeAlias = frozenset[int]

# Gives what the parts of an absolute path are below the root.
Inside: TypeAlias = Callable[[Sequence[str]], "list[str] | None"]

# Characters of one pattern. Longer than any path worth writing; bounds the work of compiling it.
MAX_PATTERN_CHARS = 1_000


@attrs.frozen
class Pattern:
    """A compiled glob pattern. Make one with `compile_pattern`.

    `segments` are all alternatives one after another: an expression, or None for `**`. `relative` and `absolute` are
    where those begin that count from the directory searched, and from the root; `final` is where one ends.
    """

    segments: tuple[re.Pattern[str] | None, ...]
    relative: Positions
    absolute: Positions
    final: Positions

    def start(self, top: Sequence[str]) -> Positions:
        """Where a search stands in the directory that `top` names, from the root."""
        positions = self._open(self.absolute)
        for name in top:
            positions = self.enter(positions, name)
        return positions | self._open(self.relative)

    def enter(self, positions: Positions, name: str) -> Positions:
        """Where it stands in a directory of this name. Empty if nothing in there can match."""
        return self.entrance(positions)(name)

    def entrance(self, positions: Positions) -> Callable[[str], Positions]:
        """What tells, for many names at these positions, where it stands in a directory of that name."""
        inner = positions - self.final
        anywhere = frozenset(at for at in inner if self.segments[at] is None)
        always = self._open(anywhere)
        tests = [(at + 1, segment.fullmatch) for at in inner if (segment := self.segments[at]) is not None]
        if not tests:
            return lambda name: always
        return lambda name: self._open(anywhere.union(at for at, test in tests if test(name)))

    def matcher(self, positions: Positions) -> Callable[[str], object]:
        """What tells, for many names at these positions, whether a file is one that the pattern means."""
        last = (self.segments[at] for at in positions & self.final)
        tests = [segment.fullmatch for segment in last if segment is not None]
        if len(tests) == 1:
            return tests[0]
        return lambda name: any(test(name) for test in tests)

    def _open(self, positions: Positions) -> Positions:
        """With those behind each `**`, which may stand for nothing. None ends a pattern, and none follows another."""
        return positions | {at + 1 for at in positions if self.segments[at] is None}


def compile_pattern(pattern: str, inside: Inside, *, anywhere: bool = False) -> Pattern:
    """Compile a glob pattern: `**` for any directories, `*`, `?`, `[a-z]`, `[!a-z]`, `{this,that}`, `\\` to escape.

    `inside` gives what the parts of an absolute path are below the root, None if they lie outside. `anywhere` lets a
    pattern without a slash match in every directory, as if it began with `**/`. Raises `ToolError`:
    `SEARCH_INVALID_PATTERN`, saying why; `FS_OUTSIDE_ROOT` for `..` and for an absolute pattern outside.
    """
    if not pattern:
        raise bad_pattern(pattern, "it is empty. To find every file use **/*")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise bad_pattern(pattern[:50] + "...", f"it is longer than {MAX_PATTERN_CHARS:,} characters. Shorten it")
    if pattern.startswith("!"):
        raise bad_pattern(pattern, "a pattern says what to find, and cannot exclude. For a name with ! write \\!")
    segments: list[re.Pattern[str] | None] = []
    starts: tuple[list[int], list[int]] = ([], [])
    final: list[int] = []
    try:
        for one in alternatives(pattern):
            starts[one.startswith("/")].append(len(segments))
            segments.extend(
                None if text == "**" else _segment(text) for text in _texts(one, pattern, inside, anywhere=anywhere)
            )
            final.append(len(segments) - 1)
    except ValueError as why:
        raise bad_pattern(pattern, str(why)) from None
    return Pattern(tuple(segments), frozenset(starts[0]), frozenset(starts[1]), frozenset(final))


def _texts(one: str, pattern: str, inside: Inside, *, anywhere: bool) -> list[str]:
    """The segments of one alternative, from the root or the directory searched; the last one is never `**`."""
    parts: list[str] | None = [part for part in one.split("/") if part not in ("", ".")]
    if one.startswith("/"):
        parts = inside(parts or [])
    if parts is None or ".." in parts:
        raise outside_pattern(pattern)
    if not parts or one.rsplit("/", 1)[-1] in ("", "."):
        raise ValueError("it names a directory, and only files are found. To find the files in it add **/*")
    if parts[-1] == "**":
        parts.append("*")
    if anywhere and "/" not in one:
        parts.insert(0, "**")
    return [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]


def _segment(text: str) -> re.Pattern[str]:
    """The expression for one name. Each piece between two stars is found once, leftmost, and never given back: pieces
    have a fixed length, so that no other place could help."""
    pieces = [""]
    at = 0
    while at < len(text):
        match text[at]:
            case "*":
                pieces.append("")
            case "?":
                pieces[-1] += "."
            case "[":
                body, at = _class(text, at)
                pieces[-1] += body
            case "\\":
                at += 1
                if at == len(text):
                    raise ValueError("it ends in a backslash. For a backslash itself write two")
                pieces[-1] += re.escape(text[at])
            case character:
                pieces[-1] += re.escape(character)
        at += 1
    first, *others = pieces
    if not others:
        return re.compile(first, re.DOTALL)
    *middle, last = others
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + ".*" + last, re.DOTALL)


def _class(text: str, at: int) -> tuple[str, int]:
    """The expression for the class that opens at `at`, and where it closes."""
    end = class_end(text, at)
    if end < 0:
        raise ValueError("a [ is never closed. For the character itself write \\[")
    negated = text[at + 1] in "!^"
    body, members = text[at + 1 + negated : end], ""
    while body:
        if len(body) >= 3 and body[1] == "-":
            if body[0] > body[2]:
                raise ValueError(f"the range {body[:3]} runs backwards")
            members += f"{re.escape(body[0])}-{re.escape(body[2])}"
            body = body[3:]
        else:
            members += re.escape(body[0])
            body = body[1:]
    return f"[{'^' if negated else ''}{members}]", end


def names_taken(include: str | None) -> tuple[str, ...]:
    """Globs, without a slash, of names that a pattern may mean, and of more: for an engine that reads globs otherwise.

    Empty if it may mean any name.
    """
    if include is None:
        return ()
    last = {one.rsplit("/", 1)[-1] for one in alternatives(include)}
    taken = {re.sub(r"\*+", "*", re.sub(r"\[.*\]|\\.|[^\w.*-]", "*", one, flags=re.ASCII)) for one in last}
    return () if "*" in taken else tuple(sorted(taken))
