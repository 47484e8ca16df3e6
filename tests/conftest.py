"""What holds for every test."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from fresh_environment import Environment, fresh_environment
from post_office import PostOffice, post_office


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
    """Wheels in an environment of their own. Built once: it takes some seconds."""
    return fresh_environment(tmp_path_factory.mktemp("fresh"))


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
