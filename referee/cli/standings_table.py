"""A table of standings for people."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from referee import games
from referee.cli.tables import NONE, Column, first, name_column, say, show
from referee.cli.words import many
from referee.errors import UsageError
from referee.tournament.bootstrap import Estimate
from referee.tournament.counting import NO_SHOW, VOID
from referee.tournament.lead import MOST, Lead
from referee.tournament.rating import Rating
from referee.tournament.standings import Row, Standings, TableKey

_ID_WIDTH = 48
"""How narrow a column of names may get that have to be told apart by their ids."""
_NOTES = 40
"""How many bots are told about one by one below the table."""
_ENDS = {
    "completed": "",
    "ended_by_forfeits": "",
    "no_show": "no-show",
    "no_show_of_others": "no-show of others",
    "voided": "made void",
    "disqualified": "lost to a disqualification",
    "superseded": "played again",
    "incomplete": "in unfinished blocks",
}
"""What a note calls the ends of matches; nothing of ordinary ones, and others by their own name."""
_NO_END = (NO_SHOW, VOID)
"""Why matches do not count that came to no end; how many these are stands with the ends."""


def print_standings(table: Standings, console: Console) -> None:
    """Prints the table of the current version of each bot, with a title, notes and a legend.

    Where two rows would read the same the id of the bot follows its name. A narrow terminal sees
    neither think times, nor ratings, nor places, nor scores, nor leads, in this order.
    """
    rows = [row for row in table.rows if row.current]
    names = row_names(rows)
    clash = any(name != _name(row) for name, row in zip(names, rows, strict=True))
    columns = (
        Column("", number=True),
        name_column(least=_ID_WIDTH if clash else name_column().least),
        Column("n", number=True),
        Column("places", number=True, drop=3),
        Column("points", number=True),
        Column("lead", number=True, drop=1),
        Column("score", number=True, drop=2),
        Column("rating", number=True, drop=4),
        Column("think", number=True, drop=5),
    )
    say(console, title(table.key), "bold")
    show(console, columns, [_cells(row, name) for row, name in zip(rows, names, strict=True)])
    notes = [note for row, name in zip(rows, names, strict=True) if (note := _note(row, name))]
    if notes or table.unplayed:
        told = first(notes, "bots with something to tell", most=_NOTES)
        say(console, "\n".join([*told, *_unplayed(table)]))
    say(console, _legend(table, len(table.rows) - len(rows)), "dim")
    console.print()


def row_names(rows: Sequence[Row]) -> list[str]:
    """Returns what tells the rows apart: name and version, and the id where these are not enough."""
    count = Counter(map(_name, rows))
    return [_name(row) if count[_name(row)] == 1 else f"{_name(row)} ({row.bot})" for row in rows]


def title(key: TableKey) -> str:
    """Returns what a table is called."""
    options = ", ".join(f"{name}={value}" for name, value in key.options)
    of = f"{key.tournament}: " if key.tournament else ""
    return f"{of}{key.game}, rules {key.rules_version} ({options})"


def _cells(row: Row, name: str) -> list[str]:
    return [
        str(row.place),
        name,
        str(row.matches),
        "-".join(map(str, row.ranks)) if row.matches else NONE,
        _points(row.points),
        _lead(row.lead),
        f"{row.score.mean:.1f}" if row.score else NONE,
        _rating(row.rating),
        _time(row.think / row.turns) if row.turns else NONE,
    ]


def _name(row: Row) -> str:
    return f"{row.name} {row.version}" if row.version else row.name


def _points(estimate: Estimate | None) -> str:
    if estimate is None:
        return NONE
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:.3f}"
    return f"{estimate.mean:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _lead(lead: Lead | None) -> str:
    if lead is None:
        return NONE
    if lead.needed is None:
        return "?"
    if lead.needed == 0:
        return "sure"
    return f"+{lead.needed}" if lead.needed < MOST else f">{MOST}"


def _rating(rating: Rating | None) -> str:
    return f"{rating.ordinal:.1f} ({rating.mean:.1f}±{rating.deviation:.1f})" if rating else NONE


def _time(microseconds: float) -> str:
    if microseconds < 1000:
        return f"{microseconds:.0f} us"
    return f"{microseconds / 1000:.1f} ms" if microseconds < 1_000_000 else f"{microseconds / 1e6:.2f} s"


def _note(row: Row, name: str) -> str:
    """Returns a line about the conduct of a bot, or nothing where there is nothing to say."""
    said = [f"{row.left}: {row.why}"] if row.left else []
    ends = _counts({_end(end): count for end, count in row.ends.items() if _end(end)})
    if row.byes:
        said.append(f"{row.byes} {'bye' if row.byes == 1 else 'byes'}")
    if row.unplayed:
        said.append(f"{row.unplayed} not played for want of it")
    said += [ends] if ends else []
    faults = _counts(row.faults)
    if faults:
        said.append(
            f"faults: {faults} (longest turn {_time(row.longest)})" if row.turns else f"faults: {faults}"
        )
    return f"{name}: {'; '.join(said)}" if said else ""


def _end(end: str) -> str:
    how, _, cause = end.partition("_")
    return f"forfeited: {cause}" if how == "forfeited" and cause else _ENDS.get(end, end)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items() if count)


def _unplayed(table: Standings) -> list[str]:
    """Returns a line for each of the first pairings that were given up, and one for the rest."""
    lines = [f"not played: pairing {one.pairing_id}: {one.why}" for one in table.unplayed]
    return first(lines, "pairings not played")


def _not_counted(table: Standings) -> str:
    """Returns how many matches do not count for another reason than that they came to no end."""
    apart = {_ENDS.get(kind, kind): count for kind, count in table.apart.items() if kind not in _NO_END}
    return f"; not counted: {_counts(apart)}" if apart else ""


def _legend(table: Standings, older: int) -> str:
    ends = ", ".join(f"{count} {kind.replace('_', '-')}" for kind, count in table.terminations.items())
    matches = many(sum(table.terminations.values()), "match", "matches")
    count, groups = many(table.matches, "counts", "count"), many(table.deal_groups, "deal group")
    lines = [
        f"{matches} ended: {ends}; {count}, of {groups}{_not_counted(table)}.",
        "n: matches that count. places: how often 1st-2nd-...",
        "points: mean placement points, 1 always first, 0 always last, higher is better;",
        "  [95 % interval, bootstrap over deal groups; none for a single group].",
        "lead: matches until the lead over the next row is certain (95 %) if all goes",
        "  on like this; sure: it is now; ?: too few deal groups, or no lead, to tell.",
        f"score: mean per match, {_direction(table.key.game)}. think: mean time per turn.",
        "rating: OpenSkill mu - 3 sigma (mu±sigma), higher is better.",
        "No-shows, voids and unrated matches count nowhere else; forfeited matches do.",
    ]
    if any(row.left for row in table.rows):
        lines.append("Withdrawn bots stand below all that stayed, disqualified ones last.")
    if older:
        lines.append(f"{older} earlier versions of these bots are in --json only.")
    return "\n".join(lines)


def _direction(game: str) -> str:
    try:
        lower = games.find(game).info.lower_is_better
    except UsageError:
        return "in the game's own unit"
    return "lower is better" if lower else "higher is better"
