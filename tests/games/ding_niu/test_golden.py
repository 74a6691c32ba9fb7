"""R7: positions and what is legal in them, deals and what they are worth, for each option."""

from itertools import pairwise

import pytest

from referee.games.ding_niu.scoring import score, standing
from tests.games.ding_niu.positions import legal, position

LEGAL = [
    # line, hand, legal list ("/" separates actions; "L" and "R" are the ends, "D" is a discard)
    ("1-3", "1-1", "1-1 L"),
    ("1-3", "1-1 1-1", "1-1 L"),
    ("1-3", "3-3", "3-3 R"),
    ("1-3", "1-3", "1-3 L/1-3 R"),
    ("1-3", "1-3 1-3 6-6", "1-3 L/1-3 R"),
    ("3-1", "1-3", "1-3 L/1-3 R"),
    ("1-3", "1-5 3-6", "1-5 L/3-6 R"),
    ("1-3", "1-6 3-6 3-3", "1-6 L/3-3 R/3-6 R"),
    ("1-3", "5-5 2-6 4-4", "2-6 D/4-4 D/5-5 D"),
    ("1-3", "6-6", "6-6 D"),
    ("1-3", "6-6 6-6 2-2 2-2", "2-2 D/6-6 D"),
    ("1-3", "6-6 6-6 3-3", "3-3 R"),
    ("1-3 3-1", "1-1 1-5 6-6", "1-1 L/1-5 L"),
    ("1-3 3-1", "1-3 1-3", "1-3 L"),
    ("1-3 3-1", "3-3 3-6", "3-3 D/3-6 D"),
    ("5-6 6-5", "1-5 5-5 5-6 1-3", "1-5 L/5-5 L/5-6 L"),
    ("5-6 6-5", "4-6 6-6 2-6", "2-6 D/4-6 D/6-6 D"),
    ("2-6", "2-2 2-6 6-6", "2-2 L/2-6 L/2-6 R/6-6 R"),
    ("2-6", "1-6 3-6 4-6 5-6", "1-6 R/3-6 R/4-6 R/5-6 R"),
    ("6-2", "1-6 3-6 4-6 5-6", "1-6 L/3-6 L/4-6 L/5-6 L"),
    ("2-6 6-3", "2-2 1-3 6-6", "1-3 R/2-2 L"),
    ("2-6 6-3", "4-4 5-5 6-6 1-1", "1-1 D/4-4 D/5-5 D/6-6 D"),
    ("4-6", "4-4 4-6 1-6", "1-6 R/4-4 L/4-6 L/4-6 R"),
    ("6-6", "1-6 6-6 5-5", "1-6 L/6-6 L"),
    ("6-6", "1-1 3-3 5-5", "1-1 D/3-3 D/5-5 D"),
    ("2-2", "2-6 2-2", "2-2 L/2-6 L"),
    ("5-1 1-3 3-3", "1-5 1-3 5-6", "1-3 R/1-5 L/5-6 L"),
    ("5-1 1-6", "1-5 5-6 1-6", "1-5 L/1-6 R/5-6 L/5-6 R"),
    ("6-1 1-5", "1-5 5-6 1-6", "1-5 R/1-6 L/5-6 L/5-6 R"),
    ("3-6 6-5", "1-3 1-5 3-3 5-5 2-6 6-6", "1-3 L/1-5 R/3-3 L/5-5 R"),
    ("4-4", "1-1 1-3 1-5 1-6 2-2 2-6", "1-1 D/1-3 D/1-5 D/1-6 D/2-2 D/2-6 D"),
]
WORDS = {"L": ("play", " left"), "R": ("play", " right"), "D": ("discard", ""), "": ("play", "")}


def texts(listed: str) -> list[str]:
    """Returns a legal list of the table in canonical text."""
    parts = [entry.partition(" ") for entry in listed.split("/")]
    return [f"{WORDS[mark][0]} {tile}{WORDS[mark][1]}" for tile, _, mark in parts]


@pytest.mark.parametrize(("line", "hand", "listed"), LEGAL)
def test_r7_legal_lists(line: str, hand: str, listed: str) -> None:
    """The legal list is exactly this, in this order; whatever the lead limit and the settlement are."""
    for options in ({}, {"lead_limit": "off", "settlement": "off"}, {"settlement": "declared"}):
        assert legal(position([hand], line, options=options)) == texts(listed)


@pytest.mark.parametrize(("line", "hand", "listed"), LEGAL)
def test_r7_with_revokes_every_tile_may_be_discarded(line: str, hand: str, listed: str) -> None:
    """With `extra_discard` the same plays come first, then a discard of each kind of tile in hand."""
    plays = [text for text in texts(listed) if text.startswith("play")]
    discards = [f"discard {tile}" for tile in sorted(set(hand.split()))]
    assert legal(position([hand], line, options={"revoke": "extra_discard"})) == plays + discards


@pytest.mark.parametrize(("line", "hand", "listed"), LEGAL)
def test_r7_orientation_of_the_line_does_not_matter(line: str, hand: str, listed: str) -> None:
    """The line seen from the other side has the same actions with the ends exchanged."""
    turned = " ".join(reversed([tile[::-1] for tile in line.split()]))
    equal = line[0] == line[-1]
    swap = {"L": "L" if equal else "R", "R": "L", "D": "D"}
    parts = [entry.partition(" ") for entry in listed.split("/")]
    exchanged = {text for tile, _, mark in parts for text in texts(f"{tile} {swap[mark]}")}
    assert set(legal(position([hand], turned))) == exchanged


DOUBLES = "1-1/2-2/3-3/4-4/5-5/6-6"
OTHERS = "1-3/1-5/1-6/2-6/3-6/4-6"
LEADS = [
    # hand, led with `strict`, with `definition`, with `off`
    ("1-1 1-3 2-2 2-6 3-3 3-6", "1-3/2-6/3-6", "1-1/1-3/2-6/3-3/3-6", "1-1/1-3/2-2/2-6/3-3/3-6"),
    (
        "1-1 2-2 3-3 4-4 5-5 6-6",
        "1-1/2-2/3-3/4-4/5-5/6-6",
        "1-1/2-2/3-3/4-4/5-5/6-6",
        "1-1/2-2/3-3/4-4/5-5/6-6",
    ),
    ("1-1 1-1 2-2 2-2 3-3 3-3", "1-1/2-2/3-3", "1-1/2-2/3-3", "1-1/2-2/3-3"),
    ("4-4 4-4 4-6 4-6 6-6 6-6", "4-6", "4-6/6-6", "4-4/4-6/6-6"),
    ("4-4 4-6 5-5 5-6 6-6 1-1", "1-1/4-6/5-6", "1-1/4-4/4-6/5-5/5-6/6-6", "1-1/4-4/4-6/5-5/5-6/6-6"),
    ("2-2 2-2 2-6 1-1 1-1 3-3", "1-1/2-6/3-3", "1-1/2-6/3-3", "1-1/2-2/2-6/3-3"),
    ("3-3 1-3 1-3 3-6 6-6 2-2", "1-3/2-2/3-6", "1-3/2-2/3-6/6-6", "1-3/2-2/3-3/3-6/6-6"),
    ("5-5 1-5 1-5 5-6 5-6 5-5", "1-5/5-6", "1-5/5-6", "1-5/5-5/5-6"),
    (
        "1-3 1-5 1-6 2-6 3-6 4-6",
        "1-3/1-5/1-6/2-6/3-6/4-6",
        "1-3/1-5/1-6/2-6/3-6/4-6",
        "1-3/1-5/1-6/2-6/3-6/4-6",
    ),
    ("1-1 1-3 1-3 1-5 1-5 1-6", "1-3/1-5/1-6", "1-1/1-3/1-5/1-6", "1-1/1-3/1-5/1-6"),
    ("6-6 1-6 1-6 2-6 3-6 4-6", "1-6/2-6/3-6/4-6", "1-6/2-6/3-6/4-6/6-6", "1-6/2-6/3-6/4-6/6-6"),
]


@pytest.mark.parametrize("revoke", ["reject", "extra_discard"])
@pytest.mark.parametrize(("hand", "strict", "definition", "off"), LEADS)
def test_r7_leads(hand: str, strict: str, definition: str, off: str, revoke: str) -> None:
    """The leads are exactly these, in this order, and no discard is among them."""
    for limit, listed in (("strict", strict), ("definition", definition), ("off", off)):
        state = position([hand], options={"lead_limit": limit, "revoke": revoke})
        assert legal(state) == texts(listed)


NORMAL = [
    # pips, leader, scores of a deal that was played out
    ((14, 0, 18, 4), 0, (-2, 6, -3, -1)),
    ((0, 0, 0, 0), 0, (6, -3, -2, -1)),
    ((0, 0, 0, 0), 1, (-1, 6, -3, -2)),
    ((5, 5, 5, 5), 3, (-3, -2, -1, 6)),
    ((0, 4, 4, 4), 0, (6, -3, -2, -1)),
    ((0, 4, 4, 4), 1, (6, -3, -2, -1)),
    ((0, 4, 4, 4), 2, (6, -1, -3, -2)),
    ((0, 4, 4, 4), 3, (6, -2, -1, -3)),
    ((4, 4, 0, 0), 0, (-3, -2, 6, -1)),
    ((4, 4, 0, 0), 3, (-3, -2, -1, 6)),
    ((4, 0, 4, 0), 0, (-3, 6, -2, -1)),
    ((4, 0, 4, 0), 2, (-2, -1, -3, 6)),
    ((1, 2, 3, 4), 2, (6, -1, -2, -3)),
    ((4, 3, 2, 1), 2, (-3, -2, -1, 6)),
    ((30, 30, 29, 30), 1, (-1, -3, 6, -2)),
    ((30, 30, 29, 30), 3, (-2, -1, 6, -3)),
]


@pytest.mark.parametrize(("left", "leader", "scores"), NORMAL)
def test_r7_deals_played_out(left: tuple[int, ...], leader: int, scores: tuple[int, ...]) -> None:
    """The fewest pips win; nearness to the leader breaks ties; what a settlement pays does not matter."""
    for pay in ("plus_two", "doubled"):
        assert score(left, leader, None, pay) == (scores.index(6), scores)


SETTLED = [
    # pips, leader, settler, scores with `plus_two`, scores with `doubled`
    ((22, 23, 28, 16), 0, 3, (-3, -4, -5, 12), (-2, -4, -6, 12)),
    ((7, 2, 11, 14), 0, 0, (-12, 12, 0, 0), (-12, 12, 0, 0)),
    ((7, 2, 11, 14), 0, 3, (0, 12, 0, -12), (0, 12, 0, -12)),
    ((7, 7, 11, 14), 0, 0, (12, -3, -4, -5), (12, -2, -4, -6)),
    ((7, 7, 11, 14), 1, 0, (-12, 12, 0, 0), (-12, 12, 0, 0)),
    ((7, 7, 11, 14), 1, 1, (-3, 12, -4, -5), (-2, 12, -4, -6)),
    ((7, 7, 7, 7), 2, 2, (-4, -3, 12, -5), (-4, -2, 12, -6)),
    ((7, 7, 7, 7), 2, 1, (0, -12, 12, 0), (0, -12, 12, 0)),
    ((9, 1, 9, 9), 3, 1, (-4, 12, -3, -5), (-4, 12, -2, -6)),
    ((9, 1, 9, 9), 0, 1, (-5, 12, -4, -3), (-6, 12, -4, -2)),
    ((0, 1, 2, 3), 3, 0, (12, -3, -4, -5), (12, -2, -4, -6)),
    ((40, 30, 20, 10), 3, 2, (0, 0, -12, 12), (0, 0, -12, 12)),
]


@pytest.mark.parametrize(("left", "leader", "settler", "plus_two", "doubled"), SETTLED)
def test_r7_settlements(
    left: tuple[int, ...], leader: int, settler: int, plus_two: tuple[int, ...], doubled: tuple[int, ...]
) -> None:
    """The settler has to be first in the same order, ties included; else it pays 12 to whoever is."""
    assert score(left, leader, settler, "plus_two") == (plus_two.index(12), plus_two)
    assert score(left, leader, settler, "doubled") == (doubled.index(12), doubled)


def test_every_order_of_equal_and_other_pips() -> None:
    """Over all pips of 0..3 and all leaders the order is complete and each score is a place's."""
    for number in range(4**4):
        left = tuple(number >> 2 * seat & 3 for seat in range(4))
        for leader in range(4):
            places = standing(left, leader)
            assert sorted(places) == [0, 1, 2, 3]
            near = {seat: (seat - leader) % 4 for seat in range(4)}
            first, *others = places
            assert all((left[first], near[first]) <= (left[seat], near[seat]) for seat in others)
            for better, worse in pairwise(others):
                assert (left[better], -near[better]) < (left[worse], -near[worse])
