"""Which launched process sits where, noted for each match while it is played.

The note of a match is `reports/<match id>.json` in the folder of what its bots print, readable by its
owner only: for each seat with a launched bot the marks of its processes, in order. It is there before
the first bot hears of the match. `referee.replay.processes` reads it.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import structlog

from referee.replay.files import write_new
from referee.replay.processes import REPORTS, Note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.server.launcher import LaunchedBot
    from referee.server.live import LiveMatch

_log = structlog.get_logger("referee.processes")


class Processes:
    """The launched processes of one server, and the notes of its running matches; `matches` are those."""

    def __init__(self, matches: "Mapping[str, LiveMatch]") -> None:
        self._matches = matches
        self._bots: dict[tuple[str, str], LaunchedBot] = {}
        self._notes: dict[str, dict[int, list[str]]] = {}
        self._blamed: set[Path] = set()

    def launched(self, name: str, bot: "LaunchedBot", instance: str = "") -> None:
        """Takes note that a bot, or one instance of it, is this process."""
        self._bots[name, instance] = bot
        for live in self._matches.values():
            if bot in self._at(live).values():
                self.note(live)

    def forget(self, name: str, instance: str) -> None:
        """Forgets the process of an instance that comes no more."""
        self._bots.pop((name, instance), None)

    def note(self, live: "LiveMatch") -> None:
        """Notes who plays a match, besides those that were noted before."""
        match_id = live.match.setup.match_id
        seats = self._at(live)
        if not seats:
            return
        known = self._notes.setdefault(match_id, {})
        for seat, bot in seats.items():
            marks = known.setdefault(seat, [])
            if bot.mark not in marks:
                marks.append(bot.mark)
        path = next(iter(seats.values())).output.parent / REPORTS / f"{match_id}.json"
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_new(path, msgspec.json.encode(Note(known)), 0o600)
        except OSError as error:
            _log.warning("a match cannot be noted", path=str(path), problem=str(error))

    def over(self, live: "LiveMatch") -> None:
        """Takes note that a match is over, and who did something wrong in it."""
        self._notes.pop(live.match.setup.match_id, None)
        end = live.match.end
        for seat, bot in self._at(live).items():
            if end and (end.places[seat].forfeited or any(end.places[seat].faults.values())):
                self._blamed.add(bot.output)

    def is_blamed(self, output: Path) -> bool:
        """Says whether a process did something wrong in a match; to be asked once."""
        if output not in self._blamed:
            return False
        self._blamed.remove(output)
        return True

    def _at(self, live: "LiveMatch") -> "dict[int, LaunchedBot]":
        """Returns the launched processes at a table, by seat."""
        found = {}
        for seat, member in enumerate(live.members):
            name, instance = member.identity.name, member.introduction.instance
            bot = self._bots.get((name, instance)) or self._bots.get((name, ""))
            if bot and not member.identity.registered:
                found[seat] = bot
        return found
