"""What lies where in a match of Mexican Train: the fields of a state, their copies and snapshots."""

from collections.abc import Mapping
from typing import Any, Final, Self

from referee.games.base import CHANCE, Action, DealResult
from referee.games.info import Options
from referee.games.mexican_train.table import FIT, PUBLIC, hand_of, tiles_of
from referee.games.tiles import Tile

_PLAIN: Final = (
    *("deals", "engine", "doubles", "deal", "seat", "owner", "centre", "due"),
    *("further", "double", "drawn", "marked", "shared", "passes", "blocked"),
)
"""The fields that a snapshot holds as they are."""
_FIELDS: Final = (
    *_PLAIN,
    *("_legal", "absent", "boneyard", "ends", "fits", "hands", "result", "total", "trains"),
)


class Position:
    """The fields of a match.

    `due` counts the seats that have still to take their first turn, the one to act included; `double`
    is the train with a double to cover, `drawn` a tile that has to be played, `marked` has a bit for
    each seat with a marker, `shared` for those that have started their trains besides. Trains, their
    `ends` and what `fits` those go by number, the public one is the last; `absent` has a set of numbers
    for each seat, of which it is known to hold no tile, but for one drawn and to be played.
    """

    __slots__ = _FIELDS

    def __init__(self, seats: int, options: Options) -> None:
        """Makes a match before its first deal; `options` are resolved ones."""
        self.deals = int(options["deals"])
        self.engine = str(options["engine"])
        self.doubles = str(options["doubles"])
        self.deal = 0
        self.seat = CHANCE
        self.hands = [0] * seats
        self.boneyard: tuple[Tile, ...] = ()
        self.total: tuple[int, ...] = (0,) * seats
        self.result: DealResult | None = None
        self.clear(-1, 0)
        self.due = 0

    def clear(self, owner: int, centre: Tile) -> None:
        """Takes everything off the table but an engine, and lets every first turn be due."""
        self.owner = owner
        self.centre = centre
        self.due = len(self.hands)
        self.further = False
        self.double: int | None = None
        self.drawn: Tile | None = None
        self.marked = 0
        self.shared = 0
        self.passes = 0
        self.blocked = False
        self.trains: list[list[int]] = [[] for _ in range(PUBLIC + 1)]
        self.ends = [centre & 15] * (PUBLIC + 1)
        self.fits = [FIT[centre & 15]] * (PUBLIC + 1)
        self.absent = [0] * len(self.hands)
        self._legal: tuple[Action, ...] | None = None

    def copy(self) -> Self:
        """Returns an independent state that equals this one."""
        twin = type(self).__new__(type(self))
        for name in _FIELDS:
            setattr(twin, name, getattr(self, name))
        twin.hands = self.hands[:]
        twin.trains = [train[:] for train in self.trains]
        twin.ends = self.ends[:]
        twin.fits = self.fits[:]
        twin.absent = self.absent[:]
        return twin

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state in values that JSON can hold, keys in a fixed order."""
        result = self.result
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "hands": [list(tiles_of(hand)) for hand in self.hands],
            "boneyard": list(self.boneyard),
            "trains": [list(train) for train in self.trains],
            "ends": list(self.ends),
            "absent": list(self.absent),
            "totals": list(self.total),
            "scores": None if result is None else list(result.scores),
            "scored_deal": 0 if result is None else result.deal,
        }

    def load(self, snapshot: Mapping[str, Any]) -> None:
        """Takes over what a snapshot of as many seats holds."""
        for name in _PLAIN:
            setattr(self, name, snapshot[name])
        self.hands = [hand_of(held) for held in snapshot["hands"]]
        self.boneyard = tuple(snapshot["boneyard"])
        self.trains = [list(train) for train in snapshot["trains"]]
        self.ends = list(snapshot["ends"])
        self.fits = [FIT[end] for end in self.ends]
        self.absent = list(snapshot["absent"])
        self.total = tuple(snapshot["totals"])
        if snapshot["scores"] is not None:
            self.result = DealResult(snapshot["scored_deal"], tuple(snapshot["scores"]), self.total)
