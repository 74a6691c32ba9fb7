"""What a seat and a spectator may see: the only way from a state to anything that is sent."""

from typing import NamedTuple

from referee.games.base import Event
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import DREW, PUBLIC, UNKNOWN, tiles_of
from referee.games.tiles import Tile


class Train(NamedTuple):
    """One train: its tiles from the engine on as they lie, its end, and whether a marker is on."""

    tiles: tuple[int, ...]
    end: int
    marked: bool


class Public(NamedTuple):
    """What everybody sees. `to_act` and, before the first deal, `owner` may be -1: nobody."""

    deal: int
    to_act: int
    owner: int
    engine: Tile
    trains: tuple[Train, ...]
    """The trains of the seats; the public one comes last."""
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    boneyard: int
    first: tuple[int, ...]
    """The seats whose first turn is due, in turn order."""
    further: bool
    drawn: bool
    double: int | None
    """The train with a double to cover."""
    passes: int
    absent: tuple[int, ...]
    """The numbers that each seat is known not to have, as bits."""


class Private(NamedTuple):
    """What a seat alone sees; `drawn` is the tile that it has drawn and has to play."""

    hand: tuple[Tile, ...]
    drawn: Tile | None = None


class DealEnd(NamedTuple):
    """What everybody sees of a deal that ended: no winners in a blocked one."""

    winners: tuple[int, ...]
    blocked: bool
    hands: tuple[Private, ...]


def public(state: State) -> Public:
    """Returns what everybody sees."""
    seat, seats = state.seat, len(state.hands)
    marked = state.marked
    tracks = (*range(seats), PUBLIC)
    return Public(
        state.deal,
        seat if seat >= 0 else -1,
        state.owner,
        state.centre,
        tuple([Train(tuple(state.trains[at]), state.ends[at], bool(marked >> at & 1)) for at in tracks]),
        tuple([hand.bit_count() for hand in state.hands]),
        state.total,
        len(state.boneyard),
        tuple([(seat + later) % seats for later in range(state.due)]),
        state.further,
        state.drawn is not None,
        state.double,
        state.passes,
        tuple(state.absent),
    )


def private(state: State, seat: int) -> Private:
    """Returns what only this seat sees besides; a spectator has no such part."""
    if not 0 <= seat < len(state.hands):
        raise ValueError(f"seat {seat} has no hand")
    return Private(tiles_of(state.hands[seat]), state.drawn if seat == state.seat else None)


def redact(event: Event, viewer: int) -> Event:
    """Returns the event as the viewer may know it: a drawn tile is known to its owner only."""
    if event.kind == "drew" and event.seat != viewer:
        return DREW[event.seat][UNKNOWN]
    return event


def deal_end(state: State) -> DealEnd:
    """Returns what everybody sees of the deal that just ended; refused while a deal is played."""
    if state.seat >= 0 or state.deal == 0:
        raise ValueError("no deal has just ended: the hands stay hidden")
    winners = tuple([seat for seat, hand in enumerate(state.hands) if not hand])
    return DealEnd(winners, state.blocked, tuple([Private(tiles_of(hand)) for hand in state.hands]))
