"""A table of standings for people."""

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee import games
from referee.errors import UsageError
from referee.tournament.bootstrap import Estimate
from referee.tournament.rating import Rating
from referee.tournament.standings import Row, Standings

_NONE = "-"


def render(table: Standings) -> RenderableType:
    """Returns the table of the current version of each bot, with a title, notes and a legend.

    Its numbers fit into 80 columns; only names are folded.
    """
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, expand=False)
    grid.add_column("", justify="right", no_wrap=True)
    grid.add_column("bot", overflow="fold")
    for heading in ("n", "places", "points", "score", "rating"):
        grid.add_column(heading, justify="right", no_wrap=True)
    rows = [row for row in table.rows if row.current]
    for row in rows:
        grid.add_row(*_cells(row))
    notes = Text("\n".join(note for row in rows if (note := _note(row))))
    older = len(table.rows) - len(rows)
    parts = (grid, notes) if notes else (grid,)
    return Group(_title(table), *parts, Text(_legend(table, older), style="dim"), Text())


def printable(text: str) -> str:
    """Returns a text that a bot gave, without anything that a terminal obeys."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _cells(row: Row) -> list[Text | str]:
    return [
        str(row.place),
        Text(_name(row)),
        str(row.matches),
        "-".join(map(str, row.ranks)) if row.matches else _NONE,
        _points(row.points),
        f"{row.score.mean:.1f}" if row.score else _NONE,
        _rating(row.rating),
    ]


def _name(row: Row) -> str:
    return printable(f"{row.name} {row.version}" if row.version else row.name)


def _points(estimate: Estimate | None) -> str:
    if estimate is None:
        return _NONE
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:.3f}"
    return f"{estimate.mean:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _rating(rating: Rating | None) -> str:
    return f"{rating.ordinal:.1f} ({rating.mean:.1f}±{rating.deviation:.1f})" if rating else _NONE


def _note(row: Row) -> str:
    """Returns a line about the conduct of a bot, or nothing where there is nothing to say."""
    apart = _counts(
        {"forfeited": row.forfeits, "no-show": row.no_shows, "void": row.voids, "unrated": row.unrated}
    )
    faults = _counts(row.faults)
    said = [*([apart] if apart else []), *([f"faults: {faults}"] if faults else [])]
    return f"{_name(row)}: {'; '.join(said)}" if said else ""


def _counts(counts: Mapping[str, int]) -> str:
    return printable(
        ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items() if count)
    )


def _title(table: Standings) -> Text:
    options = ", ".join(f"{name}={value}" for name, value in table.key.options)
    return Text(printable(f"{table.key.game}, rules {table.key.rules_version} ({options})"), style="bold")


def _legend(table: Standings, older: int) -> str:
    ends = ", ".join(f"{count} {kind.replace('_', '-')}" for kind, count in table.terminations.items())
    lines = [
        f"{table.matches} rated matches, {table.deal_groups} deal groups; ended: {ends}.",
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


def _direction(game: str) -> str:
    try:
        lower = games.find(game).info.lower_is_better
    except UsageError:
        return "in the game's own unit"
    return "lower is better" if lower else "higher is better"
