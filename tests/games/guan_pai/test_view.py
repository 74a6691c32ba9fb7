"""R8: what everybody sees can be told from what everybody heard."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from referee.games import cards
from referee.games.base import TABLE, Event, Outcome
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.rules import State
from referee.games.guan_pai.table import Turn
from referee.games.guan_pai.view import DealEnd, Public
from tests.games.guan_pai import reference
from tests.games.guan_pai.knowledge import known
from tests.games.guan_pai.positions import GAME, of_ranks, position, put
from tests.games.helpers import Step, playout, start


class Act(NamedTuple):
    """What a seat did last: the ranks that it played, none for a pass, and what was to be beaten."""

    seat: int
    ranks: tuple[int, ...]
    over: reference.Form | None


class Listener:
    """Keeps the public facts from events and ends of deals alone; knows no hand in play."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Listens from before the first deal."""
        self.options = options
        self.deal = 0
        self.totals = [0, 0, 0]
        self.last = self.before = Act(-1, (), None)

    def hear(self, line: str) -> None:
        """Takes in one event, by its text."""
        first, *rest = line.split()
        if first == "leader":
            self._begin(int(rest[0]))
        elif first == "trick":
            self.leader = int(rest[1])
            self.trick: list[Turn] = []
            self.passes = 0
        else:
            seat = int(first)
            self.to_act = (seat + 1) % 3
            self.passes += 1
            self.before = self.last
            self.last = Act(seat, (), self.top if self.trick else None)
            if rest == ["pass"]:
                self.trick.append(Turn(seat, 0, 0, 0))
            else:
                self._play(seat, *" ".join(rest[1:]).split(" as "))

    def _begin(self, leader: int) -> None:
        self.deal += 1
        self.to_act = self.leader = leader
        self.played: list[list[str]] = [[], [], []]
        self.bombs = [0, 0, 0]
        self.trick = []
        self.top: reference.Form = ("", 0, 0)
        self.last = Act(-1, (), None)
        self.passes = 0
        self.required: int | None = 0 if self.options["first_play"] == "must_contain_d3" else None

    def _play(self, seat: int, text: str, named: str = "") -> None:
        names = text.split()
        self.played[seat] += names
        ranks = tuple(map(reference.value, names))
        self.last = Act(seat, ranks, None)
        kind, form = self._read(ranks, named, last=len(self.played[seat]) == 16)
        self.bombs[seat] += kind == "bomb"
        action = GAME.text.parse_action(f"play {text}" + (f" as {named}" if named else ""))
        self.trick.append(Turn(seat, action, KINDS.index(kind) + 1, form[2] - 3))
        self.top = form
        self.passes, self.required = 0, None
        if len(self.played[seat]) == 16:
            self.to_act = -1

    def _read(self, ranks: tuple[int, ...], named: str, *, last: bool) -> tuple[str, reference.Form]:
        """Returns what the cards count as, by the reading rule."""
        ways = list(reference.forms(ranks, self.options["low_straight"], last=last))
        leads = not self.trick
        ways = [
            way for way in ways if (leads or reference.higher(way[1], self.top)) and named in {"", way[0]}
        ]
        order = reference.TYPES.index
        if leads:
            return max(ways, key=lambda way: (way[0] == "bomb", way[1][2], order(way[0])))
        return max(ways, key=lambda way: (way[1][0] == self.top[0], way[1][2]))

    def hear_end(self, end: DealEnd) -> None:
        """Takes in the end of a deal: the hands and the bombs say what it was worth."""
        left = [len(seat.hand) for seat in end.hands]
        assert left == [16 - len(names) for names in self.played]
        assert left[end.winner] == 0
        counted = self.bombs if self.options["bomb_scope"] == "all" else [self.bombs[end.winner]]
        assert end.bombs == sum(counted)
        pays = [48 if n == 16 else 2 * n if n > 9 else max(n, 5) for n in left]
        for seat in {0, 1, 2} - {end.winner}:
            paid = pays[seat] << end.bombs
            offender = self._offender(end)
            if offender >= 0:
                third = 3 - end.winner - offender
                paid += pays[third] if seat == offender else -pays[third]
            paid = self.options["base"] * min(paid, self.options["cap"])
            self.totals[seat] -= paid
            self.totals[end.winner] += paid

    def _offender(self, end: DealEnd) -> int:
        """Returns the seat whose topping fault has its consequence, told from the hands that are shown."""
        seat, ranks, over = self.before
        wins_next = end.winner == (seat + 1) % 3 and len(self.last.ranks) == 1
        if self.options["topping"] != "penalty" or not wins_next or len(ranks) > 1:
            return -1
        highest = max([reference.value(cards.NAMES[card]) for card in end.hands[seat].hand] + list(ranks))
        beaten = ranks[0] if ranks else over[2] if over and over[0] == "single" else highest
        return seat if beaten < highest else -1

    def public(self) -> Public:
        """Returns what everybody should see now."""
        plays = [turn for turn in self.trick if turn.action]
        piles = [bytes(sorted(cards.CODES[name] for name in names)) for names in self.played]
        return Public(
            deal=self.deal,
            to_act=self.to_act,
            leader=self.leader,
            counts=tuple(16 - len(pile) for pile in piles),
            totals=tuple(self.totals),
            bombs=tuple(self.bombs),
            trick=tuple(self.trick),
            top=plays[-1] if plays else None,
            passes=self.passes,
            required=self.required,
            played=tuple(piles),
        )


OPTIONS = [
    {},
    {"first_play": "must_contain_d3", "low_straight": "natural_low", "bomb_scope": "winner"},
    {"must_beat": "true", "topping": "forbid", "low_straight": "ace_low"},
    {"topping": "off", "base": 3, "cap": 40},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_r8_every_public_fact_follows_from_the_events(options: dict[str, Any]) -> None:
    """After each step of 250 deals the public view is what a listener works out by itself."""
    given = GAME.info.resolve({**options, "deals": 250})
    listener = Listener(given)
    dealt: Counter[int] = Counter()

    def check(step: Step) -> None:
        state: Any = step.state
        for event in step.events:
            listener.hear(GAME.text.event(GAME.view.redact(event, TABLE)))
        if step.action is None:
            dealt.clear()
            dealt.update({card: seat for seat in range(3) for card in GAME.view.private(state, seat).hand})
        if state.to_act() < 0:
            listener.hear_end(GAME.view.deal_end(state))
        assert GAME.view.public(state) == listener.public()
        for seat in range(3):
            own = [card for card, holder in dealt.items() if holder == seat]
            gone = {cards.CODES[name] for name in listener.played[seat]}
            assert list(GAME.view.private(state, seat).hand) == sorted({*own} - gone)

    end = playout(start(GAME, {**options, "deals": 250}), random.Random(8), check, 250)
    assert end.deal == 250


def test_l5_l12_everything_is_told_to_all_alike() -> None:
    """Events are the same for every seat and for a spectator; a pass says nothing of the hand."""
    for event in (
        Event("pass", 2, 0),
        Event("trick", TABLE, 1),
        Event("leader", TABLE, 0),
        Event("play", 1, GAME.text.parse_action("play AC AH AS as bomb")),
    ):
        assert [GAME.view.redact(event, viewer) for viewer in range(-1, 3)] == [event] * 4


def test_a_topping_fault_is_not_to_be_seen() -> None:
    """What everybody sees is the same whether a play was a fault or not."""
    shown = []
    for hand in ("57K", "534"):
        state = position(of_ranks(hand, "8", "33445"))
        put(state, "5")
        shown.append((state.fault, GAME.view.public(state)))
    assert [fault for fault, _ in shown] == [0, -1]
    assert shown[0][1] == shown[1][1]


def test_what_is_known_holds_nothing_hidden() -> None:
    """Swapping cards between the two other hands changes nothing that a seat may know."""
    rng = random.Random(4)
    for _ in range(50):
        order = rng.sample(range(48), 48)
        one, other = start(GAME), start(GAME)
        assert isinstance(one, State)
        assert isinstance(other, State)
        swapped = list(order)
        first, second = rng.randrange(16, 32), rng.randrange(32, 48)
        if 0 in (order[first], order[second]):
            continue
        swapped[first], swapped[second] = order[second], order[first]
        told = [state.start_deal(Outcome((), tuple(way))) for state, way in ((one, order), (other, swapped))]
        assert known(one, told[0], 0) == known(other, told[1], 0)
        assert known(one, told[0], TABLE) == known(other, told[1], TABLE)
        assert known(one, told[0], 1) != known(other, told[1], 1)
        one.fault = 2
        assert known(one, told[0], 0) == known(other, told[1], 0)


def test_hands_are_known_when_the_deal_has_ended() -> None:
    """The end of a deal shows all hands."""
    state = position(of_ranks("3", "446", "55"))
    events = state.apply(GAME.text.parse_action("play 3D"))
    assert known(state, events, TABLE) != known(position(of_ranks("3", "446", "55")), events, TABLE)
    end = GAME.view.deal_end(state)
    assert (end.winner, end.bombs) == (0, 0)
    assert [len(seat.hand) for seat in end.hands] == [0, 3, 2]
