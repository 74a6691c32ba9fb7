"""The blocks of duplicate matches that are played here: what they share, and the seals on their logs."""

import os
from collections.abc import Callable
from pathlib import Path

import structlog

from referee.errors import LogWriteError
from referee.match.flow import COUNTING
from referee.replay.ids import uuid7
from referee.replay.reader import RUNNING, SEALED
from referee.replay.seals import settle_blocks
from referee.server.index import Index
from referee.server.live import LiveMatch
from referee.server.request import DealGroup, new_group

_log = structlog.get_logger("referee.blocks")


class Blocks:
    """Keeps the logs of a block sealed until it is over; `wall` and `window` are in microseconds.

    A block whose match may still be resumed, by a later process within the `window`, stays sealed.
    """

    def __init__(self, data: Path, index: Index | None, wall: Callable[[], int], window: int) -> None:
        self._data = data
        self._index = index
        self._wall = wall
        self._window = window
        self._open: list[DealGroup] = []
        self._matches: dict[str, DealGroup] = {}
        """The blocks of running matches, by match id."""

    def open(self, seed: int | None) -> DealGroup:
        """Returns a fresh deal group for a block that begins; `settle` ends it."""
        group = new_group(seed, uuid7(self._wall() // 1000, os.urandom(10)))
        self._open.append(group)
        return group

    def began(self, match_id: str, group: DealGroup) -> None:
        """Takes note of a match of a block."""
        self._matches[match_id] = group

    def over(self, live: LiveMatch) -> None:
        """Takes a match that is over, or was suspended, if it is of a block."""
        if not live.match.setup.block:
            return
        end = live.match.end
        group = self._matches.pop(live.match.setup.match_id, None)
        if group is None or not self._is_open(group):  # it was resumed, and nobody goes on with its block
            live.writer.abandon()
            self.sweep()
        elif live.writer.path.name.endswith(SEALED):
            group.logs.append(live.writer)
            if end and end.termination in COUNTING and group.contributions is None:
                group.contributions = tuple(map(bytes.fromhex, end.contributions))
        elif live.writer.path.name.endswith(RUNNING) and not live.failure:
            group.suspended = True

    def settle(self, group: DealGroup) -> None:
        """Ends a block, whole or given up, and unseals its logs unless a match of it was suspended."""
        if not self._is_open(group):
            return
        self._open = [one for one in self._open if one is not group]
        for writer in group.logs:
            if group.suspended:
                writer.abandon()
                continue
            try:
                self._add(writer.unseal())
            except LogWriteError as error:
                _log.error("a log stays sealed until the next start", problem=str(error))

    def sweep(self) -> None:
        """Unseals the blocks that nobody plays any more, as those of a process that was killed."""
        for path in settle_blocks(self._data, self._wall(), self._window):
            _log.info("a log was unsealed", path=str(path))
            self._add(path)

    def close(self) -> None:
        """Ends all blocks."""
        for group in tuple(self._open):
            self.settle(group)
        self.sweep()

    def _is_open(self, group: DealGroup) -> bool:
        return any(group is one for one in self._open)

    def _add(self, path: Path) -> None:
        if self._index:
            self._index.add(path)
