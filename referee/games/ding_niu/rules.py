"""The rules of Ding Niu as a mutable state; pure.

Rules
    Four seats, 24 tiles with the numbers 1 to 6, most of them twice, six tiles each. The leader lays
    a tile; then each seat in turn joins a tile to an end of the line that shows one of its numbers,
    and puts one face down only if none fits. When all tiles are gone, the fewest pips face down win.
    A play that nobody else can follow is a settlement: the deal ends at once, tiles in hand count as
    well, and its player wins more, or pays for all. README.md tells the whole.

Parameters
    deals            the number of deals of a match, 1..1,000 (4)
    lead             who leads after the first deal: rotate, winner (rotate)
    lead_limit       which doubles may not be led: strict, definition, off (strict)
    settlement       what a play does that nobody can follow: auto, declared, off (auto)
    settlement_pay   what the others lose to a settler: plus_two, doubled (plus_two)
    revoke           a discard while a tile fits: reject, extra_discard (reject)

Deviations
    The tile that a revoke costs besides has no action and no event: `apply` puts it down.
    The dealt order is read seat by seat: pieces 0..5 of it are the hand of seat 0, 6..11 that of
    seat 1, and so on; piece k is the k-th tile of the set in canonical order, equal tiles in a row.
    Equal tiles are never told apart, not even in a snapshot.
    Where both ends show the same number there is one action for a tile that fits, at the left.
"""

from collections.abc import Mapping
from typing import Any, Final

from referee.errors import IllegalActionError, OptionError, RulesError
from referee.games.base import CHANCE, TABLE, TERMINAL, Action, Chance, DealResult, Event, Outcome
from referee.games.ding_niu.dealing import chance, hands
from referee.games.ding_niu.hand import AFTER, BIT, COPY, SEATS, hand_of, heaviest, tiles_of, without
from referee.games.ding_niu.info import INFO
from referee.games.ding_niu.line import ANSWERS, DEFAULT, DISCARD, FIT, LAY, OPEN, SETTLE, legal, listed
from referee.games.ding_niu.reasons import why_illegal
from referee.games.ding_niu.scoring import pips, score
from referee.games.ding_niu.told import ACTED, ASKED, PUT_DOWN, REVOKED, SETTLED, STEPS, Step
from referee.games.info import Options
from referee.games.line import LEFT

_OPTIONS: Final = tuple(sorted(option.name for option in INFO.options))
_FACTS: Final = ("deal", "seat", "dealer", "leader", "ends", "asked", "settler", "winner")


class State:
    """The full truth of a match of Ding Niu."""

    __slots__ = (
        "_legal",
        "asked",
        "deal",
        "dealer",
        "deals",
        "discards",
        "ends",
        "hands",
        "lead",
        "lead_limit",
        "leader",
        "line",
        "result",
        "revoke",
        "seat",
        "settlement",
        "settlement_pay",
        "settler",
        "steps",
        "total",
        "winner",
    )

    def __init__(self, options: Options) -> None:
        """Makes a match before its first deal; `options` are resolved ones."""
        self.deals = int(options["deals"])
        self.lead = str(options["lead"])
        self.lead_limit = str(options["lead_limit"])
        self.settlement = str(options["settlement"])
        self.settlement_pay = str(options["settlement_pay"])
        self.revoke = str(options["revoke"])
        self.deal = 0
        self.seat = CHANCE
        self.dealer = TABLE
        self.leader = TABLE
        self.ends = OPEN
        self.asked = False
        self.line: list[int] = []
        self.hands = [0] * SEATS
        self.discards: list[list[int]] = [[], [], [], []]
        self.steps: list[Step] = []
        self.total: tuple[int, ...] = (0,) * SEATS
        self.result: DealResult | None = None
        self.settler: int | None = None
        self.winner: int | None = None
        self._legal: tuple[Action, ...] | None = None

    def to_act(self) -> int:
        """Returns the seat to act, `CHANCE` or `TERMINAL`."""
        return self.seat

    def chance(self) -> Chance:
        """Returns what has to be drawn: the dealer of the first deal, and the order of the 24 pieces."""
        return chance(first=self.deal == 0)

    def start_deal(self, outcome: Outcome) -> list[Event]:
        """Gives out the tiles and tells who leads."""
        if self.seat != CHANCE:
            raise RulesError("no deal is due")
        self.hands = hands(outcome, first=self.deal == 0)
        if self.winner is None:
            self.dealer = self.leader = outcome.draws[0]
        else:
            self.dealer = self.winner
            self.leader = self.winner if self.lead == "winner" else (self.leader + 1) % SEATS
        self.deal += 1
        self.seat = self.leader
        self.ends = OPEN
        self.line, self.steps, self.discards = [], [], [[], [], [], []]
        self.settler = None
        self._legal = None
        return [Event("leader", TABLE, self.leader)]

    def legal_actions(self) -> tuple[Action, ...]:
        """Returns the legal actions of the seat to act in canonical order."""
        actions = self._legal
        if actions is None:
            if self.seat < 0:
                actions = ()
            elif self.asked:
                actions = ANSWERS
            else:
                actions = legal(self.hands[self.seat], self.ends, self.lead_limit, self.revoke)
            self._legal = actions
        return actions

    def normalise(self, action: Action) -> Action:
        """Returns the action as the legal list has it: at the left where both ends are equal."""
        return listed(action, self.ends)

    def as_played(self, action: Action) -> Action:
        """Returns the normal form of an action: there is nothing else to choose."""
        return self.normalise(action)

    def why_illegal(self, action: Action) -> str:
        """Says why a normalised action is not legal, from the ends and the own hand alone."""
        if self.seat < 0:
            return "the match is over" if self.seat == TERMINAL else "no deal is being played"
        if self.asked or action >= SETTLE:
            return "answer with settle or continue" if self.asked else "you are not asked to settle"
        return why_illegal(action, self.hands[self.seat], self.ends, self.lead_limit)

    def apply(self, action: Action) -> list[Event]:
        """Plays a legal action in its normal form; returns it and what followed from it."""
        if action not in (self._legal or self.legal_actions()):
            raise IllegalActionError(self.why_illegal(action))
        self._legal = None
        if action < DISCARD:
            return self._play(action)
        return self._put_down(action) if action < SETTLE else self._answer(action)

    def _play(self, action: Action) -> list[Event]:
        """Lays a tile; ends the deal or asks its player if nobody else can follow."""
        seat, hands = self.seat, self.hands
        self.ends, lies = LAY[self.ends][action]
        if action & 3 == LEFT:
            self.line.insert(0, lies)
        else:
            self.line.append(lies)
        hand, bit = hands[seat], BIT[action >> 2]
        copy = bit << COPY
        hands[seat] = hand ^ (copy if hand & copy else bit)
        self.steps.append(STEPS[seat][action])
        events = [ACTED[seat][action]]
        one, two, three = hands[seat - 1], hands[seat - 2], hands[seat - 3]
        if (one | two | three) & FIT[self.ends] or not (one and two and three) or self.settlement == "off":
            self._pass_on()
        elif self.settlement == "auto":
            events.append(SETTLED[seat])
            self._end_deal(seat)
        else:
            events.append(ASKED[seat])
            self.asked = True
        return events

    def _put_down(self, action: Action) -> list[Event]:
        """Puts a tile face down; for a revoke the heaviest one left too."""
        seat, tile = self.seat, action - DISCARD
        hand = self.hands[seat]
        revoke = bool(hand & FIT[self.ends])
        hand = without(hand, tile)
        self.discards[seat].append(tile)
        self.steps.append(PUT_DOWN[seat][revoke])
        events = [ACTED[seat][action]]
        if revoke:
            events.append(REVOKED[seat])
            if hand:
                tile = heaviest(hand)
                hand = without(hand, tile)
                self.discards[seat].append(tile)
        self.hands[seat] = hand
        self._pass_on()
        return events

    def _answer(self, action: Action) -> list[Event]:
        """Settles, or lets the deal go on."""
        seat = self.seat
        self.asked = False
        self.steps.append(STEPS[seat][action])
        if action == SETTLE:
            self._end_deal(seat)
            return [ACTED[seat][action], SETTLED[seat]]
        self._pass_on()
        return [ACTED[seat][action]]

    def _pass_on(self) -> None:
        """Gives the turn to the next seat that has a tile; ends the deal if none has."""
        hands = self.hands
        for seat in AFTER[self.seat]:
            if hands[seat]:
                self.seat = seat
                return
        self._end_deal(None)

    def _end_deal(self, settler: int | None) -> None:
        """Scores the deal, and ends the match if it is time."""
        self.settler = settler
        self.winner, scores = score(
            pips(self.hands, self.discards), self.leader, settler, self.settlement_pay
        )
        self.total = tuple([total + points for total, points in zip(self.total, scores, strict=True)])
        self.result = DealResult(self.deal, scores, self.total)
        self.seat = TERMINAL if self.deal >= self.deals else CHANCE

    def default_action(self) -> Action:
        """Returns the heaviest legal play, else the lightest discard; `continue` where it is asked."""
        return min(self.legal_actions(), key=DEFAULT.__getitem__)

    def deal_result(self) -> DealResult | None:
        """Returns the result of the last finished deal, or None before it."""
        return self.result

    def totals(self) -> tuple[int, ...]:
        """Returns the match total of each seat."""
        return self.total

    def adjudicated(self) -> bool:
        """Returns False: the number of deals is what a match is played for."""
        return False

    def copy(self) -> "State":
        """Returns an independent state that equals this one."""
        twin = State.__new__(State)
        for name in State.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.line = self.line[:]
        twin.hands = self.hands[:]
        twin.discards = [down[:] for down in self.discards]
        twin.steps = self.steps[:]
        return twin

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state in values that JSON can hold, keys in a fixed order."""
        return {
            **{name: getattr(self, name) for name in (*_OPTIONS, *_FACTS)},
            "line": list(self.line),
            "hands": [list(tiles_of(hand)) for hand in self.hands],
            "discards": [list(down) for down in self.discards],
            "steps": [list(step) for step in self.steps],
            "totals": list(self.total),
            "scores": None if self.result is None else list(self.result.scores),
            "scored_deal": 0 if self.result is None else self.result.deal,
        }


def new(seats: int, options: Options) -> State:
    """Returns a match before its first deal; raises `OptionError` unless there are four seats."""
    if seats != SEATS:
        raise OptionError(f"{INFO.name} is for {SEATS} seats, not {seats}")
    return State(options)


def restore(snapshot: Mapping[str, Any]) -> State:
    """Returns a state that equals the one that was snapshot."""
    state = State(snapshot)
    for name in _FACTS:
        setattr(state, name, snapshot[name])
    state.line = list(snapshot["line"])
    state.hands = [hand_of(held) for held in snapshot["hands"]]
    state.discards = [list(down) for down in snapshot["discards"]]
    state.steps = [Step(*step) for step in snapshot["steps"]]
    state.total = tuple(snapshot["totals"])
    if snapshot["scores"] is not None:
        state.result = DealResult(snapshot["scored_deal"], tuple(snapshot["scores"]), state.total)
    return state
