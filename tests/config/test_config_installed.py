"""Plugins that are installed are named by entry points, and none is loaded that nobody named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from config_plugins import Site, site_in

from trio_tools.config import ConfigError, installed_plugins
from trio_tools.toolkits.shell import shell


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in(tmp_path, monkeypatch) as made:
        yield made


def refusal(name: str) -> str:
    """The one problem of loading a plugin."""
    with pytest.raises(ConfigError) as caught:
        installed_plugins().load(name)
    assert caught.value.problems == (str(caught.value),)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_names_are_known_without_loading_anything(site: Site) -> None:
    site.install("other", {"other": "other_module:other"}, other_module="raise RuntimeError('loaded')")
    assert installed_plugins().names == ("files", "journal", "other", "retry", "shell", "timeout")
    assert "other_module" not in sys.modules


def test_a_plugin_is_loaded_by_name(site: Site) -> None:
    assert installed_plugins().load("shell") is shell


def test_only_the_plugin_that_was_named_is_loaded(site: Site) -> None:
    site.install("other", {"other": "other_module:other"}, other_module="raise RuntimeError('loaded')")
    installed_plugins().load("timeout")
    assert "other_module" not in sys.modules


def test_a_name_that_is_not_installed_is_told_with_the_nearest(site: Site) -> None:
    assert refusal("shel") == (
        'plugin shel: no such plugin is installed; did you mean "shell"? '
        "Installed: files, journal, retry, shell, timeout"
    )
    assert refusal("zzz") == "plugin zzz: no such plugin is installed. Installed: files, journal, retry, shell, timeout"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise ImportError('no\\nlib')", "ImportError: no\\x0alib"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def f(:", "SyntaxError: invalid syntax (broken.py, line 1)"),
        ("", "AttributeError: module 'broken' has no attribute 'it'"),
        (
            "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute",
            "Mute: <unprintable thrown value>",
        ),
    ],
)
def test_an_import_that_fails_is_one_line(site: Site, source: str, words: str) -> None:
    site.install("bad-one", {"it": "broken:it"}, broken=source)
    assert refusal("it") == f'plugin it: distribution "bad-one": cannot be imported from broken:it: {words}'


def test_an_interrupt_while_importing_goes_on(site: Site) -> None:
    site.install("bad-one", {"it": "broken:it"}, broken="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        installed_plugins().load("it")


def test_what_is_no_plugin_is_refused(site: Site) -> None:
    site.install("bad-one", {"it": "builtins:print"})
    assert refusal("it") == (
        'plugin it: distribution "bad-one": builtins:print is no plugin but builtin_function_or_method; '
        "declare it with @plugin"
    )


def test_a_plugin_of_another_name_is_refused(site: Site) -> None:
    site.install("bad-one", {"it": "trio_tools.policies:timeout"})
    assert refusal("it") == (
        "plugin it: distribution \"bad-one\": trio_tools.policies:timeout calls itself 'timeout'; "
        "its entry point must have that name"
    )


def test_two_distributions_that_offer_one_name_are_both_named(site: Site) -> None:
    site.install("first", {"shell": "first_module:shell"}, first_module="raise RuntimeError")
    assert refusal("shell") == (
        'plugin shell: offered by distribution "first" and by distribution "trio-tools"; uninstall all of them but one'
    )
    assert installed_plugins().names == ("files", "journal", "retry", "shell", "timeout")


def test_a_distribution_without_a_name_is_told_all_the_same(site: Site) -> None:
    site.install("bad-one", {"it": "builtins:print"})
    (site.folder / "bad_one-0.1.0.dist-info" / "METADATA").unlink()
    assert refusal("it").startswith("plugin it: a nameless distribution: builtins:print is no plugin")


def test_metadata_that_cannot_be_read_is_told(site: Site) -> None:
    site.install("bad-one", {})
    (site.folder / "bad_one-0.1.0.dist-info" / "entry_points.txt").write_bytes(b"[trio_tools.plugins]\n\xff = x\n")
    with pytest.raises(ConfigError, match=r"^installed plugins: cannot be listed: .*decode byte 0xff"):
        installed_plugins()
