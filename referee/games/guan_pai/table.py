"""What a match of Guan Pai consists of, and how it is copied, kept and brought back."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from referee.games.base import CHANCE, TABLE, Action, DealResult, Event
from referee.games.guan_pai.forms import NOTHING, SINGLE
from referee.games.guan_pai.hand import DECK, SEATS, Hand, codes_of, hand_of
from referee.games.guan_pai.reading import Demand
from referee.games.info import Options

LEAD: Final = Demand(NOTHING, 0, 0)
"""What is to be beaten in the lead."""


class Turn(NamedTuple):
    """One play or pass of a trick; `kind` and `rank` are what it counts as, 0 for a pass."""

    seat: int
    action: Action
    kind: int
    rank: int


class Played(NamedTuple):
    """What a play does to the trick and what is told of it."""

    demand: Demand
    turn: Turn
    event: Event


PASSES: Final = tuple(Turn(seat, 0, NOTHING, 0) for seat in range(SEATS))
SINGLES: Final = tuple(
    {
        1 << card: Played(
            Demand(SINGLE, 0, card >> 2),
            Turn(seat, 1 << card, SINGLE, card >> 2),
            Event("play", seat, 1 << card),
        )
        for card in DECK
    }
    for seat in range(SEATS)
)
"""The plays of one card, by seat and action: most plays are."""


class Table:
    """All that a match holds; what happens to it is the rules' business."""

    __slots__ = (
        "base",
        "bomb_scope",
        "bombs",
        "cap",
        "deal",
        "deals",
        "demand",
        "fault",
        "first_play",
        "free",
        "hands",
        "leader",
        "listed",
        "low_straight",
        "must_beat",
        "must_d3",
        "passes",
        "played",
        "result",
        "seat",
        "topping",
        "total",
        "trick",
        "winner",
    )

    def __init__(self, options: Options) -> None:
        """Makes a match before its first deal; `options` are resolved ones."""
        self.deals = int(options["deals"])
        self.base = int(options["base"])
        self.cap = int(options["cap"])
        self.first_play = str(options["first_play"])
        self.must_beat = str(options["must_beat"])
        self.low_straight = str(options["low_straight"])
        self.topping = str(options["topping"])
        self.bomb_scope = str(options["bomb_scope"])
        self.free = self.must_beat == "false" and self.topping != "forbid"
        self.deal = 0
        self.seat = CHANCE
        self.leader = TABLE
        self.must_d3 = False
        self.demand = LEAD
        self.passes = 0
        self.trick: list[Turn] = []
        self.hands: list[Hand] = [0] * SEATS
        self.played: list[Hand] = [0] * SEATS
        self.bombs = [0] * SEATS
        self.fault = TABLE
        self.total: tuple[int, ...] = (0,) * SEATS
        self.result: DealResult | None = None
        self.winner: int | None = None
        self.listed: tuple[Action, ...] | None = None

    def copy(self) -> Self:
        """Returns an independent state that equals this one."""
        twin = self.__class__.__new__(self.__class__)
        for name in Table.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.trick = self.trick[:]
        twin.hands = self.hands[:]
        twin.played = self.played[:]
        twin.bombs = self.bombs[:]
        return twin

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state in values that JSON can hold, keys in a fixed order."""
        result = self.result
        return {
            "deals": self.deals,
            "base": self.base,
            "cap": self.cap,
            "first_play": self.first_play,
            "must_beat": self.must_beat,
            "low_straight": self.low_straight,
            "topping": self.topping,
            "bomb_scope": self.bomb_scope,
            "deal": self.deal,
            "seat": self.seat,
            "leader": self.leader,
            "must_d3": self.must_d3,
            "demand": list(self.demand),
            "passes": self.passes,
            "trick": [list(turn) for turn in self.trick],
            "hands": [list(codes_of(hand)) for hand in self.hands],
            "played": [list(codes_of(hand)) for hand in self.played],
            "bombs": list(self.bombs),
            "fault": self.fault,
            "totals": list(self.total),
            "scores": None if result is None else list(result.scores),
            "scored_deal": 0 if result is None else result.deal,
            "winner": self.winner,
        }

    def load(self, snapshot: Mapping[str, Any]) -> None:
        """Takes over all that a snapshot says besides the options."""
        for name in ("deal", "seat", "leader", "must_d3", "passes", "fault", "winner"):
            setattr(self, name, snapshot[name])
        self.demand = Demand(*snapshot["demand"])
        self.trick = [Turn(*turn) for turn in snapshot["trick"]]
        self.hands = [hand_of(held) for held in snapshot["hands"]]
        self.played = [hand_of(held) for held in snapshot["played"]]
        self.bombs = list(snapshot["bombs"])
        self.total = tuple(snapshot["totals"])
        if snapshot["scores"] is not None:
            self.result = DealResult(snapshot["scored_deal"], tuple(snapshot["scores"]), self.total)
