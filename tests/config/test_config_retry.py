"""The retry policy in a config file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from config_plugins import Site, only_config, site_in, write

from trio_tools import open_registry
from trio_tools.config import ConfigError, load_config
from trio_tools.policies import RetryConfig


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


def test_its_options_are_those_of_its_config_class() -> None:
    text = "[plugins.retry]\nattempts = 5\nfirst_delay = 1\njitter = 0\ncodes = ['TOOL_FAILED', 'HTTP_BUSY']\n"
    made = only_config(load_config(write(text), environment={}))
    assert made == RetryConfig(attempts=5, first_delay=1.0, jitter=0.0, codes=("TOOL_FAILED", "HTTP_BUSY"))


@pytest.mark.parametrize(
    ("tables", "order"),
    [("[plugins.retry]", ["timeout", "retry"]), ("[plugins.retry]\n[plugins.timeout]", ["retry", "timeout"])],
)
async def test_the_order_of_tables_says_whether_a_budget_is_for_the_whole_or_for_each_attempt(
    tables: str, order: list[str]
) -> None:
    """R042."""
    async with open_registry(write(tables)) as registry:
        assert [one.plugin for one in registry.joined() if one.seam == "wrapper"] == order


def test_all_that_is_wrong_with_it_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write('[plugins.retry]\nattempts = 0\ncodes = ["BLOCKED"]\n'), environment={})
    assert caught.value.problems == (
        "trio-tools.toml: [plugins.retry] attempts: must be a whole number from 1, the first attempt included, not 0",
        "trio-tools.toml: [plugins.retry] codes: BLOCKED is never repeated: a policy has withheld the result",
    )


@pytest.mark.parametrize("page", ["config.md", "guide.md"])
async def test_the_documentation_shows_how_each_attempt_gets_a_budget_of_its_own(page: str) -> None:
    words = (Path(__file__).parent.parent.parent / "docs" / page).read_text()
    (shown,) = [one for one in re.findall(r"```toml\n(.*?)```", words, re.DOTALL) if "[plugins.retry]" in one]
    async with open_registry(write(shown)) as registry:
        assert [one.plugin for one in registry.joined() if one.seam == "wrapper"] == ["retry", "timeout"]
