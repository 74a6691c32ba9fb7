"""Block dominoes: the line in the middle, four hands around it."""

from collections.abc import Iterator

from referee.games import tiles
from referee.v1 import block_dominoes_pb2 as pb
from referee.v1 import game_pb2
from referee.web.draw import line_table, words
from referee.web.draw.seats import Badge, badges
from referee.web.draw.svg import Sheet
from referee.web.draw.table import Table


def paint(sheet: Sheet, table: Table) -> None:
    """Draws the table."""
    public = table.public.block_dominoes.public
    passed = words.passed(table, public.to_act_seat, public.pass_count)

    def marks(seat: int) -> tuple[Badge, ...]:
        opens = (Badge("opens"),) if seat == public.opener_seat and public.deal else ()
        return badges(table, seat, public.to_act_seat, (Badge("passed", "off"),) if seat in passed else opens)

    line_table.paint(
        sheet,
        table,
        line_table.Position(
            deal=public.deal,
            to_act=public.to_act_seat,
            codes=public.line_tiles,
            opening=table.opening,
            doubles=1,
            counts=public.hand_counts,
            totals=public.totals,
            shown=_hands(table),
            marks=marks,
            hint=_hint(table, public),
            last=last_laid(table.last, len(public.line_tiles)),
        ),
    )


def last_laid(last: game_pb2.Action | None, count: int) -> int | None:
    """Returns which tile of the line an action laid."""
    if last is None or not count:
        return None
    return 0 if last.block_dominoes.end != pb.BLOCK_DOMINOES_END_RIGHT else count - 1


def facts(table: Table) -> Iterator[str]:
    """Yields what there is to see, in words."""
    public = table.public.block_dominoes.public
    yield words.deal(public.deal)
    yield words.line(public.line_tiles)
    if public.HasField("required_tile"):
        yield f"{tiles.text(public.required_tile)} must open the deal."
    if table.last is not None:
        yield words.last(table, _play(table.last.block_dominoes))
    passed = words.passed(table, public.to_act_seat, public.pass_count)
    hands = _hands(table)
    for seat in table.around():
        notes = ["opens the deal"] * (seat == public.opener_seat) + ["passed"] * (seat in passed)
        absent = public.absent_numbers[seat] if seat < len(public.absent_numbers) else 0
        if absent:
            notes.append(f"has no {words.numbers(absent)}")
        yield words.seat(
            table, seat, public.totals, words.held(public.hand_counts, seat, hands.get(seat)), notes
        )
    yield words.to_act(table, public.to_act_seat)


def _hands(table: Table) -> dict[int, tuple[int, ...]]:
    return {seat: tuple(seen.block_dominoes.private.hand_tiles) for seat, seen in table.hands.items()}


def _play(action: pb.BlockDominoesAction) -> str:
    end = {pb.BLOCK_DOMINOES_END_LEFT: " left", pb.BLOCK_DOMINOES_END_RIGHT: " right"}.get(action.end, "")
    return f"play {tiles.text(action.tile)}{end}"


def _hint(table: Table, public: pb.BlockDominoesPublic) -> str:
    if public.to_act_seat < 0:
        return ""
    tile = f" with {tiles.text(public.required_tile)}" if public.HasField("required_tile") else ""
    return f"{table.name(public.to_act_seat)} opens{tile}"
