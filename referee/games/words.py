"""Actions of which every text is known beforehand."""

from collections.abc import Mapping

from referee.errors import MalformedActionError
from referee.games.base import Action


def malformed(text: str, offset: int, examples: str) -> MalformedActionError:
    """Returns the error for a text in which no action goes on at `offset`, a byte counted from 0.

    The byte is the first one after which no action can follow any more, or the end of a text that
    stops too early. All that comes before it is ASCII, so characters count as bytes.
    """
    what = f"{text[offset]!a} is not expected there" if offset < len(text) else "the text ends too early"
    return MalformedActionError(f"byte {offset}: {what}; write it like {examples}")


class Words:
    """The texts of all actions of a game: canonical ones, and others that mean the same."""

    def __init__(self, actions: Mapping[str, Action], examples: str) -> None:
        self._actions = actions
        self._examples = examples
        self._beginnings = frozenset(text[:length] for text in actions for length in range(len(text) + 1))

    def parse(self, text: str) -> Action:
        """Returns the action, or raises `MalformedActionError` that names the first bad byte."""
        found = self._actions.get(text)
        if found is None:
            offset = next((n for n in range(len(text)) if text[: n + 1] not in self._beginnings), len(text))
            raise malformed(text, offset, self._examples)
        return found
