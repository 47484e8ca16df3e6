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
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

from benchmarks.terminal import Terminal, terminal
from benchmarks.warm import Start, fresh

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "captures"
PAGE = ROOT / "docs" / "command-line.md"
EXAMPLES = ROOT / "docs" / "examples"
OPTIONS = "--tools read,grep,bash --timeout 600"
# It rolls back until the file SEEN is there.
BUILD = """
trap 'echo rolling back >&2; until [ -e SEEN ]; do sleep 0.05; done; exit' TERM
for part in 1 2 3; do echo compiling part $part of 3; done
echo linking the parts of the package into one
for second in {1..20}; do sleep 1; done
"""


def call(name: str, number: int, **arguments: str) -> Mapping[str, object]:
    """A call with an id as providers make them."""
    return {"id": f"toolu_01A09q90qw90lq9178{number:02}", "name": name, "arguments": arguments}


CALLS = [
    call("read", 1, file_path="README.md"),
    call("grep", 2, pattern="def run", path="trio_tools"),  # not in all that is installed beside it
    call("read", 3, file_path="nowhere.md"),
    call("bash", 4, command=BUILD, description="Build the package"),
    call("bash", 5, command="sleep 3", description="Run the tests"),
    call("read", 6, file_path="LICENSE"),
]


# A tool of a plugin that makes calls itself, and tells how far it is.
COMMANDS = ["echo no complaint", "echo 212 tests run, all of them passed; sleep 20", "echo never"]
NESTED: list[Mapping[str, object]] = [
    {"id": "toolu_01T1x1fJ34qAmk2t", "name": "check", "arguments": {"commands": COMMANDS}}
]
CONFIG = """
[plugins.checks]
[plugins.shell]
"""


@attrs.frozen(kw_only=True)
class Capture:
    """One picture: its name, the columns and lines of the terminal, what the command is given, what is to be seen on
    the screen, and what is typed when the command has come so far, to see something else."""

    name: str
    columns: int
    lines: int
    calls: Sequence[Mapping[str, object]] = attrs.field(default=tuple(CALLS), repr=False)
    options: str = OPTIONS
    wanted: str = "linking"
    keys: bytes = b""
    then: str = "linking"

    def take(self, folder: Path, *, start: Start = fresh) -> list[Text]:
        """The lines of the screen, coloured, from a run whose files are in that folder."""
        turns, config, seen = folder / "turn.jsonl", folder / "trio-tools.toml", folder / "seen"
        turns.write_text(json.dumps({"calls": self.calls}).replace("SEEN", str(seen)) + "\n")
        config.write_text(CONFIG)
        _offer(folder, checks="checks:checks")
        options = self.options.replace(config.name, str(config)).split()
        own = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
        environment = {name: value for name, value in os.environ.items() if name not in own}
        environment |= {"TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(map(str, (ROOT, EXAMPLES, folder)))}
        arguments = ["run", str(turns), *options, *(() if "--config" in options else ("--root", str(ROOT)))]
        with (
            (folder / "results.jsonl").open("wb") as results,
            terminal(
                arguments,
                columns=self.columns,
                lines=self.lines,
                stdout=results.fileno(),
                before=f"$ trio-tools run turn.jsonl {self.options} > results\r\n".encode(),
                environment=environment,
                start=start,
            ) as shown,
        ):
            shown.see(lambda text: self.wanted in text)
            shown.type(self.keys)
            shown.see(lambda text: self.then in text)
            picture = _picture(shown)
            seen.touch()
            shown.type(b"\x03")
            shown.end()
        return picture


CAPTURES = [
    Capture(name="live-80", columns=80, lines=24),
    Capture(name="live-200", columns=200, lines=50),
    Capture(name="stopping-80", columns=80, lines=24, keys=b"\x03", then="rolling back"),
    Capture(
        name="nested-80",
        columns=80,
        lines=24,
        calls=NESTED,
        options="--config trio-tools.toml",
        wanted="212 tests",
        then="212 tests",
    ),
]


def _offer(folder: Path, **plugins: str) -> None:
    """Install plugins, as far as their entry points go, in a folder that is searched."""
    metadata = folder / "examples-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: examples\nVersion: 1\n")
    entries = "".join(f"{name} = {place}\n" for name, place in plugins.items())
    (metadata / "entry_points.txt").write_text(f"[trio_tools.plugins]\n{entries}")


def _picture(shown: Terminal) -> list[Text]:
    screen = shown.screen
    columns = range(screen.columns)
    lines = [Text.assemble(*(_cell(screen.buffer[y][x]) for x in columns)) for y in range(len(shown.lines))]
    for line in lines:
        line.rstrip()
    return lines


def _cell(char: pyte.screens.Char) -> tuple[str, Style]:
    # pyte knows no dim: what is dim comes out plain; what it calls brown is yellow, and other colours are hexadecimal
    named = {"default": None, "brown": "yellow"}.get(char.fg, char.fg)
    colour = f"#{named}" if named is not None and re.fullmatch("[0-9a-f]{6}", named) else named
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
