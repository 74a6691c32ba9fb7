"""A choice that may take several steps: each step is an id, and a whole path of ids is an action."""

from typing import NamedTuple

from referee.envs.encoding import Path
from referee.games.base import Action


class Choice(NamedTuple):
    """What has been chosen of a path, and the legal actions that it leaves, with their paths.

    No path begins with another one, so that each action is at the end of one path alone.
    """

    chosen: Path = ()
    left: tuple[tuple[Path, Action], ...] = ()

    def ids(self) -> list[int]:
        """Returns the ids that lead on to an action; one may be named more than once."""
        step = len(self.chosen)
        return [path[step] for path, _ in self.left]

    def after(self, number: int) -> "Choice":
        """Returns the choice after an id that leads on."""
        step = len(self.chosen)
        left = tuple([entry for entry in self.left if entry[0][step] == number])
        return Choice((*self.chosen, number), left)

    def action(self) -> Action | None:
        """Returns the action that is chosen, None as long as there is more to choose."""
        path, action = self.left[0]
        return action if path == self.chosen else None
