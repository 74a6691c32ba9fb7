"""The rules of block dominoes as a mutable state; pure.

Rules
    Four seats, the double-six set, seven tiles each, none left over. The opener lays a tile; then
    each seat in turn joins a tile to an end of the line that shows one of its numbers, and passes
    only if none fits. A deal ends when a hand is empty, or when four seats in a row passed; the
    empty hand, or the one with the fewest pips, scores the pips of the others. Deals follow until
    a seat reaches the target. README.md tells the whole.

Parameters
    target        the total that ends the match, 1..10,000 (100)
    max_deals     the number of deals that ends it at the latest, 1..1,000 (1,000)
    tie_opener    who opens after a drawn deal: same, next_seat, highest_double (same)
    block_score   what a blocked deal is worth: others, others_minus_own (others)

Deviations
    Passes are no actions: they are forced, so `apply` makes them and tells them as events.
    The dealt order is read seat by seat: pieces 0..6 of it are the hand of seat 0, 7..13 that of
    seat 1, and so on; piece k is the k-th tile of the set in canonical order.
    Where both ends show the same number there is one action for a tile that fits, at the left.
"""

from collections.abc import Mapping
from typing import Any, Final

from referee.errors import IllegalActionError, OptionError, RulesError
from referee.games import tiles
from referee.games.base import CHANCE, TABLE, TERMINAL, Action, Chance, DealResult, Event, Outcome
from referee.games.block_dominoes.info import INFO
from referee.games.block_dominoes.line import (
    AFTER,
    BIT,
    FIT,
    HEAVINESS,
    HIGHEST_DOUBLE,
    LAY,
    OPEN,
    OPEN_HIGHEST,
    PASSED,
    PLAYED,
    PLAYS,
    SEATS,
    SHOWN,
    TILES,
    hand_of,
    tiles_of,
)
from referee.games.block_dominoes.scoring import settle
from referee.games.info import Options
from referee.games.line import EQUAL_ENDS, LEFT, NO_END, RIGHT, name_the_end

HAND: Final = 7
_CHANCE: Final = Chance(draws=(), size=len(TILES))


class State:
    """The full truth of a match of block dominoes.

    `laid_by` are the seats that laid the tiles of the line; `absent` has a set of numbers for each seat,
    those at which it passed in this deal: it holds none of them.
    """

    __slots__ = (
        "_legal",
        "absent",
        "block_score",
        "blocked",
        "deal",
        "ends",
        "hands",
        "laid_by",
        "line",
        "max_deals",
        "opener",
        "passes",
        "result",
        "seat",
        "target",
        "tie_opener",
        "total",
        "winner",
    )

    def __init__(self, options: Options) -> None:
        """Makes a match before its first deal; `options` are resolved ones."""
        self.target = int(options["target"])
        self.max_deals = int(options["max_deals"])
        self.tie_opener = str(options["tie_opener"])
        self.block_score = str(options["block_score"])
        self.deal = 0
        self.seat = CHANCE
        self.opener = TABLE
        self.ends = OPEN
        self.passes = 0
        self.line: list[int] = []
        self.laid_by: list[int] = []
        self.hands = [0] * SEATS
        self.absent = [0] * SEATS
        self.total: tuple[int, ...] = (0,) * SEATS
        self.result: DealResult | None = None
        self.winner: int | None = None
        self.blocked = False
        self._legal: tuple[Action, ...] | None = None

    def to_act(self) -> int:
        """Returns the seat to act, `CHANCE` or `TERMINAL`."""
        return self.seat

    def chance(self) -> Chance:
        """Returns what has to be drawn: the order of the 28 tiles."""
        return _CHANCE

    def start_deal(self, outcome: Outcome) -> list[Event]:
        """Gives out the tiles and tells who opens."""
        if self.seat != CHANCE:
            raise RulesError("no deal is due")
        _CHANCE.check(outcome)
        drawn = self.deal > 0 and self.winner is None
        self.deal += 1
        for seat in range(SEATS):
            self.hands[seat] = sum(1 << piece for piece in outcome.order[HAND * seat : HAND * (seat + 1)])
        self.line, self.laid_by = [], []
        self.absent = [0] * SEATS
        self.passes = 0
        self.blocked = False
        self._legal = None
        self._open(drawn=drawn)
        return [Event("opener", TABLE, self.opener)]

    def _open(self, *, drawn: bool) -> None:
        """Chooses who opens the deal, and whether with any tile."""
        self.ends = OPEN
        if self.deal == 1 or (drawn and self.tie_opener == "highest_double"):
            held = BIT[HIGHEST_DOUBLE]
            self.opener = next(seat for seat in range(SEATS) if self.hands[seat] & held)
            self.ends = OPEN_HIGHEST
        elif self.winner is not None:
            self.opener = self.winner
        elif self.tie_opener == "next_seat":
            self.opener = (self.opener + 1) % SEATS
        self.seat = self.opener

    def legal_actions(self) -> tuple[Action, ...]:
        """Returns the legal actions of the seat to act in canonical order."""
        legal = self._legal
        if legal is None:
            if self.seat >= 0:
                ends = self.ends
                legal = PLAYS[ends][self.hands[self.seat] & FIT[ends]]
            else:
                legal = ()
            self._legal = legal
        return legal

    def normalise(self, action: Action) -> Action:
        """Returns the action as the legal list has it: at the left where both ends are equal."""
        if action & 3 == RIGHT and self.ends in EQUAL_ENDS:
            return action - RIGHT + LEFT
        return action

    def as_played(self, action: Action) -> Action:
        """Returns the normal form of an action: there is nothing else to choose."""
        return self.normalise(action)

    def why_illegal(self, action: Action) -> str:
        """Says why a normalised action is not legal, from the ends and the own hand alone."""
        if self.seat < 0:
            return "the match is over" if self.seat == TERMINAL else "no deal is being played"
        tile, end = action >> 2, action & 3
        name = tiles.text(tile)
        if self.ends == OPEN_HIGHEST and tile != HIGHEST_DOUBLE:
            return f"deal {self.deal} has to be opened with {tiles.text(HIGHEST_DOUBLE)}"
        if not self.hands[self.seat] & BIT[tile]:
            return f"you do not hold {name}"
        if self.ends >= OPEN:
            return f"the line is empty: open with play {name}, without an end"
        left, right = divmod(self.ends, 7)
        if not FIT[self.ends] & BIT[tile]:
            return f"{name} fits neither end ({left} and {right})"
        if end == NO_END:
            return name_the_end(tile, left, right)
        return f"{name} does not fit the " + (f"left end ({left})" if end == LEFT else f"right end ({right})")

    def apply(self, action: Action) -> list[Event]:
        """Plays a legal action in its normal form; returns the play and the passes it forced."""
        if action not in (self._legal or self.legal_actions()):
            raise IllegalActionError(self.why_illegal(action))
        seat = self.seat
        self.ends, lies = LAY[self.ends][action]
        if action & 3 == LEFT:
            self.line.insert(0, lies)
            self.laid_by.insert(0, seat)
        else:
            self.line.append(lies)
            self.laid_by.append(seat)
        hands = self.hands
        hands[seat] ^= BIT[action >> 2]
        self._legal = None
        events = [PLAYED[seat][action]]
        if hands[seat]:
            self._pass_on(seat, events)
        else:
            self.passes = 0
            self._end_deal(seat)
        return events

    def _pass_on(self, seat: int, events: list[Event]) -> None:
        """Gives the turn to the next seat that can play; ends the deal if none can."""
        fit, hands = FIT[self.ends], self.hands
        for passes, after in AFTER[seat]:
            if hands[after] & fit:
                self.passes = passes
                self.seat = after
                return
            events.append(PASSED[after])
            self.absent[after] |= SHOWN[self.ends]
        self.passes = SEATS
        self._end_deal(None)

    def _end_deal(self, out: int | None) -> None:
        """Scores the deal, and ends the match if it is time."""
        pips = [sum(map(tiles.pips, tiles_of(hand))) for hand in self.hands]
        self.blocked = out is None
        self.winner, scores = settle(pips, out, self.block_score)
        self.total = tuple([total + score for total, score in zip(self.total, scores, strict=True)])
        self.result = DealResult(self.deal, scores, self.total)
        over = max(self.total) >= self.target or self.deal >= self.max_deals
        self.seat = TERMINAL if over else CHANCE

    def default_action(self) -> Action:
        """Returns the legal action with the most pips, then the higher number, then the left end."""
        return max(self.legal_actions(), key=HEAVINESS.__getitem__)

    def deal_result(self) -> DealResult | None:
        """Returns the result of the last finished deal, or None before it."""
        return self.result

    def totals(self) -> tuple[int, ...]:
        """Returns the match total of each seat."""
        return self.total

    def adjudicated(self) -> bool:
        """Says whether the number of deals, and not the target, ended the match."""
        return self.seat == TERMINAL and max(self.total) < self.target

    def copy(self) -> "State":
        """Returns an independent state that equals this one."""
        twin = State.__new__(State)
        for name in State.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.line = self.line[:]
        twin.laid_by = self.laid_by[:]
        twin.absent = self.absent[:]
        twin.hands = self.hands[:]
        return twin

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state in values that JSON can hold, keys in a fixed order."""
        return {
            **{option.name: getattr(self, option.name) for option in INFO.options},
            "deal": self.deal,
            "seat": self.seat,
            "opener": self.opener,
            "ends": self.ends,
            "passes": self.passes,
            **{name: list(getattr(self, name)) for name in ("line", "laid_by", "absent")},
            "hands": [list(tiles_of(hand)) for hand in self.hands],
            "totals": list(self.total),
            "scores": None if self.result is None else list(self.result.scores),
            "scored_deal": 0 if self.result is None else self.result.deal,
            "winner": self.winner,
            "blocked": self.blocked,
        }


def new(seats: int, options: Options) -> State:
    """Returns a match before its first deal; raises `OptionError` unless there are four seats."""
    if seats != SEATS:
        raise OptionError(f"{INFO.name} is for {SEATS} seats, not {seats}")
    return State(options)


def restore(snapshot: Mapping[str, Any]) -> State:
    """Returns a state that equals the one that was snapshot."""
    state = State(snapshot)
    for name in ("deal", "seat", "opener", "ends", "passes", "winner", "blocked"):
        setattr(state, name, snapshot[name])
    for name in ("line", "laid_by", "absent"):
        setattr(state, name, list(snapshot[name]))
    state.hands = [hand_of(held) for held in snapshot["hands"]]
    state.total = tuple(snapshot["totals"])
    if snapshot["scores"] is not None:
        state.result = DealResult(snapshot["scored_deal"], tuple(snapshot["scores"]), state.total)
    return state
