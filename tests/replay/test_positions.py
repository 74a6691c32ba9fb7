"""Frames of a log: paired with the state of the game, and with what seats and spectators are told live."""

import dataclasses
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from referee import games
from referee.errors import RecordError
from referee.games import find
from referee.games.base import TABLE, Game
from referee.match import events as ev
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay import reader
from referee.replay.positions import FULL, SPECTATOR, UNKNOWN, Frame, frames, names, seen
from referee.replay.reader import Log
from referee.replay.resimulate import Resimulation
from referee.server.retell import retell
from referee.server.watch.past import past
from referee.v1 import arena_service_pb2, event_pb2, fault_pb2, game_pb2
from referee.v1 import play_service_pb2 as pb
from tests.replay import tampering
from tests.replay.golden import FOLDER

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))
every_golden = pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def told(log: Log, seat: int) -> Iterator[tuple[int, pb.PlayResponseFrame]]:
    """Yields what a seat was told, each with the number of the record that it follows from."""
    for heard in retell(log):
        if heard.seat == seat:
            for frame in pb.PlayResponse.FromString(heard.data).frames:
                yield heard.n, frame


def events_of(frame: Frame, game: Game) -> Iterator[event_pb2.Event]:
    """Yields the events of a frame as the protocol has them, but for match and number."""
    for event in frame.events:
        detail = game_pb2.GameEvent.FromString(game.wire.event(event))
        yield event_pb2.Event(ply=frame.ply, seat=event.seat, game=detail)
    if frame.kind == "forfeit":
        yield event_pb2.Event(ply=frame.ply, seat=frame.seat, forfeited=event_pb2.Forfeited())


def bare(event: event_pb2.Event) -> event_pb2.Event:
    """Returns an event without its match and number."""
    copy = event_pb2.Event.FromString(event.SerializeToString())
    copy.match_id, copy.event_id = "", 0
    return copy


def fault(rejected: pb.Rejected) -> str:
    """Returns the fault of a refusal in the words of the log."""
    return fault_pb2.FaultKind.Name(rejected.fault).removeprefix("FAULT_KIND_").lower()


def refuses(frame: Frame) -> bool:
    """Says whether its own seat hears of a refusal in this frame."""
    return frame.kind == "rejected" or (frame.kind == "default" and frame.fault == "late")


@every_golden
def test_frames_show_the_table_that_the_machine_has(path: Path) -> None:
    """Public part, hands, totals, strikes and banks are those of a match that is played again."""
    log = reader.read(path)
    game = find(log.setup.game)
    wire, view = game.wire, game.view
    expected: dict[int, tuple[object, ...]] = {}

    def adopt(match: Match) -> Sink:
        def sink(record: ev.Record) -> None:
            seats = range(len(log.setup.seats))
            hands = tuple(wire.private(view.private(match.state, seat)) for seat in seats)
            expected[record.n] = (
                match.plies,
                match.state.deal,
                wire.public(view.public(match.state)),
                hands if match.state.deal else (),
                match.state.totals(),
                tuple(match.conduct.strikes),
            )

        return sink

    assert log.secret
    simulation = Resimulation(log.setup, log.secret, game, adopt)
    told = {frame.n: frame for frame in frames(log)}
    for record in log.records:
        assert simulation.step(record) is None
        frame = told.get(record.n)
        assert (frame is None) == isinstance(record, ev.Turn | ev.Ready)
        if frame:
            facts = (frame.ply, frame.deal, frame.public, frame.hands, frame.totals, frame.strikes)
            assert facts == expected[record.n]
            assert frame.t == record.t


@every_golden
def test_banks_are_those_that_the_seats_are_asked_with(path: Path) -> None:
    """At each turn the bank of the frame before is that of the record, increments of deals added."""
    log = reader.read(path)
    shown = {frame.n: frame for frame in frames(log)}
    last = shown[0]
    for record in log.records:
        if isinstance(record, ev.Turn):
            assert last.banks[record.seat] == record.bank
        last = shown.get(record.n, last)


@every_golden
def test_a_seat_sees_what_it_was_told(path: Path) -> None:
    """Observations at its turns, events and refusals are those of the live protocol, and no others."""
    log = reader.read(path)
    game = find(log.setup.game)
    whole = list(frames(log))
    gone = any(isinstance(record, ev.Resumed) for record in log.records)
    for seat in range(len(log.setup.seats)):
        mine = [(frame.n, seen(frame, seat, game)) for frame in whole]
        heard = list(told(log, seat))
        events = [event for _, frame in heard for event in frame.turn.events]
        shown = [event for _, frame in mine if frame for event in events_of(frame, game)]
        assert all(bare(event) == shown[event.event_id - 1] for event in events)
        numbers = {event.event_id for event in events}
        assert gone or numbers == set(range(1, len(numbers) + 1))
        refused = [fault(frame.rejected) for _, frame in heard if frame.WhichOneof("frame") == "rejected"]
        faults = iter([one.fault for _, one in mine if one and refuses(one)])
        assert all(one in faults for one in refused)
        assert gone or not list(faults)
        for n, frame in heard:
            if frame.WhichOneof("frame") == "turn":
                table = [one for at, one in mine if at < n and one][-1]
                observation = game_pb2.Observation.FromString(table.public)
                observation.MergeFrom(game_pb2.Observation.FromString(table.hands[seat]))
                assert frame.turn.observation == observation
            if frame.WhichOneof("frame") == "deal_ended":
                (table,) = (one for at, one in mine if at == n and one)
                assert frame.deal_ended.detail.SerializeToString() == table.deal_end
                assert tuple(frame.deal_ended.totals) == table.totals
                assert tuple(frame.deal_ended.scores) == table.scores


@every_golden
def test_a_seat_sees_nothing_of_the_others(path: Path) -> None:
    """No hand of another before the deal is over, and none of its faults, banks, strikes and think times."""
    log = reader.read(path)
    game = find(log.setup.game)
    for frame in frames(log):
        for viewer in (SPECTATOR, *range(len(log.setup.seats))):
            one = seen(frame, viewer, game)
            if one is None:
                assert frame.seat != viewer or frame.kind == "stall"
                continue
            others = [seat for seat in range(len(log.setup.seats)) if seat != viewer]
            assert {one.banks[seat] for seat in others} == {UNKNOWN}
            assert {one.strikes[seat] for seat in others} == {UNKNOWN}
            if one.deal_end:
                assert not log.setup.block
            elif one.hands:
                assert {one.hands[seat] for seat in others} == {b""}
            if one.seat != viewer:
                assert one.fault in {"", "forfeited"}
                assert one.kind not in {"rejected", "strike", "dropped", "rejoined", "gone"}
                if one.events and one.kind != "deal":
                    assert one.think == one.credit == UNKNOWN
            assert one.events == tuple(game.view.redact(event, viewer) for event in frame.events)


@every_golden
def test_open_hands_are_those_that_everybody_is_told(path: Path) -> None:
    """After a deal the hands that all may see are the ones in `DealEnd`."""
    log = reader.read(path)
    game = find(log.setup.game)
    for frame in frames(log):
        if frame.deal_end:
            one = seen(frame, SPECTATOR, game)
            assert one
            detail = getattr(game_pb2.DealEnd.FromString(one.deal_end), game.info.name)
            hands = [
                getattr(game_pb2.Observation.FromString(hand), game.info.name).private for hand in one.hands
            ]
            assert list(detail.hands) == hands


@every_golden
def test_a_spectator_sees_what_spectators_are_told(path: Path) -> None:
    """Events and tables are those of the feed of spectators."""
    log = reader.read(path)
    game = find(log.setup.game)
    fed = [
        frame
        for group in past(log, ply=-1).groups
        for frame in arena_service_pb2.WatchMatchResponse.FromString(group.data).frames
    ]
    shown = [one for frame in frames(log) if (one := seen(frame, SPECTATOR, game))]
    assert [bare(frame.event) for frame in fed if frame.HasField("event")] == [
        event for frame in shown for event in events_of(frame, game)
    ]
    tables = [frame.observation for frame in fed if frame.HasField("observation")]
    assert tables == [game_pb2.Observation.FromString(one.public) for one in shown if one.events]


def test_a_hidden_action_stays_hidden() -> None:
    """In Ding Niu others see that a tile was laid face down, and not which, nor by what fault."""
    log = reader.read(FOLDER / "ding_niu" / "faults.jsonl")
    game = find("ding_niu")
    discards = [frame for frame in frames(log) if frame.events and frame.events[0].kind == "discard"]
    assert discards
    for frame in discards:
        other = seen(frame, (frame.seat + 1) % 4, game)
        own = seen(frame, frame.seat, game)
        assert other is not None
        assert own is not None
        assert other.action is None
        assert own.action == frame.action is not None


def test_the_full_view_is_the_frame_itself() -> None:
    """Nothing is hidden from whoever may see everything."""
    log = reader.read(FOLDER / "mexican_train" / "faults.jsonl")
    for frame in frames(log):
        assert seen(frame, FULL, find("mexican_train")) is frame


def test_frames_are_in_order_and_begin_at_the_start() -> None:
    """Each frame has the number of its record; plies and times never fall."""
    told = list(frames(reader.read(FOLDER / "guan_pai" / "faults.jsonl")))
    assert (told[0].kind, told[0].n, told[0].hands, told[0].seat) == ("start", 0, (), TABLE)
    assert told[-1].kind == "end"
    for before, after in pairwise(told):
        assert before.n < after.n
        assert before.ply <= after.ply
        assert before.t <= after.t


def test_nobody_is_named_to_seats_of_an_anonymous_match() -> None:
    """Seats and spectators read `seat k`, whoever sees everything the names."""
    setup = reader.read(FOLDER / "guan_pai" / "plain.jsonl").setup
    anonymous = msgspec.structs.replace(setup, anonymous=True)
    assert names(anonymous, 1) == names(anonymous, SPECTATOR) == ("seat 0", "seat 1", "seat 2")
    assert names(anonymous, FULL) == names(setup, 1) == ("b0", "b1", "b2")


@pytest.mark.parametrize("game", games.names())
def test_a_forged_record_is_named(game: str) -> None:
    """Whatever a record is made to say, its frames are told or its line is named: nothing else is raised."""
    log = reader.read(FOLDER / game / "faults.jsonl")
    named: list[tuple[int, int]] = []
    for at, record in enumerate(log.records[:12]):
        for _, other in tampering.fields(record):
            records = (*log.records[:at], other, *log.records[at + 1 :])
            try:
                list(frames(dataclasses.replace(log, records=records)))
            except RecordError as error:
                named.append((at + 2, error.line))
    assert named
    assert all(forged <= line for forged, line in named)
