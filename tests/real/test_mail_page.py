"""docs/mail.md: whoever follows it, in an empty folder, sees what it shows; and the texts are those of the tool."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import textwrap
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
import trio
from fresh_environment import BOUND, ROOT, Environment
from mailing import CALL, LETTER, LONG, SESSION, SHORT, mailing
from page import MAKING, assert_shown, blocks, shell, variables
from post_office import PostOffice

from trio_tools import Registry, ToolResult, open_registry

PAGE = (ROOT / "docs" / "mail.md").read_text()
EXAMPLES = ROOT / "docs" / "examples"
COURSE = PAGE[PAGE.index("## By hand") : PAGE.index("## Three zones")]
# Commands from an empty folder to a mail that is not sent twice: what was promised.
MOST_COMMANDS = 6
INSTALLING = "pip install PATH aiosmtpd"
# Where the page has the server.
PORT = "8025"


@contextmanager
def serving(command: str, port: str, folder: Path, environment: Environment) -> Generator[None]:
    """The page's server, once it hears who comes."""
    inner = ["sh", "-c", f"exec {command.removesuffix('&')}"]
    with subprocess.Popen(inner, cwd=folder, env=variables(folder, environment)) as server:
        try:
            until = time.monotonic() + BOUND
            while not is_there(port):
                assert time.monotonic() < until
                time.sleep(0.05)
            yield
        finally:
            server.terminate()


def is_there(port: str) -> bool:
    """Whether anybody listens at this port."""
    try:
        socket.create_connection(("127.0.0.1", int(port))).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture
def port() -> str:
    """One that is free."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        return str(nobody.getsockname()[1])


def test_whoever_follows_the_page_sees_what_it_shows(environment: Environment, tmp_path: Path, port: str) -> None:
    commands = [block.text.strip() for block in blocks(COURSE) if block.kind == "sh"]
    assert len(commands) <= MOST_COMMANDS
    assert commands[:2] == [MAKING, INSTALLING]
    copy, serve, *rest = (command.replace("PATH", str(ROOT)).replace(PORT, port) for command in commands[2:])
    (script,) = [block for block in blocks(COURSE) if block.kind == "python"]
    assert script.file is not None
    (tmp_path / script.file).write_text(script.text.replace(PORT, port))
    assert shell(copy, tmp_path, environment) == ""
    with serving(serve, port, tmp_path, environment):
        printed = [shell(command, tmp_path, environment) for command in rest]
    shown = [block.text for block in blocks(COURSE) if block.kind == "text"]
    assert len(shown) == len(printed)
    for one, other in zip(shown, printed, strict=True):
        assert_shown(one, other)
    assert printed[-1].count("MESSAGE FOLLOWS") == 1


@attrs.frozen
class Case:
    """What the server is to do, how long the tool waits for it, and the call: made so many times, one after the other,
    and cancelled while the server holds it at this place, if any."""

    plan: dict[str, str]
    held: str = ""
    patience: float = LONG
    times: int = 1


CASES: Mapping[str, Case] = {
    "It takes the mail": Case({}),
    "The same call again": Case({}, times=2),
    "It refuses the recipient": Case({"RCPT": "550 5.1.1 nobody here"}),
    "It hangs up before the mail": Case({"EHLO": "drop"}),
    "It refuses the mail, having heard all of it": Case({"end": "554 5.7.1 spam"}),
    "It hangs up instead of an answer": Case({"end": "take and drop"}),
    "It never answers": Case({"end": "take and hold"}, patience=SHORT),
    "It never answered, and the same call is made again": Case({"end": "hold"}, patience=SHORT, times=2),
    "The call is cancelled before the door": Case({"RCPT": "hold"}, held="RCPT"),
    "The call is cancelled past the door, and then the server takes the mail": Case({"end": "hold"}, held="end"),
}


async def made(post: PostOffice, case: Case) -> ToolResult:
    """What the last of its calls comes to."""
    post.plan(**case.plan)
    scope, results = trio.CancelScope(), list[ToolResult]()

    async def make(registry: Registry) -> None:
        for _ in range(case.times - 1):
            await registry.execute(CALL, scope=trio.CancelScope(), session=SESSION)
        results.append(await registry.execute(CALL, scope=scope, session=SESSION))

    plugins = [mailing(post.port, patience=case.patience)]
    async with open_registry(plugins=plugins) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(make, registry)
        if case.held:
            await post.held(case.held)
            scope.cancel()
            post.release()
    return results[0]


def summary(result: ToolResult) -> str:
    """Its code and its effects, as the page has them."""
    code = "success" if result.code is None else f"`{result.code}`"
    effects = [f"`{effect.state}`" + ", and marked `earlier`" * effect.earlier for effect in result.effects]
    return ", ".join([code, *(effects or ["no effect"])])


def shown_cases() -> dict[str, tuple[str, str]]:
    """The page's cases: the summary and the text of each."""
    found = re.finditer(r"^\*\*([^*\n]+)\*\*: ([^\n]+)\.\n\n```text\n(.*?)\n```$", PAGE, re.DOTALL | re.MULTILINE)
    return {case[1]: (case[2], case[3].replace("120 s", f"{SHORT:g} s")) for case in found}


@pytest.mark.parametrize("name", CASES)
async def test_what_a_model_reads_is_what_the_page_shows(post: PostOffice, name: str) -> None:
    result = await made(post, CASES[name])
    shown = shown_cases()[name]
    if name.startswith("It hangs up"):
        text = re.sub(r"socket connection broken: .*", "it hung up", result.text)  # as the system has it
        assert shown == (summary(result), text)
    else:
        assert shown == (summary(result), result.text)


def test_the_page_has_all_the_cases_and_the_tool_as_it_is() -> None:
    assert set(shown_cases()) == set(CASES)
    zones = PAGE[PAGE.index("## Three zones") :]
    (body, *_) = [block.text for block in blocks(zones) if block.kind == "python"]
    assert textwrap.indent(body, " " * 4) in (EXAMPLES / "mail.py").read_text()


def test_the_config_of_the_page_works_from_the_command_line(
    environment: Environment, post: PostOffice, tmp_path: Path
) -> None:
    """With the plugin named by an entry point, as in a package of one's own."""
    metadata = tmp_path / "yours-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: yours\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[trio_tools.plugins]\nmail = mail:mail\n")
    (config,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    file = tmp_path / "mail.toml"
    file.write_text(config)
    given = {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, EXAMPLES))), "MAIL_PASSWORD": "analytical"}
    checked = environment.command("check", str(file), **given)
    assert (checked.returncode, checked.stderr) == (0, "")
    here = {"mail.host": "127.0.0.1", "mail.port": post.port, "mail.tls": "none", "mail.user": ""}
    options = [f"--set=plugins.{name}={value}" for name, value in {**here, "journal.path": tmp_path / "a.db"}.items()]
    call = ["call", "send_mail", json.dumps(LETTER), "--session", "monday"]
    called = environment.command(*call, "--config", str(file), *options, **given)
    assert (called.returncode, called.stderr) == (0, "")
    assert called.stdout.startswith("sent to ada@example.org as ")
    assert len(post.taken()) == 1
