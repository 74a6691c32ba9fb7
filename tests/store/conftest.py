"""Every kind of database that a store may be in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.store.store import Store
from tests import postgres
from tests.postgres import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Runs one server for all tests of the session."""
    with postgres.running() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh_url(request: pytest.FixtureRequest) -> Iterator[Callable[[], str | None]]:
    """Gives URLs of new databases for tests that need several; None stands for the file of a data root."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            yield lambda: None
        else:
            running: Server = request.getfixturevalue("server")
            yield lambda: stack.enter_context(running.database())


@pytest.fixture
def url(fresh_url: Callable[[], str | None]) -> str | None:
    """Gives the URL of a new database."""
    return fresh_url()


@pytest.fixture
def store(tmp_path: Path, url: str | None) -> Iterator[Store]:
    """Opens a store in a new database."""
    with Store.under(tmp_path, url) as opened:
        yield opened
