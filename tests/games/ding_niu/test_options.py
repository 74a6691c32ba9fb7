"""What the options are, who leads and deals, what is played by default, and what is said of a refusal."""

import pytest

from referee.errors import OptionError
from referee.games.base import CHANCE, TERMINAL, Outcome
from referee.games.ding_niu.rules import State
from tests.games.ding_niu.positions import GAME, dealt, legal, play, position, why

ORDER = range(24)


def finish(state: State) -> None:
    """Plays a deal to its end by default actions."""
    while state.to_act() >= 0:
        state.apply(state.default_action())


@pytest.mark.parametrize("draw", range(4))
def test_the_dice_choose_dealer_and_leader_of_the_first_deal(draw: int) -> None:
    """The one number that is drawn is the seat that deals and leads; later deals draw none."""
    state = GAME.new(4, GAME.info.resolve({}))
    assert state.chance().draws == (4,)
    (event,) = state.start_deal(Outcome((draw,), tuple(ORDER)))
    assert GAME.text.event(event) == f"leader {draw}"
    assert state.to_act() == draw
    assert GAME.view.public(state)[2:4] == (draw, draw)


@pytest.mark.parametrize("lead", ["rotate", "winner"])
def test_later_leads_rotate_or_go_to_the_winner(lead: str) -> None:
    """The dealer is the last winner either way; the lead passes on, or is the winner's."""
    state = dealt(ORDER, 2, {"lead": lead, "deals": 9})
    for number in range(1, 9):
        finish(state)
        winner = GAME.view.deal_end(state).winner
        state.start_deal(Outcome((), tuple((5 * piece + number) % 24 for piece in ORDER)))
        assert state.dealer == winner
        assert state.leader == state.to_act() == (winner if lead == "winner" else (2 + number) % 4)
    finish(state)
    assert state.to_act() == TERMINAL


def test_with_the_default_number_of_deals_each_seat_leads_once() -> None:
    """Four deals, four leaders; the match is not adjudicated."""
    state = dealt(ORDER, 1)
    leaders = [state.leader]
    finish(state)
    while state.to_act() == CHANCE:
        state.start_deal(Outcome((), tuple(ORDER)))
        leaders.append(state.leader)
        finish(state)
    assert leaders == [1, 2, 3, 0]
    assert not state.adjudicated()


@pytest.mark.parametrize("lead", ["rotate", "winner"])
def test_after_a_failed_settlement_the_seat_that_was_paid_deals(lead: str) -> None:
    """The seat that got 12 is the last winner."""
    state = position(["1-1 6-6", "5-5", "2-2", "5-5"], "1-3 3-1", leader=3, options={"lead": lead})
    assert play(state, "play 1-1 left")[-1] == "0 settled"
    assert state.totals() == (-12, 0, 12, 0)
    state.start_deal(Outcome((), tuple(ORDER)))
    assert (state.dealer, state.leader) == (2, 2 if lead == "winner" else 0)


@pytest.mark.parametrize("draws", [(), (4,), (-1,), (0, 0)])
def test_a_first_deal_without_its_draw_is_refused(draws: tuple[int, ...]) -> None:
    """One number 0..3 has to be drawn; the state stays as it was."""
    state = GAME.new(4, GAME.info.resolve({}))
    before = state.snapshot()
    with pytest.raises(Exception, match="draws below 4"):
        state.start_deal(Outcome(draws, tuple(ORDER)))
    assert state.snapshot() == before


@pytest.mark.parametrize("name", ["deals", "lead", "lead_limit", "settlement", "settlement_pay", "revoke"])
def test_options_have_their_values(name: str) -> None:
    """Each option refuses what the rules do not name."""
    for bad in ("", "Auto", "strictly", "0", "1001", -1):
        with pytest.raises(OptionError):
            GAME.info.resolve({name: bad})


@pytest.mark.parametrize(
    ("options", "bounds"),
    [
        ({}, (-12, 12, 24)),
        ({"settlement": "declared"}, (-12, 12, 30)),
        ({"settlement": "off"}, (-3, 6, 24)),
    ],
)
def test_bounds_are_what_the_options_make_of_them(
    options: dict[str, str], bounds: tuple[int, int, int]
) -> None:
    """Only a settlement is worth 12; only questions are actions beyond the 24 tiles."""
    assert GAME.info.bounds(GAME.info.resolve(options)) == bounds


# What is played for a seat that does not choose


@pytest.mark.parametrize(
    ("line", "hand", "default"),
    [
        ("", "1-3 2-6 4-4 5-5 5-6 6-6", "play 5-6"),
        ("", "6-6 5-5 4-4 3-3 2-2 1-1", "play 6-6"),
        ("", "2-6 4-4 1-1", "play 2-6"),
        ("", "1-5 3-3 2-2", "play 1-5"),
        ("1-3", "1-6 3-3 1-5", "play 1-6 left"),
        ("1-3", "1-5 3-3", "play 1-5 left"),
        ("1-3", "1-3", "play 1-3 left"),
        ("5-6", "5-5 4-6", "play 4-6 right"),
        ("5-6 6-3", "3-6 1-3", "play 3-6 right"),
        ("2-6 6-4", "2-6 4-4", "play 2-6 left"),
        ("1-3", "5-6 2-2 6-6", "discard 2-2"),
        ("5-5", "2-2 1-3 6-6", "discard 1-3"),
        ("4-4", "3-3 1-5 6-6", "discard 1-5"),
        ("2-2", "1-1 1-1 6-6", "discard 1-1"),
        ("3-3", "4-4 2-2 5-5", "discard 2-2"),
    ],
)
@pytest.mark.parametrize("revoke", ["reject", "extra_discard"])
def test_the_default_action(line: str, hand: str, default: str, revoke: str) -> None:
    """The heaviest play, the higher number, the left end; never a revoke; else the lightest discard."""
    state = position([hand], line, options={"revoke": revoke})
    assert GAME.text.action(state.default_action()) == default


def test_reasons_use_the_ends_and_the_own_hand() -> None:
    """Each way to be illegal has its own fixed words."""
    state = position(["2-6 1-5 6-6 4-4", "1-3"], "2-6 6-3")
    assert why(state, "play 3-3 right") == "you do not hold 3-3"
    assert why(state, "play 1-5 left") == "1-5 fits neither end (2 and 3)"
    assert why(state, "play 2-6") == "name the end: play 2-6 left"
    assert why(state, "play 2-6 right") == "2-6 does not fit the right end (3)"
    assert why(state, "discard 4-4") == "4-4 may not be discarded while a tile of yours fits an end (2 and 3)"
    state = position(["3-6 4-4"], "2-6 6-3")
    assert why(state, "play 3-6 left") == "3-6 does not fit the left end (2)"
    state = position(["5-5 4-4"], "2-6 6-3")
    assert why(state, "play 4-4 left") == "4-4 fits neither end (2 and 3)"
    state = position(["2-2 2-6"])
    assert why(state, "play 2-6 left") == "the line is empty: lead with play 2-6, without an end"
    assert why(state, "play 2-2") == "2-2 may not be led while you hold a tile with a 2 that is no double"
    assert why(state, "play 1-3") == "you do not hold 1-3"
    finished = GAME.new(4, GAME.info.resolve({}))
    assert finished.why_illegal(0x11 * 4) == "no deal is being played"


@pytest.mark.parametrize("end", ["left", "right"])
def test_r4_equal_ends_are_one_placement(end: str) -> None:
    """With ends 1 and 1, 1-5 is listed once, accepted at either end and laid at the left."""
    state = position(["1-5 6-6", "5-5 5-6"], "1-3 3-1")
    assert legal(state) == ["play 1-5 left"]
    assert play(state, f"play 1-5 {end}")[0] == "0 play 1-5 left"
    other = position(["1-5 6-6", "5-5 5-6"], "1-3 3-1")
    play(other, "play 5-1 left")
    assert state.snapshot() == other.snapshot()
