"""Ding Niu in the messages of `referee.v1`.

Everything returned is a serialised message. Bytes of a public and of a private part concatenate to
the whole observation; actions, steps and events come from tables, since there are few.
"""

from typing import Final

from referee.errors import MalformedActionError
from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.ding_niu.hand import HIGHEST, KINDS, SEATS
from referee.games.ding_niu.line import ACTIONS, CONTINUE, DISCARD, PLAYS, SETTLE
from referee.games.ding_niu.told import PUT_DOWN, STEPS, Step
from referee.games.ding_niu.view import DealEnd, Private, Public
from referee.games.encode import length_tag, number_tag, prefixed, varint
from referee.games.line import LEFT, NO_END, RIGHT
from referee.games.tiles import Tile
from referee.v1 import ding_niu_pb2 as pb
from referee.v1 import game_pb2

_ENDS: Final = {
    NO_END: pb.DING_NIU_END_UNSPECIFIED,
    LEFT: pb.DING_NIU_END_LEFT,
    RIGHT: pb.DING_NIU_END_RIGHT,
}
_END_OF: Final = {int(value): end for end, value in _ENDS.items()}
_ANSWERS: Final = {SETTLE: pb.DING_NIU_ACTION_KIND_SETTLE, CONTINUE: pb.DING_NIU_ACTION_KIND_CONTINUE}
_ANSWER_OF: Final = {int(value): answer for answer, value in _ANSWERS.items()}


def _message(action: Action) -> pb.DingNiuAction:
    if action >= SETTLE:
        return pb.DingNiuAction(kind=_ANSWERS[action])
    if action >= DISCARD:
        return pb.DingNiuAction(kind=pb.DING_NIU_ACTION_KIND_DISCARD, tile=action - DISCARD)
    return pb.DingNiuAction(kind=pb.DING_NIU_ACTION_KIND_PLAY, tile=action >> 2, end=_ENDS[action & 3])


def _step(step: Step) -> pb.DingNiuStep:
    seat, action, revoke = step
    if action == DISCARD:
        return pb.DingNiuStep(seat=seat, kind=pb.DING_NIU_ACTION_KIND_DISCARD, revoke=revoke)
    done = _message(action)
    return pb.DingNiuStep(
        seat=seat, kind=done.kind, tile=action >> 2 if action < DISCARD else None, end=done.end
    )


def _event(event: pb.DingNiuEvent) -> bytes:
    return game_pb2.GameEvent(ding_niu=event).SerializeToString()


def _played(action: Action) -> bytes:
    return _event(pb.DingNiuEvent(played=pb.DingNiuPlayed(tile=action >> 2, end=_ENDS[action & 3])))


def _discarded(tile: Tile | None) -> bytes:
    return _event(pb.DingNiuEvent(discarded=pb.DingNiuDiscarded(tile=tile)))


_ACTIONS: Final = {
    action: game_pb2.Action(ding_niu=_message(action)).SerializeToString() for action in ACTIONS
}
_EVENTS: Final = {
    **{
        ("leader", seat): _event(pb.DingNiuEvent(dealt=pb.DingNiuDealt(leader_seat=seat)))
        for seat in range(SEATS)
    },
    **{("play", action): _played(action) for action in PLAYS},
    **{("discard", DISCARD + tile): _discarded(tile) for tile in KINDS},
    ("discarded", 0): _discarded(None),
    ("revoke", 0): _event(pb.DingNiuEvent(revoked=pb.DingNiuRevoked())),
    ("asked", 0): _event(pb.DingNiuEvent(asked=pb.DingNiuAsked())),
    ("continue", CONTINUE): _event(pb.DingNiuEvent(continued=pb.DingNiuContinued())),
    ("settle", SETTLE): _event(pb.DingNiuEvent(declared=pb.DingNiuDeclared())),
    ("settled", 0): _event(pb.DingNiuEvent(settled=pb.DingNiuSettled())),
}
"""The bytes of an event by its kind and its value."""

_TAG_PUBLIC: Final = length_tag(pb.DingNiuObservation, "public")
_TAG_PRIVATE: Final = length_tag(pb.DingNiuObservation, "private")
_TAG_GAME: Final = length_tag(game_pb2.Observation, "ding_niu")
_TAG_DEAL: Final = number_tag(pb.DingNiuPublic, "deal")
_TAG_TO_ACT: Final = number_tag(pb.DingNiuPublic, "to_act_seat")
_TAG_DEALER: Final = number_tag(pb.DingNiuPublic, "dealer_seat")
_TAG_LEADER: Final = number_tag(pb.DingNiuPublic, "leader_seat")
_TAG_LINE: Final = length_tag(pb.DingNiuPublic, "line_tiles")
_TAG_COUNTS: Final = length_tag(pb.DingNiuPublic, "hand_counts")
_TAG_DISCARDS: Final = length_tag(pb.DingNiuPublic, "discard_counts")
_TAG_TOTALS: Final = length_tag(pb.DingNiuPublic, "totals")
_TAG_STEPS: Final = length_tag(pb.DingNiuPublic, "steps")
_ASKED: Final = (b"", number_tag(pb.DingNiuPublic, "asked") + varint(1))
_TAG_HAND: Final = length_tag(pb.DingNiuPrivate, "hand_tiles")
_TAG_DOWN: Final = length_tag(pb.DingNiuPrivate, "discard_tiles")
_STEPS: Final = {
    step: prefixed(_TAG_STEPS, _step(step).SerializeToString())
    for seat in range(SEATS)
    for step in (*STEPS[seat].values(), *PUT_DOWN[seat])
}


def public(public: Public) -> bytes:
    """Returns an `Observation` with the public part only.

    Tiles and counts are below 128, so that each is one byte of its packed field.
    """
    deal, to_act, dealer, leader, line, counts, discards, totals, asked, steps = public
    body = b"".join(
        (
            _TAG_DEAL,
            varint(deal),
            _TAG_TO_ACT,
            varint(to_act),
            _TAG_DEALER,
            varint(dealer),
            _TAG_LEADER,
            varint(leader),
            prefixed(_TAG_LINE, bytes(line)),
            prefixed(_TAG_COUNTS, bytes(counts)),
            prefixed(_TAG_DISCARDS, bytes(discards)),
            prefixed(_TAG_TOTALS, b"".join([varint(total) for total in totals])),
            _ASKED[asked],
            *[_STEPS[step] for step in steps],
        )
    )
    return prefixed(_TAG_GAME, prefixed(_TAG_PUBLIC, body))


def private(private: Private) -> bytes:
    """Returns an `Observation` with the private part only, set also for an empty hand."""
    hand, discards = private
    body = prefixed(_TAG_HAND, bytes(hand)) + prefixed(_TAG_DOWN, bytes(discards))
    return prefixed(_TAG_GAME, prefixed(_TAG_PRIVATE, body))


def action(action: Action) -> bytes:
    """Returns an `Action`."""
    return _ACTIONS[action]


def parse_action(message: game_pb2.Action) -> Action:
    """Returns the action of an `Action` message, or raises `MalformedActionError`."""
    if message.WhichOneof("game") != "ding_niu":
        raise MalformedActionError("Action.game: ding_niu is not set")
    named = message.ding_niu
    answer = _ANSWER_OF.get(named.kind)
    if answer is not None:
        if named.tile:
            raise MalformedActionError(f"tile: {named.tile} is set; settle and continue name no tile")
        _refuse_end(named.end)
        return answer
    if named.kind not in (pb.DING_NIU_ACTION_KIND_PLAY, pb.DING_NIU_ACTION_KIND_DISCARD):
        raise MalformedActionError(f"kind: {named.kind} is no DingNiuActionKind; a play is 1, a discard 2")
    tile = tiles.canonical(named.tile, HIGHEST)
    if tile not in KINDS:
        raise MalformedActionError(f"tile: {named.tile} is no tile 16 * low + high of this game")
    if named.kind == pb.DING_NIU_ACTION_KIND_DISCARD:
        _refuse_end(named.end)
        return DISCARD + tile
    end = _END_OF.get(named.end)
    if end is None:
        raise MalformedActionError(f"end: {named.end} is no DingNiuEnd; left is 1, right is 2")
    return 4 * tile + end


def _refuse_end(end: int) -> None:
    if end:
        raise MalformedActionError(f"end: {end} is set; only a play names an end")


def event(event: Event) -> bytes:
    """Returns a `GameEvent` for a redacted event."""
    return _EVENTS[event.kind, event.value]


def deal_end(deal_end: DealEnd) -> bytes:
    """Returns a `DealEnd`."""
    facts = pb.DingNiuDealEnd(
        winner_seat=deal_end.winner,
        settler_seat=deal_end.settler,
        hands=[
            pb.DingNiuPrivate(hand_tiles=seat.hand, discard_tiles=seat.discards) for seat in deal_end.hands
        ],
    )
    return game_pb2.DealEnd(ding_niu=facts).SerializeToString()
