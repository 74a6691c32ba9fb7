"""What scenarios alter: it is what it is meant to be, in every game."""

import asyncio
import random

import pytest

from referee import games
from referee.check.partners import COUNT
from referee.check.scenarios.play import LONG_LISTS, PADDING
from referee.check.tamper import Newer, not_held
from referee.games.base import CHANCE, TERMINAL, Game
from referee.match.shuffle import deal_seed, draw
from referee.server.config import Limits
from referee.server.request import new_group
from referee.v1 import play_service_pb2 as pb
from tests.games.helpers import shuffled


def turns(game: Game, seats: int, seed: int) -> "list[tuple[pb.Turn, list[int]]]":
    """Returns turns of a random match as a bot sees them, with the legal actions."""
    rng = random.Random(seed)
    state = game.new(seats, game.info.resolve({}))
    found: list[tuple[pb.Turn, list[int]]] = []
    while len(found) < 200 and state.to_act() != TERMINAL:
        if state.to_act() == CHANCE:
            state.start_deal(shuffled(state, rng))
        else:
            seat, turn = state.to_act(), pb.Turn()
            turn.observation.MergeFromString(game.wire.public(game.view.public(state)))
            turn.observation.MergeFromString(game.wire.private(game.view.private(state, seat)))
            found.append((turn, list(state.legal_actions())))
            state.apply(rng.choice(state.legal_actions()))
    return found


@pytest.mark.parametrize("game", games.REGISTRY, ids=lambda game: game.info.name)
@pytest.mark.parametrize("seed", range(3))
def test_an_action_that_is_swapped_in_is_well_formed_and_never_legal(game: Game, seed: int) -> None:
    """It names a tile or card of the game that the hand lacks, so that the referee says `ILLEGAL`."""
    for turn, legal in turns(game, game.info.min_seats, seed):
        action = game.wire.parse_action(not_held(turn))
        assert action not in legal


def test_newer_messages_can_be_read_by_those_who_skip_what_they_do_not_know() -> None:
    """Without the unknown parts a frame is what it was; the padding keeps within the limit."""
    frame = pb.PlayResponseFrame(turn=pb.Turn(match_id="m", turn_id=3))
    told = asyncio.run(Newer(PADDING).to_bot(None, frame))  # type: ignore[arg-type]  # no stream takes part
    message = pb.PlayResponse(frames=told).SerializeToString()
    read = pb.PlayResponse.FromString(message)
    known = [one for one in read.frames if one.WhichOneof("frame")]

    assert [(one.turn.match_id, one.turn.turn_id) for one in known] == [("m", 3)]
    assert len(read.frames) > len(known)
    assert PADDING < len(message) < Limits().response_bytes
    read.DiscardUnknownFields()
    assert read.ByteSize() < 100


def test_the_long_hand_of_guan_pai_is_dealt_by_its_seed() -> None:
    """The seed gives the seat that leads a hand of more than 300 plays; every game has a seed."""
    seed, seat = LONG_LISTS["guan_pai"]
    game, seats, group = games.find("guan_pai"), COUNT, new_group(seed, "")
    state = game.new(seats, game.info.resolve({}))
    state.start_deal(draw(deal_seed(group.secret, group.group_id, 1, [b""] * seats), state.chance()))

    assert state.to_act() == seat
    assert len(state.legal_actions()) == 309
    assert set(LONG_LISTS) == set(games.names())
