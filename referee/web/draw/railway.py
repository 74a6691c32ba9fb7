"""Where the trains of Mexican Train run, and what lies along the tracks.

In a wide picture the engine stands in the middle, the trains of the seats leave it to both sides, and
the public train runs below. In a narrow one the trains lie below each other. A train that comes to the
end of its track turns back below itself; the tiles of all are as large as the longest train allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from referee.web.draw import seats, tiles
from referee.web.draw.seats import Badge
from referee.web.draw.snake import Arm
from referee.web.draw.svg import Box, Sheet, cut_name, num, width_of

PIPS_FROM: Final = 19.0
"""Halves of fewer units than this show numerals: up to twelve pips need room."""
_UNITS: Final[dict[bool, tuple[int, ...]]] = {False: (26, *range(24, 7, -1)), True: tuple(range(16, 6, -1))}
"""The sizes of tiles along the tracks of a wide and of a narrow picture."""
_HAND_UNITS: Final = (36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14)


class Train(Protocol):
    """What is needed of a train to lay it."""

    @property
    def tiles(self) -> Sequence[int]:
        """The tiles as they lie, inner number first."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The track of one train, and what stands along it."""

    header: Box
    hand: Box
    """The hand of its seat, where it is shown."""
    track: Box
    heading: int
    """1 for a train that runs to the right, -1 for one that runs to the left."""


@dataclass(frozen=True, slots=True)
class Yard:
    """Where everything lies; lanes from the seat at the bottom on clockwise."""

    height: float
    lanes: tuple[Lane, ...]
    public: Lane
    hub: tuple[float, float]
    hand: Box
    caption: tuple[float, float]
    narrow: bool


def yard(count: int, *, narrow: bool, hands: bool) -> Yard:
    """Returns where things lie for a number of seats; `hands` says that hands of others are shown."""
    return _narrow(count, hands=hands) if narrow else _wide(count, hands=hands)


def _wide(count: int, *, hands: bool) -> Yard:
    left = -(-count // 2)
    right = count - left
    lanes = []
    for place in range(count):
        on_left = place < left
        side = left if on_left else right
        high = min(414 / side, 210)
        top = 223 - high * side / 2
        row = left - 1 - place if on_left else place - left
        x = 16.0 if on_left else 574.0
        lanes.append(_lane(Box(x, top + row * high, 410, high), -1 if on_left else 1, 26, 13 if hands else 0))
    public = Lane(Box(16, 446, 190, 26), Box(0, 0, 0, 0), Box(218, 438, 766, 70), 1)
    return Yard(600, tuple(lanes), public, (500, 222), Box(16, 516, 968, 78), (500, 40), narrow=False)


def _narrow(count: int, *, hands: bool) -> Yard:
    high = (92.0 if count <= 4 else 80.0) + (15 if hands else 0)
    top = 84.0
    public = _lane(Box(8, top, 384, high - (15 if hands else 0)), 1, 22, 0)
    start = public.track.bottom + 2
    below = [_lane(Box(8, start + row * high, 384, high), 1, 22, 13 if hands else 0) for row in range(count)]
    lanes = (below[-1], *below[:-1])
    end = start + count * high
    return Yard(end + 172, lanes, public, (200, 42), Box(8, end + 6, 384, 158), (16, 30), narrow=True)


def _lane(box: Box, heading: int, header: float, hand: float) -> Lane:
    below = box.y + header + 4
    row = Box(box.x, below, box.width, hand)
    track = Box(box.x, below + (hand + 3 if hand else 0), box.width, 0)
    return Lane(
        Box(box.x, box.y, box.width, header), row, track._replace(height=box.bottom - track.y - 5), heading
    )


def arm(lane: Lane, codes: Sequence[int], unit: float) -> Arm:
    """Lays a train along its lane."""
    track = lane.track
    start = track.right if lane.heading < 0 else track.x
    laid = Arm(unit, (start, track.y + unit), lane.heading, 1, track, 1)
    for code in codes:
        laid.lay(code >> 4, code & 15)
    return laid


def fitting(yard: Yard, trains: Sequence[Train], order: Sequence[int]) -> float:
    """Returns the largest size of tiles with which each train stays in its lane."""
    lanes = {seat: lane for seat, lane in zip(order, yard.lanes, strict=True) if seat < len(trains) - 1}
    laid = [(lane, trains[seat].tiles) for seat, lane in lanes.items()]
    if trains:
        laid.append((yard.public, trains[-1].tiles))
    units = _UNITS[yard.narrow]
    for unit in units:
        if all(_fits(lane, codes, unit) for lane, codes in laid):
            return unit
    return units[-1]


def _fits(lane: Lane, codes: Sequence[int], unit: float) -> bool:
    laid = arm(lane, codes, unit)
    boxes = [*(spot.box(unit) for spot in laid.spots), laid.end()]
    return max(box.bottom for box in boxes) <= lane.track.bottom


def grid(box: Box, count: int) -> tuple[float, int]:
    """Returns how large the tiles of a hand can be, and how many of them go in a row."""
    for unit in _HAND_UNITS:
        per = int((box.width + unit * 0.16) // (unit * 1.16))
        if -(-count // per) * 2 * unit * 1.1 <= box.height:
            rows = max(-(-count // per), 1)
            return unit, -(-count // rows)
    return _HAND_UNITS[-1], per


def rails(sheet: Sheet, yard: Yard, unit: float, marked: Sequence[bool]) -> None:
    """Draws the tracks, from the engine to the lanes and along them; one with a marker stands out."""
    x, y = yard.hub
    for lane, is_open in zip((*yard.lanes, yard.public), (*marked, False), strict=True):
        track = lane.track
        start, end = (track.right, track.x) if lane.heading < 0 else (track.x, track.right)
        level = track.y + unit
        path = f"M{num(start)} {num(level)}H{num(end)}"
        if not yard.narrow and lane is yard.public:
            path = f"M{num(x)} {num(y)}V{num(level)}{path}"
        elif not yard.narrow:
            bend = num((x + start) / 2)
            curve = f"C{bend} {num(y)} {bend} {num(level)} {num(start)} {num(level)}"
            path = f"M{num(x)} {num(y)}{curve}H{num(end)}"
        sheet.add(f'<path class="rail" d="{path}"/><path class="ties{" open" * is_open}" d="{path}"/>')


def hub(sheet: Sheet, yard: Yard, engine: int | None, boneyard: int | None) -> None:
    """Draws the engine, and how many tiles the boneyard has."""
    x, y = yard.hub
    words = "" if boneyard is None else f"boneyard {boneyard}"
    if yard.narrow:
        sheet.text(388, 30, words, "caption far")
    else:
        sheet.add(f'<circle class="hub" cx="{num(x)}" cy="{num(y)}" r="60"/>')
        sheet.text(x, y + 38, words, "boneyard")
    if engine is not None:
        spot = tiles.upright(engine, x, y - (0 if yard.narrow else 10))
        tiles.tile(sheet, spot, 30, "engine")


_PLATE: Final = 220
"""The width of a plate whose name needs no more."""


def header(
    sheet: Sheet, box: Box, name: str, facts: str, marks: Sequence[Badge], backs: int | None = None
) -> None:
    """Draws the plate of a lane in one line: name, facts, and the badges behind it.

    `box` is the whole width of the lane; the plate makes room for the badges.
    """
    badges_wide = sum(seats.badge_width(sheet, mark) + 4 for mark in marks)
    size, small = (13, 12) if sheet.narrow else (15.5, 13.5)
    told = width_of(facts) * small + 8 if facts else 0
    wanted = max(_PLATE, 18 + told + width_of(name) * size * seats.BOLD)
    plate = box._replace(width=min(wanted, box.width - badges_wide - 4))
    acting = any(mark.css == "now" for mark in marks)
    sheet.add(f'<g data-backs="{backs}">' if backs is not None else "<g>")
    sheet.rect(plate, "plate acting" if acting else "plate", 8)
    room = (plate.width - 18 - told) / size / seats.BOLD
    shown = cut_name(name, room)
    base = plate.middle[1] + size * 0.36
    sheet.text(plate.x + 9, base, shown, "name", name if shown != name else "")
    sheet.text(plate.right - 9, base, facts, "fact far")
    sheet.add("</g>")
    x = plate.right + 6
    for mark in marks:
        seats.badge(sheet, mark, x, plate.middle[1])
        x += seats.badge_width(sheet, mark) + 4
