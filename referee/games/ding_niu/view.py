"""What a seat and a spectator may see: the only way from a state to anything that is sent."""

from typing import NamedTuple

from referee.games.base import Event
from referee.games.ding_niu.hand import SEATS, tiles_of
from referee.games.ding_niu.rules import State
from referee.games.ding_niu.told import Step
from referee.games.tiles import Tile


class Public(NamedTuple):
    """What everybody sees. `to_act` and, before the first deal, `dealer` and `leader` may be -1: nobody."""

    deal: int
    to_act: int
    dealer: int
    leader: int
    line: tuple[int, ...]
    """The tiles from left to right, each as it lies."""
    counts: tuple[int, ...]
    discards: tuple[int, ...]
    """How many tiles each seat has face down."""
    totals: tuple[int, ...]
    asked: bool
    """Whether the seat to act is asked to settle."""
    steps: tuple[Step, ...]
    """The actions of the deal in order; of a discard only that it was made."""


class Private(NamedTuple):
    """What a seat alone sees: its hand, and what it has face down in the order in which it went there."""

    hand: tuple[Tile, ...]
    discards: tuple[Tile, ...]


class DealEnd(NamedTuple):
    """What everybody sees of a deal that ended: `settler` is None where all tiles were played out."""

    winner: int
    settler: int | None
    hands: tuple[Private, ...]


def public(state: State) -> Public:
    """Returns what everybody sees."""
    seat = state.seat
    return Public(
        state.deal,
        seat if seat >= 0 else -1,
        state.dealer,
        state.leader,
        tuple(state.line),
        tuple([hand.bit_count() for hand in state.hands]),
        tuple([len(down) for down in state.discards]),
        state.total,
        state.asked,
        tuple(state.steps),
    )


def private(state: State, seat: int) -> Private:
    """Returns what only this seat sees besides; a spectator has no such part."""
    if not 0 <= seat < SEATS:
        raise ValueError(f"seat {seat} has no hand")
    return Private(tiles_of(state.hands[seat]), tuple(state.discards[seat]))


def redact(event: Event, viewer: int) -> Event:
    """Returns the event as the viewer may know it: the tile of a discard is its seat's alone."""
    if event.kind == "discard" and event.seat != viewer:
        return Event("discarded", event.seat)
    return event


def deal_end(state: State) -> DealEnd:
    """Returns what everybody sees of the deal that just ended; refused while a deal is played."""
    if state.seat >= 0 or state.winner is None:
        raise ValueError("no deal has just ended: the hands stay hidden")
    return DealEnd(state.winner, state.settler, tuple(private(state, seat) for seat in range(SEATS)))
