"""Messages of Guan Pai: what is refused, what is told, and that nothing else is."""

import random
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor

from referee.errors import MalformedActionError
from referee.games.base import TABLE, Event
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import DECK
from referee.games.guan_pai.table import Turn
from referee.games.guan_pai.view import Private, Public
from referee.v1 import game_pb2
from referee.v1 import guan_pai_pb2 as pb
from tests.games.guan_pai.positions import GAME, codes, of_ranks, play, position, put

parse = GAME.wire.parse_action
PLAY = pb.GUAN_PAI_ACTION_KIND_PLAY
PASS = pb.GUAN_PAI_ACTION_KIND_PASS


def action(kind: int = PLAY, cards: tuple[int, ...] = (), combination: int = 0) -> game_pb2.Action:
    """Returns an action message that says just this; the numbers may be none of their enums."""
    message = game_pb2.Action()
    message.guan_pai.cards.extend(cards)
    for number, value in ((1, kind), (3, combination)):
        if value:
            raw = value % 2**64
            varint = bytearray()
            while raw > 0x7F:
                varint.append(raw & 0x7F | 0x80)
                raw >>= 7
            message.guan_pai.MergeFromString(bytes([number << 3, *varint, raw]))
    return message


def test_kinds_have_the_numbers_of_the_enum() -> None:
    """The combinations of the contract are the types of the rules, in their order."""
    names = [f"GUAN_PAI_COMBINATION_{kind.upper()}" for kind in KINDS]
    assert [pb.GuanPaiCombination.Value(name) for name in names] == list(range(1, 12))
    assert len(pb.GuanPaiCombination.keys()) == 12


@pytest.mark.parametrize("text", ["pass", "play 3D", "play AC AH AS as bomb", "play 3D 4S as single"])
def test_m2_every_action_survives_the_wire(text: str) -> None:
    """An action reads back as itself, also with its cards in another order; bytes are kept."""
    code = GAME.text.parse_action(text)
    raw = GAME.wire.action(code)
    assert GAME.wire.action(code) is raw
    message = game_pb2.Action.FromString(raw)
    assert parse(message) == code
    turned = list(message.guan_pai.cards)[::-1]
    del message.guan_pai.cards[:]
    message.guan_pai.cards.extend(turned)
    assert parse(message) == code


def test_actions_are_the_messages_that_their_class_would_build() -> None:
    """The bytes put together by hand read as the message built field by field."""
    rng = random.Random(2)
    for _ in range(300):
        cards = sorted(rng.sample(DECK, rng.randint(1, 16)))
        kind = rng.randrange(12)
        code = sum(1 << card for card in cards) | kind << 52
        named = pb.GuanPaiAction(kind=PLAY, cards=cards)
        named.MergeFrom(action(0, (), kind).guan_pai)
        expected = game_pb2.Action(guan_pai=named)
        assert game_pb2.Action.FromString(GAME.wire.action(code)) == expected
        told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("play", 1, code)))
        assert told.guan_pai.played == named


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (game_pb2.Action(), "Action.game: guan_pai is not set"),
        (game_pb2.Action.FromString(bytes([0x7A, 0x00])), "Action.game: guan_pai is not set"),
        (action(0), "kind: 0 is no GuanPaiActionKind"),
        (action(3, (0,)), "kind: 3 is no GuanPaiActionKind"),
        (action(99), "kind: 99 is no GuanPaiActionKind"),
        (action(-1), "kind: -1 is no GuanPaiActionKind"),
        (action(2**31 - 1), "kind: 2147483647 is no GuanPaiActionKind"),
        (action(PLAY), "cards: a play names at least one"),
        (action(PLAY, (0, 1, 0)), "cards: 0 (3D) is named twice"),
        (action(PLAY, (44,)), "cards: 44 is no card of the deck"),
        (action(PLAY, (48,)), "cards: 48 is no card of the deck"),
        (action(PLAY, (52,)), "cards: 52 is no card of the deck"),
        (action(PLAY, (-1,)), "cards: -1 is no card of the deck"),
        (action(PLAY, (-(2**31),)), "cards: -2147483648 is no card of the deck"),
        (action(PLAY, (2**31 - 1,)), "cards: 2147483647 is no card of the deck"),
        (action(PLAY, (0,) * 60_000), "cards: 0 (3D) is named twice"),
        (action(PLAY, (0,), 12), "combination: 12 is no GuanPaiCombination"),
        (action(PLAY, (0,), -1), "combination: -1 is no GuanPaiCombination"),
        (action(PASS, (0,)), "cards: a pass names neither"),
        (action(PASS, (), 1), "cards: a pass names neither"),
    ],
)
def test_m2_what_names_no_action_is_malformed(message: game_pb2.Action, reason: str) -> None:
    """An unset or foreign oneof, a number that is no card and an unknown enum are refused by name."""
    with pytest.raises(MalformedActionError) as caught:
        parse(message)
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 110


def test_events_carry_what_happened() -> None:
    """Each kind of event has its arm."""
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("pass", 1, 0))).guan_pai
    assert told.WhichOneof("kind") == "passed"
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("trick", TABLE, 2))).guan_pai
    assert told.trick_ended.leader_seat == 2
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("leader", TABLE, 0))).guan_pai
    assert told.WhichOneof("kind") == "dealt"
    assert told.dealt.leader_seat == 0


def test_observation_holds_the_trick() -> None:
    """The plays and passes of the trick, the play to beat and what was played are told in order."""
    state = position(of_ranks("344479", "55568K", "77"), totals=(1, 20, -21), deal=7, bombs=(0, 1, 0))
    put(state, "44437", "55568", "pass")
    raw = GAME.wire.public(GAME.view.public(state)) + GAME.wire.private(GAME.view.private(state, 1))
    seen = game_pb2.Observation.FromString(raw).guan_pai
    public = seen.public
    assert (public.deal, public.to_act_seat, public.leader_seat, public.pass_count) == (7, 0, 0, 1)
    assert list(public.hand_counts) == [1, 1, 2]
    assert list(public.totals) == [1, 20, -21]
    assert list(public.bomb_counts) == [0, 1, 0]
    two = pb.GUAN_PAI_COMBINATION_TRIPLE_WITH_TWO
    assert list(public.trick_plays) == [
        pb.GuanPaiPlay(seat=0, cards=codes("3D 4D 4C 4H 7D"), combination=two, rank=1),
        pb.GuanPaiPlay(seat=1, cards=codes("5D 5C 5H 6D 8D"), combination=two, rank=2),
        pb.GuanPaiPlay(seat=2),
    ]
    assert public.top_play == public.trick_plays[1]
    assert [list(pile.cards) for pile in public.played_piles] == [
        codes("3D 4D 4C 4H 7D"),
        codes("5D 5C 5H 6D 8D"),
        [],
    ]
    assert not public.HasField("required_card")
    assert list(seen.private.hand_cards) == codes("KD")
    put(state, "pass")
    public = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).guan_pai.public
    assert not public.HasField("top_play")
    assert list(public.trick_plays) == []


def test_the_last_trick_stays_when_the_deal_has_ended() -> None:
    """Nobody is to act then, and an empty hand is told as one."""
    state = position(of_ranks("3", "55", "77"))
    put(state, "3")
    public = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).guan_pai.public
    assert public.to_act_seat == -1
    assert public.top_play.cards == codes("3D")
    raw = GAME.wire.private(GAME.view.private(state, 0))
    assert game_pb2.Observation.FromString(raw).guan_pai.HasField("private")


def test_the_required_card_is_told_until_the_first_play() -> None:
    """3D, which is 0, is named while the first play has to contain it."""
    state = position(of_ranks("3344", "55", "77"), must=True)
    public = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).guan_pai.public
    assert (public.HasField("required_card"), public.required_card) == (True, 0)
    play(state, "play 3D")
    public = game_pb2.Observation.FromString(GAME.wire.public(GAME.view.public(state))).guan_pai.public
    assert not public.HasField("required_card")


@pytest.mark.parametrize("to_act", [0, 2, -1])
@pytest.mark.parametrize("totals", [(0, 0, 0), (-99, 128, 16_384), (-(10**9), 2 * 10**9, -(10**9))])
def test_observation_is_the_message_that_its_class_would_build(totals: tuple[int, ...], to_act: int) -> None:
    """The bytes put together by hand read as the message built field by field."""
    turn = Turn(1, 0b11 | 2 << 52, 2, 0)
    view = Public(
        12,
        to_act,
        2,
        (16, 0, 7),
        totals,
        (0, 2, 1),
        (turn, Turn(2, 0, 0, 0)),
        turn,
        1,
        0,
        (b"", b"\x00\x33", b""),
    )
    expected = game_pb2.Observation()
    pair = pb.GuanPaiPlay(seat=1, cards=[0, 1], combination=pb.GUAN_PAI_COMBINATION_PAIR, rank=0)
    expected.guan_pai.public.MergeFrom(
        pb.GuanPaiPublic(
            deal=12,
            to_act_seat=to_act,
            leader_seat=2,
            hand_counts=[16, 0, 7],
            totals=totals,
            bomb_counts=[0, 2, 1],
            trick_plays=[pair, pb.GuanPaiPlay(seat=2)],
            top_play=pair,
            pass_count=1,
            required_card=0,
            played_piles=[pb.GuanPaiPile(), pb.GuanPaiPile(cards=[0, 51]), pb.GuanPaiPile()],
        )
    )
    expected.guan_pai.private.hand_cards.extend([0, 7])

    raw = GAME.wire.public(view) + GAME.wire.private(Private(b"\x00\x07"))

    assert game_pb2.Observation.FromString(raw) == expected


def test_deal_end_shows_all_hands() -> None:
    """The end of a deal names the winner, every hand and the bombs; who paid for another, only the score."""
    state = position(of_ranks("5K446688", "9", "34567TTJJQQK"), bombs=(0, 0, 1))
    put(state, "5", "9")
    told = game_pb2.DealEnd.FromString(GAME.wire.deal_end(GAME.view.deal_end(state))).guan_pai
    assert (told.winner_seat, told.bomb_count) == (1, 1)
    assert [len(hand.hand_cards) for hand in told.hands] == [7, 0, 12]
    assert sorted(pb.GuanPaiDealEnd.DESCRIPTOR.fields_by_name) == ["bomb_count", "hands", "winner_seat"]


def fields(descriptor: Descriptor) -> Iterator[str]:
    """Returns the fields of a message and of the messages in it."""
    for field in descriptor.fields:
        yield f"{descriptor.name}.{field.name}"
        if field.message_type is not None:
            yield from fields(field.message_type)


def test_l11_what_all_are_told_has_no_place_for_a_hand() -> None:
    """Neither the public part nor an event can hold a private part or a fault."""
    for descriptor in (pb.GuanPaiPublic.DESCRIPTOR, pb.GuanPaiEvent.DESCRIPTOR):
        names = " ".join(fields(descriptor))
        assert "hand_cards" not in names
        assert "Private" not in names
        assert "topping" not in names
        assert "fault" not in names
