"""Messages of block dominoes: what is refused, what is told, and that nothing else is."""

import pytest

from referee.errors import MalformedActionError
from referee.games.base import TABLE, Event
from referee.games.block_dominoes.line import ACTIONS
from referee.games.block_dominoes.view import Private, Public
from referee.v1 import block_dominoes_pb2 as pb
from referee.v1 import game_pb2
from tests.games.block_dominoes.positions import GAME, codes, play, position

parse = GAME.wire.parse_action


def action(tile: int, end: int = 0) -> game_pb2.Action:
    """Returns an action message that says just this; `end` may be a number that is no end."""
    message = game_pb2.Action()
    raw = pb.BlockDominoesAction(tile=tile).SerializeToString() + bytes([0x10, end])
    message.block_dominoes.MergeFromString(raw)
    return message


@pytest.mark.parametrize("code", ACTIONS)
def test_m2_every_action_survives_the_wire(code: int) -> None:
    """An action reads back as itself, also with its tile the other way round; bytes are kept."""
    raw = GAME.wire.action(code)
    assert GAME.wire.action(code) is raw
    message = game_pb2.Action.FromString(raw)
    assert parse(message) == code
    tile = message.block_dominoes.tile
    assert parse(action(16 * (tile & 15) + (tile >> 4), message.block_dominoes.end)) == code


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (game_pb2.Action(), "Action.game: block_dominoes is not set"),
        (game_pb2.Action.FromString(bytes([0x7A, 0x00])), "Action.game: block_dominoes is not set"),
        (action(0x07), "tile: 7 is no tile"),
        (action(0x70), "tile: 112 is no tile"),
        (action(0x67), "tile: 103 is no tile"),
        (action(0x66 + 1), "tile: 103 is no tile"),
        (action(0x166), "tile: 358 is no tile"),
        (action(-1), "tile: -1 is no tile"),
        (action(-(2**31)), "tile: -2147483648 is no tile"),
        (action(2**31 - 1), "tile: 2147483647 is no tile"),
        (action(0x25, 3), "end: 3 is no BlockDominoesEnd"),
        (action(0x25, 99), "end: 99 is no BlockDominoesEnd"),
    ],
)
def test_m2_what_names_no_action_is_malformed(message: game_pb2.Action, reason: str) -> None:
    """An unset or foreign oneof, a number that is no tile and an unknown end are refused by name."""
    with pytest.raises(MalformedActionError) as caught:
        parse(message)
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("number", [2**31, 2**32 - 1, 2**63 - 1, -(2**63) + 7])
def test_m2_a_number_beyond_32_bits_is_no_tile(number: int) -> None:
    """A varint beyond 32 bits that is no tile once it is cut down to them is refused."""
    varint = bytearray()
    rest = number % 2**64
    while rest > 0x7F:
        varint.append(rest & 0x7F | 0x80)
        rest >>= 7
    message = game_pb2.Action()
    message.block_dominoes.MergeFromString(bytes([0x08, *varint, rest]))
    with pytest.raises(MalformedActionError, match="is no tile"):
        parse(message)


def test_m2_a_negative_end_is_refused() -> None:
    """An end below zero is refused as an unknown one."""
    message = game_pb2.Action()
    message.block_dominoes.MergeFromString(bytes([0x08, 0x25, 0x10, *[0xFF] * 9, 0x01]))
    with pytest.raises(MalformedActionError, match=r"^end: -1 is no BlockDominoesEnd"):
        parse(message)


def test_an_empty_action_says_0_0() -> None:
    """Unset fields are 0: without a tile and an end the message opens with 0-0."""
    message = game_pb2.Action(block_dominoes=pb.BlockDominoesAction())
    assert GAME.text.action(parse(message)) == "play 0-0"


def test_events_carry_what_happened() -> None:
    """Each kind of event has its arm."""
    play_event = Event("play", 1, GAME.text.parse_action("play 2-5 right"))
    told = game_pb2.GameEvent.FromString(GAME.wire.event(play_event)).block_dominoes
    assert (told.played.tile, told.played.end) == (0x25, pb.BLOCK_DOMINOES_END_RIGHT)
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("passed", 1))).block_dominoes
    assert told.WhichOneof("kind") == "passed"
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("opener", TABLE, 2))).block_dominoes
    assert told.dealt.opener_seat == 2


def test_observation_holds_the_position() -> None:
    """All public facts and the own hand are in the message, presence included."""
    state = position(["2-3 0-0", "6-6", "1-1 4-4"], "5-2 2-2", totals=(1, 20, 300, 0), deal=7)
    raw = GAME.wire.public(GAME.view.public(state)) + GAME.wire.private(GAME.view.private(state, 0))
    seen = game_pb2.Observation.FromString(raw).block_dominoes
    assert (seen.public.deal, seen.public.to_act_seat, seen.public.opener_seat) == (7, 0, 0)
    assert list(seen.public.line_tiles) == [0x52, 0x22]
    assert list(seen.public.hand_counts) == [2, 1, 2, 0]
    assert list(seen.public.totals) == [1, 20, 300, 0]
    assert seen.public.pass_count == 0
    assert not seen.public.HasField("required_tile")
    assert list(seen.private.hand_tiles) == codes("0-0 2-3")
    empty = GAME.wire.private(GAME.view.private(state, 3))
    assert game_pb2.Observation.FromString(empty).block_dominoes.HasField("private")


@pytest.mark.parametrize("to_act", [0, 3, -1])
@pytest.mark.parametrize("totals", [(0, 0, 0, 0), (99, 128, 16_384, 1_000_000)])
def test_observation_is_the_message_that_its_class_would_build(totals: tuple[int, ...], to_act: int) -> None:
    """The bytes put together by hand read as the message built field by field."""
    view = Public(12, to_act, 2, (0x52, 0x22), (3, 1), (7, 6, 6, 0), totals, 3, (0, 127, 36, 1), 0x66)
    expected = game_pb2.Observation()
    expected.block_dominoes.public.MergeFrom(
        pb.BlockDominoesPublic(
            deal=12,
            to_act_seat=to_act,
            opener_seat=2,
            line_tiles=[0x52, 0x22],
            hand_counts=[7, 6, 6, 0],
            totals=totals,
            pass_count=3,
            required_tile=0x66,
            line_seats=[3, 1],
            absent_numbers=[0, 127, 36, 1],
        )
    )
    expected.block_dominoes.private.hand_tiles.extend([0x00, 0x12])

    raw = GAME.wire.public(view) + GAME.wire.private(Private((0x00, 0x12)))

    assert game_pb2.Observation.FromString(raw) == expected


def test_required_tile_is_told_until_the_opening() -> None:
    """6-6 is named while it has to open, and no longer."""
    state = position(["6-6 0-0", "1-6"], must=True)
    seen = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).block_dominoes
    assert seen.public.required_tile == 0x66
    play(state, "play 6-6")
    seen = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).block_dominoes
    assert not seen.public.HasField("required_tile")


def test_deal_end_shows_all_hands() -> None:
    """The end of a deal names the winner, or nobody, and every hand."""
    state = position(["0-0 1-1", "0-2", "3-3 1-2", "5-5"], seat=2)
    play(state, "play 3-3")
    told = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).block_dominoes
    assert told.blocked
    assert not told.HasField("winner_seat")
    assert [list(seat.hand_tiles) for seat in told.hands] == [[0x00, 0x11], [0x02], [0x12], [0x55]]
    state = position(["1-6", "0-2"], "6-6")
    play(state, "play 1-6 left")
    told = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).block_dominoes
    assert (told.HasField("winner_seat"), told.winner_seat, told.blocked) == (True, 0, False)
