"""A server whose database goes away while matches run, and comes back."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest
import structlog
from structlog.typing import EventDict

from referee.server import index as index_module
from referee.server.auth import AWAY
from referee.server.index import Index
from referee.store.store import FILE, Store
from tests import postgres
from tests.server.client import Client, finish, room, run
from tests.server.test_access import refused
from tests.store import logs
from tests.store.seasons import season


class Outage(NamedTuple):
    """A database, and how it goes away and comes back."""

    url: str | None
    begin: Callable[[], object]
    end: Callable[[], object]


@pytest.fixture(params=["sqlite", "postgresql"])
def outage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Outage]:
    """Gives a file that can be taken away, and a server of its own that can be stopped."""
    with contextlib.ExitStack() as stack:
        if request.param == "sqlite":
            here, away = tmp_path / FILE, tmp_path / "away.db"
            yield Outage(None, lambda: here.rename(away), lambda: away.rename(here))
        else:
            server = stack.enter_context(postgres.running())
            url = stack.enter_context(server.database())
            yield Outage(url, server.stop, server.start)


def test_p2_matches_go_on_while_the_database_is_away(tmp_path: Path, outage: Outage) -> None:
    """What is played is kept in the logs, and is in the database once that is back (P2)."""

    async def play() -> None:
        async with room(tmp_path, store=outage.url) as hall:
            clients, index = await hall.bots(), hall.host.index
            assert index
            before = await finish(hall.play(pairing_id="p/0"), *clients)
            outage.begin()
            outcomes = [await finish(hall.play(pairing_id=f"p/{n}"), *clients) for n in (1, 2, 3)]
            index.catch_up()
            await index.settled()
            outage.end()
            index.catch_up()
            await index.settled()
            outcomes.append(await finish(hall.play(pairing_id="p/4"), *clients))

        assert [outcome.termination for outcome in outcomes] == ["completed"] * 4
        with Store.under(tmp_path, outage.url) as store:
            kept = [result.match_id for result in store.results(run="p")]
        assert kept == [outcome.match_id for outcome in (before, *outcomes)]

    with structlog.testing.capture_logs() as lines:
        run(play())
    assert [line["event"] for line in _about_the_database(lines)] == [
        "the database cannot be used; results wait in the logs",
        "the database can be used again",
    ]


def test_p2_known_bots_come_back_while_the_database_is_away(tmp_path: Path, outage: Outage) -> None:
    """A token that was known here is still good; of a new one nobody can tell, and its bot is told so."""

    async def play() -> None:
        with Store.under(tmp_path, outage.url) as store:
            known, new, bad = store.add_bot("known"), store.add_bot("new"), "nonsense"
        async with room(tmp_path, store=outage.url) as hall:
            stays, leaves = [await Client(hall.address, known, instance_id=name).hello() for name in "ab"]
            await leaves.close()
            outage.begin()
            for token in (new, bad):
                answer = await refused(hall.address, f"Bearer {token}")
                assert answer == (grpc.StatusCode.UNAVAILABLE, AWAY)
            comes = await Client(hall.address, known, instance_id="b").hello()
            await hall.host.send_revoked_away()
            outage.end()
            arrives = await Client(hall.address, new).hello()
            assert (await refused(hall.address, f"Bearer {bad}"))[0] is grpc.StatusCode.UNAUTHENTICATED
            await hall.host.send_revoked_away()

            assert all(client.goodbye is None for client in (stays, comes, arrives))
            for client in (stays, comes, arrives):
                await client.close()

    run(play())


def test_results_that_wait_for_the_database_take_no_memory(
    tmp_path: Path, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a limit, and while the database is away, only the logs hold them."""
    paths = [logs.write(tmp_path, each) for each in season()]
    monkeypatch.setattr(index_module, "_MOST_WAITING", 3)

    async def play() -> None:
        with Store.under(tmp_path, outage.url) as store:
            index = Index(store, tmp_path)
            outage.begin()
            for path in paths:
                index.add(path)
                assert len(index._pending) <= 3
            await index.settled()
            index.add(paths[0])
            assert not index._pending
            outage.end()
            index.catch_up()
            await index.settled()
            assert store.results() == season()
            await index.close()

    asyncio.run(play())


def _about_the_database(lines: list[EventDict]) -> list[EventDict]:
    return [line for line in lines if line["log_level"] != "debug" and "database" in line["event"]]
