"""Block dominoes as numbers: an id for each tile and end, and the table as a vector."""

from collections.abc import Sequence
from typing import Final

from referee.envs.encoding import Field, Layout, from_own
from referee.games.base import Action
from referee.games.block_dominoes import GAME
from referee.games.block_dominoes.line import ACTIONS, HIGHEST, SEATS, TILES
from referee.games.block_dominoes.view import Private, Public
from referee.games.info import Options
from referee.games.tiles import halves, tile

_PATH: Final = {action: (number,) for number, action in enumerate(ACTIONS)}
_SIDES: Final = range(HIGHEST + 1)
_PIECE: Final = {16 * one + other: TILES.index(tile(one, other)) for one in _SIDES for other in _SIDES}
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
            Field("counts", seats),
            Field("totals", seats, high=most / self._target),
            Field("passes", 1),
            Field("required", 1),
            Field("opener", seats),
            Field("to_act", seats),
            Field("deal", 1),
        )

    def path(self, action: Action) -> tuple[int, ...]:
        """Returns the one id of an action: 3 * piece, +1 at the left, +2 at the right."""
        return _PATH[action]

    def describe(self, number: int) -> str:
        """Returns the canonical text of an id's action."""
        return GAME.text.action(ACTIONS[number])

    def observe(self, seat: int, public: Public, private: Private, chosen: Sequence[int]) -> list[float]:  # noqa: ARG002  nothing is chosen in parts
        """Returns what a seat sees."""
        start = self.layout.start
        vector = [0.0] * self.layout.size
        for held in private.hand:
            vector[start["hand"] + _PIECE[held]] = 1.0
        for place, lies in enumerate(public.line, 1):
            vector[start["laid"] + _PIECE[lies]] = 1.0
            vector[start["place"] + _PIECE[lies]] = place / len(TILES)
        if public.line:
            left, right = halves(public.line[0])[0], halves(public.line[-1])[1]
            vector[start["left_end"] + left] = vector[start["right_end"] + right] = 1.0
        counts, totals = start["counts"], start["totals"]
        vector[counts : counts + SEATS] = [count / _HAND for count in from_own(public.counts, seat)]
        vector[totals : totals + SEATS] = [total / self._target for total in from_own(public.totals, seat)]
        vector[start["passes"]] = public.passes / SEATS
        vector[start["required"]] = float(public.required is not None)
        for name, who in (("opener", public.opener), ("to_act", public.to_act)):
            if who >= 0:
                vector[start[name] + (who - seat) % SEATS] = 1.0
        vector[start["deal"]] = public.deal / self._deals
        return vector
