"""R8: what everybody sees can be told from what everybody was sent; L5: nothing else can."""

import random
from typing import Any

import pytest

from referee.games.base import TABLE, Event, Outcome
from referee.games.info import Options
from referee.games.mexican_train.rules import new
from referee.games.mexican_train.view import DealEnd, Private, Public, Train
from referee.v1 import game_pb2
from referee.v1 import mexican_train_pb2 as pb
from tests.games.helpers import Sitting, Step, playout
from tests.games.mexican_train.deals import TABLES
from tests.games.mexican_train.positions import GAME, PIECES, position

PUBLIC = 8


class Listener:
    """Keeps the public facts from messages of events and ends of deals alone; knows no hand in play.

    With a seat it is that seat's ear: then it keeps that hand, too.
    """

    def __init__(self, seats: int, options: Options, seat: int | None = None) -> None:
        """Listens from before the first deal."""
        self.seats = seats
        self.options = options
        self.seat = seat
        self.deal = 0
        self.totals = [0] * seats
        self.size = {2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 10, 8: 10}[seats]
        self.over = True

    def _begin(self) -> None:
        """Expects a deal; of the own hand only its changes can be heard."""
        self.over = self.told_engine = False
        self.counts = [self.size] * self.seats
        self.bones = 91 - self.size * self.seats
        self.absent: list[set[int]] = [set() for _ in range(self.seats)]
        self.won: set[int] = set()
        self.lost: set[int] = set()

    def hear(self, seat: int, raw: bytes) -> None:
        """Takes in one event, by its message and the seat it is about."""
        if self.over:
            self._begin()
        told = game_pb2.GameEvent.FromString(raw).mexican_train
        kind = str(told.WhichOneof("kind"))
        getattr(self, f"_{kind}")(seat, getattr(told, kind))

    def _engine(self, seat: int, told: pb.MexicanTrainEngine) -> None:
        self.deal += 1
        self.owner = seat
        self.engine = told.tile
        self.number = told.tile // 17
        if told.undealt:
            self.bones -= 1
        else:
            self.counts[seat] -= 1
        self.laid: list[list[int]] = [[] for _ in range(9)]
        self.markers: set[int] = set()
        self.first = [(seat + 1 + later) % self.seats for later in range(self.seats)]
        self.to_act = self.first[0]
        self.further = self.drawn = False
        self.double: int | None = None
        self.passes = 0
        self.told_engine = True

    def end(self, train: int) -> int:
        """Returns the number that a train ends in."""
        return self.laid[train][-1] % 16 if self.laid[train] else self.number

    def open_numbers(self, seat: int) -> set[int]:
        """Returns the numbers that a seat could play on."""
        if self.double is not None:
            return {self.end(self.double)}
        others = [other for other in self.markers if self.laid[other]]
        return {self.end(train) for train in (seat, PUBLIC, *others)}

    def _drew(self, seat: int, told: pb.MexicanTrainDrew) -> None:
        assert told.HasField("tile") == (seat == self.seat)
        self.counts[seat] += 1
        self.bones -= 1
        if seat == self.seat:
            self.won.add(told.tile)
        if self.told_engine:
            self.absent[seat] |= self.open_numbers(seat)
            self.drawn = True

    def _passed(self, seat: int, _: pb.MexicanTrainPassed) -> None:
        self.passes += 1
        if self.first:
            assert self.first.pop(0) == seat
            self.absent[seat] = {self.number}
        elif self.drawn:
            self.absent[seat] = self.open_numbers(seat)
        else:
            self.absent[seat] |= self.open_numbers(seat)
        self.drawn = self.further = False
        self.to_act = (seat + 1) % self.seats

    def _marker(self, seat: int, told: pb.MexicanTrainMarker) -> None:
        if told.marked:
            self.markers.add(seat)
            self.passes = 1
        else:
            self.markers.remove(seat)

    def _out(self, seat: int, _: pb.MexicanTrainOut) -> None:
        assert self.counts[seat] == 0
        if self.first:
            assert self.first.pop(0) == seat
            self.to_act = (seat + 1) % self.seats
        self.further = False
        self.double = None

    def _blocked(self, seat: int, _: pb.MexicanTrainBlocked) -> None:
        assert (seat, self.bones) == (TABLE, 0)
        assert self.passes >= self.seats
        self.double = None

    def _acted(self, seat: int, told: pb.MexicanTrainAction) -> None:
        if told.kind == pb.MEXICAN_TRAIN_ACTION_KIND_STOP:
            assert self.first.pop(0) == seat
            self.to_act = (seat + 1) % self.seats
            return
        low, high = divmod(told.tile, 16)
        inner = self.end(told.train)
        outer = high if low == inner else low
        self.laid[told.train].append(16 * inner + outer)
        self.counts[seat] -= 1
        if seat == self.seat:
            self.lost.add(told.tile)
        self.passes = 0
        self.drawn = self.further = False
        self.double = None
        if self.first:
            return
        if low != high:
            self.to_act = (seat + 1) % self.seats
            return
        self.further = True
        down = sum(low in divmod(lies, 16) and lies != 17 * low for one in self.laid for lies in one)
        if self.options["doubles"] == "must_satisfy" and down < 12:
            self.double = told.train

    def hear_end(self, end: DealEnd) -> None:
        """Takes in the end of a deal: the hands say what it was worth."""
        assert [len(seat.hand) for seat in end.hands] == self.counts
        assert list(end.winners) == [seat for seat in range(self.seats) if not self.counts[seat]]
        assert end.blocked == (not end.winners)
        for seat, shown in enumerate(end.hands):
            self.totals[seat] += sum(sum(divmod(tile, 16)) for tile in shown.hand)
        self.to_act = -1
        self.over = True

    def public(self) -> Public:
        """Returns what everybody should see now."""
        tracks = (*range(self.seats), PUBLIC)
        return Public(
            self.deal,
            self.to_act,
            self.owner,
            self.engine,
            tuple(Train(tuple(self.laid[at]), self.end(at), at in self.markers) for at in tracks),
            tuple(self.counts),
            tuple(self.totals),
            self.bones,
            tuple(self.first),
            self.further,
            self.drawn,
            self.double,
            self.passes,
            tuple(sum(2**number for number in numbers) for numbers in self.absent),
        )


def follow(sitting: Sitting, seed: int, deals: int, seat: int | None) -> int:
    """Plays beside a listener, compares each step, and returns how many deals there were."""
    listener = Listener(sitting.seats, sitting.game.info.resolve(sitting.options), seat)
    viewer = TABLE if seat is None else seat
    dealt: set[int] = set()

    def check(step: Step) -> None:
        nonlocal dealt
        state: Any = step.state
        for event in step.events:
            listener.hear(event.seat, GAME.wire.event(GAME.view.redact(event, viewer)))
        if state.to_act() < 0:
            listener.hear_end(GAME.view.deal_end(state))
        assert GAME.view.public(state) == listener.public()
        if seat is not None:
            private = GAME.view.private(state, seat)
            dealt = dealt if step.action is not None else set(private.hand) - listener.won
            assert set(private.hand) == (dealt | listener.won) - listener.lost
            assert (private.drawn is not None) == (listener.drawn and listener.to_act == seat)
            assert private.drawn is None or private.drawn in listener.won

    return playout(sitting.start(), random.Random(seed), check, deals).deal


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_r8_every_public_fact_follows_from_what_was_sent(seats: int, options: Options) -> None:
    """After each step of 36 deals at each of 28 tables a spectator has worked out the public view."""
    sitting = Sitting(GAME, seats, {**options, "deals": 13})
    assert sum(follow(sitting, seed, 12, None) for seed in range(3)) == 36


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_r8_a_seat_hears_how_its_hand_changes(seats: int, options: Options) -> None:
    """A seat that takes in its own draws and plays knows its hand, besides the public facts."""
    sitting = Sitting(GAME, seats, options)
    for seat in range(seats):
        assert follow(sitting, seat, 2, seat) == 2


def test_r8_also_when_the_seats_draw_for_the_engine() -> None:
    """Without a double in any hand the draws are told, and the last drawer is the owner."""
    plain = [piece for piece in range(91) if PIECES[piece][0] != PIECES[piece][1]]
    doubles = [piece for piece in range(91) if piece not in plain]
    state = new(4, GAME.info.resolve({}))
    state.deal = 2
    listener = Listener(4, GAME.info.resolve({}))
    listener.deal = 2
    events = state.start_deal(Outcome((), (*plain[:63], *doubles, *plain[63:])))
    for event in events:
        listener.hear(event.seat, GAME.wire.event(GAME.view.redact(event, TABLE)))
    told = [GAME.text.event(event) for event in events]
    assert told[:5] == ["2 drew", "3 drew", "0 drew", "1 drew", "1 engine 0-0"]
    assert GAME.view.public(state) == listener.public()
    assert listener.counts == [16, 15, 16, 16]


DRAW = Event("drew", 1, 0x25)


@pytest.mark.parametrize("viewer", [TABLE, 0, 2, 7])
def test_l5_others_learn_of_a_draw_only_that_it_was_made(viewer: int) -> None:
    """The drawn tile is told to its owner; to others a draw of one tile is like that of another."""
    assert GAME.view.redact(DRAW, 1) == DRAW
    seen = GAME.view.redact(DRAW, viewer)
    assert seen == ("drew", 1, -1)
    assert GAME.view.redact(Event("drew", 1, 0xCC), viewer) == seen
    assert GAME.view.redact(seen, viewer) == GAME.view.redact(seen, 1) == seen
    told = game_pb2.GameEvent.FromString(GAME.wire.event(seen)).mexican_train
    assert not told.drew.HasField("tile")
    assert GAME.wire.event(seen) == GAME.wire.event(GAME.view.redact(Event("drew", 5, 0x00), viewer))
    own = game_pb2.GameEvent.FromString(GAME.wire.event(DRAW)).mexican_train
    assert (own.drew.HasField("tile"), own.drew.tile) == (True, 0x25)


def test_l5_a_draw_reads_the_same_whatever_the_tile() -> None:
    """In text a draw never names its tile, and a draw of 0-0 is not taken for an unknown one."""
    assert GAME.text.event(DRAW) == GAME.text.event(GAME.view.redact(DRAW, TABLE)) == "1 drew"
    told = game_pb2.GameEvent.FromString(GAME.wire.event(Event("drew", 1, 0))).mexican_train
    assert (told.drew.HasField("tile"), told.drew.tile) == (True, 0)


def test_l12_what_is_forced_is_told_to_all_alike() -> None:
    """All other events are the same for every seat and for a spectator."""
    for event in (
        Event("passed", 2),
        Event("marker on", 2),
        Event("marker off", 0),
        Event("out", 3),
        Event("blocked", TABLE),
        Event("engine", 1, 0xBB),
        Event("stop", 0, GAME.text.parse_action("stop")),
        Event("play", 3, GAME.text.parse_action("play 6-6 on public")),
    ):
        assert [GAME.view.redact(event, viewer) for viewer in range(-1, 8)] == [event] * 9


def test_l5_a_drawn_tile_is_private_while_it_waits() -> None:
    """Only the seat that drew has the tile in its private part; all see that it has to play one."""
    state = position(["3-4 1-1", "0-2"], {"0": "12-3"}, boneyard="12-6 5-5")
    state.apply(GAME.text.parse_action("play 3-4 on 0"))
    assert GAME.view.public(state).drawn
    assert GAME.view.private(state, 1) == Private((0x02, 0x6C), 0x6C)
    assert GAME.view.private(state, 0) == Private((0x11,), None)
