"""Frames from records: equal to messages that are built in the ordinary way."""

import random

import pytest

from referee.games import find
from referee.match import events as ev
from referee.match.attempt import Index
from referee.match.config import Penalties
from referee.match.machine import Match
from referee.server import frames
from referee.server.codec import Codec, Outgoing, Wish
from referee.v1 import event_pb2, fault_pb2, game_pb2
from referee.v1 import play_service_pb2 as pb
from tests.match.harness import SECRET, setup

GAME = find("block_dominoes")
AT_ONCE = Wish(pb.EVENT_DELIVERY_AT_ONCE)
NO_EVENTS = Wish(pb.EVENT_DELIVERY_NONE, legal_actions=False)


class Sitting:
    """A match whose frames are kept by seat, and whose records go to a codec only."""

    def __init__(self, wishes: list[Wish], *, penalties: Penalties | None = None) -> None:
        header = setup(options={"target": 20}, penalties=penalties)
        self.codec = Codec(header, GAME, wishes)
        self.match = Match(header, GAME, SECRET, 0, self._sink)
        self.now = 0
        self.sent: list[Outgoing] = []
        self.events: list[event_pb2.Event] = []
        self.expected: list[pb.Turn] = []
        for seat in range(4):
            self.match.ready(seat, b"", self.now)
        self.settle()

    def answer(self, index: int) -> None:
        """Answers the open turn."""
        turn = self.match.open_turn
        assert turn
        self.now += 1000
        self.match.act(turn.seat, turn.turn, Index(index), self.now)
        self.settle()

    def settle(self) -> None:
        """Takes what was built."""
        self.codec.settle(self.match, self.now)
        self.sent += self.codec.take()
        if self.match.open_turn:
            self.match.asked(self.match.open_turn.seat, self.match.open_turn.turn, self.now)

    def heard(self, seat: int, arm: str) -> list[pb.PlayResponseFrame]:
        """Returns the frames of one kind that a seat got."""
        got = [pb.PlayResponse.FromString(out.data).frames[0] for out in self.sent if out.seat == seat]
        return [one for one in got if one.WhichOneof("frame") == arm]

    def _sink(self, record: ev.Record) -> None:
        self.codec.record(self.match, record)
        if isinstance(record, ev.Act | ev.Default | ev.Deal):
            for event in self.match.last_events:
                self.events.append(self._event(event.seat, game=GAME.wire.event(event)))
        elif isinstance(record, ev.Forfeit):
            self.events.append(self._event(record.seat))
        elif isinstance(record, ev.Turn):
            self.expected.append(self._turn(record))

    def _event(self, seat: int, game: bytes = b"") -> event_pb2.Event:
        event = event_pb2.Event(event_id=len(self.events) + 1, ply=self.match.plies, seat=seat)
        if game:
            event.game.ParseFromString(game)
        else:
            event.forfeited.SetInParent()
        return event

    def _turn(self, record: ev.Turn) -> pb.Turn:
        state, view, wire = self.match.state, GAME.view, GAME.wire
        observation = game_pb2.Observation.FromString(wire.public(view.public(state)))
        observation.MergeFrom(game_pb2.Observation.FromString(wire.private(view.private(state, record.seat))))
        return pb.Turn(
            match_id=self.match.setup.match_id,
            turn_id=record.turn,
            clock=pb.Clock(
                remaining_duration=frames.duration(record.budget), bank_duration=frames.duration(record.bank)
            ),
            observation=observation,
            legal_actions=[game_pb2.Action.FromString(wire.action(one)) for one in state.legal_actions()],
        )


def played(wishes: list[Wish]) -> Sitting:
    """Returns a whole match of random answers."""
    sitting = Sitting(wishes)
    choose = random.Random(4)
    while sitting.match.open_turn:
        sitting.answer(choose.randrange(len(sitting.match.state.legal_actions())))
    return sitting


def test_turns_equal_those_built_from_messages() -> None:
    """Concatenated parts parse to the message that is built field by field."""
    sitting = played([Wish()] * 4)
    told = [0] * 4
    asked = [out for out in sitting.sent if out.turn]
    assert len(asked) == len(sitting.expected)

    for out, expected in zip(asked, sitting.expected, strict=True):
        (got,) = pb.PlayResponse.FromString(out.data).frames
        count = len(got.turn.events)
        expected.events.extend(sitting.events[told[out.seat] : told[out.seat] + count])
        told[out.seat] += count

        assert got.turn == expected


def test_events_come_with_the_turn_at_once_or_not_at_all() -> None:
    """Each seat hears all events without gaps in the way that it asked for; numbers are the same for all."""
    sitting = played([Wish(), AT_ONCE, NO_EVENTS, Wish()])
    plain, at_once = sitting.heard(0, "turn"), sitting.heard(1, "event")

    assert [event for one in plain for event in one.turn.events] == sitting.events[
        : sum(len(one.turn.events) for one in plain)
    ]
    assert [one.event.event_id for one in at_once] == list(range(1, len(sitting.events) + 1))
    assert all(one.event.match_id == sitting.match.setup.match_id for one in at_once)
    assert not any(one.turn.events for one in sitting.heard(1, "turn") + sitting.heard(2, "turn"))
    assert not any(one.turn.legal_actions for one in sitting.heard(2, "turn"))
    assert not sitting.heard(2, "event")


def test_everybody_hears_how_deals_and_the_match_end() -> None:
    """Results go to all seats; the reveal opens the commitment, and faults are one's own."""
    sitting = played([Wish(), AT_ONCE, NO_EVENTS, Wish()])
    for seat in range(4):
        assert [one.deal_ended for one in sitting.heard(seat, "deal_ended")] == [
            one.deal_ended for one in sitting.heard(0, "deal_ended")
        ]
        (last,) = sitting.heard(seat, "match_ended")
        assert last.match_ended.reveal.secret == SECRET
        assert len(last.match_ended.placements) == 4


def test_a_resync_tells_the_open_turn_and_all_events() -> None:
    """A new stream hears what the old one heard: the same turn with the time that is left."""
    sitting = Sitting([Wish()] * 4)
    for _ in range(8):
        sitting.answer(0)
    turn = sitting.match.open_turn
    assert turn
    sitting.codec.resync(sitting.match, turn.seat, sitting.now + 250_000)
    started, asked = (pb.PlayResponse.FromString(out.data).frames[0] for out in sitting.codec.take())

    assert started.match_started.resumed
    assert asked.turn.turn_id == turn.turn
    assert asked.turn.legal_actions == sitting.expected[-1].legal_actions
    assert list(asked.turn.events) == sitting.events
    assert asked.turn.clock.remaining_duration == frames.duration(turn.budget - 250_000)


def test_a_forfeit_is_public_and_its_default_actions_are_not_told_as_refusals() -> None:
    """Past the limit of strikes a seat hears of the last default; then nothing but events."""
    sitting = Sitting([AT_ONCE] * 4, penalties=Penalties(retries=0, strikes=1))
    guilty = sitting.match.open_turn
    assert guilty
    sitting.answer(99)
    while sitting.match.open_turn:
        sitting.answer(0)

    (refused,) = sitting.heard(guilty.seat, "rejected")
    assert refused.rejected.HasField("played_action")
    assert refused.rejected.strike_count == 1
    for seat in range(4):
        forfeits = [one for one in sitting.heard(seat, "event") if one.event.HasField("forfeited")]
        assert [one.event.seat for one in forfeits] == [guilty.seat]
        (ended,) = (one.match_ended for one in sitting.heard(seat, "match_ended"))
        kinds = [count.kind for count in ended.faults]
        assert kinds == ([fault_pb2.FAULT_KIND_MALFORMED] if seat == guilty.seat else [])


@pytest.mark.parametrize("listener", range(4))
def test_what_a_seat_wishes_changes_nothing_for_others(listener: int) -> None:
    """The bytes for a seat do not depend on how the others listen."""
    wishes = [AT_ONCE if seat == listener else Wish() for seat in range(4)]
    mixed, plain = played(wishes), played([Wish()] * 4)
    for seat, wish in enumerate(wishes):
        if wish == Wish():
            assert [out for out in mixed.sent if out.seat == seat] == [
                out for out in plain.sent if out.seat == seat
            ]
