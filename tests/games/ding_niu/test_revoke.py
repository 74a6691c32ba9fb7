"""Revokes: what a discard costs while a tile fits, and who is skipped afterwards."""

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE
from referee.games.ding_niu.told import Step
from tests.games.ding_niu.positions import GAME, dealt, legal, order_of, play, position, why

REVOKE = {"revoke": "extra_discard"}


def test_a_revoke_costs_the_heaviest_tile_left() -> None:
    """The tile that was chosen goes face down, then the heaviest; both count."""
    state = position(["1-3 5-6 2-2 4-6", "5-5", "5-5", "5-5"], "1-1", options=REVOKE)
    assert legal(state) == ["play 1-3 left", "discard 1-3", "discard 2-2", "discard 4-6", "discard 5-6"]
    assert play(state, "discard 2-2") == ["0 discard 2-2", "0 revoke"]
    assert GAME.view.private(state, 0) == ((0x13, 0x46), (0x22, 0x56))
    assert state.steps == [Step(0, 512, revoke=True)]
    assert state.to_act() == 1


@pytest.mark.parametrize(
    ("hand", "chosen", "extra"),
    [
        ("1-1 2-6 4-4 1-3", "1-1", "2-6"),
        ("1-1 1-5 3-3 1-3", "1-1", "1-5"),
        ("1-1 5-5 4-6 1-3", "1-1", "4-6"),
        ("1-1 6-6 6-6 5-6", "1-1", "6-6"),
        ("1-3 6-6 5-6 4-6", "6-6", "5-6"),
        ("1-1 1-1", "1-1", "1-1"),
        ("1-3 2-2 1-1", "1-1", "1-3"),
    ],
)
def test_of_equally_heavy_tiles_the_one_with_the_higher_number_goes(
    hand: str, chosen: str, extra: str
) -> None:
    """Pips come first, then the higher of the two numbers."""
    state = position([hand, "5-5", "5-5", "5-5"], "1-6 6-1", options=REVOKE)
    play(state, f"discard {chosen}")
    down = state.snapshot()["discards"][0]
    assert [GAME.text.action(512 + tile) for tile in down] == [f"discard {chosen}", f"discard {extra}"]


def test_a_revoke_with_the_last_tile_is_told_and_costs_nothing_more() -> None:
    """There is no other tile left; the seat is skipped from then on."""
    state = position(["2-2 1-6", "1-3", "6-6 6-6", "5-5 4-4"], "1-1", seat=1, options=REVOKE)
    assert play(state, "discard 1-3") == ["1 discard 1-3", "1 revoke"]
    assert state.to_act() == 2
    for text in ("discard 6-6", "discard 5-5", "play 1-6 left"):
        play(state, text)
    assert state.to_act() == 2
    assert state.steps[-1] == Step(0, 4 * 0x16 + 1)
    assert GAME.view.public(state).counts == (1, 0, 1, 1)


def test_a_seat_that_is_alone_with_tiles_goes_on_alone() -> None:
    """The three others are skipped, and the deal ends with the last tile of all."""
    state = position(["1-1 6-6 2-2"], "1-3", leader=2, down=["", "1-1", "1-3", "5-5"], options=REVOKE)
    play(state, "play 1-1 left")
    assert (state.to_act(), legal(state)) == (0, ["discard 2-2", "discard 6-6"])
    play(state, "discard 6-6")
    assert (state.to_act(), legal(state)) == (0, ["discard 2-2"])
    play(state, "discard 2-2")
    assert state.to_act() == CHANCE
    assert state.totals() == (-3, 6, -1, -2)


def test_a_discard_that_cannot_be_helped_is_no_revoke() -> None:
    """Where nothing fits one tile goes down and no more is told."""
    state = position(["6-6 5-5", "1-1", "1-1", "1-3"], "1-3", options=REVOKE)
    assert play(state, "discard 5-5") == ["0 discard 5-5"]
    assert state.steps == [Step(0, 512)]
    assert GAME.view.public(state).counts == (1, 1, 1, 1)


def test_nobody_revokes_when_leading() -> None:
    """A lead is a play."""
    state = dealt(
        order_of(
            [
                "1-1 1-3 1-5 1-6 2-2 2-6",
                "1-1 1-3 1-5 1-6 2-2 3-3",
                "3-3 3-6 4-4 4-4 4-6 4-6",
                "5-5 5-5 5-6 5-6 6-6 6-6",
            ]
        ),
        0,
        REVOKE,
    )
    assert all(text.startswith("play") for text in legal(state))
    assert why(state, "discard 1-3") == "the line is empty: lead with a tile"
    with pytest.raises(IllegalActionError):
        play(state, "discard 1-3")


def test_a_revoke_may_end_the_deal() -> None:
    """The last tiles of all may go down by a revoke."""
    state = position(["1-3 6-6"], "1-1", leader=1, down=["", "", "1-1", "1-3"], options=REVOKE)
    assert play(state, "discard 6-6") == ["0 discard 6-6", "0 revoke"]
    assert state.to_act() == CHANCE
    assert state.totals() == (-3, 6, -1, -2)
