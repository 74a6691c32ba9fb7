"""The rules of Guan Pai as a mutable state; pure.

Rules
    Three seats, 48 cards, 16 each. The holder of the three of diamonds leads a combination; in turn
    each seat beats it with a higher one of the same kind and size, or with a bomb, or passes. Two
    passes in a row end the trick, and the last to play leads. A deal ends when a hand is empty: the
    others pay for the cards they have left, twice as much for each bomb. README.md tells the whole.

Parameters
    deals          the number of deals of a match, 1..1,000 (6)
    base           what each card counts in the score, 1..1,000 (1)
    cap            the most cards a seat pays for in a deal, 1..10,000 (100)
    first_play     whether the first play of a deal is free: any, must_contain_d3 (any)
    must_beat      whether who can beat must: false, true (false)
    low_straight   straights from a low ace or 2: a2345, ace_low, natural_low (a2345)
    topping        the duty before a seat with one card: penalty, forbid, off (penalty)
    bomb_scope     whose bombs double: all, winner (all)

Deviations
    The dealt order is read seat by seat: places 0..15 of it are the hand of seat 0, 16..31 that of
    seat 1, and so on; piece k is the k-th of the 48 cards in canonical order.
    A topping fault is kept in the state for one action, and told by nothing but the score.
"""

from collections.abc import Mapping
from typing import Any, Final

from referee.errors import IllegalActionError, OptionError, RulesError
from referee.games.base import CHANCE, TABLE, TERMINAL, Action, Chance, DealResult, Event, Outcome
from referee.games.guan_pai.forms import BOMB, NOTHING, SINGLE
from referee.games.guan_pai.hand import BITS, D3, DECK, NEXT, SEATS, SIZE, top_rank
from referee.games.guan_pai.info import INFO
from referee.games.guan_pai.moves import answers, leads
from referee.games.guan_pai.reading import PASS, Demand, normal, read, why_not
from referee.games.guan_pai.scoring import losses, scores
from referee.games.guan_pai.table import LEAD, PASSES, SINGLES, Table, Turn
from referee.games.guan_pai.weights import CARDS, TYPE_SHIFT
from referee.games.info import Options

_CHANCE: Final = Chance(draws=(), size=len(DECK))
_PASSED: Final = tuple(Event("pass", seat, PASS) for seat in range(SEATS))
_TRICK: Final = tuple(Event("trick", TABLE, seat) for seat in range(SEATS))


class State(Table):
    """The full truth of a match of Guan Pai."""

    __slots__ = ()

    def to_act(self) -> int:
        """Returns the seat to act, `CHANCE` or `TERMINAL`."""
        return self.seat

    def chance(self) -> Chance:
        """Returns what has to be drawn: the order of the 48 cards."""
        return _CHANCE

    def start_deal(self, outcome: Outcome) -> list[Event]:
        """Gives out the cards and tells who leads."""
        if self.seat != CHANCE:
            raise RulesError("no deal is due")
        _CHANCE.check(outcome)
        order = outcome.order
        self.deal += 1
        for seat in range(SEATS):
            self.hands[seat] = sum(map(BITS.__getitem__, order[SIZE * seat : SIZE * (seat + 1)]))
        self.played = [0] * SEATS
        self.bombs = [0] * SEATS
        self.fault = TABLE
        self.winner = None
        self.leader = self.seat = next(seat for seat in range(SEATS) if self.hands[seat] & D3)
        self.must_d3 = self.first_play == "must_contain_d3"
        self._clear()
        return [Event("leader", TABLE, self.leader)]

    def _clear(self) -> None:
        """Begins a trick."""
        self.demand = LEAD
        self.passes = 0
        self.trick = []
        self.listed = None

    def legal_actions(self) -> tuple[Action, ...]:
        """Returns the legal actions of the seat to act in canonical order."""
        legal = self.listed
        if legal is None:
            legal = self.listed = self._list() if self.seat >= 0 else ()
        return legal

    def _list(self) -> tuple[Action, ...]:
        """Lists the plays, then the pass, as far as the options allow them."""
        hand = self.hands[self.seat]
        kind, length, rank = self.demand
        if kind == NOTHING:
            found = leads(hand, self.low_straight)
            if self.must_d3:
                found = tuple([action for action in found if action & D3])
        else:
            found = answers(hand, kind, length, rank, self.low_straight)
            if self.free or not found or (self.must_beat == "false" and not self._pass_is_barred()):
                found = (*found, PASS)
        return found if self.free else self._topped(found)

    def _topped(self, found: tuple[Action, ...]) -> tuple[Action, ...]:
        """Leaves out the singles that are forbidden before a seat with one card."""
        if self.topping != "forbid" or not self._next_has_one():
            return found
        top = top_rank(self.hands[self.seat])
        return tuple(
            [action for action in found if not action or action.bit_count() > 1 or top_rank(action) == top]
        )

    def _next_has_one(self) -> bool:
        """Says whether the seat after the one to act has exactly one card."""
        hand = self.hands[NEXT[self.seat]]
        return not hand & (hand - 1)

    def _could_top(self) -> bool:
        """Says whether to pass before a seat with one card is a topping fault now."""
        kind, _, rank = self.demand
        return kind == SINGLE and self.topping != "off" and top_rank(self.hands[self.seat]) > rank

    def _pass_is_barred(self) -> bool:
        return self.topping == "forbid" and self._next_has_one() and self._could_top()

    def normalise(self, action: Action) -> Action:
        """Returns the action as the legal list has it: lowest suits, the kind named only where it matters."""
        legal = self.legal_actions()
        cards = action & CARDS
        if action in legal or not cards or self.seat < 0 or cards & ~self.hands[self.seat]:
            return action
        if self.must_d3 and not cards & D3:
            return action
        return normal(action, self.hands[self.seat], self.demand, self.low_straight, legal)

    def as_played(self, action: Action) -> Action:
        """Returns the cards that the action names, with the kind of its normal form."""
        return self.normalise(action) & ~CARDS | action & CARDS

    def why_illegal(self, action: Action) -> str:
        """Says why a normalised action is not legal, from the table and the own hand alone."""
        if self.seat < 0:
            return "the match is over" if self.seat == TERMINAL else "no deal is being played"
        top = "the next seat has one card left: play your highest single"
        if not action & CARDS:
            if self.demand.kind == NOTHING:
                return "who leads may not pass"
            return top if self._pass_is_barred() else "who can beat may not pass"
        hand = self.hands[self.seat]
        why = why_not(action, hand, self.demand, self.low_straight)
        if why:
            return why
        if self.must_d3 and not action & D3:
            return "the first play must contain 3D"
        if self.topping == "forbid" and (action & CARDS).bit_count() == 1:
            return f"{top}, or no single"
        return "a type is named where the legal list names one, and only there"

    def apply(self, action: Action) -> list[Event]:
        """Plays a legal action, as it is played; returns it and, if it ends a trick, who leads then."""
        if action not in (self.listed or self.legal_actions()) and not self._is_played_form(action):
            raise IllegalActionError(self.why_illegal(self.normalise(action)))
        return self._play(action) if action else self._pass()

    def _is_played_form(self, action: Action) -> bool:
        """Says whether an action that is not listed is one as it is played: with other suits."""
        form = self.normalise(action)
        return form in self.legal_actions() and form >> TYPE_SHIFT == action >> TYPE_SHIFT

    def _pass(self) -> list[Event]:
        """Passes; the second pass in a row ends the trick."""
        seat = self.seat
        self.fault = seat if self._next_has_one() and self._could_top() else TABLE
        self.seat = NEXT[seat]
        if self.passes:
            self.leader = self.seat
            self._clear()
            return [_PASSED[seat], _TRICK[self.seat]]
        self.passes = 1
        self.trick.append(PASSES[seat])
        self.listed = None
        return [_PASSED[seat]]

    def _play(self, action: Action) -> list[Event]:
        """Takes the cards from the hand, and ends the deal if they were its last."""
        seat = self.seat
        hand = self.hands[seat]
        before = self.fault
        self.fault = TABLE
        known = SINGLES[seat].get(action)
        if known:
            self.demand, turn, event = known
            if self._next_has_one() and self.topping != "off" and turn.rank < top_rank(hand):
                self.fault = seat
        else:
            kind, against, length, rank = read(action, hand, self.demand, self.low_straight)
            self.demand = Demand(against, length, rank)
            turn, event = Turn(seat, action, kind, rank), Event("play", seat, action)
            if kind == BOMB:
                self.bombs[seat] += 1
        cards = action & CARDS
        self.hands[seat] = left = hand ^ cards
        self.played[seat] |= cards
        self.trick.append(turn)
        self.passes = 0
        self.must_d3 = False
        self.listed = None
        if left:
            self.seat = NEXT[seat]
        else:
            self.fault = before
            self._end_deal(seat)
        return [event]

    def _end_deal(self, winner: int) -> None:
        """Scores the deal, and ends the match if it was the last."""
        self.winner = winner
        left = [hand.bit_count() for hand in self.hands]
        paid = losses(left, winner, self.doubling(), self.fault, self.cap)
        won = scores(paid, winner, self.base)
        self.total = tuple([total + score for total, score in zip(self.total, won, strict=True)])
        self.result = DealResult(self.deal, won, self.total)
        self.seat = TERMINAL if self.deal >= self.deals else CHANCE

    def doubling(self) -> int:
        """Returns how many bombs double the payments of the deal that just ended."""
        if self.bomb_scope == "winner" and self.winner is not None:
            return self.bombs[self.winner]
        return sum(self.bombs)

    def default_action(self) -> Action:
        """Returns the highest single where that is a duty, else a pass, else what comes first."""
        legal = self.legal_actions()
        if self.topping != "off" and self._next_has_one():
            singles = [action for action in legal if action.bit_count() == 1]
            if singles and top_rank(singles[-1]) == top_rank(self.hands[self.seat]):
                return singles[-1]
        return PASS if legal[-1] == PASS else legal[0]

    def deal_result(self) -> DealResult | None:
        """Returns the result of the last finished deal, or None before it."""
        return self.result

    def totals(self) -> tuple[int, ...]:
        """Returns the match total of each seat."""
        return self.total

    def adjudicated(self) -> bool:
        """Returns False: the number of deals is the goal of a match, not a cap on it."""
        return False


def new(seats: int, options: Options) -> State:
    """Returns a match before its first deal; raises `OptionError` unless there are three seats."""
    if seats != SEATS:
        raise OptionError(f"{INFO.name} is for {SEATS} seats, not {seats}")
    return State(options)


def restore(snapshot: Mapping[str, Any]) -> State:
    """Returns a state that equals the one that was snapshot."""
    state = State(snapshot)
    state.load(snapshot)
    return state
