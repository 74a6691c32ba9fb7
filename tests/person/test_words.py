"""How a person is told of trains, bombs and names: by places, and by what is known."""

import pytest

from referee.person import table, words
from referee.v1 import game_pb2
from referee.v1 import mexican_train_pb2 as train_pb2
from referee.web.draw.guan_pai import bombs
from referee.web.draw.svg import cut_name, width_of

PLACES = ("East", "South", "West", "North")


def play(train: int) -> game_pb2.Action:
    """Returns the play of 2-11 on a train."""
    kind = train_pb2.MEXICAN_TRAIN_ACTION_KIND_PLAY
    action = train_pb2.MexicanTrainAction(kind=kind, tile=(2 << 4) + 11, train=train)
    return game_pb2.Action(mexican_train=action)


@pytest.mark.parametrize(
    ("train", "told"), [(1, "your train"), (3, "North's train"), (8, "the public train"), (0, "East's train")]
)
def test_a_train_is_named_by_whose_it_is(train: int, told: str) -> None:
    """A button has no number of a seat where all else says North."""
    assert table.choice(play(train), PLACES, 1) == f"play 2-11 on {told}"


def test_what_was_played_on_a_train_is_told_alike() -> None:
    """The own train of a seat is called that."""
    told = [words._on_train(play(train).mexican_train, "North", PLACES) for train in (3, 2, 8)]
    assert told == [
        "plays 2-11 on its own train",
        "plays 2-11 on West's train",
        "plays 2-11 on the public train",
    ]


def test_bombs_are_played_and_not_held() -> None:
    """Nobody knows how many a hand holds."""
    assert [bombs(1), bombs(2)] == ["played a bomb", "2 bombs played"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("South (Bartholomew the very long, you)", ", you)"),
        ("North (expert)", "(expert)"),
        ("a bot with a long name", "\N{HORIZONTAL ELLIPSIS}"),
    ],
)
def test_who_a_seat_is_stays_when_its_name_is_cut(name: str, kept: str) -> None:
    """The level of a house bot, and which seat is the person's own."""
    shown = cut_name(name, width_of(name) - 1)
    assert shown != name
    assert shown.endswith(kept)
    assert width_of(shown) <= width_of(name)
    assert cut_name(name, width_of(name)) == name


def test_a_name_without_any_room_is_dropped_before_you() -> None:
    """Not even its first letter has room."""
    assert cut_name("South (Bartholomew, you)", width_of("South (you)")) == "South (you)"
