"""Hands as sets of bits, and what can be told of one with a few operations on all ranks at once.

A hand is a whole number with one bit for each card it holds, bit 4 * rank + suit; so each rank has
four bits of its own, its nibble. Which of equal ranks is played never matters to the rules, so the
lists of plays name the lowest suits.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final, TypeAlias

from referee.games import cards
from referee.games.cards import Card
from referee.games.memo import Memo

Hand: TypeAlias = int

SEATS: Final = 3
SIZE: Final = 16
"""The cards of a hand at the start."""
NEXT: Final = (1, 2, 0)
"""The seat after each seat."""
RANKS: Final = len(cards.RANKS)
KING: Final = cards.RANKS.index("K")
ACE: Final = cards.RANKS.index("A")
TWO: Final = cards.RANKS.index("2")
MISSING: Final = frozenset(cards.CODES[name] for name in ("AD", "2D", "2C", "2H"))
DECK: Final = tuple(card for card in range(4 * RANKS) if card not in MISSING)
"""The 48 cards in canonical order."""
EVERY_CARD: Final = sum(1 << card for card in DECK)
ALL_BITS: Final = (1 << 4 * RANKS) - 1
BITS: Final = tuple(1 << card for card in DECK)
"""The bit of every piece of the deck."""
D3: Final = 1 << cards.CODES["3D"]
NIBBLE: Final = tuple(15 << 4 * rank for rank in range(RANKS))
ABOVE: Final = tuple(ALL_BITS >> 4 * rank + 4 << 4 * rank + 4 for rank in range(RANKS))
"""All bits of the ranks above a rank."""
ACES: Final = EVERY_CARD & NIBBLE[ACE]

_LEAST: Final = ALL_BITS // 15
_UPPER_THREE: Final = 14 * _LEAST
_UPPER_TWO: Final = 12 * _LEAST
_PAIRS: Final = 5 * _LEAST
_LOWER_TWO: Final = 3 * _LEAST


def lowest(hand: Hand) -> Hand:
    """Returns the lowest card of each rank."""
    spread = hand | hand << 1 & _UPPER_THREE
    spread |= spread << 2 & _UPPER_TWO
    return hand & ~(spread << 1 & _UPPER_THREE)


def counts(hand: Hand) -> int:
    """Returns how many cards of each rank are held, one nibble for each rank."""
    twos = hand - (hand >> 1 & _PAIRS)
    return (twos & _LOWER_TWO) + (twos >> 2 & _LOWER_TWO)


def present(hand: Hand) -> int:
    """Returns which ranks are held: the lowest bit of the nibble of each."""
    return (hand | hand >> 1 | hand >> 2 | hand >> 3) & _LEAST


def _layers(hand: Hand) -> tuple[Hand, Hand, Hand, bool]:
    first = lowest(hand)
    rest = hand ^ first
    if not rest:
        return first, 0, 0, False
    second = lowest(rest)
    rest ^= second
    third = lowest(rest) if rest else 0
    return first, second, third, rest != third or hand & ACES == ACES


LAYERS: Final = Memo(_layers, 1 << 12)
"""By hand the lowest card of each rank, the second, the third, and whether the hand has a bomb.

A list of plays begins with them, and a hand is asked for again and again.
"""


def quads(hand: Hand) -> int:
    """Returns of which ranks all four are held: the lowest bit of the nibble of each."""
    return hand & hand >> 1 & hand >> 2 & hand >> 3 & _LEAST


def top_rank(hand: Hand) -> int:
    """Returns the highest rank held."""
    return hand.bit_length() - 1 >> 2


LOWEST: Final = tuple(
    tuple(sum([1 << suit for suit in range(4) if held >> suit & 1][:number]) for number in range(5))
    for held in range(16)
)
"""The so many lowest suits of a nibble, by the nibble and their number."""


def lowest_suits(hand: Hand, numbers: int) -> Hand:
    """Returns the lowest suits in hand of as many cards of each rank as the nibbles of `numbers` say."""
    found = shift = 0
    while numbers:
        found |= LOWEST[hand >> shift & 15][numbers & 15] << shift
        numbers >>= 4
        shift += 4
    return found


_GROUPS: Final = (4, 4, 4, 1)
"""How many ranks each table of `SPLIT` and of `ranks_of` answers for."""


def _split_tables() -> tuple[dict[int, tuple[Hand, ...]], ...]:
    """Returns, for groups of ranks, the bits of a set that has at most one in each nibble."""
    tables = []
    start = 0
    for ranks in _GROUPS:
        table = {}
        for chosen in product((0, 1, 2, 4, 8), repeat=ranks):
            bits = [bit << 4 * at for at, bit in enumerate(chosen) if bit]
            table[sum(bits)] = tuple([bit << start for bit in bits])
        tables.append(table)
        start += 4 * ranks
    return tuple(tables)


_LOW, _MIDDLE, _HIGH, _TOP = _split_tables()


def _split(hand: Hand) -> tuple[Hand, ...]:
    return _LOW[hand & 65535] + _MIDDLE[hand >> 16 & 65535] + _HIGH[hand >> 32 & 65535] + _TOP[hand >> 48]


SPLIT: Final = Memo(_split, 1 << 14)
"""The cards of a hand that has at most one of each rank, lowest first, each as its bit."""


_NAMED: Final = tuple(
    tuple(
        bytes(8 * part + at for at in range(8) if held >> at & 1) for held in range(256 if part < 6 else 16)
    )
    for part in range(7)
)


def codes_of(hand: Hand) -> bytes:
    """Returns the codes of the cards in canonical order, one byte each."""
    a, b, c, d, e, f, g = _NAMED
    return (
        a[hand & 255]
        + b[hand >> 8 & 255]
        + c[hand >> 16 & 255]
        + d[hand >> 24 & 255]
        + e[hand >> 32 & 255]
        + f[hand >> 40 & 255]
        + g[hand >> 48]
    )


def hand_of(held: Sequence[Card]) -> Hand:
    """Returns the hand that holds these cards."""
    return sum(1 << card for card in held)
