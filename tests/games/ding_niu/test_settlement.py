"""Settlements: when there is one, who is asked, and what follows from the answer."""

import pytest

from referee.errors import IllegalActionError
from tests.games.ding_niu.positions import GAME, dealt, legal, order_of, play, position, why

DECLARED = {"settlement": "declared"}
STUCK = ["1-1 2-2 4-4", "5-5 5-6", "5-5 6-6", "4-6 4-6"]


def test_only_the_two_answers_are_legal_when_asked() -> None:
    """The seat that played is asked, and can do nothing else before it has answered."""
    state = position(STUCK, "1-3 3-1", options=DECLARED)
    assert play(state, "play 1-1 left") == ["0 play 1-1 left", "0 asked"]
    assert (state.to_act(), legal(state)) == (0, ["settle", "continue"])
    public = GAME.view.public(state)
    assert (public.asked, public.to_act) == (True, 0)
    assert why(state, "discard 2-2") == "answer with settle or continue"
    with pytest.raises(IllegalActionError):
        play(state, "discard 2-2")


@pytest.mark.parametrize("text", ["settle", "continue"])
def test_nobody_answers_without_being_asked(text: str) -> None:
    """Both answers are illegal for a seat that leads, follows or discards."""
    for line in ("", "1-3", "5-5"):
        state = position(STUCK, line, options=DECLARED)
        assert why(state, text) == "you are not asked to settle"
        with pytest.raises(IllegalActionError):
            play(state, text)


def test_a_settlement_that_is_declared_may_fail() -> None:
    """Who settles without being first pays for all."""
    state = position(["1-1 6-6 6-6", *STUCK[1:]], "1-3 3-1", down=["", "", "", ""], options=DECLARED)
    play(state, "play 1-1 left")
    assert play(state, "settle") == ["0 settle", "0 settled"]
    assert state.totals() == (-12, 0, 0, 12)
    end = GAME.view.deal_end(state)
    assert (end.winner, end.settler) == (3, 0)


def test_who_continues_may_be_asked_again() -> None:
    """The three others discard, and the next play that nobody can follow asks anew."""
    hands = ["1-1 1-3 3-3", "5-5 5-5 5-6", "4-4 6-6 6-6", "4-6 4-6 4-4"]
    state = position(hands, "1-5 5-1", options=DECLARED)
    for text in ("play 1-1 left", "continue", "discard 5-5", "discard 4-4", "discard 4-4"):
        events = play(state, text)
    assert events == ["3 discard 4-4"]
    assert (state.to_act(), state.asked) == (0, False)
    assert play(state, "play 1-3 left") == ["0 play 1-3 left", "0 asked"]
    assert play(state, "continue") == ["0 continue"]
    assert state.to_act() == 1
    kinds = [GAME.text.action(step.action) for step in state.steps if step.action != 512]
    assert kinds == ["play 1-1 left", "continue", "play 1-3 left", "continue"]


def test_a_lead_that_nobody_can_follow_settles() -> None:
    """Without a lead limit the very first tile may be one that no other seat has a match for."""
    hands = [
        "2-2 2-2 2-6 1-1 1-1 1-3",
        "1-3 1-5 1-5 1-6 1-6 3-3",
        "3-3 3-6 4-4 4-4 4-6 4-6",
        "5-5 5-5 5-6 5-6 6-6 6-6",
    ]
    state = dealt(order_of(hands), 0, {"lead_limit": "off"})
    assert play(state, "play 2-2") == ["0 play 2-2", "0 settled"]
    assert state.totals() == (12, -3, -4, -5)
    state = dealt(order_of(hands), 0, {"lead_limit": "off", **DECLARED})
    assert play(state, "play 2-2") == ["0 play 2-2", "0 asked"]
    state = dealt(order_of(hands), 0, {"lead_limit": "off", "settlement": "off"})
    assert play(state, "play 2-2") == ["0 play 2-2"]
    assert state.to_act() == 1


def test_one_seat_that_can_follow_keeps_the_deal_going() -> None:
    """Whoever of the three it is, and at whichever end."""
    for seat in (1, 2, 3):
        for tile in ("1-5", "3-6", "3-3"):
            hands = ["1-1 2-2", "5-5", "5-5", "6-6"]
            hands[seat] = tile
            state = position(hands, "1-6 6-3")
            assert play(state, "play 1-1 left") == ["0 play 1-1 left"]
            assert state.to_act() == 1


def test_a_discard_settles_nothing() -> None:
    """Only a play can: after a discard the deal goes on, even if nobody can follow."""
    state = position(["5-5 2-2", "5-5", "6-6", "6-6"], "1-3")
    assert play(state, "discard 5-5") == ["0 discard 5-5"]
    assert state.to_act() == 1
