"""Every text in the source that a user may be told, and which of them a run of the command line has told.

All texts of two words are taken, so that none can be forgotten by where it stands; what is no message is on a list,
with its reason. A text has been told if what it says was printed, and its line was run (or it is a whole sentence: a
tracer sees neither constants nor what follows a recursion that went too deep).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import attrs

import trio_tools

HOUSE = Path(trio_tools.__file__).parent
# Texts of these stand on a terminal while a run goes on, in the help, or after a second Ctrl-C: none of them is about
# bad input, and others' tests look at them.
LIVE = {f"cli/_{name}.py" for name in ("help", "drawing", "rows", "words", "table", "screen", "stuck")}
# Texts of these are what a session looks like, in a terminal and on a page.
SHOWN = {f"cli/log/_{name}.py" for name in ("account", "bars", "html", "line", "meanings", "page", "style", "tables")}
# Where bad input is told of: the command line, configs, lines of turns, plugins, and the config classes of our own.
ROOMS = (
    "cli/*.py",
    "cli/log/*.py",
    "config/*.py",
    "toolkits/*/_config.py",
    "policies/_logging.py",
    "registry/_options.py",
)
READERS = tuple(
    f"formats/_{name}.py"
    for name in (
        *("turn", "plain", "openai_turn", "anthropic_turn", "message", "span", "history", "names"),
        *("balance", "pairing", "parts", "rendering", "transcript", "transcript_forms"),
    )
)
PLUGINS = ("registry/_plugin.py", "registry/_lifetime.py", "pipeline/_services.py", "values/_strict.py")
# Two words, or an f-string with one: a word or two alone are nouns, keys and names.
_WORDS = re.compile(r"[A-Za-z]{2,}")
_NOUN = re.compile(r"an? [\w-]+")
_FORMAT = re.compile(r"%(?:s|\.3f)")
HOLE = "{}"


@attrs.frozen
class Template:
    """A text: the file that it is in, the lines that it stands on, and its words, with a `HOLE` for each part of it
    that is put in at run time."""

    file: str
    lines: range
    words: str

    def fits(self, line: str) -> bool:
        """Whether a line may have been made of it."""
        return _pattern(self.words).search(line) is not None

    @property
    def is_sentence(self) -> bool:
        """Whether it is so long, and nothing put in, that no other text can be taken for it."""
        return HOLE not in self.words and len(self.words.split()) > 3


@cache
def _pattern(words: str) -> re.Pattern[str]:
    pattern = ".*".join(map(re.escape, words.split(HOLE)))
    # a colon goes between an option and what is wrong with it
    return re.compile(pattern.replace(r"\ must\ ", r":?\ must\ "))


def templates_in(file: str, source: str) -> Iterator[Template]:
    """The texts of a module that somebody may be told, docstrings left out."""
    tree = ast.parse(source)
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            inner.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            inner.update(one for one in node.values if isinstance(one, ast.Constant))
    for node in ast.walk(tree):
        if node not in inner and (words := _words_of(node)):
            assert isinstance(node, ast.expr)
            yield Template(file, range(node.lineno, (node.end_lineno or node.lineno) + 1), words)


def _words_of(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        words = "".join(str(one.value) if isinstance(one, ast.Constant) else HOLE for one in node.values)
        return words if _WORDS.search(words) else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
        words = _FORMAT.sub(HOLE, node.value)
        return "" if _NOUN.fullmatch(words) or not _WORDS.search(words) else words
    return ""


@cache
def templates() -> tuple[Template, ...]:
    """All of them."""
    found = sorted(path for room in (*ROOMS, *READERS, *PLUGINS) for path in HOUSE.glob(room))
    files = {path.relative_to(HOUSE).as_posix(): path for path in found}
    return tuple(
        one
        for file, path in files.items()
        if file not in LIVE | SHOWN
        for one in templates_in(file, path.read_text("utf-8"))
    )


class Lines:
    """The lines of the house that were run, by file."""

    def __init__(self) -> None:
        self._run: set[tuple[str, int]] = set()

    def has(self, template: Template) -> bool:
        return any((template.file, number) in self._run for number in template.lines)

    @contextmanager
    def noted(self) -> Generator[None]:
        """Note what is run in the block. Whoever traced before does so again afterwards."""
        files, run = _telling_files(), self._run

        def enter(frame: FrameType, event: str, argument: object) -> Any:
            file = files.get(frame.f_code.co_filename)
            if file is None or not _tells(frame.f_code, file):  # a look at the code itself takes much longer
                return None

            def line(frame: FrameType, event: str, argument: object) -> Any:
                run.add((file, frame.f_lineno))
                return line

            return line

        before = sys.gettrace()
        sys.settrace(enter)
        try:
            yield
        finally:
            sys.settrace(before)


@cache
def _telling() -> dict[str, set[int]]:
    """The lines that texts stand on, by file."""
    found: dict[str, set[int]] = {}
    for one in templates():
        found.setdefault(one.file, set()).update(one.lines)
    return found


@cache
def _telling_files() -> dict[str, str]:
    """The files that texts stand in, by what code calls them."""
    return {str(HOUSE / file): file for file in _telling()}


@cache
def _tells(code: CodeType, file: str) -> bool:
    """Whether there is a text in this code of a file; only that is worth following line by line. Lines of a module or a
    class run when it is imported, by whichever row is the first to need it: they tell nothing."""
    return bool(code.co_flags & CO_OPTIMIZED) and any(line in _telling()[file] for _, _, line in code.co_lines())
