"""What the house bots choose in Mexican Train."""

from collections.abc import Mapping

import pytest

from referee.bot import Turn
from referee.bot.tiles import parse
from referee.v1 import play_service_pb2 as play
from referee.v1.mexican_train_pb2 import MEXICAN_TRAIN_ACTION_KIND_PLAY, MEXICAN_TRAIN_ACTION_KIND_STOP
from sample_bots.house import mexican_train as house

TRAINS = {"0": 0, "1": 1, "2": 2, "public": 8}


def ask(
    hand: str, trains: Mapping[str, str], *legal: str, running: bool = False, cover: bool = False
) -> Turn:
    """Returns a turn of seat 0 of three; legal actions are written as in `2-5 on public`, or `stop`.

    Trains are written as they lie, with a `*` in front if a marker is on.
    """
    turn = play.Turn()
    table = turn.observation.mexican_train
    table.private.hand_tiles.extend(map(parse, hand.split()))
    table.public.engine_tile = parse("12-12")
    table.public.hand_counts.extend([len(hand.split()), 9, 9])
    for name in TRAINS:
        train = table.public.public_train if name == "public" else table.public.trains.add()
        laid = trains.get(name, "").removeprefix("*").split()
        train.tiles.extend(map(parse, laid))
        train.end_number = train.tiles[-1] & 15 if laid else 12
        train.marked = trains.get(name, "").startswith("*")
    table.public.first_turn_seats.extend([0, 1, 2] if running else [])
    for text in legal:
        named = turn.legal_actions.add().mexican_train
        named.kind = MEXICAN_TRAIN_ACTION_KIND_STOP
        if text != "stop":
            tile, _, train_name = text.partition(" on ")
            named.kind = MEXICAN_TRAIN_ACTION_KIND_PLAY
            named.tile, named.train = parse(tile), TRAINS[train_name]
    started = play.MatchStarted()
    started.options.add(option="doubles", value="must_satisfy" if cover else "extra_turn")
    return Turn(turn, started)


def test_normal_plays_the_heaviest_tile() -> None:
    """Normal plays the tile with the most pips on the first train listed, and stops only at the end."""
    hand = "1-3 3-9 4-6"
    assert house.normal(ask(hand, {}, "1-3 on 0", "3-9 on 0", "3-9 on public", "4-6 on 1")) == 1
    assert house.normal(ask(hand, {}, "1-3 on 0", "stop", running=True)) == 0
    assert house.normal(ask(hand, {}, "stop", running=True)) == 0


@pytest.mark.parametrize(
    ("hand", "chosen"),
    [
        ("3-12 3-9 9-10 11-12", 0),
        ("3-12 11-12 10-11 2-10", 1),
        ("3-12 0-3 11-12 1-11", 1),
        ("3-12 0-0 0-3 0-1 11-12", 0),
    ],
)
def test_expert_begins_the_heaviest_run(hand: str, chosen: int) -> None:
    """Of two beginnings it takes the one with which most is got rid of, not the heavier tile."""
    assert house.expert(ask(hand, {}, "3-12 on 0", "11-12 on 0", running=True)) == chosen


def test_expert_does_not_stop_a_run_that_can_go_on() -> None:
    """It plays on while a tile fits, and stops when none does."""
    trains = {"0": "12-3"}
    assert house.expert(ask("0-3 1-1", trains, "0-3 on 0", "stop", running=True)) == 0
    assert house.expert(ask("1-1", trains, "stop", running=True)) == 0


def test_expert_keeps_its_train_together() -> None:
    """A spare tile goes on the public train before one that the own train will need."""
    trains = {"0": "12-3", "public": "12-6"}
    hand = "3-9 9-10 10-11 6-8"
    assert house.expert(ask(hand, trains, "3-9 on 0", "6-8 on public")) == 1


def test_expert_gets_rid_of_heavy_spare_tiles_first() -> None:
    """Of two tiles that fit only there it plays the heavier one."""
    trains = {"0": "12-3", "public": "12-6"}
    assert house.expert(ask("1-6 6-11 0-0 2-2", trains, "1-6 on public", "6-11 on public")) == 1


def test_expert_plays_a_double_that_something_follows() -> None:
    """A double with a tile after it costs no turn, so it comes first; one that nothing follows waits."""
    trains = {"0": "12-3", "public": "12-6"}
    hand = "3-3 3-11 6-7 1-1"
    legal = ("3-3 on 0", "3-11 on 0", "6-7 on public")
    assert house.expert(ask(hand, trains, *legal)) == 0
    assert house.expert(ask("6-6 5-6 1-1", trains, "5-6 on public", "6-6 on public", cover=True)) == 1


def test_expert_goes_out_when_it_can() -> None:
    """The last tile is played wherever it ends the deal; with a double before it both are."""
    trains = {"0": "12-3", "public": "12-3"}
    assert house.expert(ask("3-3", trains, "3-3 on 0", "3-3 on public")) == 0
    assert house.expert(ask("3-3 3-4", trains, "3-3 on 0", "3-4 on 0")) == 0


def test_expert_takes_its_marker_off() -> None:
    """Of two equal plays it prefers the one on its own train while a marker is on it."""
    trains = {"0": "*12-3", "public": "12-3"}
    assert house.expert(ask("3-8 1-1", trains, "3-8 on public", "3-8 on 0")) == 1


def test_expert_offers_scarce_numbers() -> None:
    """Of two tiles of one weight it leaves an end for the others of which more tiles are seen."""
    trains = {"0": "12-0", "1": "12-5 5-1 1-5 5-5 5-2 2-5 5-3", "public": "12-6"}
    hand = "5-6 4-6 0-0"
    assert house.expert(ask(hand, trains, "4-6 on public", "5-6 on public")) == 1


def test_unseen_counts_what_is_neither_down_nor_held() -> None:
    """Of the thirteen tiles of a number those on trains, in the centre and in the hand are seen."""
    turn = ask("1-12 1-1", {"0": "12-3 3-3", "public": "12-6"}, "1-1 on 0")
    unseen = house.unseen_by_number(turn.observation.mexican_train)
    assert (unseen[12], unseen[1], unseen[3], unseen[6], unseen[0]) == (9, 11, 11, 12, 13)


def test_open_ends_are_those_of_open_trains_and_of_a_double_to_cover() -> None:
    """A closed train counts only while its double has to be covered; one not started never does."""
    turn = ask("1-1", {"0": "12-3", "1": "*12-4", "2": "12-5"}, "1-1 on 0")
    public = turn.observation.mexican_train.public
    assert house.open_ends(public, 0) == {0: 3, 1: 4, 8: 12}
    public.double_train = 2
    assert house.open_ends(public, 0) == {0: 3, 1: 4, 2: 5, 8: 12}
    public.trains[1].ClearField("tiles")
    assert house.open_ends(public, 0) == {0: 3, 2: 5, 8: 12}
