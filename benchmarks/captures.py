"""Writes what the live view looks like to docs/captures and docs/command-line.md: `python -m benchmarks.captures`.

The command runs on a pseudoterminal, and a terminal emulator interprets it; nothing is drawn by hand.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path

import attrs
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

from benchmarks.terminal import Terminal, terminal

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "captures"
PAGE = ROOT / "docs" / "command-line.md"
PROMPT = "$ trio-tools run turn.jsonl --tools read,grep,bash --timeout 600 > results\r\n"
BUILD = """
trap 'echo rolling back >&2; sleep 2; exit' TERM
for part in 1 2 3; do echo compiling part $part of 3; sleep 0.4; done
echo linking the parts of the package into one
for second in {1..20}; do sleep 1; done
"""


def call(name: str, number: int, **arguments: str) -> Mapping[str, object]:
    """A call with an id as providers make them."""
    return {"id": f"toolu_01A09q90qw90lq9178{number:02}", "name": name, "arguments": arguments}


CALLS = [
    call("read", 1, file_path="README.md"),
    call("grep", 2, pattern="def run"),
    call("read", 3, file_path="nowhere.md"),
    call("bash", 4, command=BUILD, description="Build the package"),
    call("bash", 5, command="sleep 3", description="Run the tests"),
    call("read", 6, file_path="LICENSE"),
]


@attrs.frozen(kw_only=True)
class Capture:
    """One picture: its name, the columns and lines of the terminal, what is to be seen on it, and what is typed when
    the command has come so far, to see something else."""

    name: str
    columns: int
    lines: int
    wanted: str = "linking"
    keys: bytes = b""
    then: str = "linking"

    def take(self, folder: Path) -> list[Text]:
        """The lines of the screen, coloured, from a run whose files are in that folder."""
        turns = folder / "turn.jsonl"
        turns.write_text(json.dumps({"calls": CALLS}) + "\n")
        arguments = ["run", str(turns), "--tools", "read,grep,bash", "--timeout", "600", "--root", str(ROOT)]
        own = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
        environment = {name: value for name, value in os.environ.items() if name not in own}
        environment |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        with (
            (folder / "results.jsonl").open("wb") as results,
            terminal(
                arguments,
                columns=self.columns,
                lines=self.lines,
                stdout=results.fileno(),
                before=PROMPT.encode(),
                environment=environment,
            ) as shown,
        ):
            shown.see(lambda text: self.wanted in text)
            shown.type(self.keys)
            shown.see(lambda text: self.then in text)
            picture = _picture(shown)
            shown.type(b"\x03")
            shown.end()
        return picture


CAPTURES = [
    Capture(name="live-80", columns=80, lines=24),
    Capture(name="live-200", columns=200, lines=50),
    Capture(name="stopping-80", columns=80, lines=24, keys=b"\x03", then="rolling back"),
]


def _picture(shown: Terminal) -> list[Text]:
    screen = shown.screen
    columns = range(screen.columns)
    lines = [Text.assemble(*(_cell(screen.buffer[y][x]) for x in columns)) for y in range(len(shown.lines))]
    for line in lines:
        line.rstrip()
    return lines


def _cell(char: pyte.screens.Char) -> tuple[str, Style]:
    # pyte knows no dim: what is dim comes out plain; what it calls brown is yellow
    colour = None if char.fg == "default" else "yellow" if char.fg == "brown" else char.fg
    return char.data, Style(color=colour, bold=char.bold, italic=char.italics)


def as_svg(picture: list[Text], *, columns: int) -> str:
    """A picture in a frame, of so many columns, without fonts from elsewhere."""
    console = Console(width=columns, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    for line in picture:
        console.print(line, no_wrap=True, overflow="crop")
    svg = console.export_svg(title="trio-tools run", unique_id="live")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def as_block(text: str) -> str:
    """A text as a block of a page."""
    return textwrap.indent(text, "    ")


def main() -> None:
    """Take all pictures anew, and put them in the place of the old ones."""
    for capture in CAPTURES:
        with tempfile.TemporaryDirectory() as folder:
            picture = capture.take(Path(folder))
        text = FOLDER / f"{capture.name}.txt"
        old, new = text.read_text(), "".join(f"{line.plain}\n" for line in picture)
        text.write_text(new)
        PAGE.write_text(PAGE.read_text().replace(as_block(old), as_block(new)))
        (FOLDER / f"{capture.name}.svg").write_text(as_svg(picture, columns=capture.columns))


if __name__ == "__main__":
    main()
