"""Guan Pai as numbers: ids for the steps of a play, and the table as a vector."""

from collections.abc import Sequence
from typing import Final

from referee.envs.encoding import Field, Layout, Path, Row, from_own
from referee.envs.guan_pai_plays import CORES, HELD_BY, IDS, WING, describe, path
from referee.games.base import Action
from referee.games.guan_pai import GAME
from referee.games.guan_pai.forms import AIRPLANE, AIRPLANE_WITH_WINGS, KINDS, NOTHING, PAIR_RUN, STRAIGHT
from referee.games.guan_pai.hand import D3, RANKS, SEATS, SIZE, counts, hand_of
from referee.games.guan_pai.reading import Demand
from referee.games.guan_pai.view import Private, Public
from referee.games.guan_pai.weights import CARDS
from referee.games.info import Options

_SUITS: Final = 4
_MOST_WINGS: Final = 6
_MOST_BOMBS: Final = SIZE // 4
_LEAD: Final = Demand(NOTHING, 0, 0)


class GuanPai:
    """The ids and the vector of Guan Pai; seats are told from the own one onwards."""

    ids = IDS

    def __init__(self, seats: int, options: Options) -> None:
        """Lays the vector out; `options` are resolved ones."""
        self._deals = int(options["deals"])
        self._low_straight = str(options["low_straight"])
        bounds = GAME.info.bounds(options)
        self._most = -bounds.low
        self.layout = Layout(
            Field("hand", RANKS * _SUITS),
            Field("has_3d", 1),
            Field("played", seats * RANKS),
            Field("top_kind", len(KINDS)),
            Field("top_rank", RANKS),
            Field("top_cards", RANKS),
            Field("top_seat", seats),
            Field("passes", 1),
            Field("required", 1),
            Field("chosen_kind", len(KINDS)),
            Field("chosen_rank", RANKS),
            Field("chosen_cards", RANKS),
            Field("wings_left", 1),
            Field("counts", seats),
            Field("bombs", seats),
            Field("leader", seats),
            Field("to_act", seats),
            Field("totals", seats, -self._deals, self._deals * bounds.high / self._most),
            Field("deal", 1),
        )

    def paths(self, public: Public, private: Private, legal: Sequence[Action]) -> list[Path]:
        """Returns the ids of the plays of a turn: what is played, then each wing."""
        hand, demand = hand_of(private.hand), _demand(public)
        return [path(action, hand, demand, self._low_straight) for action in legal]

    def describe(self, number: int) -> str:
        """Returns what an id means: `pair K`, `straight of 5 up to 7`, `bomb A with 1 wing`, `wing 3`."""
        return describe(number)

    def observe(self, seat: int, public: Public, private: Private, chosen: Path) -> list[float]:
        """Returns what a seat sees."""
        row = Row(self.layout)
        hand = hand_of(private.hand)
        for rank, number in enumerate(_numbers(counts(hand))):
            for card in range(number):
                row.mark("hand", _SUITS * rank + card)
        row.put("has_3d", [bool(hand & D3)])
        row.put(
            "played",
            [number for cards in from_own(public.played, seat) for number in _counted(cards)],
            _SUITS,
        )
        _top(row, seat, public)
        _chosen(row, chosen)
        row.put("required", [public.required is not None])
        row.put("counts", from_own(public.counts, seat), SIZE)
        row.put("bombs", from_own(public.bombs, seat), _MOST_BOMBS)
        for name, who in (("leader", public.leader), ("to_act", public.to_act)):
            if who >= 0:
                row.mark(name, (who - seat) % SEATS)
        row.put("totals", from_own(public.totals, seat), self._most)
        row.put("deal", [public.deal], self._deals)
        return row.values


def _numbers(nibbles: int) -> list[int]:
    """Returns how many cards of each rank there are, from their nibbles."""
    return [nibbles >> 4 * rank & 15 for rank in range(RANKS)]


def _counted(cards: bytes) -> list[int]:
    """Returns how many cards of each rank there are."""
    return _numbers(counts(hand_of(cards)))


def _demand(public: Public) -> Demand:
    """Returns what has to be beaten; what ends a deal, as a triple with one, is never that."""
    top = public.top
    if top is None:
        return _LEAD
    size = (top.action & CARDS).bit_count()
    if top.kind in {STRAIGHT, PAIR_RUN, AIRPLANE}:
        return Demand(top.kind, size, top.rank)
    return Demand(top.kind, size // 5 if top.kind == AIRPLANE_WITH_WINGS else 0, top.rank)


def _top(row: Row, seat: int, public: Public) -> None:
    """Tells the play that is to be beaten."""
    row.put("passes", [public.passes], SEATS - 1)
    top = public.top
    if top is not None:
        row.mark("top_kind", top.kind - 1)
        row.mark("top_rank", top.rank)
        row.mark("top_seat", (top.seat - seat) % SEATS)
        row.put("top_cards", _numbers(counts(top.action & CARDS)), _SUITS)


def _chosen(row: Row, chosen: Path) -> None:
    """Tells what the seat has begun to choose."""
    if not chosen:
        return
    first, *wings = chosen
    core = CORES[first]
    row.mark("chosen_kind", core.kind - 1)
    row.mark("chosen_rank", core.rank)
    row.put("chosen_cards", _numbers(HELD_BY[first]), _SUITS)
    for wing in wings:
        row.add("chosen_cards", wing - WING, 1 / _SUITS)
    row.put("wings_left", [core.wings - len(wings)], _MOST_WINGS)
