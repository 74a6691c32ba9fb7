"""Mexican Train: the engine in the middle, and the trains that leave it for the seats around it."""

from collections.abc import Iterator, Sequence

from referee.games import tiles as values
from referee.v1 import mexican_train_pb2 as pb
from referee.web.draw import pieces, railway, seats, tiles, words
from referee.web.draw.railway import Lane, Yard
from referee.web.draw.seats import Badge, badges
from referee.web.draw.svg import Box, Sheet, num, safe
from referee.web.draw.table import Table

PUBLIC = 8
"""How the public train is named in actions."""
_STOP = pb.MEXICAN_TRAIN_ACTION_KIND_STOP


def paint(sheet: Sheet, table: Table) -> None:
    """Draws the table."""
    public = table.public.mexican_train.public
    others = any(seat != table.south for seat in table.hands)
    yard = railway.yard(len(table.names), narrow=sheet.narrow, hands=others)
    sheet.height = yard.height
    if public.deal:
        sheet.text(*yard.caption, f"Deal {public.deal}", "caption" if sheet.narrow else "caption mid")
    shown = _hands(table)
    trains = [*public.trains]
    unit = railway.fitting(yard, [*trains, public.public_train], table.around())
    marked = [seat < len(trains) and trains[seat].marked for seat in table.around()]
    railway.rails(sheet, yard, unit, marked)
    dealt = bool(public.deal)
    engine, boneyard = (public.engine_tile, public.boneyard_count) if dealt else (None, None)
    railway.hub(sheet, yard, engine, boneyard)
    for seat, lane in zip(table.around(), yard.lanes, strict=True):
        _header(sheet, table, public, seat, lane)
        if seat in shown and seat != table.south:
            _small_hand(sheet, lane, shown[seat].hand_tiles)
        if seat < len(trains):
            _train(sheet, table, trains[seat], seat, lane, unit)
    _public(sheet, table, public, yard, unit)
    _near_hand(sheet, table, public, yard.hand)


def facts(table: Table) -> Iterator[str]:
    """Yields what there is to see, in words."""
    public = table.public.mexican_train.public
    yield words.deal(public.deal)
    if public.deal:
        yield f"Engine {values.text(public.engine_tile)}; {public.boneyard_count} tiles in the boneyard."
    if table.last is not None:
        yield words.last(table, _action(table, table.last.mexican_train))
    shown = _hands(table)
    passed = words.passed(table, public.to_act_seat, public.pass_count)
    for seat in table.around():
        private = shown.get(seat)
        notes = [f"train {_told(public.trains[seat])}"] if seat < len(public.trains) else []
        notes += ["placed the engine"] * (seat == public.engine_seat) + ["passed"] * (seat in passed)
        notes += ["first turn due"] * (seat in public.first_turn_seats)
        if private and private.HasField("drawn_tile"):
            notes.append(f"drew {values.text(private.drawn_tile)}")
        absent = public.absent_numbers[seat] if seat < len(public.absent_numbers) else 0
        notes += [f"has no {words.numbers(absent)}"] * bool(absent)
        held = words.held(public.hand_counts, seat, private.hand_tiles if private else None)
        yield words.seat(table, seat, public.totals, held, notes)
    yield f"Public train: {_told(public.public_train)}."
    if public.HasField("double_train"):
        yield f"The double on {_owner(table, public.double_train)} has to be covered."
    if public.to_act_seat >= 0:
        yield words.to_act(table, public.to_act_seat) + " It is a further turn." * public.further_turn
    else:
        yield words.to_act(table, -1)


def _hands(table: Table) -> dict[int, pb.MexicanTrainPrivate]:
    return {seat: seen.mexican_train.private for seat, seen in table.hands.items()}


def _told(train: pb.MexicanTrainTrain) -> str:
    told = " ".join(map(values.text, train.tiles)) or "not started"
    return f"{told}, end {train.end_number}{', with a marker' * train.marked}"


def _owner(table: Table, train: int) -> str:
    return "the public train" if train == PUBLIC else f"the train of {table.name(train)}"


def _action(table: Table, action: pb.MexicanTrainAction) -> str:
    if action.kind == _STOP:
        return "stop"
    return f"play {values.text(action.tile)} on {_owner(table, action.train)}"


def _header(sheet: Sheet, table: Table, public: pb.MexicanTrainPublic, seat: int, lane: Lane) -> None:
    count = public.hand_counts[seat] if seat < len(public.hand_counts) else 0
    total = public.totals[seat] if seat < len(public.totals) else 0
    facts = f"{total} \u00b7 {count} tile{'s' * (count != 1)}"
    railway.header(sheet, lane.header, table.name(seat), facts, _marks(table, public, seat), count)


def _marks(table: Table, public: pb.MexicanTrainPublic, seat: int) -> tuple[Badge, ...]:
    marks = []
    if seat in words.passed(table, public.to_act_seat, public.pass_count):
        marks.append(Badge("passed", "off"))
    if seat in public.first_turn_seats:
        marks.append(Badge("first turn"))
    if seat < len(public.trains) and public.trains[seat].marked:
        marks.append(Badge("marker", "flag"))
    if seat == public.to_act_seat and public.drawn:
        marks.append(Badge("drew"))
    elif seat == public.to_act_seat and public.further_turn:
        marks.append(Badge("again"))
    if public.HasField("double_train") and public.double_train == seat:
        marks.append(Badge("cover", "bad"))
    return badges(table, seat, public.to_act_seat, marks)


def _train(
    sheet: Sheet, table: Table, train: pb.MexicanTrainTrain, number: int, lane: Lane, unit: float
) -> None:
    """Draws a train from the engine on, with a mark where the next tile belongs."""
    public = table.public.mexican_train.public
    arm = railway.arm(lane, train.tiles, unit)
    newest = _laid_last(table, number)
    to_cover = public.HasField("double_train") and public.double_train == number
    sheet.add(f'<g class="train{" marked" * train.marked}">')
    for at, spot in enumerate(arm.spots):
        is_end = at == len(arm.spots) - 1
        css = ("last " * (is_end and newest) + "cover" * (is_end and to_cover)).strip()
        tiles.tile(sheet, spot, unit, css, numerals=unit < railway.PIPS_FROM)
    sheet.add("</g>")
    if not public.deal:
        return
    x, y = arm.end().middle
    can = number in pieces.trains(table.choices)
    radius = unit * 0.43
    extra = ""
    if can:
        label = f"{_owner(table, number)}, end {train.end_number}"
        extra = f' role="button" tabindex="0" aria-label="{safe(label)}"'
    size = "small" if unit < railway.PIPS_FROM else "large"
    sheet.add(
        f'<g class="end {size}{" playable" * can}" data-train="{number}"{extra}>'
        f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>'
        f'<text class="trainend" x="{num(x)}" y="{num(y + unit * 0.2)}">{train.end_number}</text></g>'
    )


def _laid_last(table: Table, train: int) -> bool:
    if table.last is None or table.last.mexican_train.kind == _STOP:
        return False
    return table.last.mexican_train.train == train


def _public(sheet: Sheet, table: Table, public: pb.MexicanTrainPublic, yard: Yard, unit: float) -> None:
    lane = yard.public
    cover = public.HasField("double_train") and public.double_train == PUBLIC
    marks = (Badge("cover", "bad"),) if cover else ()
    count = len(public.public_train.tiles)
    facts = f"{count} tile{'s' * (count != 1)}" if count and (yard.narrow or not cover) else ""
    railway.header(sheet, lane.header, "Public train", facts, marks)
    _train(sheet, table, public.public_train, PUBLIC, lane, unit)


def _small_hand(sheet: Sheet, lane: Lane, codes: Sequence[int]) -> None:
    """Draws the hand of another seat, small, in a row below its name."""
    box = lane.hand
    unit = box.height
    for code, x in zip(codes, seats.spread(box, len(codes), 2 * unit, 2), strict=True):
        tiles.tile(sheet, tiles.lying(code, x, box.middle[1]), unit, numerals=True)


def _near_hand(sheet: Sheet, table: Table, public: pb.MexicanTrainPublic, box: Box) -> None:
    """Draws the hand at the bottom, in as many rows as it takes."""
    shown = _hands(table).get(table.south)
    south = table.south
    count = public.hand_counts[south] if south < len(public.hand_counts) else 0
    if shown is None:
        seats.backs(sheet, Box(box.x, box.bottom - 48, box.width, 48), count, 24, 0.5)
        return
    unit, per = railway.grid(box, len(shown.hand_tiles))
    can = pieces.playable(table.choices, shown.hand_tiles) if table.choices else None
    drawn = shown.drawn_tile if shown.HasField("drawn_tile") else None
    high = 2 * unit * 1.1
    rows = -(-len(shown.hand_tiles) // per) if per else 0
    top = box.y + (box.height - rows * high) / (4 if sheet.narrow else 2)
    for row in range(rows):
        part = shown.hand_tiles[row * per : (row + 1) * per]
        place = Box(box.x, top + row * high, box.width, high)
        seats.hand(sheet, place, part, unit, 0.5, can=can, drawn=drawn)
