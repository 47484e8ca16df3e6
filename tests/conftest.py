"""What holds for every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fresh_environment import Environment, fresh_environment
from post_office import PostOffice, post_office

from benchmarks.warm import Start, warm_process

# Processes at most, however many processors are seen: each reads all tests anew, and a container may be given fewer.
MOST_WORKERS = 4

# Modules whose tests need the same, which takes seconds to make, by what they need: the providers' packages, a mail
# server, Pythons of other versions.
SHARED = {
    "tests/formats/test_formats_sdks.py": "providers",
    "tests/formats/test_formats_table.py": "providers",
    "tests/formats/test_formats_turns_sdks.py": "providers",
    "tests/real/test_bfcl.py": "schemas",
    "tests/real/test_testing_repeated.py": "Pythons",
    **{f"tests/real/{path.name}": "mail" for path in Path(__file__).parent.glob("real/test_mail_*.py")},
}

# Others that take more than about ten seconds: whoever got one of them last would still work when all others are done.
LONG = (
    "tests/cli/test_cli_messages.py",
    "tests/formats/test_formats_turns_random.py",
    "tests/kernel/test_interrupt.py",
    "tests/real/test_journal_crash.py",
    "tests/testing/test_explored_here.py",
)

# A look of the garbage collector at everything takes 0.3 s with all tests in memory, and finds little in what has been
# there so long. It comes after this number of looks at what is younger, which is a hundred times as rarely as usual.
gc.set_threshold(*gc.get_threshold()[:2], 1000)

# Hundreds of interpreters are started, as users start them: none but the first has to compile what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each processor, and one that works while tests wait for processes of theirs, a fifth of their time;
    none of its own for a test file or two, which would wait longer for it to start."""
    if all(Path(argument.partition("::")[0]).is_file() for argument in config.args):
        return 0
    return min(len(os.sched_getaffinity(0)) + 1, MOST_WORKERS)


def pytest_configure(config: pytest.Config) -> None:
    """Each process begins to read the tests at another folder: in a fresh clone all have to be compiled, and what one
    has compiled the others find."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if worker and config.args == config.getini("testpaths"):
        places = sorted(str(path) for path in Path(__file__).parent.iterdir() if path.is_dir() or "test_" in path.name)
        first = len(places) * worker // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args[:] = places[first:] + places[:first]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """What takes long comes first; all else stays as it is shuffled, so that those who wait for a process and those
    who do not are there at the same time. It is the same order in each process, wherever that began to read."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0])
    yield
    early = {*SHARED, *LONG}
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in early)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of a module go to one process, which makes once what they share. Those of tests/real go one by one: they
    wait for processes of their own, and are small enough to be shared out evenly at the end."""
    scheduler: Any = import_module("xdist.scheduler")  # which has no types

    class ByModule(scheduler.LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return SHARED.get(module) or (nodeid if module.startswith("tests/real/") else module)

    return ByModule(config, log)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What nobody holds any more complains now, if it does. All else is left out of the many looks that follow, which
    take some seconds before each process ends."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def signals_as_in_a_terminal() -> Iterator[None]:
    """Whoever starts the tests may ignore signals (`nohup`, a shell's background jobs), which children inherit."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        signal.SIGTERM: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Wheels in an environment of their own. Built once for all workers: it takes some seconds."""
    of_worker = tmp_path_factory.getbasetemp()
    of_all = of_worker.parent if "PYTEST_XDIST_WORKER" in os.environ else of_worker
    return Environment(fresh_environment(of_all / "fresh"), tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="session")
def warm() -> Iterator[Start]:
    """Starts `trio-tools` by a process that has imported it, for tests that are not about starting."""
    with warm_process() as start:
        yield start


@pytest.fixture(scope="session")
def post_of_the_session() -> Iterator[PostOffice]:
    """A mail server, started once: it takes a moment."""
    with post_office() as post:
        yield post


@pytest.fixture
def post(post_of_the_session: PostOffice) -> PostOffice:
    """A mail server that has taken nothing yet, and takes everything."""
    post_of_the_session.plan()
    return post_of_the_session
