"""Helps authors with cards, which travel as one small number each.

A card is `4 * rank + suit`: ranks are 3 4 5 6 7 8 9 T J Q K A 2 = 0..12, suits D C H S = 0..3. So 0
is 3D, the three of diamonds, and 51 is 2S.
"""

RANKS = "3456789TJQKA2"
SUITS = "DCHS"


def rank(card: int) -> int:
    """Returns the rank of a card, 0 (the 3) to 12 (the 2)."""
    return card >> 2


def suit(card: int) -> int:
    """Returns the suit of a card: D, C, H, S = 0..3."""
    return card & 3


def text(card: int) -> str:
    """Returns the card as people write it: `3D`."""
    return RANKS[card >> 2] + SUITS[card & 3]


def parse(written: str) -> int:
    """Returns the code of a card in text; raises `ValueError`."""
    if len(written) != 2 or written[0] not in RANKS or written[1] not in SUITS:
        raise ValueError(f"{written!r} is no card; write one like TD")
    return 4 * RANKS.index(written[0]) + SUITS.index(written[1])
