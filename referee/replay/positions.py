"""Turns a log into what a viewer steps through: what happened, thing by thing, and the table after each.

`frames` tells the whole truth; `seen` is what is left of a frame for one viewer. What a viewer may know
of the game is decided by `game.view` alone. The rest follows what is told in a running match: others
hear of actions and forfeits; refusals, strikes, banks and think times are their own seat's business.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from referee.errors import RecordError
from referee.games import find
from referee.games.base import TABLE, Action, Event, Game, State
from referee.match import events as ev
from referee.match.config import Setup
from referee.replay.reader import Log
from referee.replay.record import kind_of
from referee.replay.steps import play, unplayable

SPECTATOR: Final = TABLE
"""The viewer who sees what everybody sees."""
FULL: Final = -2
"""The viewer who sees everything."""
UNKNOWN: Final = -1
"""What stands in a viewer's frame for the bank, strikes, think time or lag credit of another seat."""

_BETWEEN: Final = frozenset({"stall"})
"""What nobody at the table is told of."""
_OWN: Final = frozenset({"rejected", "strike", "dropped", "rejoined", "gone"})
"""What is told to its own seat only."""


class Frame(NamedTuple):
    """One thing that happened, and the table after it.

    Attributes:
        n: number of the log record; 0 for the start.
        ply: actions played up to and with it.
        deal: the deal that is played, or was last; 0 before the first.
        t: microseconds since the start of the match.
        kind: `start`, then `deal`, `action`, `default`, `rejected`, `strike`, `forfeit`, `stall`,
            `resumed`, `dropped`, `rejoined`, `gone`, `deal_result`; last `end`.
        seat: whom it is about; `TABLE` for nobody.
        action: what was played; None for everything else, and where the viewer may not know it.
        events: what the game says happened, the action itself first.
        think: of an answer the time charged for it, in microseconds; 0 elsewhere.
        credit: of an answer the lag that had to be credited, in microseconds.
        banks: the reserve of each seat in microseconds.
        strikes: the strikes of each seat.
        totals: the match total of each seat.
        fault: the fault of a refusal or strike; of a default action its cause, which may be `forfeited`.
        note: of a refusal why, of the end its termination and note, of a stall or outage its duration.
        public: an `Observation` with the public part.
        hands: an `Observation` with the private part by seat, empty bytes for a hidden one; () before
            the first deal.
        scores: what a deal that ended added to the totals; () elsewhere.
        deal_end: a `DealEnd`, from the end of a deal up to the next one; empty elsewhere, and in the
            matches of a block, whose seats are told no hands.
    """

    n: int
    ply: int
    deal: int
    t: int
    kind: str
    seat: int
    action: Action | None
    events: tuple[Event, ...]
    think: int
    credit: int
    banks: tuple[int, ...]
    strikes: tuple[int, ...]
    totals: tuple[int, ...]
    fault: str
    note: str
    public: bytes
    hands: tuple[bytes, ...]
    scores: tuple[int, ...] = ()
    deal_end: bytes = b""


def frames(log: Log) -> Iterator[Frame]:
    """Yields the frames of a log up to its first bad line; raises `RecordError` where it was forged."""
    game = find(log.setup.game)
    try:
        stepper = _Stepper(log.setup, game)
    except Exception as error:  # noqa: BLE001  whatever a forged header breaks, it is the log that is bad
        raise unplayable(error, 1) from None
    yield stepper.frame(0, 0, "start")
    for record in log.records:
        try:
            frame = stepper.step(record)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  the same for a forged record
            raise unplayable(error, record.n + 1) from None
        if frame:
            yield frame


def seen(frame: Frame, viewer: int, game: Game) -> Frame | None:
    """Returns what a viewer (a seat, `SPECTATOR` or `FULL`) may know of a frame; None for one untold.

    A default action looks to the others like any other action, unless its seat has forfeited.
    """
    if viewer == FULL:
        return frame
    own = viewer == frame.seat
    if frame.kind in _BETWEEN or (frame.kind in _OWN and not own):
        return None
    masked = frame.kind == "default" and frame.fault != "forfeited" and not own
    events = tuple([game.view.redact(event, viewer) for event in frame.events])
    told = bool(events) and events[0] == frame.events[0]
    return frame._replace(
        kind="action" if masked else frame.kind,
        fault="" if masked else frame.fault,
        note="" if frame.kind == "resumed" else frame.note,
        action=frame.action if told else None,
        events=events,
        think=frame.think if own or not frame.events else UNKNOWN,
        credit=frame.credit if own or not frame.events else UNKNOWN,
        banks=_only(frame.banks, viewer),
        strikes=_only(frame.strikes, viewer),
        hands=frame.hands if frame.deal_end else _hand(frame.hands, viewer),
    )


def names(setup: Setup, viewer: int) -> tuple[str, ...]:
    """Returns what the seats are called for a viewer: by number where the match was anonymous."""
    if setup.anonymous and viewer != FULL:
        return tuple(f"seat {seat}" for seat in range(len(setup.seats)))
    return tuple(seat.name for seat in setup.seats)


class _Stepper:
    """A match between two records."""

    def __init__(self, setup: Setup, game: Game) -> None:
        seats = len(setup.seats)
        self._game = game
        self._state: State = game.new(seats, game.info.resolve(setup.options))
        self._increment = setup.time_control.increment
        self._tells_hands = not setup.block
        self._banks = [setup.time_control.bank] * seats
        self._strikes = [0] * seats
        self._ply = 0
        self._hands: tuple[bytes, ...] = ()
        self._deal_end = b""
        self._private: dict[Any, bytes] = {}
        """The bytes of private parts: most hands stay as they are from frame to frame."""
        self._look()

    def step(self, record: ev.Record) -> Frame | None:
        """Takes the next record; None for one that nobody steps to."""
        match record:
            case ev.Turn(seat=seat, bank=bank):
                self._banks[self._seat(seat)] = bank
                return None
            case ev.Ready():
                return None
            case ev.Act() | ev.Default():
                return self._played(record)
            case ev.Deal():
                return self._dealt(record)
            case ev.DealResult(scores=scores):
                if self._tells_hands:
                    self._deal_end = self._game.wire.deal_end(self._game.view.deal_end(self._state))
                return self._told(record, scores=scores)
            case ev.Strike(seat=seat, fault=fault, strikes=strikes):
                self._strikes[self._seat(seat)] = strikes
                return self._told(record, seat=seat, fault=fault)
            case ev.Rejected(seat=seat, fault=fault, reason=reason):
                return self._told(record, seat=self._seat(seat), fault=fault, note=reason)
            case ev.Stall(duration=duration) | ev.Resumed(duration=duration):
                return self._told(record, note=str(duration))
            case ev.End(termination=termination, note=note):
                return self._told(record, note=f"{termination}: {note}" if note else termination)
        return self._told(record, seat=self._seat(record.seat))

    def frame(self, n: int, t: int, kind: str, seat: int = TABLE) -> Frame:
        """Returns a frame of the table as it is."""
        return Frame(
            n,
            self._ply,
            self._state.deal,
            t,
            kind,
            seat,
            action=None,
            events=(),
            think=0,
            credit=0,
            banks=tuple(self._banks),
            strikes=tuple(self._strikes),
            totals=self._state.totals(),
            fault="",
            note="",
            public=self._public,
            hands=self._hands,
            deal_end=self._deal_end,
        )

    def _told(self, record: ev.Record, seat: int = TABLE, **facts: Any) -> Frame:
        return self.frame(record.n, record.t, kind_of(record), seat)._replace(**facts)

    def _dealt(self, record: ev.Deal) -> Frame:
        if self._state.deal:
            self._banks = [bank + self._increment for bank in self._banks]
        events = tuple(play(self._game, self._state, record))
        self._look()
        return self._told(record, events=events)

    def _played(self, record: ev.Act | ev.Default) -> Frame:
        events = tuple(play(self._game, self._state, record))
        self._ply = record.ply
        self._banks[record.seat] = record.bank
        self._look()
        frame = self.frame(record.n, record.t, "action", record.seat)._replace(
            action=self._game.text.parse_action(record.action),
            events=events,
            think=record.think,
            credit=record.credit,
        )
        return frame._replace(kind="default", fault=record.cause) if isinstance(record, ev.Default) else frame

    def _look(self) -> None:
        """Takes down the table after it changed."""
        view, wire, state = self._game.view, self._game.wire, self._state
        self._deal_end = b""
        self._public = wire.public(view.public(state))
        if state.deal:
            self._hands = tuple([self._hand(view.private(state, seat)) for seat in range(len(self._banks))])

    def _hand(self, private: Any) -> bytes:
        data = self._private.get(private)
        if data is None:
            data = self._private[private] = self._game.wire.private(private)
        return data

    def _seat(self, seat: int) -> int:
        if not 0 <= seat < len(self._banks):
            raise ValueError(f"there is no seat {seat}")
        return seat


def _only(numbers: tuple[int, ...], viewer: int) -> tuple[int, ...]:
    return tuple([number if seat == viewer else UNKNOWN for seat, number in enumerate(numbers)])


def _hand(hands: tuple[bytes, ...], viewer: int) -> tuple[bytes, ...]:
    return tuple([hand if seat == viewer else b"" for seat, hand in enumerate(hands)])
