"""Dominoes as drawn: upright or lying, face up with pips or numerals, or as backs.

A tile is drawn round its middle, 20 units wide and 40 high, its first half on top, and is then put
in its place, turned and scaled. Halves too small for pips show numerals, which are never turned.
"""

from typing import Final, NamedTuple

from referee.games import tiles
from referee.web.draw.svg import Box, Sheet, num

HALF: Final = 20
"""The width of a tile in its own units, which is the side of a half."""
NUMERALS_BELOW: Final = 15.0
"""Halves of fewer units than this show numerals."""
EAST, WEST, SOUTH, NORTH = -90, 90, 0, 180
"""How a tile is turned whose first half comes first on the way there."""

_FACE: Final = '<rect x="-9.6" y="-19.6" width="19.2" height="39.2" rx="3.4"/>'
_RULE: Final = '<path class="art-rule" d="M-7 0H7"/>'
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


def tile(sheet: Sheet, spot: Spot, unit: float, css: str = "", extra: str = "") -> None:
    """Draws a tile face up; `css` are further classes, `extra` further attributes."""
    face = sheet.shape("face", _FACE)
    rule = sheet.shape("rule", _RULE)
    if unit < NUMERALS_BELOW:
        inside = _numerals(spot)
    else:
        inside = "".join(
            f'<use href="{_pips(sheet, number)}"{at}/>'
            for number, at in ((spot.first, ' y="-10"'), (spot.second, ' y="10"'))
            if number
        )
    turn = f"rotate({spot.turn})" if spot.turn else ""
    scale = f"scale({unit / HALF:.3g})"
    classes = f"tile {css}" if css else "tile"
    sheet.add(
        f'<g class="{classes}" data-piece="{spot.code()}"{extra}'
        f' transform="translate({num(spot.x)} {num(spot.y)}){turn}{scale}">'
        f'<use class="face" href="{face}"/><use href="{rule}"/>{inside}</g>'
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


def _pips(sheet: Sheet, number: int) -> str:
    radius = 1.9 if number < 10 else 1.6
    dots = "".join(f'<circle cx="{num(x)}" cy="{num(y)}" r="{radius}"/>' for x, y in _PIPS[number])
    return sheet.shape(f"p{number}", f'<g class="art-n{number}">{dots}</g>')


def _numerals(spot: Spot) -> str:
    """Returns both numbers, turned back so that they stand upright on a turned tile."""
    halves = []
    for number, y in ((spot.first, -10), (spot.second, 10)):
        back_turn = f'transform="translate(0 {y})rotate({-spot.turn})"' if spot.turn else f'y="{y + 5.6}"'
        base = ' y="5.6"' if spot.turn else ""
        halves.append(f'<text class="numeral art-n{number}" {back_turn}{base}>{number}</text>')
    return "".join(halves)
