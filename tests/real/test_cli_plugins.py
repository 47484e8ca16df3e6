"""Runs whose plugins hang or crash: signals reach them, and what has settled is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_cli_probe import BOUND, ROOT, environment, started

from benchmarks.warm import Process, Start

MODULE = """
from contextlib import asynccontextmanager
import sys
import attrs, trio
from trio_tools import plugin, tool

@attrs.frozen
class Config:
    where: str = ""

def say(word):
    print(word, file=sys.stderr, flush=True)

@plugin("odd", config=Config)
@asynccontextmanager
async def odd(registry, config):
    async with trio.open_nursery() as nursery:
        if config.where == "opening":
            say("opening")
            await trio.sleep_forever()

        @tool(read_only=True)
        async def quick() -> str:
            return "done"

        @tool(read_only=True)
        async def crash() -> str:
            await trio.sleep(0.3)
            nursery.start_soon(fail)
            await trio.sleep_forever()

        @tool(read_only=True)
        async def stay() -> None:
            say("staying")
            await trio.sleep_forever()

        async def fail():
            raise OSError("the line is dead")

        with registry.register(quick), registry.register(crash), registry.register(stay):
            yield
        if config.where == "leaving":
            say("leaving")
            await trio.sleep_forever()
        nursery.cancel_scope.cancel()
"""


@contextmanager
def a_run(folder: Path, *arguments: str, where: str = "", lines: str = "", start: Start) -> Generator[Process]:
    """A run with that plugin, whose input is there already."""
    metadata = folder / "odd-1.dist-info"
    metadata.mkdir()
    (folder / "odd.py").write_text(MODULE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[trio_tools.plugins]\nodd = odd:odd\n")
    (folder / "turns.jsonl").write_text(lines)
    options = ["--set", "plugins.odd=true", "--set", f"plugins.odd.where={where}"]
    variables = environment(PYTHONPATH=os.pathsep.join((str(ROOT), str(folder))))
    given = {"environment": variables, "folder": folder, "stdin": subprocess.DEVNULL}
    with started(*arguments, *options, start=start, **given) as cli:
        yield cli.process


def said(process: Process) -> bytes:
    """The next line on stderr."""
    assert process.stderr is not None
    return process.stderr.readline().rstrip()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("where", ["opening", "leaving"])
@pytest.mark.parametrize("command", [("run", "turns.jsonl"), ("call", "quick")])
def test_a_signal_ends_a_plugin_that_hangs(
    command: tuple[str, ...], where: str, number: signal.Signals, tmp_path: Path, warm: Start
) -> None:
    with a_run(tmp_path, *command, where=where, lines='{"calls": [{"name": "quick"}]}\n', start=warm) as process:
        assert said(process) == where.encode()
        process.send_signal(number)
        out, err = process.communicate(timeout=BOUND)
    assert (process.returncode, err) == (128 + number, b"")
    assert (b"done" in out) == (where == "leaving")


def test_the_second_ctrl_c_names_the_plugin_that_does_not_leave(tmp_path: Path, warm: Start) -> None:
    """The first one has cancelled the turn; then plugins have some seconds to leave in their own way."""
    with a_run(
        tmp_path, "run", "turns.jsonl", where="leaving", lines='{"calls": [{"name": "stay"}]}\n', start=warm
    ) as process:
        assert said(process) == b"staying"
        process.send_signal(signal.SIGINT)
        assert said(process) == b"leaving"
        process.send_signal(signal.SIGINT)
        assert said(process) == b'trio-tools: plugin "odd" has not left yet'
        assert said(process).endswith(b" odd")
        assert b"press Ctrl-C again" in said(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=BOUND)
    assert process.returncode == 130
    assert json.loads(out)["code"] == "ABORTED"


@pytest.mark.parametrize("form", ["plain", "anthropic", "openai"])
def test_what_has_settled_is_told_when_a_plugin_crashes(form: str, tmp_path: Path, warm: Start) -> None:
    """In each form; and the call that it stood under is told as aborted."""
    calls = [("quick", "1"), ("crash", "2"), ("quick", "3")]
    blocks = [{"type": "tool_use", "id": own_id, "name": name} for name, own_id in calls]
    functions = [
        {"id": own_id, "type": "function", "function": {"name": name, "arguments": ""}} for name, own_id in calls
    ]
    lines: dict[str, Mapping[str, object]] = {
        "plain": {"calls": [{"name": name, "id": own_id} for name, own_id in calls]},
        "anthropic": {"role": "assistant", "content": [{**block, "input": {}} for block in blocks]},
        "openai": {"role": "assistant", "content": None, "tool_calls": functions},
    }
    line = lines[form]
    with a_run(tmp_path, "run", "turns.jsonl", lines=json.dumps(line) + "\n", start=warm) as process:
        out, err = process.communicate(timeout=BOUND)
    assert (process.returncode, err) == (1, b'trio-tools: in plugin "odd": OSError: the line is dead\n')
    written = [json.loads(one) for one in out.splitlines()]
    if form == "anthropic":
        (message,) = written
        written = message["content"]
    texts = [json.dumps(one) for one in written]
    assert [("done" in one, "tool call aborted" in one) for one in texts] == [
        (True, False),
        (False, True),
        (True, False),
    ]


def test_a_variable_goes_before_what_is_only_the_default_of_a_flag(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trio_tools.cli", "tools"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TRIO_TOOLS_PLUGINS__FILES__TOOLS": '["read"]'},
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=True,
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["tool", "read"]
