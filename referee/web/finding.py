"""Which table an address means, and what is said where it means none or more than one."""

import difflib
from collections.abc import Sequence
from typing import Protocol, TypeVar

from starlette.requests import Request

from referee.tournament.standings import TableKey
from referee.web import links
from referee.web.sources import NotShown


class Keyed(Protocol):
    """A table, or a leaderboard."""

    @property
    def key(self) -> TableKey:
        """What names it."""


K = TypeVar("K", bound=Keyed)
_DIGITS = 7
"""Of a number with more digits none is read."""


def meant(request: Request, every: Sequence[K]) -> K | list[K]:
    """Returns the table that an address names, or all that it may mean; raises `NotShown` for none.

    An address without rules and options means the only table of its tournament and game, too.
    """
    tournament = links.tournament_of(request.path_params["tournament"])
    game = links.name_of(request.path_params["game"])
    query = request.query_params
    exact = [one for one in every if links.fits(one.key, tournament, game, query)]
    if len(exact) == 1:
        return exact[0]
    near = [one for one in every if (one.key.tournament, one.key.game) == (tournament, game)]
    if not near:
        raise absent(tournament, game, every)
    asked = any(name == "rules" or name.startswith("opt.") for name in query)
    return near if asked or len(near) > 1 else near[0]


def absent(tournament: str, game: str, every: Sequence[Keyed]) -> NotShown:
    """Returns what is said where no table has these names; without a game any would do."""
    known = {one.key.tournament for one in every}
    if tournament and tournament not in known:
        what, hint = f"There is no table of a tournament {tournament!r}", near_names(tournament, known - {""})
    elif not game:
        what, hint = "No match has ended that belongs to no tournament", "."
    else:
        what = f"No match of {game!r} has ended{f' in {tournament}' if tournament else ''}"
        hint = near_names(game, {one.key.game for one in every if one.key.tournament == tournament})
    return NotShown(404, f"{what}{hint}")


def near_names(name: str, known: set[str]) -> str:
    """Returns what may have been meant by a name that is not known, as the end of a sentence."""
    found = difflib.get_close_matches(name, sorted(known), n=3)
    return f"; was {' or '.join(found)} meant?" if found else "."


def whole(text: str, least: int) -> int:
    """Returns the whole number of an address, or the least one for what is none."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else least
    return max(least, number)
