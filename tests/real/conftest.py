"""What the tests with real servers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from post_office import PostOffice, post_office


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
