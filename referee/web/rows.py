"""The columns of a table of standings, and what else is told of its rows."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from referee.tournament.lead import MOST
from referee.tournament.standings import Row
from referee.web import figures
from referee.web.columns import Column, Value


def _lead(row: Row) -> Value:
    found = row.lead
    if found is None or found.needed is None or found.needed >= MOST:
        return None
    return found.needed


def columns(game: str) -> Sequence[Column[Row]]:
    """Returns the columns of a table of a game: which way its scores are better decides what comes first."""
    higher = not figures.lower_wins(game)
    return (*_FIRST, Column("score", "Score", _score, "mean of a match", best_last=higher), *_LAST)


def _score(row: Row) -> Value:
    return row.score.mean if row.score else None


_FIRST: Final[tuple[Column[Row], ...]] = (
    Column("place", "#", lambda row: row.place, "place"),
    Column("bot", "Bot", lambda row: f"{row.name.casefold()} {row.version}", number=False),
    Column("n", "n", lambda row: row.matches, "matches that count", best_last=True),
    Column(
        "points",
        "Points, 0 to 1",
        lambda row: row.points.mean if row.points else None,
        "mean placement points with their 95 % interval",
        best_last=True,
    ),
)
_LAST: Final[tuple[Column[Row], ...]] = (
    Column(
        "rating",
        "Rating",
        lambda row: row.rating.ordinal if row.rating else None,
        "mean - 3 deviations",
        best_last=True,
    ),
    Column("lead", "Lead certain", _lead, "matches until the lead over the next is certain"),
    Column(
        "firsts",
        "Places",
        lambda row: row.ranks[0] / row.matches if row.matches else None,
        "how often first, second and so on; sorted by the share of first places",
        best_last=True,
    ),
    Column("forfeits", "For\N{SOFT HYPHEN}feits", lambda row: row.forfeits, best_last=True),
    Column("faults", "Faults", lambda row: sum(row.faults.values()), best_last=True),
    Column("no_shows", "No-shows", lambda row: row.no_shows, best_last=True),
    Column("think", "Think time", lambda row: row.think / row.turns if row.turns else None, "mean of a turn"),
    Column("longest", "Longest", lambda row: row.longest if row.turns else None, "longest think time"),
    Column("owner", "Owner", lambda row: row.owner.casefold(), number=False),
)


def clashes(rows: Sequence[Row]) -> set[str]:
    """Returns the ids of bots whose name and version do not tell them apart from others."""
    count = Counter((row.name, row.version) for row in rows)
    return {row.bot for row in rows if count[row.name, row.version] > 1}


def notes(row: Row) -> list[str]:
    """Returns what there is to say about a row that no column tells."""
    said = [f"{row.left}: {row.why}" if row.why else row.left] if row.left else []
    if row.byes:
        said.append(f"{row.byes} {'bye' if row.byes == 1 else 'byes'}")
    if row.unplayed:
        said.append(f"{row.unplayed} not played for want of it")
    return said


def ends(rows: Sequence[Row]) -> list[str]:
    """Returns all ways in which matches ended for the rows, the good ones first."""
    first = ("completed", "ended_by_forfeits", "adjudicated")
    found = {end for row in rows for end, count in row.ends.items() if count}
    return [end for end in first if end in found] + sorted(found.difference(first))
