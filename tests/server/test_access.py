"""Who is let in, and what nobody is told."""

import asyncio
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.games.block_dominoes import rules
from referee.games.encode import varint
from referee.match.config import SECOND, TimeControl
from referee.server import logs, services
from referee.server.auth import REFUSAL, Authenticator, Identity
from referee.server.config import Limits, OpenTable
from referee.server.request import new_secret
from referee.server.services import SERVICES
from referee.server.stream import Connection
from referee.store.store import Store
from referee.v1 import arena_service_pb2
from referee.v1 import play_service_pb2 as pb
from tests.server.client import PATIENCE, Client, act, finish, frame, opened, room, run, until


async def refused(address: str, token: str | None) -> tuple[grpc.StatusCode, str]:
    """Returns how a stream with a token ends."""
    metadata = () if token is None else (("authorization", token),)
    options = [("grpc.use_local_subchannel_pool", 1)]
    channel: Any
    async with aio.insecure_channel(address, options=options) as channel:
        call = channel.stream_stream("/referee.v1.PlayService/Play")(metadata=metadata)
        async with asyncio.timeout(PATIENCE):
            return await call.code(), await call.details()


def test_l6_no_token_a_wrong_one_and_a_revoked_one_are_refused_alike(tmp_path: Path) -> None:
    """The text does not say which it was, and nobody's stream notices."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            token = store.add_bot("registered")
            gone = store.add_bot("gone")
            store.revoke_bot("gone")
        async with room(tmp_path) as hall:
            bot = await Client(hall.address, token).hello()
            for wrong in (None, "", "Bearer ", "Bearer nonsense", f"Bearer {gone}", token, "Basic abc"):
                code, details = await refused(hall.address, wrong)

                assert code == grpc.StatusCode.UNAUTHENTICATED
                assert details == REFUSAL
            assert bot.all("welcome")[0].bot_id == "registered"
            assert bot.goodbye is None
            assert len(hall.host.lobby.members) == 1
            await bot.close()

    run(play())


def test_l6_revoking_a_token_ends_the_stream_that_came_with_it(tmp_path: Path) -> None:
    """A bot that is connected is sent away; others, guests too, notice nothing."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            tokens = [store.add_bot("kept"), store.add_bot("gone")]
        async with room(tmp_path) as hall:
            kept, gone = [await Client(hall.address, token).hello() for token in tokens]
            guest = await hall.bot("guest")
            with Store.under(tmp_path) as store:
                store.revoke_bot("gone")
            goodbye = await gone.expect("goodbye")
            code, _ = await gone.status()

            assert goodbye.reason == pb.GOODBYE_REASON_REVOKED
            assert code == grpc.StatusCode.UNAUTHENTICATED
            assert kept.goodbye is None
            assert guest.goodbye is None
            for client in (kept, gone):
                await client.close()

    run(play())


def test_l6_every_rpc_that_is_not_public_asks_for_the_token_first(tmp_path: Path) -> None:
    """With a closed arena every method of every service refuses; with a token it is named."""

    async def play() -> None:
        async with room(tmp_path, public=False) as hall:
            token = hall.arena.add_guest("a")
            async with aio.insecure_channel(hall.address) as channel:
                for service in SERVICES:
                    for method in service.methods:
                        assert await _status(channel, method, "wrong") == grpc.StatusCode.UNAUTHENTICATED
                        answered = method.full_name in services._ANSWERS
                        expected = grpc.StatusCode.OK if answered else grpc.StatusCode.UNIMPLEMENTED
                        assert await _status(channel, method, token) == expected

    run(play())


async def _status(channel: Any, method: Any, token: str) -> grpc.StatusCode:
    path = f"/{method.containing_service.full_name}/{method.name}"
    make = channel.unary_stream if method.server_streaming else channel.unary_unary
    request = GetMessageClass(method.input_type)().SerializeToString()
    call = make(path)(request, metadata=(("authorization", f"Bearer {token}"),))
    async with asyncio.timeout(PATIENCE):
        code: grpc.StatusCode = await call.code()
        return code


def test_games_health_and_reflection_are_served(tmp_path: Path) -> None:
    """Tools find out what is served; the list of games has options with their ranges."""

    async def play() -> None:
        async with room(tmp_path) as hall, aio.insecure_channel(hall.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest(service="referee.v1.PlayService"))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING

            listing = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
            await listing.write(reflection_pb2.ServerReflectionRequest(list_services=""))
            named = {found.name for found in (await listing.read()).list_services_response.service}
            assert {service.full_name for service in SERVICES} | {"referee.v1.PlayService"} <= named

            raw: Any = channel
            call = raw.unary_unary("/referee.v1.ArenaService/ListGames")
            games = arena_service_pb2.ListGamesResponse.FromString(await call(b"")).games
            (dominoes,) = (game for game in games if game.game == "block_dominoes")
            assert (dominoes.min_seats, dominoes.max_seats) == (4, 4)
            assert "target" in {option.option for option in dominoes.options}

    run(play())


def test_c11_guessing_is_slowed_down_and_known_tokens_are_not() -> None:
    """After some wrong tokens in a second a peer's new ones are not looked up any more."""
    looked_up: list[str] = []

    class Register:
        def identify(self, token: str) -> Identity | None:
            looked_up.append(token)
            return Identity("known", "known", "known") if token == "known" else None

    now = 0
    auth = Authenticator(Register(), Limits(bad_tokens=5), lambda: now)

    def knock(token: str, peer: str = "ipv4:10.0.0.1:99") -> Identity | None:
        return auth.identify((("authorization", f"Bearer {token}"),), peer)

    assert knock("known")
    for number in range(100):
        assert knock(str(number)) is None
    assert len(looked_up) == 6
    assert knock("known")
    assert knock("other", "ipv4:10.0.0.2:1") is None
    assert len(looked_up) == 8

    now = SECOND
    assert knock("late") is None
    assert looked_up[-1] == "late"


def test_l7_the_secret_is_in_no_byte_before_the_end(tmp_path: Path) -> None:
    """Neither the secret nor the seed's name is sent, in any form, before the match has ended."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall, seed=8_765_432_101)
            outcome = await finish(playing, who, *others)
            assert outcome.end
            assert outcome.replay
            secret = bytes.fromhex(outcome.end.secret)
            for client in (who, *others):
                ended = client.all("match_ended")[0].SerializeToString()
                before, end, _ = client.received.partition(ended)

                assert end
                for hint in (secret, secret.hex().encode(), b"8765432101", varint(8_765_432_101)):
                    assert hint not in before
            assert "8765432101" not in outcome.replay.name

    run(play())


def test_l17_a_bug_in_the_rules_voids_its_match_and_tells_no_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots get an incident id; the trace is in the referee's own log; other matches go on."""
    private = io.TextIOWrapper(io.BytesIO())
    logs.configure(stream=private)

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)

            def broken(self: rules.State, action: int) -> None:
                del action
                raise AssertionError(f"hands {self.hands}")

            with monkeypatch.context() as patch:
                patch.setattr(rules.State, "apply", broken)
                await who.send(act(turn))
                ended = [await client.expect("match_ended") for client in (who, *others)]
            outcome = await playing

            assert outcome.termination == "void"
            assert "incident" in outcome.note
            for end in ended:
                assert end.note == outcome.note
                assert "hands" not in end.note
            again = await finish(hall.play(), who, *others)
            assert again.termination == "completed"
            private.flush()
            written = private.buffer.getvalue().decode()
            assert "AssertionError" in written
            assert outcome.note.rpartition(" ")[2] in written

    try:
        run(play())
    finally:
        logs.configure()


def test_l17_a_bug_on_a_stream_ends_that_stream_with_an_incident_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status is INTERNAL with a fixed text; what was raised does not leave the process."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            bot = await hall.bot("a")
            other = await hall.bot("b")

            def broken(*_: object) -> None:
                raise AssertionError("the hand of seat 2")

            with monkeypatch.context() as patch:
                patch.setattr(Connection, "_heed", broken)
                await bot.send(frame(leave=pb.Leave()))
                code, details = await bot.status()

            assert code == grpc.StatusCode.INTERNAL
            assert details.startswith("the referee failed; incident ")
            assert "seat 2" not in str(bot.frames)
            assert other.goodbye is None

    run(play())


_FORKING = """
import os
from referee.server.request import new_secret
new_secret(None, "group")
for _ in range(4):
    if os.fork() == 0:
        print("\\n".join(new_secret(None, "group").hex() for _ in range(250)), flush=True)
        os._exit(0)
    os.wait()
"""


def test_l20_a_thousand_deals_without_a_seed_are_all_different() -> None:
    """Also in forked workers and after a restart; a seed gives the same secret again."""
    command = [sys.executable, "-c", _FORKING]
    drawn = [
        line
        for _ in range(2)
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    ]

    assert len(drawn) == len(set(drawn)) == 2000
    assert {len(secret) for secret in drawn} == {64}
    assert new_secret(7, "group") == new_secret(7, "group") != new_secret(8, "group")


def test_l20_a_seed_gives_the_same_match_again(tmp_path: Path) -> None:
    """Whatever entropy the bots send; the match says that it proves nothing."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            first = await asyncio.wait_for(hall.play(seed=5), PATIENCE)
            second = await asyncio.wait_for(hall.play(seed=5), PATIENCE)
            third = await asyncio.wait_for(hall.play(seed=None), PATIENCE)
            hands = [client.all("turn")[0].observation for client in clients]
            started = [client.all("match_started") for client in clients]

            assert first.end
            assert second.end
            assert third.end
            assert first.end.secret == second.end.secret != third.end.secret
            assert first.match_id != second.match_id
            assert [one.provable for one in started[0]] == [False, False, True]
            assert len(hands) == 4
            await until(lambda: all(len(client.all("match_ended")) == 3 for client in clients))

    run(play())


def test_d15_open_tables_seat_who_waits_and_pair_the_others_anew(tmp_path: Path) -> None:
    """A bot that is not ready in time costs its table one match; the others get another."""

    async def play() -> None:
        tables = (OpenTable(game="block_dominoes", options={"target": 10}),)
        control = TimeControl(start=SECOND // 4)
        async with room(tmp_path, auto_pair=True, tables=tables, time_control=control) as hall:
            silent = await hall.bot("a", auto=False)
            others = await hall.bots("bcd")
            ended = await others[0].expect("match_ended")
            assert not ended.placements
            fifth = await hall.bot("e")
            ended = await fifth.expect("match_ended")

            assert len(ended.placements) == 4
            assert {place.display_name for place in ended.placements} == {"b", "c", "d", "e"}
            assert len(silent.matches) == 1

    run(play())
