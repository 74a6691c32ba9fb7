"""What a seat and a spectator may see: the only way from a state to anything that is sent."""

from typing import NamedTuple

from referee.games.base import Event
from referee.games.cards import Card
from referee.games.guan_pai.hand import D3, SEATS, codes_of
from referee.games.guan_pai.rules import State
from referee.games.guan_pai.table import Turn

_D3_CODE = D3.bit_length() - 1


class Public(NamedTuple):
    """What everybody sees. `to_act` and, before the first deal, `leader` may be -1: nobody."""

    deal: int
    to_act: int
    leader: int
    """The seat that leads this trick."""
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    bombs: tuple[int, ...]
    """The bombs that each seat played in this deal."""
    trick: tuple[Turn, ...]
    """The plays and passes of this trick in order."""
    top: Turn | None
    """The play that is to be beaten; None in the lead."""
    passes: int
    required: Card | None
    """The card that the next play must contain, as long as there is one."""
    played: tuple[bytes, ...]
    """The cards that each seat played in this deal, in canonical order."""


class Private(NamedTuple):
    """What a seat alone sees."""

    hand: bytes
    """The cards in canonical order."""


class DealEnd(NamedTuple):
    """What everybody sees of a deal that ended."""

    winner: int
    hands: tuple[Private, ...]
    bombs: int
    """The bombs that doubled the payments."""


def public(state: State) -> Public:
    """Returns what everybody sees."""
    seat, trick = state.seat, state.trick
    first, second, third = state.played
    return Public(
        state.deal,
        seat if seat >= 0 else -1,
        state.leader,
        tuple([hand.bit_count() for hand in state.hands]),
        state.total,
        tuple(state.bombs),
        tuple(trick),
        trick[-1 - state.passes] if trick else None,
        state.passes,
        _D3_CODE if state.must_d3 else None,
        (codes_of(first), codes_of(second), codes_of(third)),
    )


def private(state: State, seat: int) -> Private:
    """Returns what only this seat sees besides; a spectator has no such part."""
    if not 0 <= seat < SEATS:
        raise ValueError(f"seat {seat} has no hand")
    return Private(codes_of(state.hands[seat]))


def redact(event: Event, viewer: int) -> Event:  # noqa: ARG001  the protocol of every game
    """Returns the event as it is: whatever happens in a deal is seen by all."""
    return event


def deal_end(state: State) -> DealEnd:
    """Returns what everybody sees of the deal that just ended; refused while a deal is played."""
    if state.seat >= 0 or state.winner is None:
        raise ValueError("no deal has just ended: the hands stay hidden")
    return DealEnd(
        state.winner,
        tuple([Private(codes_of(hand)) for hand in state.hands]),
        state.doubling(),
    )
