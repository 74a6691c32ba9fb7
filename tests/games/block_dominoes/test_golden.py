"""R7: positions and what is legal in them, deals and what they are worth, for each option."""

import pytest

from referee.games.base import CHANCE, TERMINAL, Outcome
from referee.games.block_dominoes.rules import State
from referee.games.block_dominoes.scoring import settle
from tests.games.block_dominoes.positions import GAME, legal, play, position

LEGAL = [
    # line, hand, legal list ("/" separates actions; "L" and "R" are the ends)
    ("", "0-0", "0-0"),
    ("", "0-0 2-5 6-6", "0-0/2-5/6-6"),
    ("", "6-6 0-1 3-3 1-1 0-6", "0-1/0-6/1-1/3-3/6-6"),
    ("6-6", "1-1 5-5", ""),
    ("6-6", "0-6 1-1 5-6", "0-6 L/5-6 L"),
    ("6-6 6-1", "0-6 1-1 1-6", "0-6 L/1-1 R/1-6 L/1-6 R"),
    ("0-1", "0-0 1-1", "0-0 L/1-1 R"),
    ("0-1", "0-2 1-2", "0-2 L/1-2 R"),
    ("1-0", "0-0 1-1", "0-0 R/1-1 L"),
    ("1-0", "0-1", "0-1 L/0-1 R"),
    ("2-5", "2-6 3-3", "2-6 L"),
    ("2-5", "5-6 3-3", "5-6 R"),
    ("2-5", "3-3 4-4 6-6 0-1", ""),
    ("2-5 5-5", "2-5", "2-5 L/2-5 R"),
    ("2-5 5-2", "2-2", "2-2 L"),
    ("2-5 5-2", "2-2 2-3 3-5", "2-2 L/2-3 L"),
    ("3-4 4-5", "3-5", "3-5 L/3-5 R"),
    ("5-4 4-3", "3-5", "3-5 L/3-5 R"),
    ("4-2 2-4", "1-4", "1-4 L"),
    ("4-2 2-4", "0-4 1-4 4-4 4-6", "0-4 L/1-4 L/4-4 L/4-6 L"),
    ("0-6 6-0", "0-0", "0-0 L"),
    ("0-6 6-0", "0-0 0-3 0-5", "0-0 L/0-3 L/0-5 L"),
    ("0-6 6-0", "1-2 3-3", ""),
    ("0-3 3-3 3-1", "0-1 0-2 1-2 2-2", "0-1 L/0-1 R/0-2 L/1-2 R"),
    ("6-3 3-0", "0-6 0-1 1-6 1-1", "0-1 R/0-6 L/0-6 R/1-6 L"),
    ("3-2", "2-2 2-3 3-3", "2-2 R/2-3 L/2-3 R/3-3 L"),
    ("3-2", "0-2 0-3 1-2 1-3 2-4 3-4 2-6", "0-2 R/0-3 L/1-2 R/1-3 L/2-4 R/2-6 R/3-4 L"),
    ("2-3", "0-2 0-3 1-2 1-3 2-4 3-4 2-6", "0-2 L/0-3 R/1-2 L/1-3 R/2-4 L/2-6 L/3-4 R"),
]
ENDS = {"": "", "L": " left", "R": " right"}


@pytest.mark.parametrize(("line", "hand", "listed"), LEGAL)
def test_r7_legal_lists(line: str, hand: str, listed: str) -> None:
    """The legal list is exactly this, in this order; an empty one is a forced pass."""
    parts = [entry.partition(" ") for entry in listed.split("/") if entry]
    assert legal(position([hand], line)) == [f"play {tile}{ENDS[end]}" for tile, _, end in parts]


@pytest.mark.parametrize(("line", "hand", "listed"), [row for row in LEGAL if row[0]])
def test_r7_orientation_of_the_line_does_not_matter(line: str, hand: str, listed: str) -> None:
    """The line seen from the other side has the same actions with the ends exchanged."""
    turned = " ".join(reversed([tile[::-1] for tile in line.split()]))
    one = position([hand], line)
    other = position([hand], turned)
    equal = line[0] == line[-1]
    swap = {"left": "left" if equal else "right", "right": "left"}
    found = {f"{tile} {swap[end]}" for tile, end in (text.rsplit(" ", 1) for text in legal(one))}
    assert found == set(legal(other)), listed


@pytest.mark.parametrize("hand", ["6-6", "6-6 0-0", "5-6 6-6 0-6"])
def test_r7_a_required_opening_is_the_only_one(hand: str) -> None:
    """Where 6-6 has to open, it is all that is listed."""
    assert legal(position([hand], must=True)) == ["play 6-6"]


SCORES = [
    # pips, seat that went out, winner, scores with `others`, scores with `others_minus_own`
    ((0, 10, 10, 10), 0, 0, 30, 30),
    ((20, 0, 1, 2), 1, 1, 23, 23),
    ((5, 5, 5, 0), 3, 3, 15, 15),
    ((0, 0, 9, 9), 0, 0, 18, 18),
    ((0, 0, 9, 9), 1, 1, 18, 18),
    ((0, 0, 9, 9), None, None, 0, 0),
    ((0, 5, 10, 13), None, 0, 28, 28),
    ((5, 10, 13, 0), None, 3, 28, 28),
    ((9, 4, 9, 16), None, 1, 34, 30),
    ((10, 11, 3, 10), None, 2, 31, 28),
    ((7, 7, 12, 20), None, None, 0, 0),
    ((20, 7, 12, 7), None, None, 0, 0),
    ((7, 7, 7, 7), None, None, 0, 0),
    ((8, 7, 8, 8), None, 1, 24, 17),
    ((1, 1, 1, 0), None, 3, 3, 3),
]


@pytest.mark.parametrize(("pips", "out", "winner", "others", "minus_own"), SCORES)
def test_r7_scores_of_a_deal(
    pips: tuple[int, ...], out: int | None, winner: int | None, others: int, minus_own: int
) -> None:
    """The winner scores as the option says, and nobody else scores."""
    for option, won in (("others", others), ("others_minus_own", minus_own)):
        scores = tuple(won if seat == winner else 0 for seat in range(4))
        assert settle(pips, out, option) == (winner, scores)


def drawn(opener: int, tie_opener: str, max_deals: int = 1_000) -> State:
    """Returns a match right after a drawn deal that the seat opened."""
    hands = ["", "", "", ""]
    hands[opener] = "3-3 1-2"
    for step, hand in enumerate(["1-1 0-5", "0-2 0-1", "5-5"], start=1):
        hands[(opener + step) % 4] = hand
    state = position(hands, seat=opener, deal=4, options={"tie_opener": tie_opener, "max_deals": max_deals})
    play(state, "play 3-3")
    assert state.blocked
    assert state.winner is None
    return state


@pytest.mark.parametrize("opener", range(4))
@pytest.mark.parametrize("holder", range(4))
@pytest.mark.parametrize("tie_opener", ["same", "next_seat", "highest_double"])
def test_r7_opener_after_a_draw(opener: int, holder: int, tie_opener: str) -> None:
    """The option says who opens after a draw, and whether with 6-6."""
    state = drawn(opener, tie_opener)
    order = [*range(27)]
    order.insert(7 * holder, 27)
    event = state.start_deal(Outcome((), tuple(order)))[0]
    must = tie_opener == "highest_double"
    expected = {"same": opener, "next_seat": (opener + 1) % 4, "highest_double": holder}[tie_opener]
    assert GAME.text.event(event) == f"opener {expected}"
    assert state.to_act() == state.opener == expected
    assert len(state.legal_actions()) == (1 if must else 7)
    assert GAME.view.public(state).required == (0x66 if must else None)


@pytest.mark.parametrize("tie_opener", ["same", "next_seat", "highest_double"])
def test_r7_the_winner_opens_with_any_tile(tie_opener: str) -> None:
    """After a deal that somebody won, the winner opens whatever the option says."""
    state = position(["0-1 0-2", "1-2", "3-3"], "2-1", seat=1, options={"tie_opener": tie_opener})
    play(state, "play 1-2 left")
    state.start_deal(Outcome((), tuple(range(28))))
    assert (state.to_act(), len(state.legal_actions())) == (1, 7)


ENDINGS = [
    # target, max_deals, total before, deal, to act after it, adjudicated
    (100, 1_000, 92, 9, TERMINAL, False),
    (101, 1_000, 92, 9, CHANCE, False),
    (8, 1_000, 0, 1, TERMINAL, False),
    (1, 1_000, 0, 1, TERMINAL, False),
    (9, 1_000, 0, 1, CHANCE, False),
    (9, 1, 0, 1, TERMINAL, True),
    (8, 1, 0, 1, TERMINAL, False),
    (10_000, 1_000, 0, 999, CHANCE, False),
    (10_000, 1_000, 0, 1_000, TERMINAL, True),
    (10_000, 1_000, 9_992, 1_000, TERMINAL, False),
]


@pytest.mark.parametrize(("target", "max_deals", "before", "deal", "to_act", "adjudicated"), ENDINGS)
def test_r7_end_of_the_match(
    target: int, max_deals: int, before: int, deal: int, to_act: int, *, adjudicated: bool
) -> None:
    """A match ends at the target, or adjudicated after the last deal; an 8-point win decides."""
    state = position(
        ["1-6", "0-2", "0-1", "0-5"],
        "6-6",
        totals=(before, 0, 0, 0),
        deal=deal,
        options={"target": target, "max_deals": max_deals},
    )
    play(state, "play 1-6 left")
    assert (state.to_act(), state.adjudicated()) == (to_act, adjudicated)


def test_r7_an_adjudicated_match_may_be_tied() -> None:
    """With a single drawn deal all totals are equal at the end."""
    state = drawn(0, "same", max_deals=4)
    assert state.to_act() == TERMINAL
    assert state.adjudicated()
    assert state.totals() == (0, 0, 0, 0)


DEFAULTS = [
    ("", "0-0 5-6 4-6", "play 5-6"),
    ("", "6-6 0-0", "play 6-6"),
    ("1-2", "1-5 2-4 0-0", "play 1-5 left"),
    ("2-1", "1-5 2-4 0-0", "play 1-5 right"),
    ("3-4 4-5", "3-5 0-3", "play 3-5 left"),
    ("3-3 3-1", "0-3 1-3 0-1", "play 1-3 left"),
    ("1-1", "0-1 6-6", "play 0-1 left"),
]


@pytest.mark.parametrize(("line", "hand", "chosen"), DEFAULTS)
def test_default_is_the_heaviest_then_the_higher_then_left(line: str, hand: str, chosen: str) -> None:
    """The default action is the playable tile with most pips, the higher number, the left end."""
    assert GAME.text.action(position([hand], line).default_action()) == chosen


def test_default_opens_with_6_6_where_it_has_to() -> None:
    """A forced opening holds for the default action too."""
    assert GAME.text.action(position(["5-6 6-6"], must=True).default_action()) == "play 6-6"


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("target", [1, 10_000, "1", "10000"], [0, 10_001, -1, "x", "", "1.0", "\uff11"]),
        ("max_deals", [1, 1_000], [0, 1_001, "all"]),
        ("tie_opener", ["same", "next_seat", "highest_double"], ["Same", "", 0]),
        ("block_score", ["others", "others_minus_own"], ["own", 1]),
    ],
)
def test_option_ranges(name: str, good: list[int | str], bad: list[int | str]) -> None:
    """Options have exactly the stated values."""
    for value in good:
        assert str(GAME.info.resolve({name: value})[name]) == str(value)
    for value in bad:
        with pytest.raises(Exception, match=f"option {name}: "):
            GAME.info.resolve({name: value})
