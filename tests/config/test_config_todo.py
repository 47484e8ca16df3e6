"""The todo toolkit and the spill policy in a config file, and all toolkits together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from config_plugins import Site, site_in, write

from trio_tools import open_registry
from trio_tools.config import ConfigError, load_config
from trio_tools.policies import SpillConfig, spill
from trio_tools.toolkits.files import FilesConfig, ReadBeforeWriteConfig, read_before_write
from trio_tools.toolkits.shell import ShellConfig
from trio_tools.toolkits.todo import TodoConfig, todo

FILE_TOOLS = ("read", "write", "edit", "glob", "grep")
DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        made.offer(todo=todo, spill=spill, read_before_write=read_before_write)
        yield made


def test_what_has_no_default_must_be_said() -> None:
    """F010, F011: with everything else that is wrong."""
    text = "[plugins.todo]\nmax_sessions = 0\n[plugins.spill]\nmax_inline_bytes = 9\nexempt = 'read'\n"
    with pytest.raises(ConfigError) as caught:
        load_config(write(text), environment={})
    assert caught.value.problems == (
        "trio-tools.toml: [plugins.todo] several_in_progress: required, and missing",
        "trio-tools.toml: [plugins.todo] max_sessions: must be a positive whole number of sessions, not 0",
        "trio-tools.toml: [plugins.spill] directory: required, and missing",
        "trio-tools.toml: [plugins.spill] max_inline_bytes: must be a whole number of bytes from 1024, not 9",
        "trio-tools.toml: [plugins.spill] exempt: must be an array, not a string",
    )


@pytest.mark.parametrize("value", ["'no'", "0", "[]"])
def test_whether_several_may_be_in_progress_is_true_or_false(value: str) -> None:
    """F010."""
    with pytest.raises(ConfigError, match=r"\[plugins\.todo\] several_in_progress: must be a boolean"):
        load_config(write(f"[plugins.todo]\nseveral_in_progress = {value}\n"), environment={})


async def test_the_page_on_configs_shows_every_toolkit_as_it_is() -> None:
    (shown,) = [one for one in _examples("config.md") if "[plugins.todo]" in one]
    loaded = load_config(write(shown), environment={})
    assert [one.config for one in loaded.plugins] == [
        FilesConfig(root=Path("."), tools=FILE_TOOLS),
        ReadBeforeWriteConfig(),
        ShellConfig(max_background_seconds=3600),
        TodoConfig(several_in_progress=False),
        SpillConfig(directory=Path(".spill")),
    ]
    async with open_registry(loaded) as registry:
        assert set(registry.tools) == {*FILE_TOOLS, "bash", "bash_output", "bash_kill", "todo_write"}
        assert set(registry.tools) == set(re.findall(r"`(\w+)`", "".join(_first_column("toolkits.md"))))


async def test_the_page_on_the_policy_shows_a_directory_that_read_can_reach() -> None:
    shown = [one for one in _examples("spill.md") if "[plugins.spill]" in one]
    async with open_registry(write(shown[0])) as registry:
        assert "read" in registry.tools
        assert [one.plugin for one in registry.joined() if one.seam == "post_policy"] == ["spill"]


def _first_column(page: str) -> list[str]:
    """Of the table of all tools, at the top of the page."""
    table = (DOCS / page).read_text().partition("|---")[2].partition("\n\n")[0]
    return [line.split("|")[1] for line in table.splitlines()[1:]]


def _examples(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
