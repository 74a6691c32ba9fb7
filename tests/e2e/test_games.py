"""Every game from the command line: matches of real bots over gRPC, their logs, and the standings."""

from pathlib import Path

import pytest

from referee.games import REGISTRY, names
from referee.games.base import Game
from tests.e2e.commands import FIRST, Command, short

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


@every_game
def test_house_bots_play_a_match_without_a_fault(referee: Command, game: Game) -> None:
    """The match completes, its log is good and can be read, at the smallest and the largest table."""
    for seats in {game.info.min_seats, game.info.max_seats}:
        bots = [("easy", "normal", "expert")[seat % 3] for seat in range(seats)]

        _, told = referee.json("match", "--game", game.info.name, *bots, *short(game))

        assert told["termination"] in {"completed", "adjudicated"}
        assert len(told["placements"]) == seats
        assert not any(place["faults"] for place in told["placements"])
        assert "good" in referee.run("replay", "verify", told["replay"]).stdout
        shown = referee.run("replay", "show", told["replay"])
        assert shown.returncode == 0
        assert game.info.name in shown.stdout


@every_game
def test_a_round_robin_enters_the_standings_of_its_game(referee: Command, game: Game) -> None:
    """Each game has a table of its own, in which every bot has played."""
    mine = referee.bot("mine.py", FIRST.replace('"block_dominoes"', f'"{game.info.name}"'))
    bots = ("easy", "normal", "expert", mine)
    words = ("--game", game.info.name, *bots, "--matches", "4", *short(game))

    done = referee.run("round-robin", *words, "--seats", str(max(3, game.info.min_seats)))
    assert done.returncode == 0, done.stderr
    _, told = referee.json("standings")

    (table,) = told["tables"]
    assert table["game"] == game.info.name
    assert table["matches"] == 4
    assert [bool(row["matches"]) for row in table["rows"]] == [True] * 4
    assert not any(row["faults"] for row in table["rows"])
