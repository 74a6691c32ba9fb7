"""A line of dominoes that bends at the edges of its place.

From the first tile one arm runs to the right and bends downwards, the other one runs to the left and
bends upwards; every row runs against the one before. Doubles lie crosswise. A row ends early enough
for doubles to follow, so that only other tiles stand in a bend.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.web.draw.svg import Box
from referee.web.draw.tiles import EAST, NORTH, SOUTH, WEST, Spot

GAP: Final = 0.08
"""The room between two tiles, in halves of a tile."""


class Line(NamedTuple):
    """Where the tiles of a line lie, in their order, and where the next ones may be joined."""

    unit: float
    spots: tuple[Spot, ...]
    ends: tuple[Box, ...]

    def boxes(self) -> tuple[Box, ...]:
        """Returns what the tiles and the marks at the ends cover."""
        return (*(spot.box(self.unit) for spot in self.spots), *self.ends)

    def moved(self, dx: float, dy: float) -> "Line":
        """Returns the line in another place."""
        spots = tuple([spot._replace(x=spot.x + dx, y=spot.y + dy) for spot in self.spots])
        return Line(self.unit, spots, tuple([box._replace(x=box.x + dx, y=box.y + dy) for box in self.ends]))


class Arm:
    """Lays tiles one after another, from a point on.

    `heading` is 1 to the right and -1 to the left, `bend` 1 downwards and -1 upwards; rows end at the
    sides of the `place`, and `doubles` is how many of them can follow each other.
    """

    def __init__(
        self,
        unit: float,
        start: tuple[float, float],
        heading: int,
        bend: int,
        place: Box,
        doubles: int,
    ) -> None:
        self.spots: list[Spot] = []
        self._unit, self._gap = unit, unit * GAP
        self._x, self._y = start
        self._heading, self._bend = heading, bend
        self._limits = {1: place.right, -1: place.x}
        self._doubles = doubles
        self._tip, self._reach = self._x - heading * unit / 2, unit / 2

    def lay(self, inner: int, outer: int) -> None:
        """Lays the next tile, its inner half towards the start."""
        double = inner == outer
        length = self._unit if double else 2 * self._unit
        spare = 0.0 if double else self._doubles * (self._unit + self._gap)
        if not self._fits(length + spare):
            self._bend_with(inner, outer)
            return
        heading = self._heading
        middle = self._x + heading * length / 2
        turn = SOUTH if double else EAST if heading > 0 else WEST
        self.spots.append(Spot(inner, outer, middle, self._y, turn))
        self._x += heading * (length + self._gap)
        self._tip = middle + heading * (length - self._unit) / 2
        self._reach = self._unit if double else self._unit / 2

    def end(self) -> Box:
        """Returns a square where the next tile begins."""
        unit = self._unit
        if self._fits(unit):
            return Box(min(self._x, self._x + self._heading * unit), self._y - unit / 2, unit, unit)
        y = self._y + self._bend * (self._reach + self._gap + unit / 2)
        return Box(self._tip - unit / 2, y - unit / 2, unit, unit)

    def _fits(self, length: float) -> bool:
        heading = self._heading
        return heading * (self._x + heading * length) <= heading * self._limits[heading] + 0.01

    def _bend_with(self, inner: int, outer: int) -> None:
        unit = self._unit
        y = self._y + self._bend * (self._reach + self._gap + unit)
        self.spots.append(Spot(inner, outer, self._tip, y, SOUTH if self._bend > 0 else NORTH))
        self._y = y + self._bend * unit / 2
        self._heading = -self._heading
        self._x = self._tip + self._heading * (unit / 2 + self._gap)
        self._reach = unit / 2


def line(
    codes: Sequence[int], opening: int | None, place: Box, units: Sequence[float], doubles: int = 1
) -> Line:
    """Lays a line, tiles as they lie from left to right, in the largest of the units that fits.

    `opening` is where the first tile lies, in the middle of the place; without it the arms are equal.
    """
    index = len(codes) // 2 if opening is None else min(opening, len(codes) - 1)
    laid = Line(0, (), ())
    for unit in units:
        laid = _line(codes, index, place, unit, doubles)
        top, bottom = _extent(laid)
        if bottom - top <= place.height:
            break
    top, bottom = _extent(laid)
    return laid.moved(0, max(place.y - top, 0) or min(place.bottom - bottom, 0))


def _extent(laid: Line) -> tuple[float, float]:
    boxes = laid.boxes()
    return min(box.y for box in boxes), max(box.bottom for box in boxes)


def _line(codes: Sequence[int], index: int, place: Box, unit: float, doubles: int) -> Line:
    x, y = place.middle
    first, second = codes[index] >> 4, codes[index] & 15
    double = first == second
    reach = (unit / 2 if double else unit) + unit * GAP
    right = Arm(unit, (x + reach, y), 1, 1, place, doubles)
    left = Arm(unit, (x - reach, y), -1, -1, place, doubles)
    for code in codes[index + 1 :]:
        right.lay(code >> 4, code & 15)
    for code in reversed(codes[:index]):
        left.lay(code & 15, code >> 4)
    opening = Spot(first, second, x, y, SOUTH if double else EAST)
    return Line(unit, (*reversed(left.spots), opening, *right.spots), (left.end(), right.end()))
