"""ripgrep and Python give the same answers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from search_trees import EXPRESSIONS, INCLUDES, TREES, plant, the_ripgrep
from test_files_fakes import Files, opened

from trio_tools.toolkits.files._root import STAGING
from trio_tools.values import ToolError

# Examples in the suite. By hand, some thousands: EXAMPLES=5000 python -m pytest ...
EXAMPLES = int(os.environ.get("EXAMPLES", "80"))


def answer(files: Files, pattern: str, include: str | None, path: str) -> str:
    try:
        return files.grep(pattern, include=include, path=path)
    except ToolError as error:
        return f"{error.code}: {error.message}"


@settings(max_examples=EXAMPLES, deadline=None)
@given(TREES, EXPRESSIONS, INCLUDES)
def test_both_engines_give_one_answer(tree: dict[bytes, bytes], pattern: str, include: str | None) -> None:
    """F008, F009: whatever lies in the tree, whatever is asked for; the text is the same to the letter."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        plant(root, tree)
        path = "sub" if include == "*" and (root / "sub").is_dir() else "."
        with opened(root) as python, opened(root, the_ripgrep()) as ripgrep:
            assert answer(ripgrep, pattern, include, path) == answer(python, pattern, include, path)


def test_neither_shows_what_a_write_has_staged(tmp_path: Path) -> None:
    """F006: at the top of the root, and beside a target."""
    (tmp_path / STAGING).mkdir()
    for place in (tmp_path / STAGING / f"{STAGING}-1", tmp_path / f"{STAGING}-2", tmp_path / "shown"):
        place.write_text("needle\n")
    with opened(tmp_path) as python, opened(tmp_path, the_ripgrep()) as ripgrep:
        assert python.grep("needle") == ripgrep.grep("needle") == "Found 1 matches\n\nshown\nLine 1: needle"
        assert python.glob("**") == ["shown"]
