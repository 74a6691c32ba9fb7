"""Playing cards as values.

A card is one whole number, 4 * rank + suit: rank 0 is the 3, 11 the ace and 12 the 2; the suits are
D, C, H, S = 0..3. 0 is 3D, 51 is 2S. Codes in ascending order are cards in canonical order.
"""

from typing import Final, TypeAlias

Card: TypeAlias = int

RANKS: Final = "3456789TJQKA2"
SUITS: Final = "DCHS"
NAMES: Final = tuple(f"{rank}{suit}" for rank in RANKS for suit in SUITS)
"""The text of every card by its code: `3D`, `TS`, `AH`, `2S`."""
CODES: Final = {name: code for code, name in enumerate(NAMES)}
"""The code of every card by its text."""


def rank(card: Card) -> int:
    """Returns the rank of a card, 0 (the 3) to 12 (the 2)."""
    return card >> 2


def text(card: Card) -> str:
    """Returns a card in text: `3D`."""
    return NAMES[card]
