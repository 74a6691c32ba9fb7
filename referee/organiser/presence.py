"""Who is here: the bots that were started for a tournament, and those that dial in by themselves."""

from collections.abc import Callable

from referee.engine.local import LocalArena
from referee.organiser.tournament import Tournament

PATIENCE = 20.0
"""Seconds that a bot which was started here may take to dial in before anybody waits for it at a table."""


class Presence:
    """The bots of a tournament, by their names, as the arena sees them; `now` is in seconds."""

    def __init__(
        self, tournament: Tournament, arena: LocalArena, parallel: int, now: Callable[[], float]
    ) -> None:
        self._game = tournament.game
        self._arena = arena
        self._parallel = parallel
        self._now = now
        self._bots = tournament.by_name
        self._names = {bot.bot_id: bot.name for bot in tournament.bots}
        self._fresh = {bot.name for bot in tournament.bots if tournament.is_fresh(bot)}
        self._dialling: dict[str, float] = {}

    def key(self, name: str) -> str:
        """Returns what the arena knows a bot by: a registered one by its id."""
        bot = self._bots[name]
        return bot.name if bot.command else bot.bot_id

    def name(self, key: str) -> str:
        """Returns the name of a bot that the arena names."""
        return self._names.get(key, key)

    def capacity(self, name: str) -> int | None:
        """Returns how many matches a bot takes at once; None while it is away.

        One that was started here and has not dialled in yet takes none, and is not away yet.
        """
        if name in self._fresh:
            return self._parallel
        capacity = self._arena.arena.capacity(self.key(name), self._game)
        if capacity or not self._bots[name].command or name in self._arena.gone:
            self._dialling.pop(name, None)
            return capacity or None
        since = self._dialling.setdefault(name, self._now())
        return 0 if self._now() - since < PATIENCE else None

    def dialling(self) -> bool:
        """Says whether a bot that was started here may still dial in soon."""
        return any(self.capacity(name) == 0 for name in tuple(self._dialling))
