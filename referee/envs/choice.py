"""A choice that may take several steps: each step is an id, and a whole path of ids is an action."""

from collections.abc import Iterable

from referee.games.base import Action

Path = tuple[int, ...]


class Choice:
    """The legal actions of a turn by their paths, less those that what was chosen has ruled out."""

    def __init__(self, paths: Iterable[tuple[Path, Action]] = ()) -> None:
        """Begins the choice; no path begins with another one."""
        self.chosen: Path = ()
        self._left = tuple(paths)

    def ids(self) -> list[int]:
        """Returns the ids that lead on to an action; one may be named more than once."""
        step = len(self.chosen)
        return [path[step] for path, _ in self._left]

    def take(self, number: int) -> Action | None:
        """Chooses an id that leads on, and returns the action once its path is complete."""
        step = len(self.chosen)
        self.chosen = (*self.chosen, number)
        self._left = tuple(entry for entry in self._left if entry[0][step] == number)
        path, action = self._left[0]
        return action if path == self.chosen else None
