"""Block dominoes as numbers: an id for each tile and end, and the table as a vector."""

from collections.abc import Sequence
from typing import Final

from referee.envs.encoding import Field, Layout, Path, Row, from_own
from referee.games import tiles
from referee.games.base import Action
from referee.games.block_dominoes import GAME
from referee.games.block_dominoes.line import ACTIONS, HIGHEST, SEATS, TILES
from referee.games.block_dominoes.view import Private, Public
from referee.games.info import Options
from referee.games.tiles import halves

_PATH: Final = {action: (number,) for number, action in enumerate(ACTIONS)}
_SIDES: Final = range(HIGHEST + 1)
_PIECE: Final = {16 * one + other: TILES.index(tiles.tile(one, other)) for one in _SIDES for other in _SIDES}
"""Which piece of the set a tile is, whichever way it lies."""
_HAND: Final = len(TILES) // SEATS


class BlockDominoes:
    """The ids and the vector of block dominoes; seats are told from the own one onwards."""

    ids = len(ACTIONS)

    def __init__(self, seats: int, options: Options) -> None:
        """Lays the vector out; `options` are resolved ones."""
        self._target = int(options["target"])
        self._deals = int(options["max_deals"])
        most = self._target - 1 + GAME.info.bounds(options).high
        self.layout = Layout(
            Field("hand", len(TILES)),
            Field("laid", len(TILES)),
            Field("place", len(TILES)),
            Field("left_end", len(_SIDES)),
            Field("right_end", len(_SIDES)),
            Field("laid_by", len(TILES) * seats),
            Field("absent", seats * len(_SIDES)),
            Field("counts", seats),
            Field("totals", seats, high=most / self._target),
            Field("passes", 1),
            Field("required", 1),
            Field("opener", seats),
            Field("to_act", seats),
            Field("deal", 1),
        )

    def paths(self, public: Public, private: Private, legal: Sequence[Action]) -> list[Path]:  # noqa: ARG002  an id is the same at all times
        """Returns the one id of each action: 3 * piece, +1 at the left, +2 at the right."""
        return [_PATH[action] for action in legal]

    def describe(self, number: int) -> str:
        """Returns the canonical text of an id's action."""
        return GAME.text.action(ACTIONS[number])

    def observe(self, seat: int, public: Public, private: Private, chosen: Path) -> list[float]:  # noqa: ARG002  nothing is chosen in parts
        """Returns what a seat sees."""
        row = Row(self.layout)
        for tile in private.hand:
            row.mark("hand", _PIECE[tile])
        for place, lies in enumerate(public.line, 1):
            row.mark("laid", _PIECE[lies])
            row.add("place", _PIECE[lies], place / len(TILES))
        for lies, who in zip(public.line, public.laid_by, strict=True):
            row.mark("laid_by", SEATS * _PIECE[lies] + (who - seat) % SEATS)
        for place, absent in enumerate(from_own(public.absent, seat)):
            for number in _SIDES:
                if absent >> number & 1:
                    row.mark("absent", len(_SIDES) * place + number)
        if public.line:
            row.mark("left_end", halves(public.line[0])[0])
            row.mark("right_end", halves(public.line[-1])[1])
        row.put("counts", from_own(public.counts, seat), _HAND)
        row.put("totals", from_own(public.totals, seat), self._target)
        row.put("passes", [public.passes], SEATS)
        row.put("required", [public.required is not None])
        row.mark("opener", (public.opener - seat) % SEATS)
        if public.to_act >= 0:
            row.mark("to_act", (public.to_act - seat) % SEATS)
        row.put("deal", [public.deal], self._deals)
        return row.values
