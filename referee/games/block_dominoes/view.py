"""What a seat and a spectator may see: the only way from a state to anything that is sent."""

from typing import NamedTuple

from referee.games.base import Event
from referee.games.block_dominoes.line import HIGHEST_DOUBLE, OPEN_HIGHEST, SEATS, tiles_of
from referee.games.block_dominoes.rules import State
from referee.games.tiles import Tile


class Public(NamedTuple):
    """What everybody sees. `to_act` and, before the first deal, `opener` may be -1: nobody."""

    deal: int
    to_act: int
    opener: int
    line: tuple[int, ...]
    """The tiles from left to right, each as it lies."""
    laid_by: tuple[int, ...]
    """The seats that laid them, in the same order."""
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    passes: int
    absent: tuple[int, ...]
    """The numbers that each seat is known not to have, as bits: it passed at them."""
    required: Tile | None
    """The tile that has to open the deal, as long as it has to."""


class Private(NamedTuple):
    """What a seat alone sees."""

    hand: tuple[Tile, ...]


class DealEnd(NamedTuple):
    """What everybody sees of a deal that ended: `winner` is None for a drawn one."""

    winner: int | None
    blocked: bool
    hands: tuple[Private, ...]


def public(state: State) -> Public:
    """Returns what everybody sees."""
    seat = state.seat
    return Public(
        state.deal,
        seat if seat >= 0 else -1,
        state.opener,
        tuple(state.line),
        tuple(state.laid_by),
        tuple([hand.bit_count() for hand in state.hands]),
        state.total,
        state.passes,
        tuple(state.absent),
        HIGHEST_DOUBLE if state.ends == OPEN_HIGHEST else None,
    )


def private(state: State, seat: int) -> Private:
    """Returns what only this seat sees besides; a spectator has no such part."""
    if not 0 <= seat < SEATS:
        raise ValueError(f"seat {seat} has no hand")
    return Private(tiles_of(state.hands[seat]))


def redact(event: Event, viewer: int) -> Event:  # noqa: ARG001  the protocol of every game
    """Returns the event as it is: whatever happens in a deal is seen by all."""
    return event


def deal_end(state: State) -> DealEnd:
    """Returns what everybody sees of the deal that just ended; refused while a deal is played."""
    if state.seat >= 0 or state.deal == 0:
        raise ValueError("no deal has just ended: the hands stay hidden")
    return DealEnd(state.winner, state.blocked, tuple(Private(tiles_of(hand)) for hand in state.hands))
