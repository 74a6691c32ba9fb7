"""What a bot may answer to a turn, and the action that it names."""

from typing import TypeAlias

import msgspec

from referee.errors import IllegalActionError, MalformedActionError
from referee.games.base import Action, State, Text
from referee.match.events import AttemptForm

MAX_TEXT = 200
"""The longest action in text, in characters."""


class Chosen(msgspec.Struct, frozen=True):
    """Names an action by its tiles or cards."""

    action: int


class Index(msgspec.Struct, frozen=True):
    """Counts from 0 in the legal actions of the turn."""

    index: int


class Texted(msgspec.Struct, frozen=True):
    """Holds an action in canonical text."""

    text: str


class Unreadable(msgspec.Struct, frozen=True):
    """Holds no action; `raw` is what came (shortened), `reason` says what is wrong with it."""

    raw: str
    reason: str


Attempt: TypeAlias = Chosen | Index | Texted | Unreadable


def resolve(attempt: Attempt, state: State, text: Text) -> Action:
    """Returns the legal action that an answer names, as it is played; raises `RulesError` with the reason."""
    legal = state.legal_actions()
    if isinstance(attempt, Index):
        if 0 <= attempt.index < len(legal):
            return legal[attempt.index]
        raise MalformedActionError(f"index {attempt.index} is not in 0..{len(legal) - 1}")
    if isinstance(attempt, Unreadable):
        raise MalformedActionError(attempt.reason)
    chosen = attempt.action if isinstance(attempt, Chosen) else _parse(attempt.text, text)
    if chosen in legal:
        return chosen
    action = state.normalise(chosen)
    if action not in legal:
        raise IllegalActionError(state.why_illegal(action))
    return state.as_played(chosen)


def comparable(attempt: Attempt, text: Text) -> Attempt:
    """Returns text as the action that it names, so that both forms compare equal."""
    if not isinstance(attempt, Texted):
        return attempt
    try:
        return Chosen(_parse(attempt.text, text))
    except MalformedActionError:
        return attempt


def raw(attempt: Attempt, text: Text) -> tuple[AttemptForm, str]:
    """Returns the form of an answer and what it held, as the log keeps it."""
    if isinstance(attempt, Chosen):
        return "action", text.action(attempt.action)
    if isinstance(attempt, Index):
        return "index", str(attempt.index)
    if isinstance(attempt, Texted):
        return "text", attempt.text[: MAX_TEXT + 1]
    return "malformed" if attempt.raw else "none", attempt.raw


def _parse(line: str, text: Text) -> Action:
    if len(line) > MAX_TEXT:
        raise MalformedActionError(f"an action in text has at most {MAX_TEXT} characters")
    return text.parse_action(line)
