"""How the figures of standings are written, and what they mean, in words."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from referee.errors import UsageError
from referee.games import find
from referee.tournament.bootstrap import Estimate
from referee.tournament.lead import MOST, Lead
from referee.tournament.standings import TableKey
from referee.web.filters import game_name

NONE: Final = "\N{EN DASH}"
"""Stands where there is nothing to tell."""
MINUS: Final = "\N{MINUS SIGN}"
_SCORES: Final = {
    "block_dominoes": "pips won from the hands of others",
    "guan_pai": "cards won from the others, less those paid to them",
    "mexican_train": "pips left in hand",
    "ding_niu": "points won from the others, less those paid to them",
}
_ENDS: Final = {
    "completed": "played to the end",
    "ended_by_forfeits": "won as all others forfeited",
    "adjudicated": "adjudicated at a cap",
    "no_show": "did not show up",
    "no_show_of_others": "another did not show up",
    "voided": "made void by an operator",
    "disqualified": "taken out with a disqualified bot",
    "superseded": "played again",
    "incomplete": "of an unfinished block",
}
_TERMINATIONS: Final = {
    "completed": "played to the end",
    "forfeited": "ended by forfeits",
    "adjudicated": "adjudicated at a cap",
    "no_show": "a seat did not show up",
    "void": "void",
}


def number(value: float, digits: int) -> str:
    """Returns a number with so many digits, the minus as long as the plus."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", MINUS)


def mean(estimate: Estimate | None, digits: int) -> str:
    """Returns the mean of an estimate."""
    return NONE if estimate is None else number(estimate.mean, digits)


def interval(estimate: Estimate | None, digits: int) -> str:
    """Returns the interval of an estimate; empty where there is none."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{number(estimate.low, digits)} to {number(estimate.high, digits)}"


def lead(found: Lead | None) -> str:
    """Returns the matches that a lead still needs to be certain."""
    if found is None:
        return NONE
    if found.needed is None:
        return "?"
    if found.needed == 0:
        return "certain"
    return f"+{found.needed}" if found.needed < MOST else f"> {MOST}"


def end(kind: str) -> str:
    """Returns in words how a match ended for a bot, or why it does not count."""
    how, _, cause = kind.partition("_")
    if how == "forfeited":
        return f"forfeited: {cause.replace('_', ' ')}" if cause else "forfeited"
    return _ENDS.get(kind, kind.replace("_", " "))


def termination(kind: str) -> str:
    """Returns in words why matches ended."""
    return _TERMINATIONS.get(kind, kind.replace("_", " "))


def fault(kind: str) -> str:
    """Returns the name of a kind of fault."""
    return kind.replace("_", " ")


def counts(found: Mapping[str, int]) -> str:
    """Returns how often there was each of some things: `3 late, 1 illegal`."""
    return ", ".join(f"{count} {fault(kind)}" for kind, count in found.items() if count)


def options(key: TableKey) -> str:
    """Returns the options of a table in one line."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in key.options)


def title(key: TableKey) -> str:
    """Returns what a table is called; `options` says the rest."""
    name = game_name(key.game)
    return f"{name} in {key.tournament}" if key.tournament else name


def lower_wins(game: str) -> bool | None:
    """Says whether the lower score is the better one; None for a game that is not played here."""
    try:
        return find(game).info.lower_is_better
    except UsageError:
        return None


def score_means(game: str) -> str:
    """Returns what the score of a game is and which way is better."""
    lower = lower_wins(game)
    better = "" if lower is None else f"; {'lower' if lower else 'higher'} is better"
    return f"{_SCORES.get(game, 'counted as the game counts')}{better}"


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "number": number,
    "mean": mean,
    "interval": interval,
    "lead": lead,
    "end": end,
    "termination": termination,
    "fault": fault,
    "counts": counts,
    "options": options,
    "table_title": title,
    "score_means": score_means,
}
