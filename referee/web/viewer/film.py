"""A finished match as it is stepped through, for each of its viewers."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from referee.games import find
from referee.games.base import TABLE, Action, Game
from referee.replay import packs
from referee.replay.positions import FULL, SPECTATOR, Frame, frames, names, seen
from referee.replay.reader import read
from referee.replay.signature import signature_path
from referee.v1 import game_pb2
from referee.web.draw import opening_index

LONGEST: Final = 50_000
"""The most positions of a match that is stepped through here: they are all in memory."""

_BETWEEN: Final = frozenset({"dropped", "rejoined"})
"""Streams that come and go are no fault."""


class TooLongError(Exception):
    """A match has more positions than can be stepped through here."""


class Shot(NamedTuple):
    """A frame as its viewer knows it, and what of the table before it still shows.

    Attributes:
        frame: what happened, nothing in it that the viewer may not know.
        last: the action that was played last in the deal; None where the viewer does not know it.
        last_seat: who played it.
        opening: where in a line of block dominoes its first tile lies.
        forfeited: the seats that have lost by conduct.
        since: microseconds since the action before, as everybody at the table could count them.
    """

    frame: Frame
    last: Action | None
    last_seat: int
    opening: int | None
    forfeited: tuple[int, ...]
    since: int

    @property
    def fault(self) -> str:
        """What went wrong, in a word: `refused`, `default`, `strike`, `forfeit`, `gone`; or nothing."""
        kind = self.frame.kind
        if kind == "default":
            return "" if self.frame.fault == "forfeited" else "default"
        return {"rejected": "refused"}.get(kind, kind if kind in {"strike", "forfeit", "gone"} else "")


class Film:
    """All positions of one finished match.

    Attributes:
        setup: the header of its log.
        end: the end record.
        last_hash: the hash of the last line of the log.
        signed: whether the signature of the log lies beside it.
        game: the game that is played.
        size: how many positions it has.
    """

    def __init__(self, path: Path) -> None:
        """Reads a log; raises `RecordError` for one that is not whole, `TooLongError` for one too long."""
        log = read(path)
        self.setup = log.setup
        self.end = log.end
        self.last_hash = log.last_hash
        self.signed = packs.exists(signature_path(path))
        self.game: Game = find(log.setup.game)
        if len(log.records) > 2 * LONGEST:
            raise TooLongError
        self._frames = tuple(frames(log))
        if len(self._frames) > LONGEST:
            raise TooLongError
        self.size = len(self._frames)
        self._views: dict[int, tuple[Shot, ...]] = {}

    @property
    def seats(self) -> int:
        """How many seats the match has."""
        return len(self.setup.seats)

    def viewers(self) -> tuple[int, ...]:
        """Returns all viewers that there are."""
        return (FULL, SPECTATOR, *range(self.seats))

    def names(self, viewer: int) -> tuple[str, ...]:
        """Returns what the seats are called for a viewer, every one differently."""
        return distinct(names(self.setup, viewer))

    def shots(self, viewer: int) -> tuple[Shot, ...]:
        """Returns what a viewer steps through."""
        found = self._views.get(viewer)
        if found is None:
            shown = (seen(frame, viewer, self.game) for frame in self._frames)
            found = self._views[viewer] = tuple(_shots(self.game, filter(None, shown)))
        return found


def distinct(named: Iterable[str]) -> tuple[str, ...]:
    """Returns names of seats, with the number of its seat after one that others have too."""
    told = tuple(named)
    return tuple(
        name if told.count(name) == 1 else f"{name} ({seat})" if name else f"seat {seat}"
        for seat, name in enumerate(told)
    )


def at(shots: tuple[Shot, ...], number: int) -> int:
    """Returns which of the shots shows the table as it was after a record of the log."""
    low, high = 0, len(shots) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if shots[middle].frame.n <= number:
            low = middle
        else:
            high = middle - 1
    return low


def _shots(game: Game, frames: Iterable[Frame]) -> Iterator[Shot]:
    plays: list[game_pb2.Action] = []
    last: Action | None = None
    last_seat, before = TABLE, 0
    forfeited: tuple[int, ...] = ()
    for frame in frames:
        if frame.kind == "deal":
            plays, last, last_seat, before = [], None, TABLE, frame.t
        elif frame.kind in {"action", "default"}:
            last, last_seat = frame.action, frame.seat
            if last is not None and game.info.name == "block_dominoes":
                plays.append(action_of(game, last))
        elif frame.kind == "forfeit":
            forfeited = (*forfeited, frame.seat)
        yield Shot(frame, last, last_seat, opening_index(plays), forfeited, max(0, frame.t - before))
        if frame.kind in {"action", "default"}:
            before = frame.t


def action_of(game: Game, action: Action) -> game_pb2.Action:
    """Returns the message of an action."""
    return game_pb2.Action.FromString(game.wire.action(action))
