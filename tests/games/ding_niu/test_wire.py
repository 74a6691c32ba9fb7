"""Messages of Ding Niu: what is refused, what is told, and that nothing else is."""

import pytest

from referee.errors import MalformedActionError
from referee.games.base import TABLE, Event
from referee.games.ding_niu.line import ACTIONS, CONTINUE, SETTLE
from referee.games.ding_niu.told import Step as Done
from referee.games.ding_niu.view import Private, Public
from referee.v1 import ding_niu_pb2 as pb
from referee.v1 import game_pb2
from referee.v1.block_dominoes_pb2 import BlockDominoesAction
from tests.games.ding_niu.positions import GAME, codes, play, position

parse = GAME.wire.parse_action
PLAY, DISCARD = pb.DING_NIU_ACTION_KIND_PLAY, pb.DING_NIU_ACTION_KIND_DISCARD


def action(kind: int, tile: int = 0, end: int = 0) -> game_pb2.Action:
    """Returns an action message that says just this; `kind` and `end` may be no values of their enums."""
    message = game_pb2.Action()
    raw = bytes([0x08, kind]) + pb.DingNiuAction(tile=tile).SerializeToString() + bytes([0x18, end])
    message.ding_niu.MergeFromString(raw)
    return message


@pytest.mark.parametrize("code", ACTIONS)
def test_m2_every_action_survives_the_wire(code: int) -> None:
    """An action reads back as itself, also with its tile the other way round; bytes are kept."""
    raw = GAME.wire.action(code)
    assert GAME.wire.action(code) is raw
    message = game_pb2.Action.FromString(raw)
    assert parse(message) == code
    named = message.ding_niu
    assert parse(action(named.kind, 16 * (named.tile & 15) + (named.tile >> 4), named.end)) == code


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (game_pb2.Action(), "Action.game: ding_niu is not set"),
        (game_pb2.Action.FromString(bytes([0x7A, 0x00])), "Action.game: ding_niu is not set"),
        (game_pb2.Action(block_dominoes=BlockDominoesAction(tile=0x11)), "Action.game: ding_niu is not set"),
        (game_pb2.Action(ding_niu=pb.DingNiuAction()), "kind: 0 is no DingNiuActionKind"),
        (action(0, 0x13), "kind: 0 is no DingNiuActionKind"),
        (action(5, 0x13), "kind: 5 is no DingNiuActionKind"),
        (action(99, 0x13), "kind: 99 is no DingNiuActionKind"),
        (action(PLAY), "tile: 0 is no tile"),
        (action(DISCARD), "tile: 0 is no tile"),
        (action(PLAY, 0x23), "tile: 35 is no tile"),
        (action(PLAY, 0x32), "tile: 50 is no tile"),
        (action(PLAY, 0x12), "tile: 18 is no tile"),
        (action(PLAY, 0x67), "tile: 103 is no tile"),
        (action(PLAY, 0x113), "tile: 275 is no tile"),
        (action(DISCARD, -1), "tile: -1 is no tile"),
        (action(DISCARD, -(2**31)), "tile: -2147483648 is no tile"),
        (action(PLAY, 2**31 - 1), "tile: 2147483647 is no tile"),
        (action(PLAY, 0x26, 3), "end: 3 is no DingNiuEnd"),
        (action(PLAY, 0x26, 99), "end: 99 is no DingNiuEnd"),
        (action(DISCARD, 0x26, 1), "end: 1 is set; only a play names an end"),
        (action(DISCARD, 0x26, 99), "end: 99 is set; only a play names an end"),
        (action(3, 0x26), "tile: 38 is set; settle and continue name no tile"),
        (action(4, 0x23), "tile: 35 is set; settle and continue name no tile"),
        (action(3, 0, 2), "end: 2 is set; only a play names an end"),
        (action(4, 0, 1), "end: 1 is set; only a play names an end"),
    ],
)
def test_m2_m10_what_names_no_action_is_malformed(message: game_pb2.Action, reason: str) -> None:
    """An unset or foreign oneof, an unknown kind, tile or end, and what has no place are refused by name."""
    with pytest.raises(MalformedActionError) as caught:
        parse(message)
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("field", [0x08, 0x10, 0x18])
def test_m2_numbers_below_zero_are_refused(field: int) -> None:
    """A kind, a tile or an end of -1 is refused."""
    message = game_pb2.Action(ding_niu=pb.DingNiuAction(kind=PLAY, tile=0x13))
    message.ding_niu.MergeFromString(bytes([field, *[0xFF] * 9, 0x01]))
    with pytest.raises(MalformedActionError, match=r"^(kind|tile|end): -1 is no "):
        parse(message)


def told(event: Event) -> pb.DingNiuEvent:
    """Returns an event as it is sent."""
    return game_pb2.GameEvent.FromString(GAME.wire.event(event)).ding_niu


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event("leader", TABLE, 0), pb.DingNiuEvent(dealt=pb.DingNiuDealt(leader_seat=0))),
        (Event("leader", TABLE, 2), pb.DingNiuEvent(dealt=pb.DingNiuDealt(leader_seat=2))),
        (Event("play", 1, 4 * 0x13), pb.DingNiuEvent(played=pb.DingNiuPlayed(tile=0x13))),
        (
            Event("play", 1, 4 * 0x26 + 2),
            pb.DingNiuEvent(played=pb.DingNiuPlayed(tile=0x26, end=pb.DING_NIU_END_RIGHT)),
        ),
        (Event("discard", 1, 512 + 0x22), pb.DingNiuEvent(discarded=pb.DingNiuDiscarded(tile=0x22))),
        (Event("discarded", 1), pb.DingNiuEvent(discarded=pb.DingNiuDiscarded())),
        (Event("revoke", 1), pb.DingNiuEvent(revoked=pb.DingNiuRevoked())),
        (Event("asked", 1), pb.DingNiuEvent(asked=pb.DingNiuAsked())),
        (Event("continue", 1, CONTINUE), pb.DingNiuEvent(continued=pb.DingNiuContinued())),
        (Event("settle", 1, SETTLE), pb.DingNiuEvent(declared=pb.DingNiuDeclared())),
        (Event("settled", 1), pb.DingNiuEvent(settled=pb.DingNiuSettled())),
    ],
)
def test_events_carry_what_happened(event: Event, message: pb.DingNiuEvent) -> None:
    """Each kind of event has its arm, and what it says."""
    assert told(event) == message


def test_l5_a_discard_of_another_seat_names_no_tile() -> None:
    """The field is unset, not 0; and the bytes are the same for every tile and seat."""
    raw = set()
    for seat in range(4):
        for code in ACTIONS:
            if 512 <= code < SETTLE:
                hidden = GAME.view.redact(Event("discard", seat, code), (seat + 1) % 4)
                raw.add(GAME.wire.event(hidden))
                assert not told(hidden).discarded.HasField("tile")
                assert told(Event("discard", seat, code)).discarded.tile == code - 512
    assert len(raw) == 1


def test_observation_holds_the_position() -> None:
    """All public facts and the own tiles are in the message, presence included."""
    state = position(
        ["2-6 1-1 2-2", "6-6", "1-1 4-4", "5-5"], "4-5 5-5", down=["", "4-4 1-3"], totals=(-12, 20, 0, -8)
    )
    play(state, "discard 2-2")
    raw = GAME.wire.public(GAME.view.public(state)) + GAME.wire.private(GAME.view.private(state, 0))
    seen = game_pb2.Observation.FromString(raw).ding_niu
    assert (seen.public.deal, seen.public.to_act_seat) == (2, 1)
    assert (seen.public.dealer_seat, seen.public.leader_seat) == (3, 0)
    assert list(seen.public.line_tiles) == [0x45, 0x55]
    assert list(seen.public.hand_counts) == [2, 1, 2, 1]
    assert list(seen.public.discard_counts) == [1, 2, 0, 0]
    assert list(seen.public.totals) == [-12, 20, 0, -8]
    assert not seen.public.asked
    assert list(seen.public.steps) == [pb.DingNiuStep(seat=0, kind=DISCARD)]
    assert list(seen.private.hand_tiles) == codes("1-1 2-6")
    assert list(seen.private.discard_tiles) == codes("2-2")
    empty = GAME.wire.private(Private((), ()))
    assert game_pb2.Observation.FromString(empty).ding_niu.HasField("private")


STEPS = {
    Done(0, 4 * 0x13): pb.DingNiuStep(seat=0, kind=PLAY, tile=0x13),
    Done(1, 4 * 0x11 + 1): pb.DingNiuStep(seat=1, kind=PLAY, tile=0x11, end=pb.DING_NIU_END_LEFT),
    Done(2, 4 * 0x36 + 2): pb.DingNiuStep(seat=2, kind=PLAY, tile=0x36, end=pb.DING_NIU_END_RIGHT),
    Done(3, 512): pb.DingNiuStep(seat=3, kind=DISCARD),
    Done(0, 512, revoke=True): pb.DingNiuStep(seat=0, kind=DISCARD, revoke=True),
    Done(1, CONTINUE): pb.DingNiuStep(seat=1, kind=pb.DING_NIU_ACTION_KIND_CONTINUE),
    Done(2, SETTLE): pb.DingNiuStep(seat=2, kind=pb.DING_NIU_ACTION_KIND_SETTLE),
}


@pytest.mark.parametrize("to_act", [0, 3, -1])
@pytest.mark.parametrize("totals", [(0, 0, 0, 0), (-12_000, -1, 128, 12_000)])
@pytest.mark.parametrize("asked", [False, True])
def test_observation_is_the_message_that_its_class_would_build(
    totals: tuple[int, ...], to_act: int, *, asked: bool
) -> None:
    """The bytes put together by hand read as the message built field by field."""
    view = Public(200, to_act, 1, 2, (0x11, 0x13), (6, 5, 0, 5), (0, 1, 6, 1), totals, asked, tuple(STEPS))
    expected = game_pb2.Observation()
    expected.ding_niu.public.MergeFrom(
        pb.DingNiuPublic(
            deal=200,
            to_act_seat=to_act,
            dealer_seat=1,
            leader_seat=2,
            line_tiles=[0x11, 0x13],
            hand_counts=[6, 5, 0, 5],
            discard_counts=[0, 1, 6, 1],
            totals=totals,
            asked=asked,
            steps=STEPS.values(),
        )
    )
    expected.ding_niu.private.MergeFrom(
        pb.DingNiuPrivate(hand_tiles=[0x11, 0x26], discard_tiles=[0x66, 0x11])
    )

    raw = GAME.wire.public(view) + GAME.wire.private(Private((0x11, 0x26), (0x66, 0x11)))

    assert game_pb2.Observation.FromString(raw) == expected


def test_before_the_first_deal_nobody_deals_or_leads() -> None:
    """A new match is told with -1 for whoever is not known yet."""
    state = GAME.new(4, GAME.info.resolve({}))
    seen = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).ding_niu.public
    assert (seen.deal, seen.to_act_seat, seen.dealer_seat, seen.leader_seat) == (0, -1, -1, -1)


def test_deal_end_shows_all_tiles() -> None:
    """The end of a deal names the winner, the seat that settled, if any, and every tile."""
    state = position(["1-1 2-2", "5-5 5-5", "4-4", "6-6"], "1-3 3-1", down=["", "2-6"])
    play(state, "play 1-1 left")
    end = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).ding_niu
    assert (end.winner_seat, end.HasField("settler_seat"), end.settler_seat) == (0, True, 0)
    assert [list(seat.hand_tiles) for seat in end.hands] == [[0x22], [0x55, 0x55], [0x44], [0x66]]
    assert [list(seat.discard_tiles) for seat in end.hands] == [[], [0x26], [], []]
    state = position(["1-1"], "1-3 3-1", down=["6-6", "2-6", "2-2"])
    play(state, "play 1-1 left")
    end = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).ding_niu
    assert (end.winner_seat, end.HasField("settler_seat")) == (3, False)
