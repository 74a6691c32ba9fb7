"""Guan Pai in the messages of `referee.v1`.

Everything returned is a serialised message. Bytes of a public and of a private part concatenate to
the whole observation. Codes of cards, counts and kinds are below 128, so that each is one byte.
"""

from functools import lru_cache
from typing import Final

from referee.errors import MalformedActionError
from referee.games import cards
from referee.games.base import Action, Event
from referee.games.encode import length_tag, number_tag, prefixed, varint
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import EVERY_CARD, SEATS, codes_of
from referee.games.guan_pai.reading import PASS
from referee.games.guan_pai.table import Turn
from referee.games.guan_pai.view import DealEnd, Private, Public
from referee.games.guan_pai.weights import CARDS, TYPE_SHIFT
from referee.v1 import game_pb2
from referee.v1 import guan_pai_pb2 as pb


def _event(event: pb.GuanPaiEvent) -> bytes:
    return game_pb2.GameEvent(guan_pai=event).SerializeToString()


_TAG_ACTION: Final = length_tag(game_pb2.Action, "guan_pai")
_TAG_EVENT: Final = length_tag(game_pb2.GameEvent, "guan_pai")
_TAG_PLAYED: Final = length_tag(pb.GuanPaiEvent, "played")
_PASS: Final = pb.GuanPaiAction(kind=pb.GUAN_PAI_ACTION_KIND_PASS).SerializeToString()
_PLAY: Final = pb.GuanPaiAction(kind=pb.GUAN_PAI_ACTION_KIND_PLAY).SerializeToString() + length_tag(
    pb.GuanPaiAction, "cards"
)
_TYPE: Final = (
    b"",
    *(number_tag(pb.GuanPaiAction, "combination") + varint(number + 1) for number in range(len(KINDS))),
)
_PASSED: Final = _event(pb.GuanPaiEvent(passed=pb.GuanPaiPassed()))
_TRICK_ENDED: Final = tuple(
    _event(pb.GuanPaiEvent(trick_ended=pb.GuanPaiTrickEnded(leader_seat=seat))) for seat in range(SEATS)
)
_DEALT: Final = tuple(
    _event(pb.GuanPaiEvent(dealt=pb.GuanPaiDealt(leader_seat=seat))) for seat in range(SEATS)
)

_TAG_GAME: Final = length_tag(game_pb2.Observation, "guan_pai")
_TAG_PUBLIC: Final = length_tag(pb.GuanPaiObservation, "public")
_TAG_PRIVATE: Final = length_tag(pb.GuanPaiObservation, "private")
_TAG_DEAL: Final = number_tag(pb.GuanPaiPublic, "deal")
_TAG_TO_ACT: Final = number_tag(pb.GuanPaiPublic, "to_act_seat")
_TAG_LEADER: Final = number_tag(pb.GuanPaiPublic, "leader_seat")
_TAG_COUNTS: Final = length_tag(pb.GuanPaiPublic, "hand_counts")
_TAG_TOTALS: Final = length_tag(pb.GuanPaiPublic, "totals")
_TAG_BOMBS: Final = length_tag(pb.GuanPaiPublic, "bomb_counts")
_TAG_TRICK: Final = length_tag(pb.GuanPaiPublic, "trick_plays")
_TAG_TOP: Final = length_tag(pb.GuanPaiPublic, "top_play")
_TAG_PASSES: Final = number_tag(pb.GuanPaiPublic, "pass_count")
_TAG_REQUIRED: Final = number_tag(pb.GuanPaiPublic, "required_card")
_TAG_PILES: Final = length_tag(pb.GuanPaiPublic, "played_piles")
_TAG_PILE: Final = length_tag(pb.GuanPaiPile, "cards")
_TAG_HAND: Final = length_tag(pb.GuanPaiPrivate, "hand_cards")
_TAG_SEAT: Final = number_tag(pb.GuanPaiPlay, "seat")
_TAG_CARDS: Final = length_tag(pb.GuanPaiPlay, "cards")
_TAG_COMBINATION: Final = number_tag(pb.GuanPaiPlay, "combination")
_TAG_RANK: Final = number_tag(pb.GuanPaiPlay, "rank")


@lru_cache(maxsize=1 << 13)
def _turn(turn: Turn) -> bytes:
    """Returns a `GuanPaiPlay`, with its length before it."""
    seat, action, kind, rank = turn
    body = _TAG_SEAT + varint(seat)
    if action != PASS:
        body += prefixed(_TAG_CARDS, codes_of(action & CARDS))
        body += _TAG_COMBINATION + varint(kind) + _TAG_RANK + varint(rank)
    return varint(len(body)) + body


def public(public: Public) -> bytes:
    """Returns an `Observation` with the public part only."""
    deal, to_act, leader, counts, totals, bombs, trick, top, passes, required, played = public
    packed = b"".join([varint(total) for total in totals])
    parts = [
        _TAG_DEAL,
        varint(deal),
        _TAG_TO_ACT,
        varint(to_act),
        _TAG_LEADER,
        varint(leader),
        _TAG_COUNTS,
        varint(SEATS),
        bytes(counts),
        _TAG_TOTALS,
        varint(len(packed)),
        packed,
        _TAG_BOMBS,
        varint(SEATS),
        bytes(bombs),
        _TAG_PASSES,
        varint(passes),
    ]
    for turn in trick:
        parts += (_TAG_TRICK, _turn(turn))
    if top is not None:
        parts += (_TAG_TOP, _turn(top))
    if required is not None:
        parts += (_TAG_REQUIRED, varint(required))
    for pile in played:
        parts.append(prefixed(_TAG_PILES, prefixed(_TAG_PILE, pile)))
    return prefixed(_TAG_GAME, prefixed(_TAG_PUBLIC, b"".join(parts)))


def private(private: Private) -> bytes:
    """Returns an `Observation` with the private part only, set also for an empty hand."""
    return prefixed(_TAG_GAME, prefixed(_TAG_PRIVATE, prefixed(_TAG_HAND, private.hand)))


def _action(action: Action) -> bytes:
    """Returns a `GuanPaiAction`."""
    if action == PASS:
        return _PASS
    return prefixed(_PLAY, codes_of(action & CARDS)) + _TYPE[action >> TYPE_SHIFT]


@lru_cache(maxsize=1 << 14)
def action(action: Action) -> bytes:
    """Returns an `Action`."""
    return prefixed(_TAG_ACTION, _action(action))


def parse_action(message: game_pb2.Action) -> Action:
    """Returns the action of an `Action` message, or raises `MalformedActionError`."""
    if message.WhichOneof("game") != "guan_pai":
        raise MalformedActionError("Action.game: guan_pai is not set")
    named = message.guan_pai
    if named.kind == pb.GUAN_PAI_ACTION_KIND_PASS:
        if named.cards or named.combination:
            raise MalformedActionError("cards: a pass names neither cards nor a combination")
        return PASS
    if named.kind != pb.GUAN_PAI_ACTION_KIND_PLAY:
        raise MalformedActionError(f"kind: {named.kind} is no GuanPaiActionKind; play is 1, pass is 2")
    if not 0 <= named.combination <= len(KINDS):
        raise MalformedActionError(f"combination: {named.combination} is no GuanPaiCombination")
    return _cards(named) | named.combination << TYPE_SHIFT


def _cards(named: pb.GuanPaiAction) -> int:
    """Returns the cards of a play as bits."""
    found = 0
    for card in named.cards:
        if not (0 <= card < len(cards.NAMES) and EVERY_CARD >> card & 1):
            raise MalformedActionError(f"cards: {card} is no card of the deck; a card is 4 * rank + suit")
        if found >> card & 1:
            raise MalformedActionError(f"cards: {card} ({cards.text(card)}) is named twice")
        found |= 1 << card
    if not found:
        raise MalformedActionError("cards: a play names at least one")
    return found


def event(event: Event) -> bytes:
    """Returns a `GameEvent` for a redacted event."""
    if event.kind == "play":
        return prefixed(_TAG_EVENT, prefixed(_TAG_PLAYED, _action(event.value)))
    if event.kind == "pass":
        return _PASSED
    return _TRICK_ENDED[event.value] if event.kind == "trick" else _DEALT[event.value]


def deal_end(deal_end: DealEnd) -> bytes:
    """Returns a `DealEnd`."""
    facts = pb.GuanPaiDealEnd(
        winner_seat=deal_end.winner,
        hands=[pb.GuanPaiPrivate(hand_cards=seat.hand) for seat in deal_end.hands],
        bomb_count=deal_end.bombs,
    )
    return game_pb2.DealEnd(guan_pai=facts).SerializeToString()
