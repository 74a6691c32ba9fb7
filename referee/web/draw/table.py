"""What is drawn: a table as one viewer may see it."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.v1 import game_pb2


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A position, with what may be shown of it and what has to stand out.

    Nothing else is drawn: what a viewer may not know must not be in here.

    Attributes:
        game: the name of the game.
        public: the observation with its public part.
        hands: the private part of each seat whose hand may be shown; the others are backs and a count.
        names: by seat, as they may be shown.
        south: the seat at the bottom; the others follow in the direction of play.
        last: what was played last, by `last_seat`; it is highlighted.
        choices: the legal actions of `south`; pieces of its hand that occur in one are `playable`.
        forfeited: the seats that have lost by conduct.
        opening: where in the line its first tile lies, so that tiles stay in their places when others
            are joined: see `opening_index`. Ding Niu does not need it; without it the line is balanced.
    """

    game: str
    public: game_pb2.Observation
    hands: Mapping[int, game_pb2.Observation]
    names: tuple[str, ...]
    south: int = 0
    last: game_pb2.Action | None = None
    last_seat: int = -1
    choices: tuple[game_pb2.Action, ...] = ()
    forfeited: tuple[int, ...] = ()
    opening: int | None = None

    def name(self, seat: int) -> str:
        """Returns how a seat is called; by its number where it has no name."""
        return self.names[seat] if seat < len(self.names) and self.names[seat] else f"seat {seat}"

    def around(self) -> tuple[int, ...]:
        """Returns all seats in the direction of play, the one at the bottom first."""
        seats = len(self.names)
        return tuple([(self.south + later) % seats for later in range(seats)])
