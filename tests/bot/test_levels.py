"""The levels of the house bots, in every game: what they share, and that each beats the one before."""

import random

import pytest

from benchmarks import strength
from referee.bot import Turn
from referee.games import REGISTRY, names
from referee.games.base import Game
from referee.v1 import play_service_pb2 as play
from sample_bots.house import strategies

GROUPS = {"block_dominoes": 60, "guan_pai": 20, "mexican_train": 8, "ding_niu": 40}
"""The deal groups by game that show the difference; more where the luck of the deal weighs more."""


def test_the_house_plays_every_game() -> None:
    """There are strategies for each game of the registry."""
    assert list(strategies.GAMES) == list(names())


def test_easy_repeats_itself_from_a_seed() -> None:
    """Easy chooses among all legal actions, and equally from equal seeds."""
    message = play.Turn()
    for _ in range(3):
        message.legal_actions.add()
    turn = Turn(message, play.MatchStarted(game="block_dominoes"))
    one, two = strategies.easy(random.Random(3)), strategies.easy(random.Random(3))
    choices = [one(turn) for _ in range(50)]
    assert choices == [two(turn) for _ in range(50)]
    assert set(choices) == {0, 1, 2}


@pytest.mark.parametrize("game", REGISTRY, ids=names())
@pytest.mark.parametrize(("better", "worse"), [("normal", "easy"), ("expert", "normal")])
def test_each_level_beats_the_one_before(game: Game, better: str, worse: str) -> None:
    """Over duplicate deals and all arrangements of seats the interval of the difference is above 0."""
    players, seats = strength.players(1), strength.usual_seats(game)
    groups = GROUPS[game.info.name]
    found = strength.differences(game, seats, players[better], players[worse], groups, seed=2)
    mean, half = strength.interval(found)
    assert mean - half > 0


def test_arrangements_give_both_sides_every_seat() -> None:
    """Each seat is held by either side equally often, with an even and with an odd number of seats."""
    for seats in range(2, 9):
        chosen = strength.arrangements(seats)
        held = [sum(seat in one for one in chosen) for seat in range(seats)]
        assert held == [len(chosen) / 2] * seats
    assert len(strength.arrangements(4)) == 6
