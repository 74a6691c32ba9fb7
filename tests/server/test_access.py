"""Who is let in, and what nobody is told."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.match.config import SECOND
from referee.server.auth import REFUSAL, TOO_MANY, Authenticator, Identity, Refused
from referee.server.config import Limits
from referee.server.host import MatchOutcome
from referee.server.index import Index
from referee.server.services import SERVICES
from referee.store.store import Store
from referee.v1 import admin_service_pb2, arena_service_pb2, fault_pb2
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import Client, Room, act, finish, frame, opened, ready, room, run, until
from tests.server.spectator import Spectator


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


async def seated(
    hall: Room, instance: str
) -> tuple[Client, pb.Turn, list[Client], asyncio.Task[MatchOutcome]]:
    """Returns what `opened` does, of bots that all give the same name to their instance."""
    clients = await hall.bots(auto=False, instance_id=instance)
    playing = hall.play()
    for client in clients:
        await client.send(ready(await client.expect("match_started")))
    who, turn = await hall.first_turn(clients)
    return who, turn, [client for client in clients if client is not who], playing


def untouched(hall: Room, turn: pb.Turn) -> tuple[object, ...]:
    """Returns what of a running match nobody but its seats may change."""
    match = hall.live.match
    question = match.open_turn
    assert question
    assert question.turn == turn.turn_id
    seats = [(member.stream, dict(member.open_turns), member.takeovers) for member in hall.live.members]
    conduct = [dict(count) for count in match.conduct.faults], list(match.conduct.strikes)
    return match.plies, match.state.snapshot(), question.start, question.retries, seats, conduct


def test_l6_a_read_of_a_bot_that_is_added_while_the_register_is_looked_up_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked up before it was there says nothing about it; a revoked one is ended."""
    found, told = asyncio.Event(), asyncio.Event()
    real = Index.registered

    async def registered(index: Index) -> frozenset[Identity] | None:
        answer = await real(index)
        found.set()
        await told.wait()
        return answer

    async def play() -> None:
        with Store.under(tmp_path) as store:
            revoked = store.add_bot("gone")
        async with room(tmp_path, public=False) as hall:
            who, turn, others, playing = await opened(hall)
            gone = Spectator(hall.address, turn.match_id, token=revoked)
            await until(lambda: gone.frames)
            with Store.under(tmp_path) as store:
                store.revoke_bot("gone")
            monkeypatch.setattr(Index, "registered", registered)
            looking = asyncio.ensure_future(hall.host.send_revoked_away())
            await found.wait()
            with Store.under(tmp_path) as store:
                added = store.add_bot("new")
            new = Spectator(hall.address, turn.match_id, token=added)
            await until(lambda: new.frames)
            told.set()
            await looking
            assert await gone.code is grpc.StatusCode.UNAUTHENTICATED
            await finish(playing, who, *others)
            assert await new.code is grpc.StatusCode.OK
            for eye in (gone, new):
                await eye.close()

    run(play())


@pytest.mark.parametrize("instance", ["default", "one"])
def test_l6_an_impostor_changes_nothing_in_a_running_match(tmp_path: Path, instance: str) -> None:
    """With a valid token of its own it answers for a seat and takes its instance's name: it is refused."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await seated(hall, instance)
            victims = [who, *others]
            before, heard = untouched(hall, turn), [len(one.frames) for one in victims]
            impostor = await hall.bot("e", instance_id=instance)
            for sent in (
                act(turn),
                act(turn, action=turn.legal_actions[0]),
                frame(ready=pb.Ready(match_id=turn.match_id, entropy=b"mine")),
            ):
                await impostor.send(sent)
                refused = await impostor.expect("rejected")

                assert refused.fault == fault_pb2.FAULT_KIND_UNKNOWN_MATCH
                assert (refused.turn_id, refused.strike_count) == (0, 0)
                assert not refused.HasField("remaining_duration")
            assert untouched(hall, turn) == before
            assert [len(one.frames) for one in victims] == heard
            assert not impostor.matches
            assert not any(one.goodbye for one in victims)

            outcome = await finish(playing, *victims)
            assert outcome.end
            assert outcome.termination == "completed"
            assert not any(place.faults or place.strikes for place in outcome.end.places)
            assert not impostor.all("turn")

    run(play())


def test_l6_an_impostor_is_ready_for_nobody(tmp_path: Path) -> None:
    """Its `Ready` for a match that starts is refused, and the match still waits for the seat."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            victims = await hall.bots(auto=False)
            playing = hall.play(seed=None)
            started = [await victim.expect("match_started") for victim in victims]
            for victim, own in zip(victims[1:], started[1:], strict=True):
                await victim.send(ready(own))
            await until(lambda: sum(entropy is not None for entropy in hall.live.match._entropy) == 3)
            impostor = await hall.bot("e")
            await impostor.send(ready(started[0], b"mine"))
            refused = await impostor.expect("rejected")

            assert refused.fault == fault_pb2.FAULT_KIND_UNKNOWN_MATCH
            assert hall.live.match.phase == "starting"

            await victims[0].send(ready(started[0], b"own"))
            await hall.first_turn(victims)
            outcome = await finish(playing, *victims)
            assert outcome.end
            assert outcome.end.contributions == (b"own".hex(), "", "", "")

    run(play())


OK = grpc.StatusCode.OK
EMPTY = dict.fromkeys(
    (
        *("GetMatch", "WatchMatch", "GetStandings", "GetLeaderboard"),
        *("GetReplay", "DownloadReplays", "GetReport"),
    ),
    grpc.StatusCode.INVALID_ARGUMENT,
)
"""What an empty request comes to where something has to be named."""
OWN = {"referee.v1.ReplayService.GetReport"}
"""What a public arena asks the token for; `PlayService` and this are all that is not public."""


@pytest.mark.parametrize("public", [False, True])
def test_l6_every_rpc_that_is_not_public_asks_for_the_token_first(tmp_path: Path, public: bool) -> None:  # noqa: FBT001
    """Every method refuses a wrong token and none, public reads apart; with a token it is named."""

    async def play() -> None:
        async with room(tmp_path, public=public, limits=Limits(bad_tokens=1_000)) as hall:
            token = hall.arena.add_guest("a")
            async with aio.insecure_channel(hall.address) as channel:
                for method in (method for service in SERVICES for method in service.methods):
                    served = EMPTY.get(method.name, OK)
                    asks = not public or method.full_name in OWN
                    expected = grpc.StatusCode.UNAUTHENTICATED if asks else served
                    assert await _status(channel, method, "wrong") == expected
                    assert await _status(channel, method, None) == expected
                    assert await _status(channel, method, token) == served

    run(play())


def test_l6_every_rpc_of_the_contract_is_served_or_has_no_place_here(tmp_path: Path) -> None:
    """Of all services of the contract only the administrator's cannot be reached where bots dial in."""

    async def play() -> None:
        async with room(tmp_path) as hall, aio.insecure_channel(hall.address) as channel:
            token = hall.arena.add_guest("a")
            for method in admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"].methods:
                path = f"/{method.containing_service.full_name}/{method.name}"
                raw: Any = channel
                metadata = (("authorization", f"Bearer {token}"),)
                call = raw.unary_unary(path)(b"", metadata=metadata)
                async with asyncio.timeout(PATIENCE):
                    assert await call.code() == grpc.StatusCode.UNIMPLEMENTED
                    assert "Method not found" in await call.details()

    run(play())


async def _status(channel: Any, method: Any, token: str | None) -> grpc.StatusCode:
    request = GetMessageClass(method.input_type)().SerializeToString()
    return (await _ending(channel, method, request, token))[0]


async def _ending(
    channel: Any, method: Any, request: bytes, token: str | None
) -> tuple[grpc.StatusCode, str]:
    path = f"/{method.containing_service.full_name}/{method.name}"
    make = channel.unary_stream if method.server_streaming else channel.unary_unary
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    call = make(path)(request, metadata=metadata)
    async with asyncio.timeout(PATIENCE):
        return await call.code(), await call.details()


@pytest.mark.parametrize("public", [False, True])
def test_l6_nobody_is_told_in_words_of_a_library_what_cannot_be_read(tmp_path: Path, public: bool) -> None:  # noqa: FBT001
    """Bytes that are no request: first the token is asked for, then the answer is one fixed text."""

    async def play() -> None:
        limits = Limits(bad_tokens=1_000)
        async with (
            room(tmp_path, public=public, limits=limits) as hall,
            aio.insecure_channel(hall.address) as channel,
        ):
            token = hall.arena.add_guest("a")
            for method in (method for service in SERVICES for method in service.methods):
                for bytes_ in (b"\xff\xff", b"\x0a\xff", b"\x0a\x02\xff\xfe"):
                    wrong = await _ending(channel, method, bytes_, None)
                    right = await _ending(channel, method, bytes_, token)

                    if not public or method.full_name in OWN:
                        assert wrong == (grpc.StatusCode.UNAUTHENTICATED, REFUSAL)
                    else:
                        assert wrong == right
                    if bytes_ == b"\xff\xff":
                        text = f"the request cannot be read: it is no {method.input_type.full_name}"
                        assert right == (grpc.StatusCode.INVALID_ARGUMENT, text)
                    assert "Error" not in right[1]
                    assert "class" not in right[1]

    run(play())


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


def test_health_and_reflection_say_no_more_of_what_they_cannot_read(tmp_path: Path) -> None:
    """They are those of a library, and answer bytes that are no request as all other services do."""

    async def play() -> None:
        channel: Any
        async with room(tmp_path) as hall, aio.insecure_channel(hall.address) as channel:
            reflect = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
            calls = [
                channel.unary_unary("/grpc.health.v1.Health/Check")(b"\xff\xff"),
                channel.unary_stream("/grpc.health.v1.Health/Watch")(b"\xff\xff"),
                channel.stream_stream(reflect)(iter([b"\xff\xff"])),
            ]
            for call in calls:
                async with asyncio.timeout(PATIENCE):
                    ending = (await call.code(), await call.details())
                assert ending == (grpc.StatusCode.INVALID_ARGUMENT, "the request cannot be read")

    run(play())


def test_c11_guessing_is_slowed_down_and_known_tokens_are_not() -> None:
    """After some wrong tokens in a second a peer's new ones are not looked up, and told to come again."""
    looked_up: list[str] = []

    class Register:
        async def identify(self, token: str) -> Identity | None:
            looked_up.append(token)
            return Identity(token, token, token) if token in {"known", "new"} else None

    now = 0
    auth = Authenticator(Register(), Limits(bad_tokens=5), lambda: now)

    def knock(token: str, peer: str = "ipv4:10.0.0.1:99") -> object:
        found = asyncio.run(auth.identify((("authorization", f"Bearer {token}"),), peer))
        return found.code.name if isinstance(found, Refused) else found.bot_id

    assert knock("known") == "known"
    assert [knock(str(number)) for number in range(5)] == ["UNAUTHENTICATED"] * 5
    assert {knock(str(number)) for number in range(5, 100)} == {"RESOURCE_EXHAUSTED"}
    assert knock("new") == "RESOURCE_EXHAUSTED"
    assert len(looked_up) == 6
    assert knock("known") == "known"
    assert knock("") == "UNAUTHENTICATED"
    assert knock("other", "ipv4:10.0.0.2:1") == "UNAUTHENTICATED"
    assert len(looked_up) == 8

    now = SECOND
    assert knock("new") == "new"


def test_c11_a_bot_is_not_sent_away_for_good_because_somebody_guesses(tmp_path: Path) -> None:
    """Over the limit its token is told to be tried again, by every service; that says nothing of it."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            token = store.add_bot("valid")
        async with room(tmp_path, public=False) as hall:
            hall.host.auth = Authenticator(hall.host.index, Limits(bad_tokens=0), lambda: 0)
            assert (await refused(hall.address, "Bearer no"))[0] == grpc.StatusCode.UNAUTHENTICATED
            answer = await refused(hall.address, f"Bearer {token}")
            assert answer == (grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_MANY)
            async with aio.insecure_channel(hall.address) as channel:
                method = SERVICES[0].methods[0]
                assert await _status(channel, method, token) == grpc.StatusCode.RESOURCE_EXHAUSTED

    run(play())
