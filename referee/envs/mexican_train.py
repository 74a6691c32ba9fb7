"""Mexican Train as numbers: an id for each tile and train, and the table as a vector."""

from collections.abc import Sequence
from typing import Final

from referee.envs.encoding import Field, Layout, Path, Row, from_own
from referee.games import tiles
from referee.games.base import Action
from referee.games.info import Options
from referee.games.mexican_train import GAME
from referee.games.mexican_train.table import HIGHEST, PUBLIC, STOP, TILES, hand_size
from referee.games.mexican_train.view import Private, Public

_NUMBERS: Final = HIGHEST + 1
_TRAINS: Final = PUBLIC + 1
_PLAYS: Final = len(TILES) * _TRAINS
_PIECE: Final = {
    16 * one + other: TILES.index(tiles.tile(one, other))
    for one in range(_NUMBERS)
    for other in range(_NUMBERS)
}
"""Which piece of the set a tile is, whichever way it lies."""
_WHERE: Final = ("own", *(f"seat+{later}" for later in range(1, PUBLIC)), "public")
_PIPS: Final = 100
"""The pips that count as 1 in totals."""


class MexicanTrain:
    """The ids and the vector of Mexican Train; seats and their trains are told from the own one onwards."""

    ids = _PLAYS + 1

    def __init__(self, seats: int, options: Options) -> None:
        """Lays the vector out; `options` are resolved ones."""
        self._seats = seats
        self._deals = int(options["deals"])
        self._hand = hand_size(seats)
        self.layout = Layout(
            Field("hand", len(TILES)),
            Field("drawn_tile", len(TILES)),
            Field("laid", len(TILES)),
            Field("engine", _NUMBERS),
            Field("ends", (seats + 1) * _NUMBERS),
            Field("lengths", seats + 1),
            Field("markers", seats),
            Field("double", seats + 1),
            Field("first_turns", seats),
            Field("further", 1),
            Field("drawn", 1),
            Field("absent", seats * _NUMBERS),
            Field("counts", seats, high=len(TILES) / self._hand),
            Field("boneyard", 1),
            Field("passes", 1),
            Field("owner", seats),
            Field("to_act", seats),
            Field("totals", seats, high=self._deals * GAME.info.bounds(options).high / _PIPS),
            Field("deal", 1),
        )

    def paths(self, public: Public, private: Private, legal: Sequence[Action]) -> list[Path]:  # noqa: ARG002  the own hand has no part in it
        """Returns the one id of each action: 9 * piece + train, the trains from the own one onwards."""
        return [self._path(public.to_act, action) for action in legal]

    def _path(self, seat: int, action: Action) -> Path:
        if action == STOP:
            return (_PLAYS,)
        train = action & 15
        where = PUBLIC if train == PUBLIC else self._place(train, seat)
        return (_TRAINS * _PIECE[action >> 4] + where,)

    def _place(self, train: int, seat: int) -> int:
        """Returns how many seats after a seat the owner of a train sits; the public train comes last."""
        return self._seats if train == PUBLIC else (train - seat) % self._seats

    def describe(self, number: int) -> str:
        """Returns canonical text, but that trains of seats are `own`, `seat+1` for the next seat's, ...."""
        if number == _PLAYS:
            return GAME.text.action(STOP)
        piece, train = divmod(number, _TRAINS)
        return f"play {tiles.text(TILES[piece])} on {_WHERE[train]}"

    def observe(self, seat: int, public: Public, private: Private, chosen: Path) -> list[float]:  # noqa: ARG002  nothing is chosen in parts
        """Returns what a seat sees."""
        row = Row(self.layout)
        for tile in private.hand:
            row.mark("hand", _PIECE[tile])
        if private.drawn is not None:
            row.mark("drawn_tile", _PIECE[private.drawn])
        self._trains(row, seat, public)
        for place, absent in enumerate(from_own(public.absent, seat)):
            for number in range(_NUMBERS):
                if absent >> number & 1:
                    row.mark("absent", _NUMBERS * place + number)
        for first in public.first:
            row.mark("first_turns", (first - seat) % self._seats)
        if public.double is not None:
            row.mark("double", self._place(public.double, seat))
        row.put("further", [public.further])
        row.put("drawn", [public.drawn])
        row.put("counts", from_own(public.counts, seat), self._hand)
        row.put("boneyard", [public.boneyard], len(TILES))
        row.put("passes", [min(public.passes, self._seats)], self._seats)
        for name, who in (("owner", public.owner), ("to_act", public.to_act)):
            if who >= 0:
                row.mark(name, (who - seat) % self._seats)
        row.put("totals", from_own(public.totals, seat), _PIPS)
        row.put("deal", [public.deal], self._deals)
        return row.values

    def _trains(self, row: Row, seat: int, public: Public) -> None:
        """Tells the trains, the public one last."""
        row.mark("laid", _PIECE[public.engine])
        row.mark("engine", public.engine & 15)
        trains = (*from_own(public.trains[:-1], seat), public.trains[-1])
        for place, train in enumerate(trains):
            row.mark("ends", _NUMBERS * place + train.end)
            for lies in train.tiles:
                row.mark("laid", _PIECE[lies])
        row.put("lengths", [len(train.tiles) for train in trains], len(TILES))
        row.put("markers", [train.marked for train in trains[:-1]])
