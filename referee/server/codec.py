"""Turns the records of one match into frames for its seats.

Everything is built while the machine hands over a record, when the state is as the record says; the
frames wait in `out` until the log is flushed. Only `game.view` shows anything of the state, and a
refusal goes to its own seat alone.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from referee.games.base import TABLE, Action, Event, Game
from referee.games.encode import length_tag, prefixed, varint
from referee.match import events as ev
from referee.match.config import Setup
from referee.match.machine import Match
from referee.server import announce, frames
from referee.server.frames import frame
from referee.v1 import event_pb2, fault_pb2
from referee.v1 import play_service_pb2 as pb

_TURN_OBSERVATION: Final = length_tag(pb.Turn, "observation")
_TURN_EVENTS: Final = length_tag(pb.Turn, "events")
_TURN_LEGAL: Final = length_tag(pb.Turn, "legal_actions")
_EVENT_GAME: Final = length_tag(event_pb2.Event, "game")
_EVENT_FORFEITED: Final = length_tag(event_pb2.Event, "forfeited") + b"\0"
_MATCH_ID: Final = length_tag(pb.Turn, "match_id")

_MOST_KEPT: Final = 20_000
"""Of so many actions, and events, of a game the bytes are kept; then they are built anew.

That is all that a game of tiles has. A game of cards has millions, of which the usual ones come back.
"""

_legal_fields: dict[str, dict[Action, bytes]] = {}
"""`Turn.legal_actions` by game and action."""


class Seen(NamedTuple):
    """The arm of an `Event`: as everybody may know it, and by seat where a seat knows more."""

    shared: bytes
    own: Mapping[int, bytes]


_seen: dict[tuple[str, int], dict[Event, Seen]] = {}
"""What is told of events, by game and number of seats."""


class Wish(NamedTuple):
    """What a seat asked for in `Hello`; `delivery` is a value of `EventDelivery`."""

    delivery: int = pb.EVENT_DELIVERY_WITH_TURN
    legal_actions: bool = True


class Outgoing(NamedTuple):
    """Frames for a seat, most often one; `turn` is the id of the turn that they ask, or 0."""

    seat: int
    data: bytes
    turn: int = 0


class _Refusal(msgspec.Struct):
    """A `Rejected` that waits for the end of the input: strikes and a default action may follow."""

    seat: int
    at: int
    turn: int
    fault: str
    reason: str
    retries: int = 0
    played: str = ""


class Codec:
    """The frames of one match; `table` is the public part of the observation of now if it is known."""

    def __init__(self, setup: Setup, game: Game, wishes: Iterable[Wish]) -> None:
        seats = len(setup.seats)
        self.out: list[Outgoing] = []
        self.table = b""
        self._setup = setup
        self._game = game
        self._wishes = [Wish()] * seats
        self._match_id = prefixed(_MATCH_ID, setup.match_id.encode())
        self._legal = _legal_fields.setdefault(game.info.name, {})
        self._seen = _seen.setdefault((game.info.name, seats), {})
        self._at_once: list[int] = []
        """The seats that hear events as they happen."""
        self._told: list[bytes] = []
        """All events so far as everybody may know them, each as the field `Turn.events`."""
        self._own: list[dict[int, bytes]] = [{} for _ in range(seats)]
        """By seat, and by number, the events that it knows more of."""
        self._read = [0] * seats
        """By seat how many of them it was told with its turns."""
        self._refusals: list[_Refusal] = []
        for seat, wish in enumerate(wishes):
            self.wish(seat, wish)

    # While the machine hands over a record

    def record(self, match: Match, record: ev.Record) -> None:
        """Builds what the seats have to hear of a record."""
        kind = type(record)
        if kind is ev.Act:
            self._happened(match)
        elif kind is ev.Turn:
            self._ask(match, record.seat, record.turn, record.budget, record.bank)  # type: ignore[union-attr]
        else:
            self._rare(match, record)

    def _rare(self, match: Match, record: ev.Record) -> None:
        if isinstance(record, ev.Deal):
            self._happened(match)
        elif isinstance(record, ev.Default):
            self._defaulted(record)
            self._happened(match)
        elif isinstance(record, ev.Rejected):
            self._refuse(record.seat, record.turn, record.fault, record.reason, max(0, record.retries))
        elif isinstance(record, ev.Forfeit):
            self._publish(match.plies, record.seat, Seen(_EVENT_FORFEITED, {}))
        elif isinstance(record, ev.DealResult):
            self._deal_ended(match, record)
        elif isinstance(record, ev.End):
            self._ended(record)

    @property
    def event_count(self) -> int:
        """Counts the events so far."""
        return len(self._told)

    def settle(self, match: Match, now: int) -> None:
        """Completes the refusals at the end of an input."""
        for refusal in self._refusals:
            data = self._rejected(match, refusal, now)
            self.out[refusal.at] = Outgoing(refusal.seat, data)
        self._refusals.clear()

    def take(self) -> list[Outgoing]:
        """Returns what has to be sent, in order; the log has to be flushed before."""
        out, self.out = self.out, []
        return out

    def clear(self) -> None:
        """Forgets what waited: it must not be told any more."""
        self.out.clear()
        self._refusals.clear()

    def voided(self, end: ev.End, note: str) -> None:
        """Tells that a match whose end could not be kept is void."""
        self._ended(msgspec.structs.replace(end, termination="void", note=note))

    # For a seat whose stream is new

    def wish(self, seat: int, wish: Wish) -> None:
        """Takes what the new stream of a seat asked for."""
        self._wishes[seat] = wish
        self._at_once = [
            at for at, wish in enumerate(self._wishes) if wish.delivery == pb.EVENT_DELIVERY_AT_ONCE
        ]

    def started(self, seat: int, *, resumed: bool = False) -> bytes:
        """Returns the `MatchStarted` of a seat."""
        return announce.match_started(self._setup, seat, resumed=resumed)

    def resync(self, match: Match, seat: int, now: int) -> None:
        """Tells a running match again: all events if wanted, and the open turn if it is the seat's."""
        told = [self.started(seat, resumed=True)]
        self._read[seat] = 0
        if self._wishes[seat].delivery == pb.EVENT_DELIVERY_AT_ONCE:
            told += map(self._event_frame, self._events_since(seat, 0))
        self.out.append(Outgoing(seat, b"".join(told)))
        turn = match.current_turn(seat)
        if turn:
            self._ask(match, seat, turn, *match.remaining(now))

    # Single frames

    def _ask(self, match: Match, seat: int, turn: int, remaining: int, bank: int) -> None:
        state, view, wire = match.state, self._game.view, self._game.wire
        wish = self._wishes[seat]
        public = self.table or wire.public(view.public(state))
        parts = [
            self._match_id,
            b"\x10",
            varint(turn),
            frames.clock_field(remaining, bank),
            frames.merged_field(_TURN_OBSERVATION, public, wire.private(view.private(state, seat))),
        ]
        if wish.delivery == pb.EVENT_DELIVERY_WITH_TURN:
            parts += self._events_since(seat, self._read[seat])
            self._read[seat] = len(self._told)
        if wish.legal_actions:
            fields = self._legal
            parts += [fields.get(action) or self._legal_field(action) for action in state.legal_actions()]
        self.out.append(Outgoing(seat, frame("turn", b"".join(parts)), turn))

    def _legal_field(self, action: Action) -> bytes:
        if len(self._legal) >= _MOST_KEPT:
            self._legal.clear()
        body = self._game.wire.action(action)
        field = self._legal[action] = prefixed(_TURN_LEGAL, body)
        return field

    def _happened(self, match: Match) -> None:
        for event in match.last_events:
            self._publish(match.plies, event.seat, self._seen.get(event) or self._see(event))

    def _see(self, event: Event) -> Seen:
        """Returns what is told of an event, and keeps it: a game has few different events."""
        redact, wire = self._game.view.redact, self._game.wire
        shared = redact(event, TABLE)
        views = {seat: redact(event, seat) for seat in range(len(self._wishes))}
        seen = Seen(
            prefixed(_EVENT_GAME, wire.event(shared)),
            {seat: prefixed(_EVENT_GAME, wire.event(view)) for seat, view in views.items() if view != shared},
        )
        if len(self._seen) >= _MOST_KEPT:
            self._seen.clear()
        self._seen[event] = seen
        return seen

    def _publish(self, ply: int, about: int, seen: Seen) -> None:
        """Tells the next event: `ply` actions were played up to now, and it is about a seat or -1."""
        number = len(self._told) + 1
        head = b"\x10" + varint(number)
        if ply:
            head += b"\x18" + varint(ply)
        if about:
            head += b"\x20" + varint(about)
        self._told.append(prefixed(_TURN_EVENTS, head + seen.shared))
        for seat, detail in seen.own.items():
            self._own[seat][number] = prefixed(_TURN_EVENTS, head + detail)
        for seat in self._at_once:
            self.out.append(Outgoing(seat, self._event_frame(self._events_since(seat, number - 1)[0])))

    def _events_since(self, seat: int, number: int) -> list[bytes]:
        """Returns the events after this number as the seat may know them."""
        told = self._told[number:]
        own = self._own[seat]
        return [own.get(at, field) for at, field in enumerate(told, number + 1)] if own else told

    def _event_frame(self, told: bytes) -> bytes:
        """Returns an event that was built for a turn as a frame of its own, with the match id."""
        start = 1
        while told[start] & 0x80:
            start += 1
        return frame("event", self._match_id + told[start + 1 :])

    def _refuse(self, seat: int, turn: int, fault: str, reason: str, retries: int = 0) -> _Refusal:
        refusal = _Refusal(seat, len(self.out), turn, fault, reason, retries)
        self._refusals.append(refusal)
        self.out.append(Outgoing(seat, b""))
        return refusal

    def _defaulted(self, record: ev.Default) -> None:
        if record.cause == "forfeited":
            return
        known = next((known for known in self._refusals if known.seat == record.seat), None)
        if known is None:
            known = self._refuse(record.seat, record.turn, record.cause, "no answer before the deadline")
        known.played = record.action

    def _rejected(self, match: Match, refusal: _Refusal, now: int) -> bytes:
        message = pb.Rejected(
            match_id=self._setup.match_id,
            answered_turn_id=refusal.turn,
            fault=fault_pb2.FaultKind.Value(f"FAULT_KIND_{refusal.fault.upper()}"),
            reason=refusal.reason,
            retries_left=refusal.retries,
            strike_count=match.conduct.strikes[refusal.seat],
        )
        turn = match.current_turn(refusal.seat)
        if refusal.played:
            played = self._game.text.parse_action(refusal.played)
            message.played_action.ParseFromString(self._game.wire.action(played))
        elif turn:
            message.turn_id = turn
            message.remaining_duration.CopyFrom(frames.duration(match.remaining(now)[0]))
        return frame("rejected", message.SerializeToString())

    def _deal_ended(self, match: Match, record: ev.DealResult) -> None:
        message = pb.DealEnded(
            match_id=self._setup.match_id, deal=record.deal, scores=record.scores, totals=record.totals
        )
        if not self._setup.block:
            message.detail.ParseFromString(self._game.wire.deal_end(self._game.view.deal_end(match.state)))
        self._to_all(frame("deal_ended", message.SerializeToString()))

    def _ended(self, end: ev.End) -> None:
        for seat, data in enumerate(announce.match_ended(self._setup, end)):
            self.out.append(Outgoing(seat, data))

    def _to_all(self, data: bytes) -> None:
        self.out.extend(Outgoing(seat, data) for seat in range(len(self._wishes)))
