"""The limit of the lead, tried with every hand that there is."""

from collections.abc import Iterator
from itertools import product

import pytest

from referee.games.ding_niu.hand import HELD, KINDS, ONCE, hand_of
from referee.games.ding_niu.line import barred, legal

Pair = tuple[int, int]
HANDS_OF_SIX = 10_351


def hands() -> Iterator[dict[Pair, int]]:
    """Yields every hand of six: how many of each tile."""
    kinds = [(kind >> 4, kind & 15) for kind in KINDS]
    pools = [range(2 if kind in ONCE else 3) for kind in KINDS]
    for counts in product(*pools):
        if sum(counts) == 6:
            yield {kind: count for kind, count in zip(kinds, counts, strict=True) if count}


@pytest.fixture(scope="module")
def every_hand() -> list[dict[Pair, int]]:
    """Returns every hand of six."""
    return list(hands())


def packed(hand: dict[Pair, int]) -> int:
    """Returns a hand as the engine holds it."""
    return hand_of([16 * low + high for (low, high), count in hand.items() for _ in range(count)])


def led(hand: dict[Pair, int], lead_limit: str) -> set[Pair]:
    """Returns the tiles that the engine lets the hand lead."""
    actions = legal(packed(hand), 0, lead_limit, "reject")
    assert len(set(actions)) == len(actions)
    return {(action >> 6, action >> 2 & 15) for action in actions}


def test_there_are_so_many_hands(every_hand: list[dict[Pair, int]]) -> None:
    """All of them are tried: x^6 in (1 + x + x^2)^11 (1 + x)^2 of them."""
    assert len(every_hand) == len({packed(hand) for hand in every_hand}) == HANDS_OF_SIX


@pytest.mark.parametrize("lead_limit", ["strict", "definition", "off"])
def test_r15_no_limit_bars_every_tile(every_hand: list[dict[Pair, int]], lead_limit: str) -> None:
    """With every hand something can be led, and every tile that is no double."""
    for hand in every_hand:
        leads = led(hand, lead_limit)
        assert leads
        assert {tile for tile in hand if tile[0] != tile[1]} <= leads <= set(hand)
        assert lead_limit != "off" or leads == set(hand)


def test_d6_the_definition_follows_from_the_leaders_hand(every_hand: list[dict[Pair, int]]) -> None:
    """A tile is barred iff none of the 18 tiles in the other hands, but for doubles, matches it."""
    counts = {(kind >> 4, kind & 15): 1 if kind in ONCE else 2 for kind in KINDS}
    for hand in every_hand:
        others = [kind for kind, count in counts.items() if count > hand.get(kind, 0) and kind[0] != kind[1]]
        matched = {tile for tile in hand if any(set(tile) & set(other) for other in others)}
        assert led(hand, "definition") == matched


def test_d5_strict_bars_what_the_text_bars_and_more(every_hand: list[dict[Pair, int]]) -> None:
    """Strictly, a double is led only without another tile of its number; so the definition holds too."""
    for hand in every_hand:
        standing = [tile for tile in hand if tile[0] != tile[1]]
        allowed = {
            tile for tile in hand if tile[0] != tile[1] or not any(tile[0] in other for other in standing)
        }
        assert led(hand, "strict") == allowed
        assert allowed <= led(hand, "definition")


def test_what_is_barred_is_in_the_hand(every_hand: list[dict[Pair, int]]) -> None:
    """Only doubles that are held are named as barred."""
    for hand in every_hand[::7]:
        held = packed(hand)
        for lead_limit in ("strict", "definition", "off"):
            assert barred(held, lead_limit) & ~(held & HELD) == 0
