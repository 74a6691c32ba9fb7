"""Guan Pai: the play to beat in the middle, the trick that led to it, and three hands around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final

from referee.games import cards as values
from referee.v1 import guan_pai_pb2 as pb
from referee.web.draw import cards, pieces, seats, words
from referee.web.draw.seats import Badge, badges
from referee.web.draw.svg import Box, Sheet, cut, cut_name, num, place_of, width_of
from referee.web.draw.table import Table

_PREFIX: Final = "GUAN_PAI_COMBINATION_"


@dataclass(frozen=True, slots=True)
class Plan:
    """Where things lie; the seats from the one at the bottom on clockwise."""

    height: float
    plates: tuple[Box, Box, Box]
    hands: tuple[Box, Box, Box]
    rows: int
    """Over how many rows the hand at the bottom is spread."""
    scale: float
    """Of the cards of that hand."""
    far: float
    """Of the cards of the others."""
    trick: Box
    top: Box
    top_scale: float
    caption: tuple[float, float]


WIDE: Final = Plan(
    600,
    (Box(20, 420, 220, 50), Box(20, 70, 220, 50), Box(760, 70, 220, 50)),
    (Box(50, 486, 900, 98), Box(20, 134, 220, 64), Box(760, 134, 220, 64)),
    1,
    1.5,
    0.8,
    Box(262, 62, 476, 146),
    Box(180, 234, 640, 150),
    1.5,
    (24, 40),
)
NARROW: Final = Plan(
    640,
    (Box(8, 396, 216, 46), Box(8, 34, 186, 46), Box(206, 34, 186, 46)),
    (Box(8, 452, 384, 180), Box(8, 88, 186, 42), Box(206, 88, 186, 42)),
    2,
    1.3,
    0.62,
    Box(8, 146, 384, 110),
    Box(8, 262, 384, 122),
    1.25,
    (12, 20),
)
_TRICK_SCALES: Final = (0.66, 0.58, 0.5, 0.42, 0.35, 0.3)
"""Of the cards that lie in the trick below the play to beat: as large as all of them fit."""


def paint(sheet: Sheet, table: Table) -> None:
    """Draws the table."""
    public = table.public.guan_pai.public
    plan = NARROW if sheet.narrow else WIDE
    sheet.height = plan.height
    if public.deal:
        sheet.text(*plan.caption, f"Deal {public.deal}", "caption")
    _trick(sheet, table, public, plan.trick)
    _top(sheet, table, public, plan)
    for place, seat in enumerate(table.around()):
        count = public.hand_counts[seat] if seat < len(public.hand_counts) else 0
        total = public.totals[seat] if seat < len(public.totals) else 0
        holds = f"{count} card{'s' * (count != 1)}"
        marks = _marks(table, public, seat)
        seats.plate(sheet, plan.plates[place], table.name(seat), str(total), holds, marks)
        shown = _hands(table).get(seat)
        if place == 0:
            _near_hand(sheet, table, plan, shown, count)
        elif shown is None:
            _fan(sheet, plan.hands[place], count, plan.far)
        else:
            _row(sheet, plan.hands[place], shown, plan.far, anchor=0.5)


def facts(table: Table) -> Iterator[str]:
    """Yields what there is to see, in words."""
    public = table.public.guan_pai.public
    yield words.deal(public.deal)
    if public.trick_plays:
        yield (
            "Trick: "
            + "; ".join(f"{table.name(play.seat)}: {_play(play)}" for play in public.trick_plays)
            + "."
        )
    if public.HasField("top_play"):
        yield f"To beat: {_play(public.top_play)}, by {table.name(public.top_play.seat)}."
    elif public.to_act_seat >= 0:
        yield f"{table.name(public.to_act_seat)} leads."
    if public.HasField("required_card"):
        yield f"The first play must contain {values.text(public.required_card)}."
    hands = _hands(table)
    for seat in table.around():
        yield words.seat(
            table, seat, public.totals, _held(public, seat, hands.get(seat)), _notes(public, seat)
        )
    yield words.to_act(table, public.to_act_seat)


def _hands(table: Table) -> dict[int, tuple[int, ...]]:
    return {seat: tuple(seen.guan_pai.private.hand_cards) for seat, seen in table.hands.items()}


def _play(play: pb.GuanPaiPlay) -> str:
    if not play.cards:
        return "pass"
    return f"{' '.join(map(values.text, play.cards))} ({kind(play)})"


def kind(play: pb.GuanPaiPlay) -> str:
    """Returns what the cards of a play count as: `pair run, top 9`."""
    name = pb.GuanPaiCombination.Name(play.combination).removeprefix(_PREFIX).lower().replace("_", " ")
    return f"{name}, {'top ' if len(play.cards) > 4 else ''}{cards.name(4 * play.rank)}"


def _held(public: pb.GuanPaiPublic, seat: int, shown: Sequence[int] | None) -> str:
    count = public.hand_counts[seat] if seat < len(public.hand_counts) else 0
    told = f"{count} card{'s' * (count != 1)}"
    return f"{told}: {' '.join(map(values.text, shown))}" if shown else told


def _notes(public: pb.GuanPaiPublic, seat: int) -> list[str]:
    notes = ["leads the trick"] * (seat == public.leader_seat)
    if seat < len(public.bomb_counts) and public.bomb_counts[seat]:
        notes.append(bombs(public.bomb_counts[seat]))
    if seat < len(public.played_piles) and public.played_piles[seat].cards:
        notes.append(f"has played {' '.join(map(values.text, public.played_piles[seat].cards))}")
    return notes


def bombs(count: int) -> str:
    """Returns how many bombs a seat has played: nobody knows how many it holds."""
    return "played a bomb" if count == 1 else f"{count} bombs played"


def _marks(table: Table, public: pb.GuanPaiPublic, seat: int) -> tuple[Badge, ...]:
    marks = []
    count = public.bomb_counts[seat] if seat < len(public.bomb_counts) else 0
    if count:
        marks.append(Badge(bombs(count), "bomb"))
    if public.deal and seat == public.leader_seat:
        marks.append(Badge("leads"))
    own = [play for play in public.trick_plays if play.seat == seat]
    if own and not own[-1].cards:
        marks.append(Badge("passed", "off"))
    return badges(table, seat, public.to_act_seat, marks)


def _top(sheet: Sheet, table: Table, public: pb.GuanPaiPublic, plan: Plan) -> None:
    """Draws the play to beat, large; in the lead, who leads."""
    x, y = plan.top.middle
    if not public.HasField("top_play"):
        if public.to_act_seat >= 0:
            need = f" with {values.text(public.required_card)}" if public.HasField("required_card") else ""
            sheet.text(x, y, f"{table.name(public.to_act_seat)} leads{need}", "hint")
        return
    play = public.top_play
    width, high = cards.WIDTH * plan.top_scale, cards.HEIGHT * plan.top_scale
    sheet.add('<g class="top">')
    for code, at in zip(
        play.cards, seats.spread(plan.top, len(play.cards), width, -width * 0.42, 0.5), strict=True
    ):
        cards.card(sheet, code, at, plan.top.y + high / 2, plan.top_scale)
    sheet.add("</g>")
    size = 14 if sheet.narrow else 17
    who = cut_name(table.name(play.seat), plan.top.width / size / 2)
    sheet.text(x, plan.top.y + high + size * 1.5, f"{kind(play)} \u2013 {who}", "topline")


def _trick(sheet: Sheet, table: Table, public: pb.GuanPaiPublic, place: Box) -> None:
    """Draws what was played in the trick before the play to beat, and passes, in order."""
    earlier = list(public.trick_plays)
    if public.HasField("top_play"):
        at = max(number for number, play in enumerate(earlier) if play.cards)
        del earlier[at]
    for scale in _TRICK_SCALES:
        rows = _wrapped(earlier, table, sheet, place, scale)
        high = cards.HEIGHT * scale + (19 if sheet.narrow else 22)
        if len(rows) * high <= place.height:
            break
    for number, row in enumerate(rows):
        width = sum(one for _, one in row)
        x = place.middle[0] - width / 2
        for play, one in row:
            _past(sheet, table, play, Box(x, place.y + number * high, one, high), scale)
            x += one


def _wrapped(
    plays: Sequence[pb.GuanPaiPlay], table: Table, sheet: Sheet, place: Box, scale: float
) -> list[list[tuple[pb.GuanPaiPlay, float]]]:
    """Returns the plays in rows, each with the width that it takes."""
    width, size = cards.WIDTH * scale, 11 if sheet.narrow else 12.5
    rows: list[list[tuple[pb.GuanPaiPlay, float]]] = [[]]
    for play in plays:
        label = width_of(_short(table, play.seat)) * size
        one = max(width * (1 + 0.55 * (max(len(play.cards), 1) - 1)), label) + 12
        if rows[-1] and sum(wide for _, wide in rows[-1]) + one > place.width:
            rows.append([])
        rows[-1].append((play, one))
    return rows


def _short(table: Table, seat: int) -> str:
    return cut(place_of(table.name(seat)), 5.5)


def _past(sheet: Sheet, table: Table, play: pb.GuanPaiPlay, box: Box, scale: float) -> None:
    width, high = cards.WIDTH * scale, cards.HEIGHT * scale
    y = box.y + high / 2
    if play.cards:
        span = width * (1 + 0.55 * (len(play.cards) - 1))
        x = box.middle[0] - span / 2 + width / 2
        for number, code in enumerate(play.cards):
            cards.card(sheet, code, x + number * width * 0.55, y, scale)
    else:
        x = box.middle[0] - width / 2
        sheet.add(
            f'<g class="pass"><rect x="{num(x)}" y="{num(box.y)}" width="{num(width)}" height="{num(high)}"'
            f' rx="4"/><text x="{num(box.middle[0])}" y="{num(y + 4)}">pass</text></g>'
        )
    sheet.text(box.middle[0], box.y + high + (12 if sheet.narrow else 14), _short(table, play.seat), "who")


def _near_hand(sheet: Sheet, table: Table, plan: Plan, shown: Sequence[int] | None, count: int) -> None:
    """Draws the hand at the bottom, over as many rows as there is room for."""
    box = plan.hands[0]
    if shown is None:
        small = Box(box.x, box.bottom - 64, box.width, 64)
        _fan(sheet, small, count, 0.8)
        return
    can = pieces.playable(table.choices, shown) if table.choices else None
    per = -(-16 // plan.rows)
    high = box.height / plan.rows
    for row in range(plan.rows):
        part = shown[row * per : (row + 1) * per]
        _row(sheet, Box(box.x, box.y + row * high, box.width, high), part, plan.scale, can=can, anchor=0.5)


def _row(
    sheet: Sheet,
    box: Box,
    codes: Sequence[int],
    scale: float,
    *,
    can: frozenset[int] | None = None,
    anchor: float = 0.0,
) -> None:
    width = cards.WIDTH * scale
    for code, x in zip(codes, seats.spread(box, len(codes), width, -width * 0.32, anchor), strict=True):
        classes, extra = seats.choice(can, code, values.text(code))
        cards.card(sheet, code, x, box.middle[1], scale, classes, extra)


def _fan(sheet: Sheet, box: Box, count: int, scale: float) -> None:
    """Draws the backs of cards that are held like a fan."""
    sheet.add(f'<g class="backs" data-backs="{count}">')
    step, radius = 3.0, 190 * scale
    x = box.middle[0]
    y = box.y + cards.HEIGHT * scale / 2 + 2
    for number in range(count):
        turn = step * (number - (count - 1) / 2)
        cards.back(sheet, x + radius * sin(radians(turn)), y + radius * (1 - cos(radians(turn))), scale, turn)
    sheet.add("</g>")
