"""Watching a match where something is refused, fails, or ends too soon; and what it may cost."""

import asyncio
from functools import partial
from pathlib import Path

import grpc
import pytest

from referee import games
from referee.games.block_dominoes import view
from referee.match.attempt import Index
from referee.match.events import Record
from referee.match.machine import Match
from referee.server.config import Limits
from referee.server.peers import address
from referee.server.watch.show import Show
from referee.server.watch.telling import BEGINNING, Teller
from referee.store.store import Store
from referee.v1 import match_pb2
from tests.match.harness import SECRET, setup
from tests.server.client import Client, act, finish, room, run, until
from tests.server.serving import registered, seated, serve
from tests.server.spectator import Spectator
from tests.server.watching import DELAY, caught_up, status, step, table, was_asked


def test_what_cannot_be_watched_is_refused_by_name(tmp_path: Path) -> None:
    """An empty id, a number below 0, a match that nobody knows, and a path."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            assert await status(hall, "") == grpc.StatusCode.INVALID_ARGUMENT
            known = "01890000-0000-7000-8000-000000000000"
            assert await status(hall, known, -1) == grpc.StatusCode.INVALID_ARGUMENT
            for unknown in (known, "x", "../../../etc/passwd", f"{known}/..", known.replace("7000", "4000")):
                assert await status(hall, unknown) == grpc.StatusCode.NOT_FOUND

    run(play())


def test_there_is_a_limit_to_spectators_of_a_match_and_of_a_server(tmp_path: Path) -> None:
    """Above it one is refused at once, and a place that is left is free again."""

    async def play() -> None:
        limits = Limits(spectators_per_match=2, spectators=3)
        async with room(tmp_path, limits=limits) as hall:
            bots = await hall.bots("abcdefgh", auto=False)
            playing = [hall.play("abcd"), hall.play("efgh")]
            await until(lambda: len(hall.host.matches) == 2)
            one, other = hall.host.matches
            inside = [Spectator(hall.address, match_id) for match_id in (one, one, other)]
            await until(lambda: all(spectator.frames for spectator in inside))
            for match_id in (one, other):
                assert await status(hall, match_id) == grpc.StatusCode.RESOURCE_EXHAUSTED
            await inside[0].close()
            await until(lambda: hall.arena.reads.gallery._seats[one] == 1)
            again = Spectator(hall.address, one)
            await until(lambda: again.frames or again.call.done())
            assert again.frames
            for spectator in (*inside[1:], again):
                await spectator.close()
            await until(lambda: not any(live.show for live in hall.host.matches.values()))
            for match in playing:
                match.cancel()
            assert bots

    run(play())


def test_a_bug_in_showing_a_match_costs_the_match_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spectators get an incident id, and the match its end."""

    def broken(self: Teller, *args: object) -> None:
        del self, args
        raise AssertionError(f"hands {view.__name__}")

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            with monkeypatch.context() as patch:
                patch.setattr(Teller, "tell", broken)
                outcome = await finish(playing, *seats)
            assert outcome.termination == "completed"
            assert await spectator.code == grpc.StatusCode.INTERNAL
            assert "hands" not in await spectator.details
            await spectator.close()

    run(play())


def test_l17_a_bug_in_the_rules_is_told_to_spectators_as_to_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is void, with the number of the incident and no more."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            await step(hall, seats, 3)
            state = type(hall.live.match.state)

            def broken(self: object, action: int) -> None:
                raise AssertionError(f"hands {self} {action}")

            with monkeypatch.context() as patch:
                patch.setattr(state, "apply", broken)
                question = hall.live.match.open_turn
                assert question
                client = seats[question.seat]
                await until(partial(was_asked, client, question.turn))
                await client.send(act(client.all("turn")[-1]))
                outcome = await playing
            assert outcome.termination == "void"
            assert await spectator.code == grpc.StatusCode.OK
            (ended,) = spectator.all("ended")
            assert ended.termination == match_pb2.TERMINATION_VOID
            assert ended.note == (await seats[0].expect("match_ended")).note
            assert not ended.placements
            await spectator.close()

    run(play())


def test_a_match_that_is_suspended_is_not_told_to_its_end(tmp_path: Path) -> None:
    """The stream ends as unavailable, and what the delay hides stays hidden."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            await step(hall, seats, 10)
            stopping = asyncio.ensure_future(hall.arena.stop(0))
            assert await spectator.code == grpc.StatusCode.UNAVAILABLE
            await stopping
            told = [frame.event.ply for frame in spectator.frames if frame.HasField("event")]
            assert max(told, default=0) <= 2
            assert not spectator.all("ended")
            await spectator.close()
            playing.cancel()

    run(play())


def test_c7_a_match_that_nobody_watches_any_more_keeps_nothing(tmp_path: Path) -> None:
    """With the last spectator its show is gone, and what was built for it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            for _ in range(3):
                spectator = Spectator(hall.address, match_id)
                await until(partial(caught_up, spectator, []))
                await step(hall, seats, 2)
                assert hall.live.codec.table
                await spectator.close()
                await until(lambda: hall.live.show is None)
                assert not hall.live.codec.table
                await step(hall, seats)
            await finish(playing, *seats)
            assert (await seats[0].expect("match_ended")).termination == match_pb2.TERMINATION_COMPLETED

    run(play())


def test_p1_who_watched_before_a_restart_is_told_on_after_it(tmp_path: Path) -> None:
    """The match is resumed by another process, and the numbers of its events go on."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--watch-delay", "2") as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            match_id = turn.match_id
            before = Spectator(served.address, match_id)
            await until(lambda: before.frames)
            await opener.send(act(turn))
            await until(lambda: sum(len(client.all("turn")) for client in clients) == 2)
            for client in clients:
                client.auto = client is not opener
            (second,) = [client for client in clients if client is not opener and client.all("turn")]
            await second.send(act(second.all("turn")[-1]))
            await until(lambda: before.events)
            served.process.kill()
            for client in clients:
                await client.close()
            await before.close()
            last = before.events[-1]
        async with serve(tmp_path, "--watch-delay", "2") as served:
            address = (await served.listening()).address
            after = Spectator(address, match_id, last_event_id=last)
            await until(lambda: after.frames)
            clients = [await Client(address, token).hello() for token in tokens.values()]
            assert await after.code == grpc.StatusCode.OK
            assert before.events == list(range(1, last + 1))
            assert after.events == list(range(last + 1, last + 1 + len(after.events)))
            assert after.all("ended")[0].termination == match_pb2.TERMINATION_COMPLETED
            for client in clients:
                await client.close()
            await after.close()

    run(play())


def test_l6_a_private_server_shows_nothing_without_a_token(tmp_path: Path) -> None:
    """With `--private` spectators need the token of a bot."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--private") as served:
            address = (await served.listening()).address
            stranger, bot = Spectator(address, "x"), Spectator(address, "x", token=tokens["a"])
            assert await stranger.code == grpc.StatusCode.UNAUTHENTICATED
            assert await bot.code == grpc.StatusCode.NOT_FOUND
            for spectator in (stranger, bot):
                await spectator.close()

    run(play())


def test_l6_a_revoked_token_ends_what_is_watched_with_it(tmp_path: Path) -> None:
    """The stream ends by itself while its match goes on, and others watch on; so it is with a guest."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with room(tmp_path, public=False) as hall:
            _, playing, match_id = await table(hall)
            tokens["guest"] = hall.arena.add_guest("guest")
            watching = {
                name: Spectator(hall.address, match_id, token=token) for name, token in tokens.items()
            }
            await until(lambda: all(one.frames for one in watching.values()))
            with Store.under(tmp_path) as store:
                store.revoke_bot("a")
            hall.host.auth.remove_guest(tokens["guest"])
            for name in ("a", "guest"):
                assert await watching[name].code == grpc.StatusCode.UNAUTHENTICATED
                assert await watching[name].details == "the token was revoked"
            others = [one for name, one in watching.items() if name not in {"a", "guest"}]
            assert others
            assert not any(one.call.done() for one in others)
            assert not playing.done()
            for one in watching.values():
                await one.close()
            await until(lambda: hall.live.show is None)
            playing.cancel()

    run(play())


def test_nobody_takes_the_places_of_all_other_spectators(tmp_path: Path) -> None:
    """One address has a share of them, whichever matches it watches; the refusal says so."""

    async def play() -> None:
        limits = Limits(spectators_per_address=2)
        async with room(tmp_path, limits=limits) as hall:
            await hall.bots("abcdefgh", auto=False)
            playing = [hall.play("abcd"), hall.play("efgh")]
            await until(lambda: len(hall.host.matches) == 2)
            inside = [Spectator(hall.address, match_id) for match_id in hall.host.matches]
            await until(lambda: all(spectator.frames for spectator in inside))
            refused = Spectator(hall.address, next(iter(hall.host.matches)))

            assert await refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert await refused.details == "your address has as many spectators as it may"

            await inside[0].close()
            await until(lambda: any(live.show is None for live in hall.host.matches.values()))
            again = Spectator(hall.address, next(iter(hall.host.matches)))
            await until(lambda: again.frames or again.call.done())
            assert again.frames
            for spectator in (inside[1], refused, again):
                await spectator.close()
            for match in playing:
                match.cancel()

    run(play())


@pytest.mark.parametrize(
    ("peers", "where"),
    [
        (("ipv4:192.0.2.1:4711", "ipv4:192.0.2.1:9", "ipv6:[::ffff:192.0.2.1]:9"), "192.0.2.1"),
        (("ipv6:[2001:db8:1:2::3]:9", "ipv6:%5B2001:db8:1:2:4:5:6:7%5D:9"), "2001:db8:1:2::/64"),
        (("ipv4:127.0.0.1:1", "ipv4:127.8.8.8:1", "ipv6:%5B::1%5D:1", "unix:", "unix:/a/b"), "this machine"),
        (("nothing known",), "nothing known"),
    ],
)
def test_callers_are_told_apart_by_what_they_cannot_choose(peers: tuple[str, ...], where: str) -> None:
    """The port and the lower half of an IPv6 address are anybody's choice; one machine is one caller."""
    assert {address(peer) for peer in peers} == {where}


def test_c7_what_is_kept_for_spectators_of_a_long_match_is_bounded() -> None:
    """What was told long ago is let go, however long the match; who follows is told all of it."""
    keep = 10_000
    header = setup(options={"target": 3_000, "max_deals": 100})

    def take(record: Record) -> None:
        show.record(match, record)

    match = Match(header, games.find(header.game), SECRET, 0, take)
    show = Show(match, 0, DELAY, keep)
    show.begin(BEGINNING, [])
    place = told = most = 0
    for seat in range(4):
        match.ready(seat, b"", 0)
    while match.open_turn:
        match.act(match.open_turn.seat, match.open_turn.turn, Index(0), 0)
        show.release(match.plies)
        groups = show.after(place)
        assert groups is not None
        place += len(groups)
        told += sum(len(group.data) for group in groups)
        most = max(most, sum(len(group.data) for group in show._groups))

    assert show.over
    assert told > 20 * keep
    assert most < 2 * keep
