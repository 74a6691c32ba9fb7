"""L1, L5, L14: all frames that one seat gets from a match are the same in two worlds it cannot tell apart."""

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from referee.games.base import TABLE, Action, Chance, Outcome
from referee.games.block_dominoes import rules, view
from referee.games.block_dominoes.line import ACTIONS, BIT
from referee.match import table
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Penalties, TimeControl
from referee.match.machine import Match
from referee.server import codec as codecs
from referee.server.codec import Codec, Outgoing, Seen, Wish
from referee.server.frames import frame
from referee.v1 import play_service_pb2 as pb
from tests.games.block_dominoes.positions import GAME
from tests.games.block_dominoes.worlds import Pair, pairs
from tests.match.harness import MS, SECOND, SECRET, setup

Plant: TypeAlias = Callable[[pytest.MonkeyPatch], None]

DELIVERIES = (pb.EVENT_DELIVERY_WITH_TURN, pb.EVENT_DELIVERY_AT_ONCE, pb.EVENT_DELIVERY_NONE)
HEADER = setup(
    time_control=TimeControl(base=SECOND, bank=0),
    penalties=Penalties(retries=1000, strikes=1000, strays=3),
)


class World:
    """A match of one of the two deals; keeps what the viewer is sent, input by input."""

    def __init__(self, pair: Pair, number: int, wish: Wish, patch: pytest.MonkeyPatch) -> None:
        self.viewer = pair.viewer
        self.wish = wish
        self.now = 0
        self.sent: list[Outgoing] = []
        self.inputs: list[list[Outgoing]] = []
        self._fuzz = random.Random(str(pair))
        wishes = [wish if seat == pair.viewer else Wish() for seat in range(4)]
        self.codec = Codec(HEADER, GAME, wishes)
        self.match = Match(HEADER, GAME, SECRET, 0, lambda record: self.codec.record(self.match, record))
        if pair.opener is not None:
            state: Any = self.match.state
            state.deal, state.winner = 1, pair.opener

        def draw(seed: bytes, chance: Chance) -> Outcome:
            del seed, chance
            return Outcome((), pair.orders[number])

        patch.setattr(table, "draw", draw)
        self.inputs.append([Outgoing(pair.viewer, self.codec.started(pair.viewer))])
        for seat in range(4):
            self.feed(self.match.ready, seat, b"")

    def feed(self, entry: Callable[..., None], *args: object) -> None:
        """Gives one input to the match, a millisecond after the last one."""
        self.now += MS
        entry(*args, self.now)
        self._settle()

    def resync(self) -> None:
        """Tells the match again to the viewer, as to a new stream of it."""
        self.now += MS
        self.codec.wish(self.viewer, self.wish)
        self.codec.resync(self.match, self.viewer, self.now)
        self._settle()

    def play(self, action: Action) -> None:
        """Goes through every way to be refused, then plays the action; the viewer's default by lateness."""
        question = self.match.open_turn
        assert question
        seat, turn = question.seat, question.turn
        self.stray()
        self.err(seat, turn, action)
        self.resync()
        if seat == self.viewer and action == self.match.state.default_action():
            self.now += 2 * SECOND
            self.feed(self.match.tick)
            self.feed(self.match.act, seat, turn, Chosen(action))
        else:
            self.feed(self.match.act, seat, turn, Chosen(action))

    def stray(self) -> None:
        """Sends acts of the viewer that answer no open turn of it, and a flood."""
        asked = self.match._turns[self.viewer].asked
        for turn in range(max(0, asked - 2), asked + 3):
            if turn != self.match.current_turn(self.viewer):
                attempt: Attempt = self._fuzz.choice((Index(turn), Texted("play 0-0"), Chosen(ACTIONS[turn])))
                self.feed(self.match.act, self.viewer, turn, attempt)
        self.feed(self.match.flooded, self.viewer)

    def err(self, seat: int, turn: int, action: Action) -> None:
        """Answers the open turn wrongly: the viewer in every form, others in what no deal allows."""
        wrong: list[Attempt] = [Index(-1), Index(99), Texted(""), Texted("play 7-7"), Unreadable("ff", "no")]
        if seat == self.viewer:
            listed = self.match.state.legal_actions()
            assert action in listed
            illegal = [one for one in ACTIONS if self.match.state.normalise(one) not in listed]
            chosen = self._fuzz.sample(illegal, 8)
            wrong += [Index(len(listed)), *map(Chosen, chosen[:5])]
            wrong += [Texted(GAME.text.action(one)) for one in chosen[5:]]
        for attempt in wrong:
            self.feed(self.match.act, seat, turn, attempt)

    def _settle(self) -> None:
        self.codec.settle(self.match, self.now)
        sent = self.codec.take()
        self.inputs.append([out for out in sent if out.seat == self.viewer])
        if question := self.match.open_turn:
            self.match.asked(question.seat, question.turn, self.now)


def told(pair: Pair, number: int, wish: Wish, patch: pytest.MonkeyPatch) -> list[list[Outgoing]]:
    """Returns what the viewer is sent in one of the two worlds, up to the last common position."""
    world = World(pair, number, wish, patch)
    for action in pair.actions:
        world.play(action)
    question = world.match.open_turn
    assert question
    world.stray()
    world.err(question.seat, question.turn, world.match.state.legal_actions()[0])
    world.resync()
    return world.inputs


def seated(seed: int, deals: int, most: int) -> list[Pair]:
    """Returns pairs of worlds that one seat cannot tell apart, not too many of one position."""
    found: dict[tuple[object, ...], list[Pair]] = {}
    for pair in pairs(seed, deals):
        if pair.viewer != TABLE:
            found.setdefault((pair.orders[0], pair.viewer), []).append(pair)
    return [pair for group in found.values() for pair in group[:: max(1, len(group) // most)][:most]]


def kinds(inputs: list[list[Outgoing]]) -> dict[str, int]:
    """Counts the frames by kind, refusals by fault too."""
    counts: dict[str, int] = {}
    for out in (out for group in inputs for out in group):
        (one,) = pb.PlayResponse.FromString(out.data).frames
        kind = one.WhichOneof("frame") or ""
        name = f"rejected {one.rejected.fault}" if kind == "rejected" else kind
        counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_l1_l5_l14_every_frame_for_a_seat_is_the_same_in_both_worlds(
    delivery: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start, turns, events, resync and refusals of every kind are equal byte for byte, input by input."""
    wish = Wish(delivery)
    total: dict[str, int] = {}
    found = seated(5, 120, 2)
    assert len(found) > 100
    for pair in found:
        one, other = (told(pair, number, wish, monkeypatch) for number in (0, 1))

        assert one == other
        for kind, count in kinds(one).items():
            total[kind] = total.get(kind, 0) + count
    faults = {f"rejected {fault}" for fault in (1, 2, 3, 4, 5, 6, 7, 8)}
    assert total.keys() >= {"match_started", "turn"} | faults, total
    assert bool(total.get("event")) == (delivery == pb.EVENT_DELIVERY_AT_ONCE)
    assert "deal_ended" not in total


# What the comparison has to catch


def leak_a_hand(patch: pytest.MonkeyPatch) -> None:
    """Shows the hand of the next seat, as a slip in a seat number might."""
    private = view.private
    patch.setattr(view, "private", lambda state, seat: private(state, (seat + 1) % 4))


def leak_in_a_reason(patch: pytest.MonkeyPatch) -> None:
    """Says who holds the tile that was named, as a too helpful refusal might."""

    def why(self: rules.State, action: Action) -> str:
        held = [seat for seat, hand in enumerate(self.hands) if hand & BIT[action >> 2]]
        return f"held by {held}"

    patch.setattr(rules.State, "why_illegal", why)


def leak_in_a_stray(patch: pytest.MonkeyPatch) -> None:
    """Tells a seat that is not to act how many choices the other one has."""
    rejected = Codec._rejected

    def told_too_much(self: Codec, match: Match, refusal: Any, now: int) -> bytes:
        if not match.current_turn(refusal.seat):
            refusal.retries = len(match.state.legal_actions())
        return rejected(self, match, refusal, now)

    patch.setattr(Codec, "_rejected", told_too_much)


def leak_in_a_count(patch: pytest.MonkeyPatch) -> None:
    """Tells of one event more where the holder of 0-0 has played."""
    happened = Codec._happened

    def once_more(self: Codec, match: Match) -> None:
        happened(self, match)
        held = [seat for seat, hand in enumerate(getattr(match.state, "hands", ())) if hand & 1]
        if held == [match.last_events[0].seat]:
            self._publish(match.plies, 0, Seen(codecs._EVENT_FORFEITED, {}))

    patch.setattr(Codec, "_happened", once_more)


def leak_on_return(patch: pytest.MonkeyPatch) -> None:
    """Tells a stream that comes back what another seat holds."""
    resync = Codec.resync

    def too_much(self: Codec, match: Match, seat: int, now: int) -> None:
        resync(self, match, seat, now)
        other = GAME.wire.private(view.private(match.state, (seat + 2) % 4))  # type: ignore[arg-type]
        self.out.append(Outgoing(seat, frame("deal_ended", other)))

    patch.setattr(Codec, "resync", too_much)


@pytest.mark.parametrize(
    ("plant", "delivery"),
    [
        (leak_a_hand, pb.EVENT_DELIVERY_NONE),
        (leak_in_a_reason, pb.EVENT_DELIVERY_NONE),
        (leak_in_a_stray, pb.EVENT_DELIVERY_NONE),
        (leak_in_a_count, pb.EVENT_DELIVERY_WITH_TURN),
        (leak_in_a_count, pb.EVENT_DELIVERY_AT_ONCE),
        (leak_on_return, pb.EVENT_DELIVERY_WITH_TURN),
    ],
)
def test_l1_l5_l14_a_planted_leak_makes_some_frame_differ(
    plant: Plant, delivery: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand, a hint, a number or a count that comes from another hand is seen by the comparison."""
    found = seated(6, 60, 2)
    plant(monkeypatch)

    assert any(
        told(pair, 0, Wish(delivery), monkeypatch) != told(pair, 1, Wish(delivery), monkeypatch)
        for pair in found
    )


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_l5_hands_are_shown_when_the_deal_is_over_and_not_before(delivery: int) -> None:
    """`DealEnded` comes to every seat after the last action of its deal and before the next turn."""
    choose = random.Random(3)
    header = setup(options={"target": 60})
    heard: list[list[pb.PlayResponseFrame]] = [[] for _ in range(4)]
    codec = Codec(header, GAME, [Wish(delivery)] * 4)
    match = Match(header, GAME, SECRET, 0, lambda record: codec.record(match, record))
    for seat in range(4):
        match.ready(seat, b"", 0)
    ended = 0
    while match.open_turn:
        question = match.open_turn
        codec.settle(match, 0)
        for out in codec.take():
            heard[out.seat] += pb.PlayResponse.FromString(out.data).frames
        for frames in heard:
            assert [one.deal_ended.deal for one in frames if one.HasField("deal_ended")] == list(
                range(1, match.state.deal)
            )
        ended = match.state.deal
        match.act(question.seat, question.turn, Index(choose.randrange(len(match.state.legal_actions()))), 0)
    assert ended > 1
