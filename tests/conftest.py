"""What holds for every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fresh_environment import Environment, fresh_environment
from post_office import PostOffice, post_office

# Processes at most, however many processors are seen: each reads all tests anew, and a container may be given fewer.
MOST_WORKERS = 4

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

# Modules whose tests all need the providers' packages, which take some 4 s to import.
PROVIDERS = {f"tests/formats/test_formats_{name}.py" for name in ("sdks", "table", "turns_sdks")}
# Modules of tests/real whose tests need the same, which takes seconds to make; or one of which takes long, and must not
# come last.
WHOLE = {f"tests/real/test_{name}.py" for name in ("bfcl", "journal_crash")}

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


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Tests of a module go to one process, which makes once what they share. Those of tests/real come one by one, and
    last: they wait for processes of theirs, and are what is left to share out evenly."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            if module in PROVIDERS:
                return "providers"
            return nodeid if module.startswith("tests/real/") and module not in WHOLE else module

    return ByModule(config, log)


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
def post_of_the_session() -> Iterator[PostOffice]:
    """A mail server, started once: it takes a moment."""
    with post_office() as post:
        yield post


@pytest.fixture
def post(post_of_the_session: PostOffice) -> PostOffice:
    """A mail server that has taken nothing yet, and takes everything."""
    post_of_the_session.plan()
    return post_of_the_session
