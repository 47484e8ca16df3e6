"""The command line's words: help, version, and one clear line for every mistake."""

import sys
from pathlib import Path

import pytest

from trio_tools.cli import main
from trio_tools.cli._app import parse
from trio_tools.cli._given import FILE_TOOLS
from trio_tools.cli._run import RunRequest
from trio_tools.cli._setting import Setting
from trio_tools.toolkits.files import FilesConfig

ALL = ("read", "glob", "grep", "bash")


def test_what_is_not_given_has_a_default() -> None:
    assert parse(["run", "turns.jsonl"]) == RunRequest(setting=Setting(), file="turns.jsonl")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-", "--tools", "read,glob,grep,bash", "--root", "/", "--parallel", "3", "--timeout", "0.5"],
        ["--tools=read, glob, grep, bash", "--root=/", "--parallel=3", "--timeout=.5", "-"],
    ],
)
def test_what_is_given_is_taken_before_the_file_or_after_it(arguments: list[str]) -> None:
    setting = Setting(tools=ALL, root=Path("/"), parallel=3)
    assert parse(["run", *arguments]) == RunRequest(setting=setting, file="/dev/stdin", timeout=0.5)


def test_a_file_may_have_the_name_of_an_option() -> None:
    request = parse(["run", "--", "--help"])
    assert isinstance(request, RunRequest)
    assert request.file == "--help"


def test_only_the_toolkits_that_are_asked_for_are_opened() -> None:
    def plugins(tools: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
        loaded = Setting(tools=tools, root=Path("/")).load().plugins
        assert {getattr(one.config, "root", None) for one in loaded} == {Path("/")}
        return [(one.name, getattr(one.config, "tools", ())) for one in loaded]

    assert plugins(("grep", "bash", "read")) == [("files", ("grep", "read")), ("shell", ())]
    assert plugins(("bash",)) == [("shell", ())]
    assert plugins(("glob",)) == [("files", ("glob",))]
    assert plugins(("edit", "write")) == [("files", ("edit", "write"))]


def test_what_writes_is_there_only_if_it_is_asked_for() -> None:
    (plugin,) = Setting(root=Path("/")).load().plugins
    assert getattr(plugin.config, "tools", ()) == ("read", "glob", "grep")


def test_all_tools_of_the_files_toolkit_can_be_asked_for() -> None:
    with pytest.raises(ValueError, match=f"any of {', '.join(FILE_TOOLS)}: there is no 'all'"):
        FilesConfig(root=Path("/"), tools=("all",))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "FILE"),
        (["run", "a", "b"], "b"),
        (["run", "a", "--tols", "x"], "--tols"),
        (["run", "--tols"], "--tols"),
        (["jog"], "jog"),
        (
            ["run", "a", "--tools", "read,rm"],
            '--tools: there is no tool "rm"; there are read, write, edit, glob, grep, bash',
        ),
        (["run", "a", "--tools", ""], 'there is no tool ""'),
        (["run", "a", "--tools", "read,read"], '"read" stands more than once'),
        (["run", "a", "--parallel", "0"], "--parallel must be a positive whole number, not 0"),
        (["run", "a", "--parallel", "1.5"], '--parallel must be a whole number, not "1.5"'),
        (["run", "a", "--parallel", "many"], '--parallel must be a whole number, not "many"'),
        (["run", "a", "--timeout", "0"], "--timeout must be a positive number of seconds, not 0"),
        (["run", "a", "--timeout", "-1"], "--timeout must be a positive number of seconds, not -1"),
        (["run", "a", "--timeout", "nan"], "--timeout must be a positive number of seconds, not nan"),
        (["run", "a", "--timeout", "inf"], "--timeout must be a positive number of seconds, not inf"),
        (["run", "a", "--timeout", "soon"], "soon"),
        (["run", "a", "--timeout"], "--timeout"),
        (["run", "a", "--root", "no-such-folder"], '--root must be a folder, and "no-such-folder" is none'),
        (["run", "a", "--root", __file__], "is none"),
        (["run", "no-such-file"], 'cannot read "no-such-file": No such file or directory'),
        (["run", "/"], 'cannot read "/": it is a folder'),
        (["run", "\x1b[31m\n"], 'cannot read "\\x1b[31m\\x0a": No such file'),
    ],
)
def test_a_mistake_is_one_clear_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("trio-tools: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err


@pytest.mark.skipif("os.geteuid() == 0", reason="nothing is unreadable for root")
def test_a_file_that_must_not_be_read_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret").touch(mode=0)
    assert main(["run", str(tmp_path / "secret")]) == 2
    assert capsys.readouterr().err.endswith(": Permission denied\n")


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--help"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    options = ("--config", "--set", "--tools", "--root", "--parallel", "--timeout", "--format")
    for words in ("FILE", *options, "Ctrl-C", "143", "TRIO_TOOLS_CONFIG"):
        assert words in captured.out
    assert main(["--help"]) == main([]) == 0
    assert "JSON lines" in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("arguments", [["run", "x"], ["--help"], []])
def test_without_the_extra_it_says_what_to_install(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    assert main(arguments) == 2
    told = "trio-tools: the command line needs cyclopts; install it: pip install 'trio-tools[cli]'\n"
    assert capsys.readouterr() == ("", told)


def test_ctrl_c_before_the_run_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """D19: there is nothing to cancel yet."""

    def interrupted(arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("trio_tools.cli._main.parse", interrupted)
    assert main(["run", "x"]) == 130
    assert capsys.readouterr() == ("", "")
