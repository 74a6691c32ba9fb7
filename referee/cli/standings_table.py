"""A table of standings for people."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from referee import games
from referee.cli.tables import NONE, Column, name_column, say, show
from referee.errors import UsageError
from referee.tournament.bootstrap import Estimate
from referee.tournament.rating import Rating
from referee.tournament.standings import Row, Standings

_ID_WIDTH = 48
"""How narrow a column of names may get that have to be told apart by their ids."""


def print_standings(table: Standings, console: Console) -> None:
    """Prints the table of the current version of each bot, with a title, notes and a legend.

    Where two rows would read the same the id of the bot follows its name. A narrow terminal sees
    neither ratings, nor scores, nor places, in this order.
    """
    rows = [row for row in table.rows if row.current]
    names = _names(rows)
    clash = any(name != _name(row) for name, row in zip(names, rows, strict=True))
    columns = (
        Column("", number=True),
        name_column(least=_ID_WIDTH if clash else name_column().least),
        Column("n", number=True),
        Column("places", number=True, drop=1),
        Column("points", number=True),
        Column("score", number=True, drop=2),
        Column("rating", number=True, drop=3),
    )
    say(console, _title(table), "bold")
    show(console, columns, [_cells(row, name) for row, name in zip(rows, names, strict=True)])
    notes = [note for row, name in zip(rows, names, strict=True) if (note := _note(row, name))]
    if notes:
        say(console, "\n".join(notes))
    say(console, _legend(table, len(table.rows) - len(rows)), "dim")
    console.print()


def _names(rows: Sequence[Row]) -> list[str]:
    """Returns what tells the rows apart: name and version, and the id where these are not enough."""
    count = Counter(map(_name, rows))
    return [_name(row) if count[_name(row)] == 1 else f"{_name(row)} ({row.bot})" for row in rows]


def _cells(row: Row, name: str) -> list[str]:
    return [
        str(row.place),
        name,
        str(row.matches),
        "-".join(map(str, row.ranks)) if row.matches else NONE,
        _points(row.points),
        f"{row.score.mean:.1f}" if row.score else NONE,
        _rating(row.rating),
    ]


def _name(row: Row) -> str:
    return f"{row.name} {row.version}" if row.version else row.name


def _points(estimate: Estimate | None) -> str:
    if estimate is None:
        return NONE
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:.3f}"
    return f"{estimate.mean:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _rating(rating: Rating | None) -> str:
    return f"{rating.ordinal:.1f} ({rating.mean:.1f}±{rating.deviation:.1f})" if rating else NONE


def _note(row: Row, name: str) -> str:
    """Returns a line about the conduct of a bot, or nothing where there is nothing to say."""
    apart = _counts(
        {"forfeited": row.forfeits, "no-show": row.no_shows, "void": row.voids, "unrated": row.unrated}
    )
    faults = _counts(row.faults)
    said = [*([apart] if apart else []), *([f"faults: {faults}"] if faults else [])]
    return f"{name}: {'; '.join(said)}" if said else ""


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items() if count)


def _title(table: Standings) -> str:
    options = ", ".join(f"{name}={value}" for name, value in table.key.options)
    return f"{table.key.game}, rules {table.key.rules_version} ({options})"


def _legend(table: Standings, older: int) -> str:
    ends = ", ".join(f"{count} {kind.replace('_', '-')}" for kind, count in table.terminations.items())
    matches = _count(table.matches, "rated match", "es")
    groups = _count(table.deal_groups, "deal group", "s")
    lines = [
        f"{matches}, {groups}; ended: {ends}.",
        "n: rated matches. places: how often 1st-2nd-...",
        "points: mean placement points, 1 always first, 0 always last, higher is better;",
        "  [95 % interval, bootstrap over deal groups; none for a single group].",
        f"score: mean per match, {_direction(table.key.game)}.",
        "rating: OpenSkill mu - 3 sigma (mu±sigma), higher is better.",
        "No-shows, voids and unrated matches count nowhere else; forfeited matches do.",
    ]
    if older:
        lines.append(f"{older} earlier versions of these bots are in --json only.")
    return "\n".join(lines)


def _count(number: int, what: str, plural: str) -> str:
    return f"{number} {what}{'' if number == 1 else plural}"


def _direction(game: str) -> str:
    try:
        lower = games.find(game).info.lower_is_better
    except UsageError:
        return "in the game's own unit"
    return "lower is better" if lower else "higher is better"
