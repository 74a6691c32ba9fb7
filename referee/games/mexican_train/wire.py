"""Mexican Train in the messages of `referee.v1`.

Everything returned is a serialised message. Bytes of a public and of a private part concatenate to
the whole observation; actions and events come from tables, since there are few.
"""

from collections.abc import Iterable
from typing import Final

from referee.errors import MalformedActionError
from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.encode import length_tag, number_tag, prefixed, varint
from referee.games.mexican_train.table import (
    ACTIONS,
    DOUBLES,
    FROM_BONEYARD,
    HIGHEST,
    PUBLIC,
    STOP,
    TILES,
    UNKNOWN,
)
from referee.games.mexican_train.view import DealEnd, Private, Public, Train
from referee.v1 import game_pb2
from referee.v1 import mexican_train_pb2 as pb


def _message(action: Action) -> pb.MexicanTrainAction:
    if action == STOP:
        return pb.MexicanTrainAction(kind=pb.MEXICAN_TRAIN_ACTION_KIND_STOP)
    return pb.MexicanTrainAction(kind=pb.MEXICAN_TRAIN_ACTION_KIND_PLAY, tile=action >> 4, train=action & 15)


def _event(event: pb.MexicanTrainEvent) -> bytes:
    return game_pb2.GameEvent(mexican_train=event).SerializeToString()


def _engine(value: int) -> bytes:
    engine = pb.MexicanTrainEngine(tile=value % FROM_BONEYARD, undealt=value >= FROM_BONEYARD)
    return _event(pb.MexicanTrainEvent(engine=engine))


def _drew(tile: int) -> bytes:
    drew = pb.MexicanTrainDrew(tile=None if tile == UNKNOWN else tile)
    return _event(pb.MexicanTrainEvent(drew=drew))


_ACTIONS: Final = {
    action: game_pb2.Action(mexican_train=_message(action)).SerializeToString() for action in ACTIONS
}
_ACTED: Final = {action: _event(pb.MexicanTrainEvent(acted=_message(action))) for action in ACTIONS}
_DREW: Final = {tile: _drew(tile) for tile in (*TILES, UNKNOWN)}
_ENGINE: Final = {value: _engine(value) for tile in DOUBLES for value in (tile, tile + FROM_BONEYARD)}
_TOLD: Final = {
    "passed": _event(pb.MexicanTrainEvent(passed=pb.MexicanTrainPassed())),
    "marker on": _event(pb.MexicanTrainEvent(marker=pb.MexicanTrainMarker(marked=True))),
    "marker off": _event(pb.MexicanTrainEvent(marker=pb.MexicanTrainMarker(marked=False))),
    "out": _event(pb.MexicanTrainEvent(out=pb.MexicanTrainOut())),
    "blocked": _event(pb.MexicanTrainEvent(blocked=pb.MexicanTrainBlocked())),
}

_TAG_PUBLIC: Final = length_tag(pb.MexicanTrainObservation, "public")
_TAG_PRIVATE: Final = length_tag(pb.MexicanTrainObservation, "private")
_TAG_GAME: Final = length_tag(game_pb2.Observation, "mexican_train")
_TAG_DEAL: Final = number_tag(pb.MexicanTrainPublic, "deal")
_TAG_TO_ACT: Final = number_tag(pb.MexicanTrainPublic, "to_act_seat")
_TAG_OWNER: Final = number_tag(pb.MexicanTrainPublic, "engine_seat")
_TAG_ENGINE: Final = number_tag(pb.MexicanTrainPublic, "engine_tile")
_TAG_TRAINS: Final = length_tag(pb.MexicanTrainPublic, "trains")
_TAG_PUBLIC_TRAIN: Final = length_tag(pb.MexicanTrainPublic, "public_train")
_TAG_COUNTS: Final = length_tag(pb.MexicanTrainPublic, "hand_counts")
_TAG_TOTALS: Final = length_tag(pb.MexicanTrainPublic, "totals")
_TAG_BONEYARD: Final = number_tag(pb.MexicanTrainPublic, "boneyard_count")
_TAG_FIRST: Final = length_tag(pb.MexicanTrainPublic, "first_turn_seats")
_TAG_FURTHER: Final = number_tag(pb.MexicanTrainPublic, "further_turn")
_TAG_DRAWN: Final = number_tag(pb.MexicanTrainPublic, "drawn")
_TAG_DOUBLE: Final = number_tag(pb.MexicanTrainPublic, "double_train")
_TAG_PASSES: Final = number_tag(pb.MexicanTrainPublic, "pass_count")
_TAG_ABSENT: Final = length_tag(pb.MexicanTrainPublic, "absent_numbers")
_TAG_TILES: Final = length_tag(pb.MexicanTrainTrain, "tiles")
_TAG_END: Final = number_tag(pb.MexicanTrainTrain, "end_number")
_TAG_MARKED: Final = number_tag(pb.MexicanTrainTrain, "marked")
_TAG_HAND: Final = length_tag(pb.MexicanTrainPrivate, "hand_tiles")
_TAG_DRAWN_TILE: Final = number_tag(pb.MexicanTrainPrivate, "drawn_tile")


_LAID: Final = tuple(varint(lies) for lies in range(16 * HIGHEST + HIGHEST + 1))
_ENDS: Final = tuple(
    tuple(_TAG_END + varint(end) + _TAG_MARKED + varint(marked) for marked in (False, True))
    for end in range(HIGHEST + 1)
)


def _packed(tag: bytes, numbers: Iterable[int]) -> bytes:
    return prefixed(tag, b"".join([varint(number) for number in numbers]))


def _train(train: Train) -> bytes:
    laid, end, marked = train
    return prefixed(_TAG_TILES, b"".join([_LAID[lies] for lies in laid])) + _ENDS[end][marked]


def public(public: Public) -> bytes:
    """Returns an `Observation` with the public part only.

    Counts and seats are below 128, so that each is one byte of its packed field.
    """
    *trains, public_train = public.trains
    body = b"".join(
        (
            _TAG_DEAL,
            varint(public.deal),
            _TAG_TO_ACT,
            varint(public.to_act),
            _TAG_OWNER,
            varint(public.owner),
            _TAG_ENGINE,
            varint(public.engine),
            *[prefixed(_TAG_TRAINS, _train(train)) for train in trains],
            prefixed(_TAG_PUBLIC_TRAIN, _train(public_train)),
            prefixed(_TAG_COUNTS, bytes(public.counts)),
            _packed(_TAG_TOTALS, public.totals),
            _TAG_BONEYARD,
            varint(public.boneyard),
            prefixed(_TAG_FIRST, bytes(public.first)),
            _TAG_FURTHER,
            varint(public.further),
            _TAG_DRAWN,
            varint(public.drawn),
            b"" if public.double is None else _TAG_DOUBLE + varint(public.double),
            _TAG_PASSES,
            varint(public.passes),
            _packed(_TAG_ABSENT, public.absent),
        )
    )
    return prefixed(_TAG_GAME, prefixed(_TAG_PUBLIC, body))


def private(private: Private) -> bytes:
    """Returns an `Observation` with the private part only, set also for an empty hand."""
    drawn = b"" if private.drawn is None else _TAG_DRAWN_TILE + varint(private.drawn)
    return prefixed(_TAG_GAME, prefixed(_TAG_PRIVATE, _packed(_TAG_HAND, private.hand) + drawn))


def action(action: Action) -> bytes:
    """Returns an `Action`."""
    return _ACTIONS[action]


def parse_action(message: game_pb2.Action) -> Action:
    """Returns the action of an `Action` message, or raises `MalformedActionError`."""
    if message.WhichOneof("game") != "mexican_train":
        raise MalformedActionError("Action.game: mexican_train is not set")
    named = message.mexican_train
    if named.kind == pb.MEXICAN_TRAIN_ACTION_KIND_STOP:
        return STOP
    if named.kind != pb.MEXICAN_TRAIN_ACTION_KIND_PLAY:
        raise MalformedActionError(
            f"kind: {named.kind} is no MexicanTrainActionKind to act with; play is 1, stop is 2"
        )
    tile = tiles.canonical(named.tile, HIGHEST)
    if tile is None:
        raise MalformedActionError(f"tile: {named.tile} is no tile 16 * low + high with halves 0..{HIGHEST}")
    if not 0 <= named.train <= PUBLIC:
        raise MalformedActionError(f"train: {named.train} is no train; seats are 0..7, the public train is 8")
    return 16 * tile + named.train


def event(event: Event) -> bytes:
    """Returns a `GameEvent` for a redacted event."""
    kind, _, value = event
    if kind in {"play", "stop"}:
        return _ACTED[value]
    if kind == "drew":
        return _DREW[value]
    return _ENGINE[value] if kind == "engine" else _TOLD[kind]


def deal_end(deal_end: DealEnd) -> bytes:
    """Returns a `DealEnd`."""
    facts = pb.MexicanTrainDealEnd(
        winner_seats=deal_end.winners,
        blocked=deal_end.blocked,
        hands=[pb.MexicanTrainPrivate(hand_tiles=seat.hand) for seat in deal_end.hands],
    )
    return game_pb2.DealEnd(mexican_train=facts).SerializeToString()
