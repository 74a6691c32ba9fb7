"""Messages of Mexican Train: what is refused, what is told, and that nothing else is."""

import pytest

from referee.errors import MalformedActionError
from referee.games.base import TABLE, Event
from referee.games.mexican_train.table import ACTIONS, FROM_BONEYARD, STOP
from referee.games.mexican_train.view import Private, Public, Train
from referee.v1 import game_pb2
from referee.v1 import mexican_train_pb2 as pb
from tests.games.mexican_train.positions import GAME, position

parse = GAME.wire.parse_action
PLAY = pb.MEXICAN_TRAIN_ACTION_KIND_PLAY


def action(kind: int, tile: int = 0, train: int = 0) -> game_pb2.Action:
    """Returns an action message that says just this; `kind` may be a number that is no kind."""
    message = game_pb2.Action()
    raw = pb.MexicanTrainAction(tile=tile, train=train).SerializeToString()
    message.mexican_train.MergeFromString(bytes([0x08, kind]) + raw)
    return message


def test_m2_every_action_survives_the_wire() -> None:
    """An action reads back as itself, also with its tile the other way round; bytes are kept."""
    for code in ACTIONS:
        raw = GAME.wire.action(code)
        assert GAME.wire.action(code) is raw
        message = game_pb2.Action.FromString(raw)
        assert parse(message) == code
        named = message.mexican_train
        if code != STOP:
            assert parse(action(PLAY, 16 * (named.tile & 15) + (named.tile >> 4), named.train)) == code


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (game_pb2.Action(), "Action.game: mexican_train is not set"),
        (game_pb2.Action.FromString(bytes([0x7A, 0x00])), "Action.game: mexican_train is not set"),
        (action(0, 0x25, 1), "kind: 0 is no MexicanTrainActionKind"),
        (action(3, 0x25, 1), "kind: 3 is no MexicanTrainActionKind"),
        (action(99), "kind: 99 is no MexicanTrainActionKind"),
        (action(PLAY, 0x0D), "tile: 13 is no tile"),
        (action(PLAY, 0xD0), "tile: 208 is no tile"),
        (action(PLAY, 0xCD), "tile: 205 is no tile"),
        (action(PLAY, 0x1CC), "tile: 460 is no tile"),
        (action(PLAY, -1), "tile: -1 is no tile"),
        (action(PLAY, -(2**31)), "tile: -2147483648 is no tile"),
        (action(PLAY, 2**31 - 1), "tile: 2147483647 is no tile"),
        (action(PLAY, 0x25, 9), "train: 9 is no train"),
        (action(PLAY, 0x25, -1), "train: -1 is no train"),
        (action(PLAY, 0x25, 2**31 - 1), "train: 2147483647 is no train"),
    ],
)
def test_m2_what_names_no_action_is_malformed(message: game_pb2.Action, reason: str) -> None:
    """An unset or foreign oneof, an unknown kind, and numbers that are no tile or train are refused."""
    with pytest.raises(MalformedActionError) as caught:
        parse(message)
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 110


@pytest.mark.parametrize("number", [2**31, 2**32 - 1, 2**63 - 1, -(2**63) + 0xCE])
def test_m2_a_number_beyond_32_bits_is_no_tile(number: int) -> None:
    """A varint beyond 32 bits that is no tile once it is cut down to them is refused."""
    varint = bytearray()
    rest = number % 2**64
    while rest > 0x7F:
        varint.append(rest & 0x7F | 0x80)
        rest >>= 7
    message = game_pb2.Action()
    message.mexican_train.MergeFromString(bytes([0x08, PLAY, 0x10, *varint, rest]))
    with pytest.raises(MalformedActionError, match="is no tile"):
        parse(message)


def test_m2_a_negative_kind_is_refused_and_an_empty_action_too() -> None:
    """A kind below zero is an unknown one, and without a kind there is no action."""
    message = game_pb2.Action()
    message.mexican_train.MergeFromString(bytes([0x08, *[0xFF] * 9, 0x01]))
    with pytest.raises(MalformedActionError, match=r"^kind: -1 is no MexicanTrainActionKind"):
        parse(message)
    with pytest.raises(MalformedActionError, match=r"^kind: 0 is no MexicanTrainActionKind"):
        parse(game_pb2.Action(mexican_train=pb.MexicanTrainAction()))


def test_with_stop_tile_and_train_are_not_read() -> None:
    """A stop is a stop, whatever else stands there."""
    assert parse(action(pb.MEXICAN_TRAIN_ACTION_KIND_STOP, 9999, -5)) == STOP


def told(event: Event) -> pb.MexicanTrainEvent:
    """Returns the event of a game event."""
    return game_pb2.GameEvent.FromString(GAME.wire.event(event)).mexican_train


def test_events_carry_what_happened() -> None:
    """Each kind of event has its arm."""
    acted = told(Event("play", 1, GAME.text.parse_action("play 2-5 on public"))).acted
    assert (acted.kind, acted.tile, acted.train) == (PLAY, 0x25, 8)
    assert told(Event("stop", 1, STOP)).acted.kind == pb.MEXICAN_TRAIN_ACTION_KIND_STOP
    engine = told(Event("engine", 1, 0xBB)).engine
    assert (engine.tile, engine.undealt) == (0xBB, False)
    engine = told(Event("engine", 1, 0x00 + FROM_BONEYARD)).engine
    assert (engine.tile, engine.undealt) == (0x00, True)
    marker = told(Event("marker on", 1))
    assert (marker.WhichOneof("kind"), marker.marker.marked) == ("marker", True)
    marker = told(Event("marker off", 1))
    assert (marker.WhichOneof("kind"), marker.marker.marked) == ("marker", False)
    for kind in ("passed", "out"):
        assert told(Event(kind, 1)).WhichOneof("kind") == kind
    assert told(Event("blocked", TABLE)).WhichOneof("kind") == "blocked"


FULL = Public(
    12,
    2,
    1,
    0xCC,
    (Train((0xC3, 0x33), 3, marked=False), Train((), 12, marked=True), Train((0xC0,), 0, marked=False)),
    (14, 15, 0),
    (0, 128, 100_000),
    61,
    (2, 0),
    further=True,
    drawn=True,
    double=8,
    passes=3,
    absent=(0, 8191, 1 << 12),
)
BARE = FULL._replace(to_act=-1, owner=-1, first=(), further=False, drawn=False, double=None, passes=0)
ZERO = FULL._replace(double=0, deal=1_000, boneyard=0, totals=(0, 0, 0))


@pytest.mark.parametrize("view", [FULL, BARE, ZERO])
def test_observation_is_the_message_that_its_class_would_build(view: Public) -> None:
    """The bytes put together by hand read as the message built field by field."""
    *trains, public = [
        pb.MexicanTrainTrain(tiles=one.tiles, end_number=one.end, marked=one.marked) for one in view.trains
    ]
    expected = game_pb2.Observation()
    expected.mexican_train.public.MergeFrom(
        pb.MexicanTrainPublic(
            deal=view.deal,
            to_act_seat=view.to_act,
            engine_seat=view.owner,
            engine_tile=0xCC,
            trains=trains,
            public_train=public,
            hand_counts=[14, 15, 0],
            totals=view.totals,
            boneyard_count=view.boneyard,
            first_turn_seats=view.first,
            further_turn=view.further,
            drawn=view.drawn,
            double_train=view.double,
            pass_count=view.passes,
            absent_numbers=[0, 8191, 4096],
        )
    )
    expected.mexican_train.private.hand_tiles.extend([0x00, 0xCC])
    expected.mexican_train.private.drawn_tile = 0x00

    raw = GAME.wire.public(view) + GAME.wire.private(Private((0x00, 0xCC), 0x00))

    assert game_pb2.Observation.FromString(raw) == expected


def test_private_part_is_set_for_an_empty_hand() -> None:
    """A seat that is out still has its own part; without a drawn tile none is named."""
    raw = GAME.wire.private(Private(()))
    seen = game_pb2.Observation.FromString(raw).mexican_train
    assert seen.HasField("private")
    assert not seen.private.HasField("drawn_tile")


def test_deal_end_shows_all_hands() -> None:
    """The end of a deal names who went out, or nobody, and every hand."""
    state = position(["3-4", "0-2", "0-0 1-1"], {"0": "12-3"})
    state.apply(GAME.text.parse_action("play 3-4 on 0"))
    end = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).mexican_train
    assert (list(end.winner_seats), end.blocked) == ([0], False)
    assert [list(seat.hand_tiles) for seat in end.hands] == [[], [0x02], [0x00, 0x11]]
