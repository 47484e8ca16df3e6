"""Files of others, and files that are protected, written by somebody who is not root."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

# Nobody's, on nearly every system.
NOBODY = 65_534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_what_is_protected_stays_and_nobody_gets_more_than_before() -> None:
    """F006: a file that may not be written is not replaced, though its directory may be; who cannot keep a file's group
    gives the new one no more than others have."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o777)
        for name, mode in (("group", 0o664), ("mine", 0o640), ("protected", 0o444)):
            (root / name).write_text("old")
            (root / name).chmod(mode)
        os.chown(root / "mine", NOBODY, NOBODY)
        os.chown(root / "group", NOBODY, 0)
        ran = subprocess.run(
            [sys.executable, Path(__file__).with_name("files_as_somebody.py"), folder, str(NOBODY)],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        group, mine, protected = ran.stdout.splitlines() or [ran.stderr] * 3
        assert group.startswith("group 0o644 ")
        assert "Updated file" in group
        assert mine.startswith("mine 0o640 ")
        assert "Updated file" in mine
        assert protected.startswith(
            "protected 0o444 Error: protected could not be written, and is as it was: it is write-"
        )
        assert (root / "protected").read_text() == "old"
        assert {path.name for path in root.iterdir()} == {"group", "mine", "protected"}
