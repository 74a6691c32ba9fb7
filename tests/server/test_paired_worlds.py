"""L1, L5, L14: all frames that one seat gets from a match are the same in two worlds it cannot tell apart."""

import random

import pytest

from referee.games import REGISTRY, names
from referee.games.base import Game
from referee.match.attempt import Index
from referee.match.machine import Match
from referee.server.codec import Codec, Wish
from referee.v1 import play_service_pb2 as pb
from tests.match.harness import SECRET, setup
from tests.replay.scripts import SHORT
from tests.server.worlds import kinds, seated, told

DELIVERIES = (pb.EVENT_DELIVERY_WITH_TURN, pb.EVENT_DELIVERY_AT_ONCE, pb.EVENT_DELIVERY_NONE)
every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


@every_game
@pytest.mark.parametrize("delivery", DELIVERIES)
def test_l1_l5_l14_every_frame_for_a_seat_is_the_same_in_both_worlds(
    game: Game, delivery: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start, turns, events, resync and refusals of every kind are equal byte for byte, input by input."""
    wish = Wish(delivery)
    total: dict[str, int] = {}
    found = seated(game, 5, 48)
    assert len(found) > 16
    for pair in found:
        one, other = (told(pair, number, wish, monkeypatch) for number in (0, 1))

        assert one == other
        for kind, count in kinds(one).items():
            total[kind] = total.get(kind, 0) + count
    faults = {f"rejected {fault}" for fault in (1, 2, 3, 4, 5, 6, 7, 8)}
    assert total.keys() >= {"match_started", "turn"} | faults, total
    assert bool(total.get("event")) == (delivery == pb.EVENT_DELIVERY_AT_ONCE)


@every_game
@pytest.mark.parametrize("delivery", DELIVERIES)
def test_l5_hands_are_shown_when_the_deal_is_over_and_not_before(game: Game, delivery: int) -> None:
    """`DealEnded` comes to every seat after the last action of its deal and before the next turn."""
    choose = random.Random(3)
    seats = game.info.min_seats
    header = setup(seats=seats, game=game.info.name, options=SHORT[game.info.name])
    heard: list[list[pb.PlayResponseFrame]] = [[] for _ in range(seats)]
    codec = Codec(header, game, [Wish(delivery)] * seats)
    match = Match(header, game, SECRET, 0, lambda record: codec.record(match, record))
    for seat in range(seats):
        match.ready(seat, b"", 0)
    ended = 0
    while match.open_turn:
        question = match.open_turn
        codec.settle(match, 0)
        for out in codec.take():
            heard[out.seat] += pb.PlayResponse.FromString(out.data).frames
        for frames in heard:
            assert [one.deal_ended.deal for one in frames if one.HasField("deal_ended")] == list(
                range(1, match.state.deal)
            )
        ended = match.state.deal
        match.act(question.seat, question.turn, Index(choose.randrange(len(match.state.legal_actions()))), 0)
    assert ended > 1
