"""Dominoes as drawn: upright or lying, face up with pips or numerals, or as backs.

A tile is drawn round its middle, 20 units wide and 40 high, its first half on top, and is then put
in its place, turned and scaled. Halves too small for pips show numerals, which are never turned.
"""

from functools import cache
from typing import Final, NamedTuple

from referee.games import tiles
from referee.web.draw.svg import Box, Sheet, num

HALF: Final = 20
"""The width of a tile in its own units, which is the side of a half."""
NUMERALS_BELOW: Final = 15.0
"""Halves of fewer units than this show numerals."""
EAST, WEST, SOUTH, NORTH = -90, 90, 0, 180
"""How a tile is turned whose first half comes first on the way there."""

_FACE: Final = (
    '<rect x="-9.6" y="-19.6" width="19.2" height="39.2" rx="3.4"/><path class="art-rule" d="M-7 0H7"/>'
)
_LYING: Final = f'<g transform="rotate(90)">{_FACE}</g>'
_BACK: Final = (
    '<rect class="art-back" x="-9.6" y="-19.6" width="19.2" height="39.2" rx="3.4"/>'
    '<rect class="art-weave" x="-6.2" y="-16.2" width="12.4" height="32.4" rx="2"/>'
)
_COLUMNS: Final = (-5.4, 0.0, 5.4)
_ROWS: Final = {2: (-5.4, 5.4), 3: (-5.4, 0.0, 5.4), 4: (-6.6, -2.2, 2.2, 6.6)}
_CORNERS: Final = ((-5.4, -5.4), (5.4, 5.4), (-5.4, 5.4), (5.4, -5.4))


def _column(x: float, count: int) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for y in _ROWS[count])


def _sides(count: int) -> tuple[tuple[float, float], ...]:
    left, _, right = _COLUMNS
    return (*_column(left, count), *_column(right, count))


_PIPS: Final[tuple[tuple[tuple[float, float], ...], ...]] = (
    (),
    ((0, 0),),
    _CORNERS[:2],
    (*_CORNERS[:2], (0, 0)),
    _CORNERS,
    (*_CORNERS, (0, 0)),
    _sides(3),
    (*_sides(3), (0, 0)),
    (*_sides(3), (0, -5.4), (0, 5.4)),
    (*_sides(3), *_column(0, 3)),
    (*_sides(4), (0, -4.4), (0, 4.4)),
    (*_sides(4), (0, -5), (0, 0), (0, 5)),
    (*_sides(4), *_column(0, 4)),
)
"""Where the pips of each number lie, round the middle of its half."""


class Spot(NamedTuple):
    """Where a tile lies: its two numbers as it is turned, its middle, and the turn in degrees."""

    first: int
    second: int
    x: float
    y: float
    turn: int

    def code(self) -> int:
        """Returns the tile, lower number first."""
        return tiles.tile(self.first, self.second)

    def box(self, unit: float) -> Box:
        """Returns what a tile with halves of this many units covers."""
        wide, high = (unit, 2 * unit) if self.turn in {SOUTH, NORTH} else (2 * unit, unit)
        return Box(self.x - wide / 2, self.y - high / 2, wide, high)


def tile(
    sheet: Sheet, spot: Spot, unit: float, css: str = "", extra: str = "", *, numerals: bool | None = None
) -> None:
    """Draws a tile face up; `css` are further classes, `extra` further attributes.

    It shows numerals where they are asked for, or where its halves are too small for pips.
    """
    if unit < NUMERALS_BELOW if numerals is None else numerals:
        turn, inside = "", _numerals(sheet, spot)
    else:
        turn, inside = f"rotate({spot.turn})" if spot.turn else "", _pips(sheet, spot)
    classes = f' class="{css}"' if css else ""
    sheet.add(
        f'<g{classes} data-piece="{spot.code()}"{extra}'
        f' transform="translate({num(spot.x)} {num(spot.y)}){turn}scale({unit / HALF:.3g})">{inside}</g>'
    )


def upright(code: int, x: float, y: float) -> Spot:
    """Returns where a tile stands that is upright, lower number on top, round a middle."""
    return Spot(*tiles.halves(code), x, y, SOUTH)


def lying(code: int, x: float, y: float) -> Spot:
    """Returns where a tile lies flat, lower number at the left, round a middle."""
    return Spot(*tiles.halves(code), x, y, EAST)


def back(sheet: Sheet, x: float, y: float, unit: float, turn: int = SOUTH) -> None:
    """Draws the back of a tile round a middle."""
    turned = f"rotate({turn})" if turn else ""
    scale = f"scale({unit / HALF:.3g})"
    sheet.add(
        f'<use href="{sheet.shape("back", _BACK)}" transform="translate({num(x)} {num(y)}){turned}{scale}"/>'
    )


def _pips(sheet: Sheet, spot: Spot) -> str:
    """Returns the inside of a tile that is turned as a whole."""
    face = f'<use class="face" href="{sheet.shape("f", _FACE)}"/>'
    halves = ((spot.first, -10), (spot.second, 10))
    return face + "".join([f'<use href="{_half(sheet, number)}" y="{y}"/>' for number, y in halves if number])


def _half(sheet: Sheet, number: int) -> str:
    return sheet.shape(f"p{number}", _dots(number))


@cache
def _dots(number: int) -> str:
    """Returns the pips of a half: lines without length, of which only the round ends are to be seen."""
    dots = "".join([f"M{num(x)} {num(y)}h0" for x, y in _PIPS[number]])
    fine = " art-fine" if number > 9 else ""
    return f'<path class="art-pips{fine} art-n{number}" d="{dots}"/>'


def _numerals(sheet: Sheet, spot: Spot) -> str:
    """Returns the inside of a tile of which only the face is turned, so that its numbers stand upright."""
    stands = spot.turn in {SOUTH, NORTH}
    face = sheet.shape("f", _FACE) if stands else sheet.shape("l", _LYING)
    swapped = spot.turn in {NORTH, WEST}
    first, second = (spot.second, spot.first) if swapped else (spot.first, spot.second)
    axis = "y" if stands else "x"
    return (
        f'<use class="face" href="{face}"/><use href="{_numeral(sheet, first)}" {axis}="-10"/>'
        f'<use href="{_numeral(sheet, second)}" {axis}="10"/>'
    )


def _numeral(sheet: Sheet, number: int) -> str:
    css = "art-num art-tens" if number > 9 else "art-num"
    return sheet.shape(f"d{number}", f'<text class="{css} art-n{number}" y="5.4">{number}</text>')
