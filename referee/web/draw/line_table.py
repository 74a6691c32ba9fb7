"""A table of four seats round one line of dominoes: what block dominoes and Ding Niu share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from referee.web.draw import pieces, seats, tiles
from referee.web.draw.seats import Badge
from referee.web.draw.snake import Line, line
from referee.web.draw.svg import Box, Sheet, num
from referee.web.draw.table import Table


@dataclass(frozen=True, slots=True)
class Place:
    """Where things of one seat lie, and how large its tiles are."""

    plate: Box
    hand: Box
    unit: float
    down: Box
    """What is face down."""
    down_unit: float
    anchor: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Where everything lies; the seats from the one at the bottom on clockwise."""

    height: float
    seats: tuple[Place, Place, Place, Place]
    line: Box
    units: tuple[float, ...]
    caption: tuple[float, float]


WIDE: Final = Plan(
    600,
    (
        Place(Box(20, 528, 200, 50), Box(230, 496, 540, 84), 40, Box(780, 540, 200, 44), 22, 0.5),
        Place(Box(20, 204, 200, 50), Box(20, 264, 200, 40), 20, Box(20, 330, 200, 40), 20),
        Place(Box(262, 30, 200, 50), Box(474, 35, 164, 40), 20, Box(650, 35, 150, 40), 20),
        Place(Box(780, 204, 200, 50), Box(780, 264, 200, 40), 20, Box(780, 330, 200, 40), 20),
    ),
    Box(230, 92, 540, 394),
    (38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 16),
    (24, 44),
)
NARROW: Final = Plan(
    622,
    (
        Place(Box(8, 462, 216, 46), Box(8, 518, 384, 94), 42, Box(236, 470, 156, 38), 19, 0.5),
        Place(Box(8, 34, 124, 46), Box(8, 85, 124, 28), 14, Box(8, 128, 124, 28), 14),
        Place(Box(138, 34, 124, 46), Box(138, 85, 124, 28), 14, Box(138, 128, 124, 28), 14),
        Place(Box(268, 34, 124, 46), Box(268, 85, 124, 28), 14, Box(268, 128, 124, 28), 14),
    ),
    Box(10, 162, 380, 288),
    (27, 26, 25, 24, 23, 22, 21, 20, 18, 16),
    (12, 20),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What such a table shows, in the terms of neither game."""

    deal: int
    to_act: int
    codes: Sequence[int]
    """The line, each tile as it lies."""
    opening: int | None
    doubles: int
    """How many doubles can follow each other in the line."""
    counts: Sequence[int]
    totals: Sequence[int]
    shown: Mapping[int, Sequence[int]]
    """The hands that may be shown."""
    marks: Callable[[int], tuple[Badge, ...]]
    hint: str = ""
    """What stands where there is no line yet."""
    last: int | None = None
    """Which tile of the line was laid last."""
    down_counts: Sequence[int] = ()
    down_shown: Mapping[int, Sequence[int]] = field(default_factory=dict)
    clockwise: bool = True


def paint(sheet: Sheet, table: Table, position: Position) -> None:
    """Draws the table."""
    plan = NARROW if sheet.narrow else WIDE
    sheet.height = plan.height
    if position.deal:
        sheet.text(*plan.caption, f"Deal {position.deal}", "caption")
    if position.codes:
        _line(sheet, table, position, plan)
    elif position.hint:
        x, y = plan.line.middle
        sheet.text(x, y, position.hint, "hint")
    order = table.around()
    places = plan.seats if position.clockwise else (plan.seats[0], *reversed(plan.seats[1:]))
    for seat, place in zip(order, places, strict=False):
        _seat(sheet, table, position, seat, place)


def _seat(sheet: Sheet, table: Table, position: Position, seat: int, place: Place) -> None:
    count = position.counts[seat] if seat < len(position.counts) else 0
    total = position.totals[seat] if seat < len(position.totals) else 0
    holds = f"{count} tile{'s' * (count != 1)}"
    seats.plate(sheet, place.plate, table.name(seat), str(total), holds, position.marks(seat))
    shown = position.shown.get(seat)
    if shown is None:
        unit = min(place.unit, 28)
        seats.backs(sheet, place.hand, count, unit, place.anchor)
    else:
        can = pieces.playable(table.choices, shown) if seat == table.south and table.choices else None
        seats.hand(sheet, place.hand, shown, place.unit, place.anchor, can=can)
    if position.down_counts:
        _down(sheet, position, seat, place)


def _down(sheet: Sheet, position: Position, seat: int, place: Place) -> None:
    """Draws what a seat has face down; to those who may know it the tiles are shown, and look put away."""
    shown = position.down_shown.get(seat)
    if not position.down_counts[seat]:
        return
    far = bool(place.anchor)
    x = place.down.right if far else place.down.x
    sheet.text(x, place.down.y - 4, "face down", "label far" if far else "label")
    if shown is None:
        seats.backs(sheet, place.down, position.down_counts[seat], place.down_unit, place.anchor * 2)
    else:
        seats.hand(sheet, place.down, shown, place.down_unit, place.anchor * 2, css="down")


def _line(sheet: Sheet, table: Table, position: Position, plan: Plan) -> None:
    laid = line(position.codes, position.opening, plan.line, plan.units, position.doubles)
    sheet.add('<g class="line">')
    for number, spot in enumerate(laid.spots):
        tiles.tile(sheet, spot, laid.unit, "last" if number == position.last else "")
    sheet.add("</g>")
    if position.to_act >= 0 or position.deal:
        _ends(sheet, table, position, laid)


def _ends(sheet: Sheet, table: Table, position: Position, laid: Line) -> None:
    """Marks both open ends with their number; an end that a choice joins can be chosen."""
    open_ = pieces.ends(table.choices)
    numbers = (position.codes[0] >> 4, position.codes[-1] & 15)
    for end, (box, number) in enumerate(zip(laid.ends, numbers, strict=True), 1):
        x, y = box.middle
        radius = laid.unit * 0.42
        words = ("left", "right")[end - 1]
        css = "end playable" if end in open_ else "end"
        extra = f' role="button" tabindex="0" aria-label="{words} end, {number}"' if end in open_ else ""
        sheet.add(
            f'<g class="{css}" data-end="{end}"{extra}><circle'
            f' cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>'
            f'<text x="{num(x)}" y="{num(y + radius * 0.42)}" class="endnumber">{number}</text></g>'
        )
