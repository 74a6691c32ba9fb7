"""Ding Niu: the line in the middle, four hands around it, and what each seat has face down."""

from collections.abc import Iterator

from referee.games import tiles
from referee.v1 import ding_niu_pb2 as pb
from referee.web.draw import line_table, words
from referee.web.draw.seats import Badge, badges
from referee.web.draw.svg import Sheet
from referee.web.draw.table import Table

_PLAY = pb.DING_NIU_ACTION_KIND_PLAY
_DISCARD = pb.DING_NIU_ACTION_KIND_DISCARD
_SAYS = {pb.DING_NIU_ACTION_KIND_SETTLE: "settle", pb.DING_NIU_ACTION_KIND_CONTINUE: "continue"}
_ENDS = {pb.DING_NIU_END_LEFT: " left", pb.DING_NIU_END_RIGHT: " right"}


def paint(sheet: Sheet, table: Table) -> None:
    """Draws the table; the seats follow counter-clockwise, as the game is played."""
    public = table.public.ding_niu.public
    line_table.paint(
        sheet,
        table,
        line_table.Position(
            deal=public.deal,
            to_act=public.to_act_seat,
            codes=public.line_tiles,
            opening=_opening(public),
            doubles=2,
            counts=public.hand_counts,
            totals=public.totals,
            shown={seat: tuple(hand.hand_tiles) for seat, hand in _privates(table).items()},
            marks=lambda seat: _marks(table, public, seat),
            hint=f"{table.name(public.to_act_seat)} leads" if public.to_act_seat >= 0 else "",
            last=_last_laid(public),
            down_counts=public.discard_counts,
            down_shown={seat: tuple(hand.discard_tiles) for seat, hand in _privates(table).items()},
            clockwise=False,
        ),
    )


def facts(table: Table) -> Iterator[str]:
    """Yields what there is to see, in words."""
    public = table.public.ding_niu.public
    yield words.deal(public.deal)
    yield words.line(public.line_tiles)
    if public.steps:
        yield "Played: " + "; ".join(f"{table.name(step.seat)}: {_step(step)}" for step in public.steps) + "."
    if table.last is not None:
        yield words.last(table, _action(table.last.ding_niu))
    shown = _privates(table)
    for seat in table.around():
        hand = shown.get(seat)
        down = public.discard_counts[seat] if seat < len(public.discard_counts) else 0
        told = f": {' '.join(map(tiles.text, hand.discard_tiles))}" if hand and hand.discard_tiles else ""
        notes = [f"{down} face down{told}"]
        notes += ["dealer"] * (seat == public.dealer_seat) + ["leads the deal"] * (seat == public.leader_seat)
        held = words.held(public.hand_counts, seat, hand.hand_tiles if hand else None)
        yield words.seat(table, seat, public.totals, held, notes)
    if public.asked:
        yield f"{table.name(public.to_act_seat)} is asked whether to settle."
    yield words.to_act(table, public.to_act_seat)


def _privates(table: Table) -> dict[int, pb.DingNiuPrivate]:
    return {seat: seen.ding_niu.private for seat, seen in table.hands.items()}


def _marks(table: Table, public: pb.DingNiuPublic, seat: int) -> tuple[Badge, ...]:
    marks = []
    if public.deal and seat == public.leader_seat:
        marks.append(Badge("leader"))
    if public.deal and seat == public.dealer_seat:
        marks.append(Badge("dealer"))
    if public.asked and seat == public.to_act_seat:
        marks.append(Badge("settle?"))
    if public.steps and public.steps[-1].seat == seat and public.steps[-1].kind == _DISCARD:
        marks.append(Badge("revoke" if public.steps[-1].revoke else "discarded", "off"))
    return badges(table, seat, public.to_act_seat, marks)


def _opening(public: pb.DingNiuPublic) -> int:
    """Returns where in the line its first tile lies: right of all that joined at the left."""
    return sum(step.kind == _PLAY and step.end == pb.DING_NIU_END_LEFT for step in public.steps)


def _last_laid(public: pb.DingNiuPublic) -> int | None:
    """Returns which tile of the line was laid by the last play."""
    plays = [step for step in public.steps if step.kind == _PLAY]
    if not plays or public.steps[-1].kind == _DISCARD:
        return None
    return len(public.line_tiles) - 1 if plays[-1].end == pb.DING_NIU_END_RIGHT else 0


def _step(step: pb.DingNiuStep) -> str:
    if step.kind == _PLAY:
        return f"play {tiles.text(step.tile)}{_ENDS.get(step.end, '')}"
    return _SAYS.get(step.kind, "discarded, a revoke" if step.revoke else "discarded")


def _action(action: pb.DingNiuAction) -> str:
    if action.kind in _SAYS:
        return _SAYS[action.kind]
    verb = "play" if action.kind == _PLAY else "discard"
    return f"{verb} {tiles.text(action.tile)}{_ENDS.get(action.end, '')}"
