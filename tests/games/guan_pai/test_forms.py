"""R7, R10, R13: what cards are read as under each option, and which beats which."""

from functools import cache
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.games import cards
from referee.games.guan_pai.forms import KINDS, LOW_STRAIGHTS, Reading, beats, readings
from referee.games.guan_pai.hand import DECK
from tests.games.guan_pai import reference
from tests.games.guan_pai.positions import GAME, of_ranks, play, position, put, ranks

BOMB = "bomb"


def multiset(written: str) -> int:
    """Returns a multiset of ranks as the engine holds it."""
    return sum(1 << 4 * cards.RANKS.index(rank) for rank in written)


def told(written: str, low_straight: str, *, last: bool) -> str:
    """Returns all readings of cards as the table of patterns writes them."""
    found = sorted(readings(multiset(written), last, low_straight))
    return ", ".join(
        f"{KINDS[one.kind - 1]} {cards.RANKS[one.rank]}" + (f" of {one.length}" if one.length else "")
        for one in found
    )


class Row(NamedTuple):
    """One line of the table of patterns; without an option it holds for all."""

    cards: str
    readings: str
    last: str
    option: str


def table() -> list[Row]:
    """Returns the lines of the table of patterns."""
    lines = (Path(__file__).parent / "patterns.txt").read_text("utf-8").splitlines()
    rows = []
    for line in lines:
        if line and not line.startswith("#"):
            cells = [cell.strip().removeprefix("-") for cell in line.split("|")]
            rows.append(Row(*cells, *[""] * (4 - len(cells))))
    return rows


ROWS = table()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cards}-{row.option or 'any'}")
def test_r7_patterns_are_read_as_written(row: Row) -> None:
    """Each pattern has the readings of the table, as one play of several and as the last hand."""
    for option in LOW_STRAIGHTS:
        if row.option in {"", option}:
            assert told(row.cards, option, last=False) == row.readings
            assert told(row.cards, option, last=True) == (row.last or row.readings)


def test_r7_the_table_has_200_patterns() -> None:
    """No pattern is there twice for an option, and every kind is among the readings."""
    keys = [(row.cards, row.option) for row in ROWS]
    assert len(keys) == len(set(keys)) >= 200
    text = " ".join(f"{row.readings} {row.last}" for row in ROWS)
    assert [kind for kind in KINDS if f"{kind} " not in text] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cards}-{row.option or 'any'}")
def test_r7_the_second_implementation_reads_the_same(row: Row) -> None:
    """The types of each pattern are those that the reference finds."""
    held = tuple(reference.ORDER.index(rank) + 3 for rank in row.cards)
    for option in [row.option] if row.option else LOW_STRAIGHTS:
        for last, readings_ in ((False, row.readings), (True, row.last or row.readings)):
            kinds = {name for name, _ in reference.forms(held, option, last=last)}
            assert kinds == {one.split()[0] for one in readings_.split(", ") if one}


@pytest.mark.parametrize(
    ("written", "kind"),
    [("33345", "triple_with_two"), ("34567", "straight"), ("3334", ""), ("AAA5", "bomb"), ("44443", "bomb")],
)
def test_r10_the_order_of_the_cards_does_not_matter(written: str, kind: str) -> None:
    """All permutations of the cards of a play are one action and lead to one state."""
    hands = of_ranks(written + ("" if written == "3334" else "9"), "66", "77")
    first = position(hands)
    names = ranks(first, written).split()[1:]
    put(first, written)
    for order in permutations(names):
        other = position(hands)
        play(other, f"play {' '.join(order)}")
        assert other.snapshot() == first.snapshot()
    assert not kind or KINDS[first.trick[-1].kind - 1] == kind


@cache
def every_reading(option: str, *, last: bool) -> frozenset[Reading]:
    """Returns every reading of cards of the deck: up to six of any ranks, and longer ones of one shape."""
    left = [sum(card >> 2 == rank for card in DECK) for rank in range(13)]
    found: set[Reading] = set()
    for size in range(1, 6):
        for choice in combinations_with_replacement(range(13), size):
            if all(choice.count(rank) <= left[rank] for rank in set(choice)):
                found.update(readings(sum(1 << 4 * rank for rank in choice), last, option))
    for number in (1, 2, 3):
        for start in range(13):
            for length in range(1, 13):
                row = [(start + at) % 13 for at in range(length)]
                if number * length <= 16 and all(left[rank] >= number for rank in row):
                    whole = sum(number << 4 * rank for rank in row)
                    found.update(readings(whole, last, option))
                    if number == 3 and length in {2, 3} and 5 * length <= 16:
                        wings = [rank for rank in range(11) if rank not in row][: 2 * length]
                        found.update(readings(whole + sum(1 << 4 * rank for rank in wings), last, option))
    found.update(readings((4 << 4 * rank) + 2, last, option)[0] for rank in range(1, 11))
    return frozenset(found)


def over(one: Reading, other: Reading) -> bool:
    """Says whether a reading beats another one."""
    return beats(one, other.against, other.length, other.rank)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("option", LOW_STRAIGHTS)
def test_r13_beating_is_an_order(option: str, last: bool) -> None:  # noqa: FBT001
    """Over all pairs: irreflexive, antisymmetric, bombs over all, and only within a class else."""
    found = sorted(every_reading(option, last=last))
    assert {KINDS[one.kind - 1] for one in found} >= {*KINDS} - {"triple_with_one"}
    assert len(found) > 130
    for one in found:
        assert not over(one, one)
        for other in found:
            assert not (over(one, other) and over(other, one))
            same = (one.against, one.length) == (other.against, other.length)
            if KINDS[one.kind - 1] == BOMB != KINDS[other.kind - 1]:
                assert over(one, other)
            elif not same:
                assert not over(one, other)
            else:
                assert over(one, other) == (one.rank > other.rank)


@pytest.mark.parametrize("option", LOW_STRAIGHTS)
def test_r13_beating_is_transitive(option: str) -> None:
    """If one beats another and that a third, the first beats the third."""
    found = sorted(every_reading(option, last=True))
    lower = {one: {other for other in found if over(one, other)} for one in found}
    for one, beaten in lower.items():
        for other in beaten:
            assert lower[other] <= beaten, (one, other)


def test_the_game_has_the_kinds_in_the_order_of_the_rules() -> None:
    """The number of a kind is its place in the list of the rules, in actions and on the wire."""
    for number, kind in enumerate(KINDS, 1):
        assert GAME.text.parse_action(f"play 3D as {kind}") >> 52 == number
