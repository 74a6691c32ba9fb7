"""What a bot may answer to a turn, before it is judged."""

from typing import NamedTuple, TypeAlias


class Chosen(NamedTuple):
    """Names an action by its tiles or cards."""

    action: int


class Index(NamedTuple):
    """Counts from 0 in the legal actions of the turn."""

    index: int


class Texted(NamedTuple):
    """Holds an action in canonical text."""

    text: str


class Unreadable(NamedTuple):
    """Holds no action; `raw` is what came (shortened), `reason` says what is wrong with it."""

    raw: str
    reason: str


Attempt: TypeAlias = Chosen | Index | Texted | Unreadable
