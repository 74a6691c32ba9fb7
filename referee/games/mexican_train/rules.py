"""The rules of Mexican Train as a mutable state; pure.

Rules
    Two to eight seats, the double-twelve set, an engine in the centre, a train for each seat and a
    public one. A first turn is a run of tiles on the own train; later turns play one tile, on any
    open train. Who cannot play draws one tile, plays it or passes, and a marker opens its train. A
    deal ends when a hand is empty, or when nobody can play or draw; each seat scores the pips left
    in its hand, and the lowest total wins. README.md tells the whole.

Parameters
    deals     the deals of a match, 1..1,000 (4; with descending 13, and no more)
    engine    what lies in the centre: highest_double, descending (highest_double)
    doubles   what a played double brings: extra_turn, must_satisfy (extra_turn)

Deviations
    Draws and passes are no actions: they are forced, so `apply` makes them and tells them as
    events. The dealt order is read seat by seat, then the boneyard from its front; piece k is the
    k-th tile of the set in canonical order. A drawn tile that fits is played by an action of its
    own. Who can start a train in the first turn has to, and is asked after each tile of the run.
"""

from collections.abc import Mapping
from typing import Any, Final

from referee.errors import IllegalActionError, OptionError, RulesError
from referee.games.base import CHANCE, TERMINAL, Action, Chance, DealResult, Event, Outcome
from referee.games.info import Options
from referee.games.mexican_train import refusal
from referee.games.mexican_train.info import INFO
from referee.games.mexican_train.opening import opening
from referee.games.mexican_train.position import Position
from referee.games.mexican_train.table import (
    ACTED,
    BIT,
    BLOCKED,
    DREW,
    FIT,
    HALVES,
    HEAVINESS,
    MARKER_OFF,
    MARKER_ON,
    NUMBERS,
    OPEN,
    OUT,
    PASSED,
    PIPS,
    PLACE,
    PLAYS_ON,
    STOP,
    TILES,
    hand_of,
    pips_of,
)

_CHANCE: Final = Chance(draws=(), size=len(TILES))


class State(Position):
    """The full truth of a match of Mexican Train."""

    __slots__ = ()

    def to_act(self) -> int:
        """Returns the seat to act, `CHANCE` or `TERMINAL`."""
        return self.seat

    def chance(self) -> Chance:
        """Returns what has to be drawn: the order of the 91 tiles."""
        return _CHANCE

    def start_deal(self, outcome: Outcome) -> list[Event]:
        """Gives out the tiles, finds the engine, and goes on to the first seat that can start."""
        if self.seat != CHANCE:
            raise RulesError("no deal is due")
        _CHANCE.check(outcome)
        self.deal += 1
        descending = self.engine == "descending"
        begun = opening(outcome.order, len(self.hands), self.deal, descending=descending)
        self.hands, self.boneyard = begun.hands, begun.boneyard
        self.clear(begun.owner, begun.engine)
        self.seat = (begun.owner + 1) % len(self.hands)
        self._ask_first(begun.events)
        return begun.events

    def legal_actions(self) -> tuple[Action, ...]:
        """Returns the legal actions of the seat to act in canonical order."""
        legal = self._legal
        if legal is None:
            legal = self._legal = self._listed() if self.seat >= 0 else ()
        return legal

    def _listed(self) -> tuple[Action, ...]:
        seat, double = self.seat, self.double
        hand = self.hands[seat]
        if self.due:
            run = PLAYS_ON[seat][hand & self.fits[seat]]
            return (*run, STOP) if self.trains[seat] else run
        return self._plays(seat, OPEN[seat][self.shared] if double is None else (double,))

    def _plays(self, seat: int, trains: tuple[int, ...]) -> tuple[Action, ...]:
        """Returns what the seat can play on these trains, in canonical order."""
        hand, fits = self.hands[seat], self.fits
        found: tuple[Action, ...] = ()
        mixed = False
        for train in trains:
            fitting = hand & fits[train]
            if fitting:
                more = PLAYS_ON[train][fitting]
                if found and found[-1] >> 4 > more[0] >> 4:
                    mixed = True
                found += more
        return tuple(sorted(found, key=PLACE[seat].__getitem__)) if mixed else found

    def normalise(self, action: Action) -> Action:
        """Returns the action as it is: it has one form only."""
        return action

    def as_played(self, action: Action) -> Action:
        """Returns the action as it is: there is nothing else to choose."""
        return action

    def why_illegal(self, action: Action) -> str:
        """Says why an action is not legal, from the table and the own hand alone."""
        return refusal.why_illegal(self, action)

    def apply(self, action: Action) -> list[Event]:
        """Plays a legal action; returns it and what it and the forced draws and passes brought."""
        if action not in (self._legal or self.legal_actions()):
            raise IllegalActionError(self.why_illegal(action))
        self._legal = None
        seat = self.seat
        events = [ACTED[seat][action]]
        if action == STOP:
            self._end_first(events)
            return events
        tile, train = action >> 4, action & 15
        inner, hands = self.ends[train], self.hands
        self.ends[train] = outer = PIPS[tile] - inner
        self.fits[train] = FIT[outer]
        self.trains[train].append(16 * inner + outer)
        hands[seat] ^= BIT[tile]
        self.passes = 0
        self.drawn = self.double = None
        if train == seat and self.marked >> seat & 1:
            self.marked ^= 1 << seat
            self.shared &= ~(1 << seat)
            events.append(MARKER_OFF[seat])
        if not hands[seat]:
            self._out(events)
        elif not self.due:
            self.further = inner == outer
            if inner != outer:
                self.seat = (seat + 1) % len(hands)
            elif self.doubles == "must_satisfy" and self._unplayed() & FIT[outer]:
                self.double = train
            self._ask(events)
        return events

    def _out(self, events: list[Event]) -> None:
        """Ends the deal, unless others have still to take their first turn: its seat has no tile left."""
        events.append(OUT[self.seat])
        if self.due:
            self._end_first(events)
        else:
            self._end_deal()

    def _unplayed(self) -> int:
        """Returns the set of tiles that are in a hand or in the boneyard."""
        tiles_left = hand_of(self.boneyard)
        for hand in self.hands:
            tiles_left |= hand
        return tiles_left

    def _end_first(self, events: list[Event]) -> None:
        """Goes on from a first turn to the next one, or to the first turn of the other kind."""
        self.due -= 1
        self.seat = (self.seat + 1) % len(self.hands)
        self._ask_first(events)

    def _ask_first(self, events: list[Event]) -> None:
        """Goes on to the next seat that can start its train; makes the passes before it."""
        while self.due:
            if self.hands[self.seat] & FIT[self.centre & 15]:
                return
            self.absent[self.seat] = NUMBERS[self.centre & 15]
            self._pass(events)
            self.due -= 1
            self.seat = (self.seat + 1) % len(self.hands)
        if all(self.hands):
            self._ask(events)
        else:
            self._end_deal()

    def _ask(self, events: list[Event]) -> None:
        """Goes on to the next seat that can play; makes the draws and passes before it."""
        hands = self.hands
        while True:
            seat = self.seat
            trains = OPEN[seat][self.shared] if self.double is None else (self.double,)
            legal = self._plays(seat, trains)
            if legal:
                self._legal = legal
                return
            if self._draw(events, trains):
                return
            self._pass(events)
            if self.passes >= len(hands) and not self.boneyard:
                events.append(BLOCKED)
                self.blocked = True
                self._end_deal()
                return
            self.seat = (seat + 1) % len(hands)
            self.further = False

    def _draw(self, events: list[Event], trains: tuple[int, ...]) -> bool:
        """Takes a tile from the boneyard if there is one; says whether it fits one of the trains."""
        seat, shown, ends = self.seat, 0, self.ends
        for train in trains:
            shown |= NUMBERS[ends[train]]
        if not self.boneyard:
            self.absent[seat] |= shown
            return False
        tile = self.boneyard[0]
        self.boneyard = self.boneyard[1:]
        self.hands[seat] |= BIT[tile]
        events.append(DREW[seat][tile])
        if HALVES[tile] & shown:
            self.drawn = tile
            self.absent[seat] |= shown
            return True
        self.absent[seat] = shown
        return False

    def _pass(self, events: list[Event]) -> None:
        """Passes for the seat to act; a marker that is new opens a train, so passes count anew."""
        seat = self.seat
        events.append(PASSED[seat])
        self.passes += 1
        if not self.marked >> seat & 1:
            self.marked |= 1 << seat
            if self.trains[seat]:
                self.shared |= 1 << seat
            self.passes = 1
            events.append(MARKER_ON[seat])

    def _end_deal(self) -> None:
        """Scores the deal, and ends the match after the last one."""
        scores = tuple([pips_of(hand) for hand in self.hands])
        self.total = tuple([total + score for total, score in zip(self.total, scores, strict=True)])
        self.result = DealResult(self.deal, scores, self.total)
        self.due = 0
        self.further = False
        self.double = None
        self.seat = TERMINAL if self.deal >= self.deals else CHANCE

    def default_action(self) -> Action:
        """Returns `STOP` in a run, else the play with most pips, then the higher number, first listed."""
        legal = self.legal_actions()
        return STOP if legal[-1] == STOP else max(legal, key=HEAVINESS.__getitem__)

    def deal_result(self) -> DealResult | None:
        """Returns the result of the last finished deal, or None before it."""
        return self.result

    def totals(self) -> tuple[int, ...]:
        """Returns the match total of each seat."""
        return self.total

    def adjudicated(self) -> bool:
        """Says that no cap ends a match: its number of deals is its goal."""
        return False


def new(seats: int, options: Options) -> State:
    """Returns a match before its first deal; raises `OptionError` for too few or too many seats."""
    if not INFO.min_seats <= seats <= INFO.max_seats:
        raise OptionError(f"{INFO.name} is for {INFO.min_seats} to {INFO.max_seats} seats, not {seats}")
    return State(seats, options)


def restore(snapshot: Mapping[str, Any]) -> State:
    """Returns a state that equals the one that was snapshot."""
    state = State(len(snapshot["hands"]), snapshot)
    state.load(snapshot)
    return state
