"""A match told again from its log: what the bots heard on their streams while it was played."""

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.errors import RecordError
from referee.games import find, names
from referee.match import events as ev
from referee.replay import reader
from referee.replay.reader import Log
from referee.server.retell import retell, retell_spectator
from referee.v1 import arena_service_pb2
from referee.v1 import play_service_pb2 as pb
from tests.replay.golden import FOLDER
from tests.server.client import Client, Room, act, ready, room, run, until
from tests.server.spectator import Spectator

OPTIONS: dict[str, dict[str, int | str]] = {
    "block_dominoes": {"target": 30, "max_deals": 3},
    "guan_pai": {"deals": 2},
    "mexican_train": {"deals": 2},
    "ding_niu": {"deals": 2},
}


def to_seat(log: Log, seat: int) -> list[pb.PlayResponseFrame]:
    """Returns what a seat is told again."""
    return [
        found
        for heard in retell(log)
        if heard.seat == seat
        for found in pb.PlayResponse.FromString(heard.data).frames
    ]


def heard(client: Client) -> list[pb.PlayResponseFrame]:
    """Returns what a bot heard of its matches."""
    return [found for found in client.frames if found.WhichOneof("frame") not in {"welcome", "goodbye"}]


class Clumsy(Client):
    """A bot that answers each third turn with something that is refused, and then as it should."""

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        answers = super()._take(got)
        if got.HasField("turn"):
            index = got.turn.turn_id % len(got.turn.legal_actions)
            return [act(got.turn, index=10_000 if got.turn.turn_id % 3 == 0 else index)]
        if got.HasField("rejected"):
            return [act(self.all("turn")[-1], index=0)]
        return answers


async def played(hall: Room, game: str, **about: Any) -> tuple[list[Client], Spectator]:
    """Plays one match of clumsy bots before a spectator, to the end."""
    count = find(game).info.min_seats
    bots = "abcdefgh"[:count]
    clients: list[Client] = []
    for name in bots:
        hall.tokens[name] = hall.arena.add_guest(name, owner=name)
        clients.append(await Clumsy(hall.address, hall.tokens[name], games=[game], auto=False).hello())
        hall.clients.append(clients[-1])
    playing = hall.play(bots, game=game, options=OPTIONS[game], **about)
    for client in clients:
        await client.expect("match_started")
    watching = Spectator(hall.address, hall.live.match.setup.match_id)
    await until(lambda: watching.frames)
    for client in clients:
        await client.send(ready(client.all("match_started")[0], b"entropy"))
    await playing
    await until(lambda: watching.all("ended"))
    for client in clients:
        await client.expect("match_ended")
    await watching.close()
    return clients, watching


@pytest.mark.parametrize("anonymous", [False, True])
@pytest.mark.parametrize("game", names())
def test_every_seat_is_told_again_what_it_heard(game: str, anonymous: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Frame by frame the seats are told what came on their streams, refusals and clocks with it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients, watching = await played(hall, game, anonymous=anonymous)
            (path,) = reader.scan(tmp_path)
            log = reader.read(path)
            for seat in range(len(clients)):
                (client,) = (one for one in clients if one.all("match_started")[0].seat == seat)
                assert client.all("rejected")
                assert to_seat(log, seat) == heard(client)
            told = [
                found
                for data in retell_spectator(log)
                for found in arena_service_pb2.WatchMatchResponse.FromString(data).frames
            ]
            assert told[0].started.match == watching.started.match
            assert told[1:] == watching.frames[1:]

    run(play())


def test_a_seat_hears_nothing_while_its_stream_is_gone() -> None:
    """Then it is told that the match goes on, and its open turn with the events that it missed."""
    log = reader.read(FOLDER / "mexican_train" / "faults.jsonl")
    (back,) = (record for record in log.records if isinstance(record, ev.Rejoined))
    told = [one for one in retell(log) if one.seat == back.seat and one.n == back.n]
    frames = [found for one in told for found in pb.PlayResponse.FromString(one.data).frames]
    assert frames[0].match_started.resumed
    left = next(record.n for record in log.records if isinstance(record, ev.Dropped))
    assert not [one for one in retell(log) if one.seat == back.seat and left <= one.n < back.n]


def test_a_forged_log_is_told_up_to_the_forgery() -> None:
    """What follows from the good records is told, then the line is named."""
    log = reader.read(FOLDER / "ding_niu" / "plain.jsonl")
    turn = next(at for at, record in enumerate(log.records) if isinstance(record, ev.Turn) and at > 20)
    forged = msgspec.structs.replace(log.records[turn], bank=1)
    records = (*log.records[:turn], forged, *log.records[turn + 1 :])
    told = retell(dataclasses.replace(log, records=records))
    heard: list[int] = []
    with pytest.raises(RecordError, match="bank is 1, must be") as caught:
        heard.extend(one.n for one in told)
    assert max(heard) <= turn
    assert caught.value.line == turn + 2
    with pytest.raises(RecordError, match="takes the secret"):
        next(retell(dataclasses.replace(log, secret=None)))


def test_what_is_not_in_the_log_was_told_to_nobody() -> None:
    """Of a log that ends anywhere nothing is told that follows from a record which it lacks."""
    log = reader.read(FOLDER / "guan_pai" / "faults.jsonl")
    whole = list(retell(log))
    for length in range(0, len(log.records), 7):
        cut = list(retell(dataclasses.replace(log, records=log.records[:length])))
        assert cut == [one for one in whole if one.n <= length]
