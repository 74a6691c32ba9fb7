"""Ding Niu as numbers: an id for each tile and what is done with it, and the table as a vector."""

from collections.abc import Sequence
from typing import Final

from referee.envs.encoding import Field, Layout, Path, Row, from_own
from referee.games import tiles
from referee.games.base import Action
from referee.games.ding_niu import GAME
from referee.games.ding_niu.dealing import HAND
from referee.games.ding_niu.hand import HIGHEST, KINDS, SEATS
from referee.games.ding_niu.line import ACTIONS, CONTINUE, DISCARD, LAY, OPEN
from referee.games.ding_niu.view import Private, Public
from referee.games.info import Options
from referee.games.tiles import halves

_PATH: Final = {action: (number,) for number, action in enumerate(ACTIONS)}
_NUMBERS: Final = range(1, HIGHEST + 1)
_KIND: Final = {
    16 * one + other: KINDS.index(tiles.tile(one, other))
    for one in _NUMBERS
    for other in _NUMBERS
    if tiles.tile(one, other) in KINDS
}
"""Which kind a tile is, whichever way it lies."""
_COPIES: Final = 2


class DingNiu:
    """The ids and the vector of Ding Niu; seats are told from the own one onwards."""

    ids = len(ACTIONS)

    def __init__(self, seats: int, options: Options) -> None:
        """Lays the vector out; `options` are resolved ones."""
        self._deals = int(options["deals"])
        bounds = GAME.info.bounds(options)
        self._most = max(-bounds.low, bounds.high)
        self.layout = Layout(
            Field("hand", len(KINDS)),
            Field("face_down", len(KINDS)),
            Field("played", seats * len(KINDS)),
            Field("left_end", HIGHEST),
            Field("right_end", HIGHEST),
            Field("lacks", seats * HIGHEST),
            Field("counts", seats),
            Field("discards", seats),
            Field("revokes", seats),
            Field("continued", seats),
            Field("asked", 1),
            Field("leader", seats),
            Field("dealer", seats),
            Field("to_act", seats),
            Field(
                "totals",
                seats,
                self._deals * bounds.low / self._most,
                self._deals * bounds.high / self._most,
            ),
            Field("deal", 1),
        )

    def paths(self, public: Public, private: Private, legal: Sequence[Action]) -> list[Path]:  # noqa: ARG002  an id is the same at all times
        """Returns the one id of each action: its place among all that there are."""
        return [_PATH[action] for action in legal]

    def describe(self, number: int) -> str:
        """Returns the canonical text of an id's action."""
        return GAME.text.action(ACTIONS[number])

    def observe(self, seat: int, public: Public, private: Private, chosen: Path) -> list[float]:  # noqa: ARG002  nothing is chosen in parts
        """Returns what a seat sees."""
        row = Row(self.layout)
        for name, held in (("hand", private.hand), ("face_down", private.discards)):
            for tile in held:
                row.add(name, _KIND[tile], 1 / _COPIES)
        if public.line:
            row.mark("left_end", halves(public.line[0])[0] - 1)
            row.mark("right_end", halves(public.line[-1])[1] - 1)
        _history(row, seat, public)
        row.put("counts", from_own(public.counts, seat), HAND)
        row.put("discards", from_own(public.discards, seat), HAND)
        row.put("asked", [public.asked])
        for name, who in (("leader", public.leader), ("dealer", public.dealer), ("to_act", public.to_act)):
            if who >= 0:
                row.mark(name, (who - seat) % SEATS)
        row.put("totals", from_own(public.totals, seat), self._most)
        row.put("deal", [public.deal], self._deals)
        return row.values


def _history(row: Row, seat: int, public: Public) -> None:
    """Tells what each seat did, and which numbers it showed that it does not have."""
    ends = OPEN
    for step in public.steps:
        who, action = (step.seat - seat) % SEATS, step.action
        if action == CONTINUE:
            row.add("continued", who, 1 / HAND)
        elif step.revoke:
            row.add("revokes", who, 1 / HAND)
        elif action == DISCARD:
            for number in divmod(ends, HIGHEST + 1):
                row.mark("lacks", HIGHEST * who + number - 1)
        elif action < DISCARD:
            row.add("played", len(KINDS) * who + _KIND[action >> 2], 1 / _COPIES)
            ends = LAY[ends][action][0]
