"""Playing cards as drawn: rank and suit in the corner that a fan leaves open, and the suit in the middle.

Suits are paths, so that they look the same with any font, and differ by shape as well as by colour.
A card is drawn round its middle, 46 units wide and 64 high.
"""

from typing import Final

from referee.games import cards
from referee.web.draw.svg import Sheet, num

WIDTH: Final = 46
HEIGHT: Final = 64

_FACE: Final = f'<rect x="-22.6" y="-31.6" width="{WIDTH - 0.8}" height="{HEIGHT - 0.8}" rx="5"/>'
_BACK: Final = (
    f'<rect class="art-back" x="-22.6" y="-31.6" width="{WIDTH - 0.8}" height="{HEIGHT - 0.8}" rx="5"/>'
    f'<rect class="art-weave" x="-18" y="-27" width="{WIDTH - 10}" height="{HEIGHT - 10}" rx="3"/>'
    '<path class="art-weave" d="M-9 0L0-13L9 0L0 13Z"/>'
)
_SUITS: Final = (
    "M0-10C2-5 5-2 8 0C5 2 2 5 0 10C-2 5-5 2-8 0C-5-2-2-5 0-10Z",
    (
        "M-1.2 3.1A4.5 4.5 0 1 1-3.6-3.1A4.5 4.5 0 1 1 3.6-3.1A4.5 4.5 0 1 1 1.2 3.1C1.3 6 2 8 4 9."
        "5H-4C-2 8-1.3 6-1.2 3.1Z"
    ),
    (
        "M0 9.5C-2 5.5-9 1.5-9-4C-9-7.2-6.8-9.2-4.4-9.2C-2.4-9.2-.8-8 0-6.2C.8-8 2.4-9.2 4.4-9.2C6."
        "8-9.2 9-7.2 9-4C9 1.5 2 5.5 0 9.5Z"
    ),
    (
        "M0-10C2-5.5 9-2 9 2.8C9 5.6 7 7.2 4.9 7.2C3.4 7.2 2.2 6.5 1.3 5.2C1.4 7 2.3 8.6 4 9.6H-4C-"
        "2.3 8.6-1.4 7-1.3 5.2C-2.2 6.5-3.4 7.2-4.9 7.2C-7 7.2-9 5.6-9 2.8C-9-2-2-5.5 0-10Z"
    ),
)
"""Diamond, club, heart and spade, each about 18 units wide and 20 high."""
_RED: Final = frozenset({0, 2})


def name(card: int) -> str:
    """Returns what is written on a card: its rank, ten in two digits."""
    rank = cards.RANKS[cards.rank(card)]
    return "10" if rank == "T" else rank


def card(sheet: Sheet, code: int, x: float, y: float, scale: float, css: str = "", extra: str = "") -> None:
    """Draws a card face up; `css` are further classes, `extra` further attributes."""
    suit, rank = code & 3, name(code)
    path = sheet.shape(f"s{suit}", f'<path d="{_SUITS[suit]}"/>')
    colour = "red" if suit in _RED else "black"
    classes = f"playingcard {colour} {css}".rstrip()
    sheet.add(
        f'<g class="{classes}" data-piece="{code}"{extra}'
        f' transform="translate({num(x)} {num(y)})scale({scale:.3g})">'
        f'<use class="cardface" href="{sheet.shape("card", _FACE)}"/>'
        f'<text class="{"rank ten" if len(rank) > 1 else "rank"}" x="-12" y="-12.5">{rank}</text>'
        f'<use href="{path}" transform="translate(-12 .5)scale(.78)"/>'
        f'<use href="{path}" transform="translate(7.5 15)scale(1.15)"/></g>'
    )


def back(sheet: Sheet, x: float, y: float, scale: float, turn: float = 0) -> None:
    """Draws the back of a card."""
    turned = f"rotate({num(turn)})" if turn else ""
    sheet.add(
        f'<use href="{sheet.shape("cardback", _BACK)}"'
        f' transform="translate({num(x)} {num(y)}){turned}scale({scale:.3g})"/>'
    )
