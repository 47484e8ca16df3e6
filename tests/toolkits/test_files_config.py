"""What the files toolkit can be told, and how it says that it cannot be."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from trio_tools.toolkits.files import FilesConfig
from trio_tools.toolkits.files._root import Root


def test_a_config_is_frozen_and_has_defaults() -> None:
    """T031: the three tools that change nothing, and 30 seconds for a search."""
    config = FilesConfig(root=Path("."))
    assert (config.tools, config.search_timeout) == (("read", "glob", "grep"), 30)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        config.root = Path("/")  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        (("read", "reed"), "tools must be any of read, write, edit, glob, grep: there is no 'reed'"),
        (("read", "read"), "must name each once"),
        ((), "must name one at least"),
    ],
)
def test_a_wrong_choice_of_tools_is_told(tools: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FilesConfig(root=Path("."), tools=tools)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_budget_is_a_positive_number_of_seconds(seconds: float) -> None:
    with pytest.raises(ValueError, match="search_timeout must be a positive"):
        FilesConfig(root=Path("."), search_timeout=seconds)


def test_what_a_config_file_may_hold_is_checked() -> None:
    """A root as text and tools as a list are what TOML gives; one name alone is a mistake."""
    config = FilesConfig(root="src", tools=["read"])
    assert (config.root, config.tools) == (Path("src"), ("read",))
    with pytest.raises(TypeError, match="must be a list of names"):
        FilesConfig(root=Path("."), tools="read")
    with pytest.raises(TypeError, match="must be the path of a directory, not int"):
        FilesConfig(root=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_root_that_is_no_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(NotADirectoryError, match="root of the files toolkit cannot be opened"):
        Root(tmp_path / "f")
    with pytest.raises(FileNotFoundError, match="root of the files toolkit cannot be opened"):
        Root(tmp_path / "missing")
