"""Block dominoes in the messages of `referee.v1`.

Everything returned is a serialised message. Bytes of a public and of a private part concatenate to
the whole observation; actions and events come from tables, since there are few.
"""

from typing import Final

from referee.errors import MalformedActionError
from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.block_dominoes.line import ACTIONS, HIGHEST, SEATS
from referee.games.block_dominoes.view import DealEnd, Private, Public
from referee.games.encode import length_tag, number_tag, prefixed, varint
from referee.games.line import LEFT, NO_END, RIGHT
from referee.v1 import block_dominoes_pb2 as pb
from referee.v1 import game_pb2

_ENDS: Final = {
    NO_END: pb.BLOCK_DOMINOES_END_UNSPECIFIED,
    LEFT: pb.BLOCK_DOMINOES_END_LEFT,
    RIGHT: pb.BLOCK_DOMINOES_END_RIGHT,
}
_END_OF: Final = {int(value): end for end, value in _ENDS.items()}


def _message(action: Action) -> pb.BlockDominoesAction:
    return pb.BlockDominoesAction(tile=action >> 2, end=_ENDS[action & 3])


def _event(event: pb.BlockDominoesEvent) -> bytes:
    return game_pb2.GameEvent(block_dominoes=event).SerializeToString()


_ACTIONS: Final = {
    action: game_pb2.Action(block_dominoes=_message(action)).SerializeToString() for action in ACTIONS
}
_PLAYED: Final = {action: _event(pb.BlockDominoesEvent(played=_message(action))) for action in ACTIONS}
_PASSED: Final = _event(pb.BlockDominoesEvent(passed=pb.BlockDominoesPassed()))
_DEALT: Final = tuple(
    _event(pb.BlockDominoesEvent(dealt=pb.BlockDominoesDealt(opener_seat=seat))) for seat in range(SEATS)
)


_TAG_PUBLIC: Final = length_tag(pb.BlockDominoesObservation, "public")
_TAG_PRIVATE: Final = length_tag(pb.BlockDominoesObservation, "private")
_TAG_GAME: Final = length_tag(game_pb2.Observation, "block_dominoes")
_TAG_DEAL: Final = number_tag(pb.BlockDominoesPublic, "deal")
_TAG_TO_ACT: Final = number_tag(pb.BlockDominoesPublic, "to_act_seat")
_TAG_OPENER: Final = number_tag(pb.BlockDominoesPublic, "opener_seat")
_TAG_LINE: Final = length_tag(pb.BlockDominoesPublic, "line_tiles")
_TAG_COUNTS: Final = length_tag(pb.BlockDominoesPublic, "hand_counts")
_TAG_TOTALS: Final = length_tag(pb.BlockDominoesPublic, "totals")
_TAG_LAID_BY: Final = length_tag(pb.BlockDominoesPublic, "line_seats")
_TAG_ABSENT: Final = length_tag(pb.BlockDominoesPublic, "absent_numbers")
_TAG_PASSES: Final = number_tag(pb.BlockDominoesPublic, "pass_count")
_TAG_REQUIRED: Final = number_tag(pb.BlockDominoesPublic, "required_tile")
_TAG_HAND: Final = length_tag(pb.BlockDominoesPrivate, "hand_tiles")


def public(public: Public) -> bytes:
    """Returns an `Observation` with the public part only.

    Tiles, seats, counts and sets of seven numbers are below 128, so that each is one byte of its
    packed field.
    """
    deal, to_act, opener, line, laid_by, counts, totals, passes, absent, required = public
    packed = b"".join([varint(total) for total in totals])
    body = b"".join(
        (
            _TAG_DEAL,
            varint(deal),
            _TAG_TO_ACT,
            varint(to_act),
            _TAG_OPENER,
            varint(opener),
            _TAG_LINE,
            varint(len(line)),
            bytes(line),
            _TAG_COUNTS,
            varint(len(counts)),
            bytes(counts),
            _TAG_TOTALS,
            varint(len(packed)),
            packed,
            _TAG_PASSES,
            varint(passes),
            b"" if required is None else _TAG_REQUIRED + varint(required),
            _TAG_LAID_BY,
            varint(len(laid_by)),
            bytes(laid_by),
            _TAG_ABSENT,
            varint(len(absent)),
            bytes(absent),
        )
    )
    return prefixed(_TAG_GAME, prefixed(_TAG_PUBLIC, body))


def private(private: Private) -> bytes:
    """Returns an `Observation` with the private part only, set also for an empty hand."""
    return prefixed(_TAG_GAME, prefixed(_TAG_PRIVATE, prefixed(_TAG_HAND, bytes(private.hand))))


def action(action: Action) -> bytes:
    """Returns an `Action`."""
    return _ACTIONS[action]


def parse_action(message: game_pb2.Action) -> Action:
    """Returns the action of an `Action` message, or raises `MalformedActionError`."""
    if message.WhichOneof("game") != "block_dominoes":
        raise MalformedActionError("Action.game: block_dominoes is not set")
    named = message.block_dominoes
    tile = tiles.canonical(named.tile, HIGHEST)
    if tile is None:
        raise MalformedActionError(f"tile: {named.tile} is no tile 16 * low + high with halves 0..{HIGHEST}")
    end = _END_OF.get(named.end)
    if end is None:
        raise MalformedActionError(f"end: {named.end} is no BlockDominoesEnd; left is 1, right is 2")
    return 4 * tile + end


def event(event: Event) -> bytes:
    """Returns a `GameEvent` for a redacted event."""
    if event.kind == "play":
        return _PLAYED[event.value]
    return _PASSED if event.kind == "passed" else _DEALT[event.value]


def deal_end(deal_end: DealEnd) -> bytes:
    """Returns a `DealEnd`."""
    facts = pb.BlockDominoesDealEnd(
        winner_seat=deal_end.winner,
        blocked=deal_end.blocked,
        hands=[pb.BlockDominoesPrivate(hand_tiles=seat.hand) for seat in deal_end.hands],
    )
    return game_pb2.DealEnd(block_dominoes=facts).SerializeToString()
